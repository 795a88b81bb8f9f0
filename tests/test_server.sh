#!/bin/sh
# A server that instruments sources for the wrappers of a build: objects and messages are what they are without it, whatever
# happens to the server, to a wrapper, or to the directory of sockets.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_COMPILE_SERVER MAKEFLAGS
cd "$work" || exit 1
mkdir -m 700 run
XDG_RUNTIME_DIR=$work/run
export XDG_RUNTIME_DIR
sockets=$work/run/refrain
trap 'refrain-cc --server-stop >/dev/null; rm -rf "$work"' EXIT

# The servers of this test, of which their environment tells. A server leads a session, its children do not.
servers() {
    for process in $(pgrep -x refrain-server); do
        [ "$(cut -d ' ' -f 6 "/proc/$process/stat")" = "$process" ] &&
            tr '\0' '\n' <"/proc/$process/environ" | grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" && echo "$process"
    done 2>/dev/null
}
children() {
    cat "/proc/$1/task/$1/children" 2>/dev/null
}
# eventually COMMAND...: true as soon as the command is. Only where something is wrong does it wait to the end: no machine is
# so slow.
eventually() {
    tries=6000
    while [ $tries -gt 0 ]; do
        "$@" && return 0
        sleep 0.05
        tries=$((tries - 1))
    done
    return 1
}
none() {
    [ -z "$("$@")" ]
}
# are NUMBER: there are so many servers
are() {
    [ "$(servers | wc -l)" -eq "$1" ]
}
# The number of sources that servers have instrumented; they end. One that does not answer in time is told again.
stop_some() {
    refrain-cc --server-stop >>said.stop
    none servers
}
served() {
    : >said.stop
    eventually stop_some
    sed -n 's/.* \([0-9]*\) sources.*/\1/p' said.stop | awk '{ n += $1 } END { print n + 0 }'
}

for i in 1 2 3 4 5; do
    {
        echo "#include \"sizes.h\""
        echo "extern int put(int, void (*)(int));"
        [ $i != 5 ] || echo "#include \"part.inc.c\""
        echo "int step_$i(int n, void (*told)(int)) {"
        echo "    int sum = SIZE;"
        echo "    for (int i = 0; i < n; i++) {"
        echo "        sum += put(i, told);"
        echo "        while (sum > $i * n)"
        echo "            sum -= n;"
        echo "    }"
        echo "    return sum;"
        echo "}"
    } >part_$i.c
done
echo 'static int part(int n) { int s = 0; while (n > 0) s += put(n--, 0); return s; } int parts(void) { return part(SIZE); }' >part.inc.c
echo 'int no_loop;' >nothing.c
echo 'int broken(int n) { while (n) n -= undeclared; return n; }' >broken.c
mkdir one two out
echo '#define SIZE 1' >one/sizes.h
echo '#define SIZE 2222' >two/sizes.h
printf 'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE step_2\nSCOREP_REGION_NAMES_END\n' >rules

