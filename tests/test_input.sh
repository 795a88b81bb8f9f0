#!/bin/sh
# Bad input: one clear line that says what, where and what to do; a status that is not 0 from tools; the program and the
# build go on as if refrain were not there.
set -u
. "$(dirname "$0")/lib.sh"

cat >"$work/app.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 5;
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc "$work/app.c" -o "$work/app" || fail "compile"
mkdir "$work/good"
REFRAIN_TOTAL_MEMORY=4M REFRAIN_DIRECTORY=$work/good mpiexec.mpich -n 1 "$work/app" >/dev/null
good=$(the_trace "$work/good")

# ---- traces ----
for run in 1 2; do
    mkdir "$work/run-$run"
    REFRAIN_DIRECTORY=$work/run-$run mpiexec.mpich -n 2 "$work/app" >/dev/null
done
cp "$(the_trace "$work/run-2")/rank-1.trace" "$(the_trace "$work/run-1")"
for command in info "pack -o $work/x.refrain-pack"; do
    # shellcheck disable=SC2086 # lists of words
    refrain $command "$(the_trace "$work/run-1")" >/dev/null 2>"$work/said"
    grep -q "rank 1 began after rank 0 had ended: files of several runs are mixed in it" "$work/said" && pass ||
        fail "$command of two runs: $(cat "$work/said")"
    # shellcheck disable=SC2086
    refrain $command "$(the_trace "$work/run-2")" >/dev/null 2>"$work/said"
    grep -q "several runs" "$work/said" && fail "$command of one run: $(cat "$work/said")"
done
for command in info formulas events "reconstruct -o $work/x"; do
    says 1 "no-such" refrain $command "$work/no-such.refrain"
done
cp -r "$good" "$work/short.refrain"
truncate -s 9000 "$work/short.refrain/rank-0.trace"
says 1 "short.refrain*bytes" refrain info --verbose "$work/short.refrain"
for bytes in 0 1 60 -1; do
    cp "$good/rank-0.trace" "$work/rank-0.trace"
    truncate -s "$bytes" "$work/rank-0.trace"
    says 1 "rank-0.trace: *($(stat -c %s "$work/rank-0.trace") bytes" refrain info --verbose "$work/rank-0.trace"
done
cp -r "$good" "$work/foreign.refrain"
printf 'something' | dd of="$work/foreign.refrain/rank-0.trace" conv=notrunc 2>/dev/null
says 1 "foreign.refrain*not a" refrain info --verbose "$work/foreign.refrain"
cp -r "$good" "$work/newer.refrain"
printf '\377' | dd of="$work/newer.refrain/rank-0.trace" bs=1 seek=8 conv=notrunc 2>/dev/null
for command in info formulas stats "reconstruct -o $work/x" "view -o $work/x"; do
    # shellcheck disable=SC2086 # lists of words
    says 1 "newer.refrain* newer*255*update refrain" refrain $command "$work/newer.refrain"
done
cp -r "$good" "$work/elder.refrain"
printf '\001' | dd of="$work/elder.refrain/rank-0.trace" bs=1 seek=8 conv=notrunc 2>/dev/null
for command in info formulas stats "reconstruct -o $work/x" "view -o $work/x"; do
    # shellcheck disable=SC2086 # lists of words
    says 1 "elder.refrain* older*version 1,*trace the program again" refrain $command "$work/elder.refrain"
done
mkdir "$work/both"
REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=4M REFRAIN_DIRECTORY=$work/both mpiexec.mpich -n 1 "$work/app" >/dev/null
both=$(the_trace "$work/both")
printf '\377' | dd of="$both/rank-0.events" bs=1 seek=8 conv=notrunc 2>/dev/null
says 1 "events* newer*255*update refrain" refrain events "$both"
printf '\001' | dd of="$both/rank-0.events" bs=1 seek=8 conv=notrunc 2>/dev/null
says 1 "events* older*version 1,*trace the program again" refrain events "$both"
for bytes in 0 30; do
    truncate -s $bytes "$both/rank-0.events"
    says 1 "rank-0.events: too short *($bytes bytes" refrain events "$both"
