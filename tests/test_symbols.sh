#!/bin/sh
# Names of code addresses stay what they were when the program ran, whatever happens to its files. They are stored with the
# trace, and taken only from the file that ran. Separate debug information and debuginfod supply missing names.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
unset DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT
export DEBUGINFOD_CACHE_PATH="$work/cache"

cat >library.c <<'END'
#include <mpi.h>
static inline int sum(int n) { int all; MPI_Allreduce(&n, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); return all; }
int library(int n) {
    return sum(n) + 1;
}
END
cat >program.c <<'END'
#include <mpi.h>
int library(int n);
__attribute__((noinline)) void meet(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        meet();
    int n = library(argc);
    MPI_Finalize();
    return n != argc + 1;
}
END
sed 's/library/other/; s/^int other(/\n\nint library(/; s/^static inline/\n\n&/' library.c >other_library.c
sed 's/void meet/void gather/; s/        meet/        gather/; s/^__attr/\n\n\n&/' program.c >other_program.c
MPICC="mpicc.mpich -O2"

# build FLAGS: the program and its library.
build() {
    # shellcheck disable=SC2086 # words
    $MPICC $1 -shared -fPIC library.c -o liblibrary.so && $MPICC $1 program.c ./liblibrary.so -Wl,-rpath,"$work" -o program ||
        fail "compile $1"
}