# equal TEXT COMMAND...: with and without a server the same objects, messages and status.
equal() {
    what=$1
    shift
    for kind in without with; do
        rm -f out/*
        if [ $kind = with ]; then REFRAIN_COMPILE_SERVER=3600 "$@" >said.$kind 2>&1; else "$@" >said.$kind 2>&1; fi
        echo "status $?" >>said.$kind
        (cd out && cksum -- *) >>said.$kind 2>&1
    done
    cmp -s said.with said.without && grep -q '^[0-9].*o$' said.with && pass || fail "$what: $(diff said.without said.with | head -n 5)"
}
# A wrapper that gets no answer from the server in time does the work itself, and then its object is the same in any case: on a
# very busy machine this has to be looked at once more.
everything_equal() {
    equal "one source" refrain-cc --verbose gcc -Ione -O2 -c part_1.c -o out/1.o
    equal "another directory of headers" refrain-cc gcc -Itwo -O2 -c part_1.c -o out/1.o
    equal "a directory of headers from the environment" env CPATH=two refrain-cc gcc -O0 -g -c part_2.c -o out/1.o
    equal "a filter" refrain-cc --verbose --filter=rules gcc -Ione -c part_2.c -o out/1.o
    equal "more detail" refrain-cc --detail=all gcc -Ione -O2 -c part_3.c -o out/1.o
    equal "all detail" refrain-cc --detail=every gcc -Ione -O2 -c part_3.c -o out/1.o
    equal "another working directory" sh -c 'cd one && refrain-cc gcc -I. -O2 -c ../part_3.c -o ../out/1.o'
    equal "several sources" sh -c 'cd out && refrain-cc gcc -I../one -O2 -c ../part_1.c ../part_2.c ../part_3.c'
    equal "sources of several directories" sh -c 'cp nothing.c one/ && cd out && refrain-cc --verbose gcc -I../one -O2 -c ../part_1.c ../one/nothing.c'
    equal "a source that is part of another" refrain-cc gcc -Ione -O2 -MD -MF out/d -c part_5.c -o out/1.o
    equal "link-time optimisation" refrain-cc gcc -Ione -O2 -flto -frandom-seed=1 -c part_1.c -o out/1.o
    equal "nothing to instrument" refrain-cc --verbose gcc -c nothing.c -o out/1.o
    equal "under limits" sh -c 'ulimit -n 20 && refrain-cc gcc -Ione -O2 -c part_1.c -o out/1.o'
    refrain-cc --verbose gcc -c broken.c -o out/1.o >said.without 2>&1
    REFRAIN_COMPILE_SERVER=3600 refrain-cc --verbose gcc -c broken.c -o out/1.o >said.with 2>&1
    [ $? -ne 0 ] && grep -q undeclared said.with && cmp -s said.with said.without && pass || fail "broken source: $(cat said.with)"
}
for round in 1 2 3 4 5; do
    everything_equal
    n=$(served)
    [ "$n" -lt 17 ] || break
done
[ "$n" -eq 17 ] && pass || fail "servers instrumented $n sources of 17"
none ls "$sockets" && pass || fail "sockets are left: $(ls "$sockets")"
refrain-cc gcc -Ione -O2 -c part_1.c -o expected.o
none ls "$sockets" && none servers && pass || fail "a server that nobody asked for"
refrain-mpicc --refrain-server-stop | grep -q 'no server is running' && pass || fail "--server-stop without a server"
REFRAIN_COMPILE_SERVER=soon refrain-cc gcc -Ione -O2 -c part_1.c -o 1.o 2>said
grep -q "server 'soon'" said && cmp -s 1.o expected.o && none servers && pass || fail "no number of seconds: $(cat said)"
REFRAIN_COMPILE_SERVER=3600
export REFRAIN_COMPILE_SERVER

# object TEXT: the object is the one that it is without a server.
object() {
    rm -f 1.o
    refrain-cc gcc -Ione -O2 -c part_1.c -o 1.o >said 2>&1 && [ ! -s said ] && cmp -s 1.o expected.o && pass || fail "$1: $(cat said)"
}

# ---- many at once ----
for i in $(seq 16); do
    refrain-cc gcc -Ione -O2 -c part_1.c -o many_$i.o 2>>said.many &
done
wait
for i in $(seq 16); do
    cmp -s many_$i.o expected.o && pass || fail "object $i of many at once"
done
[ ! -s said.many ] && pass || fail "many at once: $(head -n 3 said.many)"
eventually are 1 && pass || fail "servers: $(servers)"
server=$(servers)

# ---- nothing of the first wrapper's is left in it ----
[ "$(readlink "/proc/$server/cwd")" = / ] && pass || fail "working directory of the server: $(readlink "/proc/$server/cwd")"
[ "$(for f in "/proc/$server/fd"/*; do readlink "$f"; done | sed 's/:.*//' | sort -u | tr '\n' ' ')" = "/dev/null anon_inode socket " ] &&
    [ "$(find "/proc/$server/fd" -mindepth 1 | wc -l)" -eq 5 ] && pass || fail "files of the server: $(ls -l "/proc/$server/fd")"

# ---- another umask, another limit, another priority: another server ----
(umask 077 && object "another umask")
(ulimit -n 99 && object "another limit")
nice refrain-cc gcc -Ione -O2 -c part_1.c -o 1.o
eventually are 4 && pass || fail "servers: $(servers)"
served >/dev/null

# ---- one whose child is at work: it reads a header that nobody writes ----
mkfifo waits.h
printf '#include "waits.h"\n#include "part_1.c"\n' >waiting.c
object "a new server"
eventually are 1 && pass || fail "servers: $(servers)"
server=$(servers)
# at_work: a server's child has the work, or the wrapper's own, if it got no answer in time.
at_work() {
    server=$(servers)
    child=$(children "$server")
    [ -n "$child$(children "$wrapper")" ]
}
begin_waiting() {
    while :; do
        refrain-cc gcc -Ione -O2 -c waiting.c -o waiting.o 2>said.waiting &
        wrapper=$!
        eventually at_work && pass || fail "nobody is at work"
        [ -z "$child" ] || break
        kill -TERM $wrapper
        wait $wrapper
    done
}
# The header is an empty one from now on: nobody waits for it any more.
end_waiting() {
    ln waits.h pipe && : >no_pipe.h && mv no_pipe.h waits.h
    (: >pipe) &
    feeder=$!
    wait $wrapper && nm waiting.o | grep -q refrain && pass || fail "$1: $(cat said.waiting)"
    kill $feeder 2>/dev/null
    rm pipe
}
begin_waiting
kill -KILL $wrapper
wait $wrapper 2>/dev/null
eventually none children "$server" && pass || fail "the wrapper was killed, the server's child is there"
[ "$(servers)" = "$server" ] && object "the server of a wrapper that was killed"
begin_waiting
kill -TERM $wrapper
wait $wrapper
[ $? -eq 143 ] && eventually none children "$server" && pass || fail "the wrapper was told to stop, the server's child is there"
begin_waiting
kill -KILL "$server"
gone() {
    ! [ -e "/proc/$child" ] || grep -q '^State:.Z' "/proc/$child/status"
}
eventually gone && pass || fail "the server was killed, its child is there"
end_waiting "the server was killed at work"
[ -S "$(ls "$sockets"/*.socket)" ] && pass || fail "no socket is left of a server that was killed"
object "a socket is left of a server that was killed"
eventually are 1 && pass || fail "no server in the place of one that was killed: $(servers)"
server=$(servers)

# ---- one that does not answer ----
kill -STOP "$server"
object "a server that stands still"
[ "$(servers)" = "$server" ] && pass || fail "another server in the place of one that stands still: $(servers)"
kill -CONT "$server"
object "one that goes on"

# ---- it says what it was told ----
if command -v python3 >/dev/null; then
    cat >rude.py <<'END'
import glob, os, socket, sys
for path in glob.glob(sys.argv[1] + "/*.socket"):
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(path)
    for words in (b"", b"x", os.urandom(16), os.urandom(100000), b"srfR" + bytes([1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 3]),
                  b"srfR" + bytes([1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]) + b"\0\0", b"srfR" + bytes([9, 0, 0, 0] + 8 * [0])):
        rude = socket.socket(socket.AF_UNIX)
        rude.connect(path)
        try:
            rude.sendall(words)
        except OSError:
            pass
        rude.close()
    os.system("rm -f 1.o; refrain-cc gcc -Ione -O2 -c part_1.c -o 1.o")
END
    python3 rude.py "$sockets"
    cmp -s 1.o expected.o && [ "$(servers)" = "$server" ] && pass || fail "a server that was told nonsense"
fi
served >/dev/null

# ---- a directory that is not the user's alone ----
rmdir "$sockets"
mkdir -m 755 "$sockets"
object "a directory that others can enter"
rmdir "$sockets" && mkdir -m 700 elsewhere && ln -s "$work/elsewhere" "$sockets"
object "a link in the directory's place"
rm "$sockets" && : >"$sockets"
object "a file in the directory's place"
rm "$sockets"
if [ "$(id -u)" -eq 0 ] && mkdir -m 700 "$sockets" && chown 65534 "$sockets"; then
    object "a directory of another user"
    rm -r "$sockets"
fi
none servers && pass || fail "a server where others could reach it"
mkdir -m 500 "$sockets"
object "a directory that cannot be written" # but by root
chmod 700 "$sockets"
served >/dev/null


# ---- a path that is too long for a socket ----
long=$work/$(printf '%0100d' 0)
mkdir -m 700 "$long"
XDG_RUNTIME_DIR=$long object "a path that is too long for a socket"
none find "$long" -type s && pass || fail "a socket at a path that is too long"

# ---- few descriptors, in the server and in the wrapper ----
for n in 6 7 8 9 10 12; do
    rm -f 1.o
    sh -c "ulimit -n $n && exec refrain-cc gcc -Ione -O2 -c part_1.c -o 1.o" >said 2>&1
    cmp -s 1.o expected.o && pass || fail "$n descriptors: $(cat said)"
done
for i in $(seq 8); do
    (ulimit -n 12 && refrain-cc gcc -Ione -O2 -c part_1.c -o many_$i.o) &
done
wait
for i in $(seq 8); do
    cmp -s many_$i.o expected.o && pass || fail "object $i of many with few descriptors"
done
served >/dev/null

# ---- it ends itself ----
# The one whose child is at work stays, however long that takes.
rm waits.h && mkfifo waits.h
REFRAIN_COMPILE_SERVER=1
for round in 1 2 3 4 5; do
    begin_waiting
    first=$server
    sleep 2
    [ "$(servers)" != "$first" ] || break
    kill -TERM $wrapper
    wait $wrapper
done
[ "$(servers)" = "$first" ] && pass || fail "a server has ended whose child is at work"
end_waiting "a server with a second's patience"
eventually none servers && none ls "$sockets" && pass || fail "a server without work: $(servers) $(ls "$sockets")"
summary