done
cp /bin/true "$both/rank-0.events"
says 1 "rank-0.events: is not an event file*byte 0" refrain events "$both"
says 1 "events" refrain events "$good"
# refrain compare also takes text. For a single trace it compares with the recording in it.
echo hello >"$work/foreign"
says 1 "refrain: $work/foreign: is not a trace" refrain compare "$work/foreign"
refrain pack "$good" -o "$work/pack" >/dev/null 2>&1 || fail "pack"
refrain compare --exact "$good" "$work/pack" >"$work/out" 2>&1 && pass || fail "a pack is not compared: $(head -n 1 "$work/out")"
# A text with a truncated last line: the rest of a number may be another number.
refrain reconstruct "$good" --format text -o - | grep -v '^#' >"$work/text"
truncate -s -2 "$work/text"
says 1 "text: line $(($(wc -l <"$work/text") + 1)): does not end" refrain convert "$work/text" -o "$work/cut.refrain"
refrain reconstruct "$good" -o "$work/kept" --format text 2>/dev/null
says 1 "kept*exists" refrain reconstruct "$good" -o "$work/kept" --format text
[ "$(cd "$work" && refrain reconstruct "$good" -o - >/dev/null 2>&1; echo $?)" = 2 ] && [ ! -e "$work/-" ] && pass ||
    fail "an archive for standard output"