# record OPTION...: a run of it; its trace is $trace.
record() {
    rm -rf run
    timeout 60 refrain record -q --directory run "$@" ./program >said 2>&1 || fail "record: status $?, $(cat said)"
    trace=$(ls -d run/*.refrain*)
}

# names TRACE: prints the places of its MPI calls, sorted; messages are in `said`.
names() {
    refrain stats "$1" 2>said | sed -n 's/.*  \(MPI_[A-Z][a-z]*\)  /\1 /p' | sort
}

# has NAME TRACE FILE: its names are those in FILE.
has() {
    names "$2" >found
    [ -s found ] && cmp -s found "$3" && pass || { fail "$1: other names"; diff "$3" found | head -n 4; }
}

# has_none NAME TRACE FILE TEXT: checks that MPI calls in FILE have only addresses, and that a line and refrain info say
# TEXT about it.
has_none() {
    names "$2" >found
    grep -qE "^MPI_.* in $3\+0x" found && ! grep -qE 'gather|other' found && pass || fail "$1: $(cat found)"
    [ "$(grep -c "$4" said)" = 1 ] && pass || fail "$1: not said in one line: $4: $(cat said)"
    refrain info --verbose "$2" 2>/dev/null | grep -q "$3 $4" && pass || fail "$1: info does not say '$4'"
}

build -g
cp program program.ran && cp liblibrary.so library.ran
record
cat >expected <<'END'
MPI_Allreduce library.c:2  in sum, inlined into library
MPI_Barrier program.c:4  in meet
MPI_Finalize program.c:12  in main
MPI_Init program.c:8  in main
END
has "as it ran" "$trace" expected

# The names of an old trace stay as they were after the program is changed, with stored names and, by the build id,
# without.
touch program liblibrary.so && has touch "$trace" expected
cp -r "$trace" bare.refrain && rm bare.refrain/names || fail "no names were stored"
has "touch, nothing stored" bare.refrain expected && rm bare.refrain/names
cp library.ran moved && mv moved liblibrary.so && cp program.ran program && has "a copy" bare.refrain expected
rm bare.refrain/names
$MPICC -g other_program.c ./liblibrary.so -Wl,-rpath,"$work" -o program || fail "compile again"
has rebuilt "$trace" expected
has_none "rebuilt, nothing stored" bare.refrain program "is not the file that ran"
grep -q 'library.c:2  in sum' found && pass || fail "rebuilt: the library's names: $(cat found)"
cp program.ran program && $MPICC -g -shared -fPIC other_library.c -o liblibrary.so || fail "compile again"
rm -f bare.refrain/names
has_none "another library" bare.refrain liblibrary.so "is not the file that ran"
grep -q 'program.c:4  in meet' found && pass || fail "another library: the program's names: $(cat found)"
rm -f bare.refrain/names program liblibrary.so
has gone "$trace" expected
has_none "gone, nothing stored" bare.refrain program "is gone"
mkfifo program && has_none "a pipe" bare.refrain program "is gone" && rm program
refrain reconstruct "$trace" --format text -o - | grep -q "enter.MPI_Allreduce.*library.c.line=2" && pass || fail "gone: text"
has "one rank's file" "$trace/rank-0.trace" expected

# Packs hold them.
refrain pack -q "$trace" -o two.refrain-pack >/dev/null && mv "$trace" away && has "a pack" two.refrain-pack expected && mv away "$trace"
cp program.ran program && cp library.ran liblibrary.so
REFRAIN_PACK=on record
rm program liblibrary.so
has "a pack by the job" "$trace" expected
cp program.ran program && cp library.ran liblibrary.so
REFRAIN_PACK=on REFRAIN_DIRECTORY=$work/own LD_PRELOAD=$(dirname "$bin")/lib/librefrain-record.so ./program >said 2>&1
own=$(ls own/*.refrain-pack)
chmod 640 "$own" && ln -s "$own" linked.refrain-pack && has "a pack's first reader" linked.refrain-pack expected
rm program liblibrary.so
[ -L linked.refrain-pack ] && [ "$(stat -c %a "$own")" = 640 ] && has "a pack's next reader" "$own" expected
head -c $(($(wc -c <"$own") - 5)) "$own" >cut.refrain-pack && names cut.refrain-pack >found
grep -q 'MPI_Barrier in program+0x' found && pass || fail "a pack that was cut off: $(cat found)"

# If the trace cannot be written, names are looked up each time.
cp program.ran program && cp library.ran liblibrary.so && chmod 755 "$work"
chmod a-w bare.refrain
as_other=
[ "$(id -u)" != 0 ] || as_other="setpriv --reuid=65534 --clear-groups"
for i in 1 2; do
    $as_other "$bin/refrain" stats bare.refrain 2>said | grep -q 'library.c:2  in sum, inlined into library' && [ ! -s said ] &&
        [ ! -e bare.refrain/names ] && pass || fail "a directory that may not be written to: $(cat said)"
done
$as_other "$bin/refrain" info bare.refrain | grep -q 'cannot be stored.*bare.refrain/names' && pass || fail "info: cannot be stored"
chmod u+w bare.refrain

# Files without a build id are known by size and time of change.
build "-g -Wl,--build-id=none"
record
has "without build ids" "$trace" expected
rm "$trace/names" && has "without build ids, nothing stored" "$trace" expected
touch -d @1 program
has "without build ids, touched" "$trace" expected
rm "$trace/names" && has_none "touched, nothing stored" "$trace" program "has no build id"
grep -q 'library.c:2' found && pass || fail "without build ids: the library's names"

# Separate debug information is found by the build id, also if the file is gone. Names found are better than stored
# ones.
apart() {
    id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
    file=debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
    mkdir -p "$(dirname "$file")" && objcopy --only-keep-debug "$1" "$file" && strip -s "$1" || fail "strip $1"
}
build -g
apart program && apart liblibrary.so
cp program stripped.ran && cp liblibrary.so stripped_library.ran
record
names "$trace" >found
grep -q 'MPI_Barrier in program+0x' found && grep -q 'MPI_Allreduce in library+0x' found && pass || fail "stripped: $(cat found)"
refrain info --verbose "$trace" | grep -q 'program has no debug information.*-g' && pass || fail "stripped: info"
cp -r "$trace" plain.refrain
export REFRAIN_DEBUG_DIRECTORIES="/nowhere:$work/debug"
has "debug information apart" "$trace" expected
rm program liblibrary.so plain.refrain/names
has "debug information alone" plain.refrain expected
unset REFRAIN_DEBUG_DIRECTORIES
has "debug information that was found before" "$trace" expected

# debuginfod: a server that has the file; one that does not answer, which is given up and reported once.
python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null || { summary; exit; }
cat >server.py <<'END'
import http.server, pathlib, signal, sys
silent, debug, port = sys.argv[1] == "silent", pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        _, _, build_id, kind = self.path.split("/")
        file = debug / build_id[:2] / (build_id[2:] + ".debug")
        found = kind == "debuginfo" and file.exists()
        body = file.read_bytes() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
port.with_suffix(".part").write_text(str(server.server_address[1]))
port.with_suffix(".part").rename(port)
if silent:  # connections are taken by the kernel, and nothing comes
    signal.pause()
server.serve_forever()
END
# serve KIND: DEBUGINFOD_URLS is its address, $server its process.
serve() {
    rm -f port
    python3 server.py "$1" debug/.build-id port &
    server=$!
    until [ -s port ] || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
    export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)"
}
cp stripped.ran program && cp stripped_library.ran liblibrary.so
rm plain.refrain/names && refrain stats plain.refrain >/dev/null
serve silent
export DEBUGINFOD_TIMEOUT=1
names plain.refrain >found
grep -q 'MPI_Barrier in program+0x' found && [ "$(grep -c 'debuginfod.*did not answer within' said)" = 1 ] && pass ||
    fail "a silent server: $(cat said found)"
names plain.refrain >found && [ ! -s said ] && pass || fail "a silent server is asked again: $(cat said)"
kill $server
export DEBUGINFOD_TIMEOUT=60 # however busy the machine is
serve answers
export DEBUGINFOD_CACHE_PATH="$work/other_cache" # the first one knows that there is nothing
rm plain.refrain/names
has debuginfod plain.refrain expected
rm plain.refrain/names program liblibrary.so
has "debuginfod, files gone" plain.refrain expected
kill $server
unset DEBUGINFOD_URLS
has "debuginfod asked before" plain.refrain expected
summary