# An existing output stays until the new one is complete.
refrain reconstruct "$good" -o "$work/archive" || fail "reconstruct to OTF2"
before=$(cat "$work/kept" "$work"/archive/traces.* "$work"/archive/traces/* | cksum)
for arguments in "--format text -o $work/kept" "-o $work/archive"; do
    # shellcheck disable=SC2086 # lists of words
    refrain reconstruct "$work/short.refrain" --force $arguments 2>/dev/null && fail "a truncated trace is reconstructed"
    # shellcheck disable=SC2086
    (ulimit -f 0; refrain reconstruct "$good" --force $arguments >/dev/null 2>&1) && fail "reconstruct without room"
    [ "$(cat "$work/kept" "$work"/archive/traces.* "$work"/archive/traces/* | cksum)" = "$before" ] && pass ||
        fail "--force $arguments changed an output it could not replace"
    # shellcheck disable=SC2086
    check "--force $arguments" refrain reconstruct "$good" --force $arguments
done
[ "$(find "$work/archive" -name 'new.*' | wc -l)" -eq 0 ] && pass || fail "remains in the archive: $(ls "$work/archive")"
says 2 "unknown" refrain nonsense
[ "$(refrain nonsense 2>/dev/null; echo $?)" = 2 ] && pass || fail "usage errors have status 2"
for arguments in "info" "info $good $good" "size" "stats --rank x $good" "formulas --sort size $good" "reconstruct $good" \
    "reconstruct $good --format nonsense"; do
    # shellcheck disable=SC2086 # lists of words
    [ "$(refrain $arguments >"$work/out" 2>&1; echo $?)" = 2 ] && head -n 1 "$work/out" | grep -q "^refrain ${arguments%% *}: " &&
        pass || fail "refrain $arguments: status and first line: $(head -n 1 "$work/out")"
done
check "no place for temporary files" env TMPDIR=/nowhere refrain formulas "$good"

# ---- the traced program ----
# runs TEXT PATTERN VARIABLE=VALUE...: checks that output and status are those of the program, and that refrain prints one
# line with the pattern.
runs() {
    what=$1 pattern=$2
    shift 2
    mkdir -p "$work/run"
    env REFRAIN_DIRECTORY="$work/run" "$@" mpiexec.mpich -n 2 "$work/app" >"$work/out" 2>"$work/err"
    status=$?
    lines=$(grep -c '^refrain: ' "$work/err")
    wanted=1
    [ -n "$pattern" ] || wanted=0
    if [ $status -eq 5 ] && [ "$(sort "$work/out" | tr '\n' ' ')" = "rank 0 rank 1 " ] && [ "$lines" -eq $wanted ] &&
        { [ -z "$pattern" ] || grep -qE "$pattern" "$work/err"; }; then
        pass
    else
        fail "$what: status $status, $lines lines: $(head -n 3 "$work/err")"
    fi
}
runs "a good run" ""
runs "a senseless mode" "REFRAIN_MODE=perhaps.*stat, events" REFRAIN_MODE=perhaps
runs "a senseless size" "REFRAIN_TOTAL_MEMORY=lots.*bytes" REFRAIN_TOTAL_MEMORY=lots
runs "a size that is too small" "REFRAIN_TOTAL_MEMORY.*at least [0-9]+" REFRAIN_TOTAL_MEMORY=10K
runs "a size of one byte" "REFRAIN_TOTAL_MEMORY is 1 byte, but" REFRAIN_TOTAL_MEMORY=1
runs "too small a limit of recorded events" "REFRAIN_EVENT_MEMORY=100K: at least 1M expected; 1M is used" REFRAIN_EVENT_MEMORY=100K REFRAIN_MODE=events
runs "a senseless number of threads" "REFRAIN_THREADS=-1" REFRAIN_THREADS=-1
runs "a list of layers that is too long" "REFRAIN_LAYERS=\.\.\.: less than 512 bytes expected; none is used" REFRAIN_LAYERS="$(printf 'lib,%.0s' $(seq 200))"
runs "a directory that is not there" "" REFRAIN_DIRECTORY="$work/nowhere/at/all"
[ "$(ls -d "$work"/nowhere/at/all/*.refrain/*.trace | wc -l)" = 2 ] && pass || fail "the directory was not made"
touch "$work/file"
runs "a directory that cannot be made" "$work/file/below.*untraced" REFRAIN_DIRECTORY="$work/file/below"
runs "a file for a directory" "$work/file.*untraced" REFRAIN_DIRECTORY="$work/file"
runs "mode off" "" REFRAIN_MODE=off
least=$(REFRAIN_TOTAL_MEMORY=10K REFRAIN_DIRECTORY=$work/run mpiexec.mpich -n 1 "$work/app" 2>&1 |
    sed -n 's/.*at least \([0-9]*\).*/\1/p')
runs "the least memory" "" REFRAIN_TOTAL_MEMORY="$least"

# A limit on the size of files that is smaller than the trace, or that recorded events come to, ends nothing. Without MPI,
# whose own files would be in the way.
cat >"$work/events.c" <<'END'
#include <stdio.h>
static volatile int sum;
__attribute__((noinline)) static void add(int n) {
    for (int i = 0; i < n; i++)
        sum += i;
}
int main(int argc, char **argv) {
    for (int i = 0; i < 300000; i++)
        add(argc);
    puts("done");
    return 5;
}
END
refrain-cc --detail=every gcc -O1 "$work/events.c" -o "$work/events" 2>"$work/err" || fail "compile events: $(cat "$work/err")"
for limited in "16M stat" "4M both"; do
    rm -rf "$work/limited"
    (
        ulimit -f 16384
        REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/limited REFRAIN_TOTAL_MEMORY=${limited% *} \
            REFRAIN_MODE=${limited#* } "$work/events" >"$work/out" 2>"$work/err"
    )
    [ $? -eq 5 ] && [ "$(cat "$work/out")" = "done" ] && pass || fail "ulimit -f, $limited: $(cat "$work/out" "$work/err")"
done
trace=$(the_trace "$work/limited")
refrain info --verbose "$trace" | grep -q 'recorded events that could not be written' && pass || fail "lost events are not said"
rm -rf "$work/limited"
(
    ulimit -f 16384
    REFRAIN_DIRECTORY=$work/limited "$work/events" 2>"$work/err" >"$work/out"
)
grep -q 'no file may be longer than 8388608 here (ulimit -f); the program runs untraced' "$work/err" && [ -z "$(ls "$work/limited")" ] &&
    pass || fail "ulimit -f is not said: $(cat "$work/err")"

# An existing trace is never overwritten: three runs within a second leave three.
rm -rf "$work/run"
for i in 1 2 3; do
    runs "run $i of three" ""
done
set -- "$work"/run/*.refrain
[ $# -eq 3 ] && pass || fail "three runs left $# traces"

# A disk that is full when the run starts: the program runs, untraced.
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=1M refrain-test "$work/small" 2>/dev/null; then
    runs "a full disk" "$work/small.*No space left.*untraced" REFRAIN_DIRECTORY="$work/small"
    umount "$work/small"
fi
# One that may only be read.
if [ "$(id -u)" = 0 ] && mkdir "$work/fixed" && mount -t tmpfs -o ro refrain-test "$work/fixed" 2>/dev/null; then
    runs "a read-only file system" "$work/fixed.*Read-only file system.*untraced" REFRAIN_DIRECTORY="$work/fixed"
    umount "$work/fixed"
fi

# A file system that cannot reserve room, as NFS before its version 4.2: one line, and the run is traced.
cat >"$work/reserve.c" <<'END'
#include <errno.h>
#include <sys/types.h>
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
    (void)fd, (void)mode, (void)offset, (void)bytes;
    errno = EOPNOTSUPP;
    return -1;
}
END
gcc -shared -fPIC "$work/reserve.c" -o "$work/reserve.so" || fail "reserve.so"
rm -rf "$work/run"
runs "no reservation" "cannot reserve room" LD_PRELOAD="$work/reserve.so"
[ "$(ls "$work"/run/*.refrain/rank-*.trace | wc -l)" = 2 ] && refrain info --verbose "$work"/run/*.refrain | grep -q "nothing was lost" &&
    pass || fail "no reservation: not traced"

# One that says only when it has written that the disk is full, as NFS does; one that cannot map files.
cat >>"$work/reserve.c" <<'END'
int fsync(int fd) {
    (void)fd;
    errno = ENOSPC;
    return -1;
}
END
cat >"$work/map.c" <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    char name[64], path[4096] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (fd >= 0 && readlink(name, path, sizeof path - 1) > 0 && strstr(path, ".trace")) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
END
gcc -shared -fPIC "$work/reserve.c" -o "$work/full.so" && gcc -shared -fPIC "$work/map.c" -o "$work/map.so" || fail "full.so, map.so"
for what in full map; do
    rm -rf "$work/run"
    LD_PRELOAD="$work/$what.so" REFRAIN_DIRECTORY=$work/run "$work/events" >"$work/out" 2>"$work/err"
    status=$?
    said="cannot map a file into the memory of a program, which a trace needs; the program runs untraced"
    [ $what = map ] || said="cannot make the trace file .*No space left on device; the program runs untraced"
    [ $status = 5 ] && grep -q "$said" "$work/err" && [ -z "$(ls "$work/run")" ] && pass ||
        fail "a file system, $what: status $status: $(cat "$work/err"; ls -R "$work/run")"
done

# ---- the build ----
printf 'int main(void) { return nonsense(; }\n' >"$work/bad.c"
gcc -c "$work/bad.c" -o "$work/bad.o" 2>"$work/expected"
expected=$?
refrain-cc gcc -c "$work/bad.c" -o "$work/bad.o" 2>"$work/said"
[ $? -eq $expected ] && cmp -s "$work/expected" "$work/said" && pass || fail "a source that does not compile: $(head -n 3 "$work/said")"
printf 'int main(void) { return 7; }\n' >"$work/fine.c"
refrain-cc --filter="$work/no-filter" gcc "$work/fine.c" -o "$work/fine" 2>"$work/said" && { "$work/fine"; [ $? -eq 7 ]; } &&
    [ "$(wc -l <"$work/said")" -eq 1 ] && grep -q no-filter "$work/said" && pass || fail "a missing filter: $(cat "$work/said")"
summary
