#!/bin/sh
# refrain pack: data that ranks have in common are stored once, and each rank is read back as it was. Of a truncated or
# damaged pack, the undamaged part is read, with a message.
set -u
. "$(dirname "$0")/lib.sh"

json_number() {
    tr -d ' ",' | sed -n "s/^$1://p"
}

# same NAME TRACE PACK: both have the same contents for every command.
same() {
    for command in "formulas --all" stats "capture --json"; do
        # shellcheck disable=SC2086 # a command and its options
        refrain $command "$2" 2>&1 | grep -v '"trace"' >"$work/a"
        # shellcheck disable=SC2086
        refrain $command "$3" 2>&1 | grep -v '"trace"' >"$work/b"
        cmp -s "$work/a" "$work/b" && pass || fail "$1: refrain $command differs: $(diff "$work/a" "$work/b" | head -n 3)"
    done
    same_events "$@"
}

# same_events NAME TRACE PACK
same_events() {
    refrain reconstruct "$2" --format text -o "$work/a" --force
    refrain reconstruct "$3" --format text -o "$work/b" --force
    [ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && pass || fail "$1: events differ"
}

# As on NFS, a file that is removed while it is mapped stays under another name.
cat >"$work/stays.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int unlink(const char *path) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int is_mapped = 0;
    char line[5000];
    while (maps && fgets(line, sizeof line, maps))
        is_mapped |= strstr(line, path) != NULL;
    if (maps)
        fclose(maps);
    snprintf(line, sizeof line, "%s.stays", path);
    return is_mapped ? rename(path, line) : ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
END
gcc -shared -fPIC "$work/stays.c" -o "$work/stays.so" || fail "compile stays.c"

# Neighbours in a ring, a butterfly and a grid, on 4 and 16 ranks of this machine.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/neighbours.c" -o "$work/neighbours" || fail "compile"
for n in 4 16; do
    mkdir "$work/run"
    REFRAIN_DIRECTORY=$work/run REFRAIN_THROTTLE=off launch mpich $n "$work/neighbours" 20 || fail "$n ranks: status $?"
    trace=$(the_trace "$work/run")
    refrain pack "$trace" -o "$work/$n.refrain-pack" --json >"$work/report" || fail "$n ranks: pack"
    echo "$n ranks: $(json_number structure_bytes <"$work/report") bytes of structure"
    same "$n ranks" "$trace" "$work/$n.refrain-pack"
    # A partner is stored in the form that most ranks share.
    refrain formulas "$work/$n.refrain-pack" >"$work/formulas"
    grep -q "dest .* 0-$((n - 1))  *((r+1) mod $n)^20\$" "$work/formulas" && pass || fail "$n ranks: the ring"
    grep -q "source .* 0-$((n - 1))  *((r xor 1) (r xor 2).*)^20\$" "$work/formulas" && pass || fail "$n ranks: the butterfly"
    # The same at MPI_Finalize: one file, no directory, with the same contents except times. Code of main after
    # MPI_Finalize is not traced.
    mkdir "$work/packed"
    LD_PRELOAD=$work/stays.so REFRAIN_DIRECTORY=$work/packed REFRAIN_THROTTLE=off REFRAIN_PACK=on \
        launch mpich $n "$work/neighbours" 20 2>"$work/said" ||
        fail "$n ranks, packed at the end: status $?"
    pack=$(echo "$work"/packed/*)
    [ -f "$pack" ] && [ "${pack%.refrain-pack}" != "$pack" ] && [ ! -s "$work/said" ] && pass ||
        fail "$n ranks, packed at the end: $(ls "$work/packed") $(cat "$work/said")"
    refrain formulas --all "$trace" | sed '/MPI_Finalize  *after/s/exit/unwind/' >"$work/a"
    refrain formulas --all "$pack" >"$work/b"
    [ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && pass ||
        fail "$n ranks, packed at the end: formulas differ: $(diff "$work/a" "$work/b" | head -n 3)"
    refrain reconstruct "$trace" --format text -o - >"$work/a" && per_location "$work/a" >"$work/c"
    refrain reconstruct "$pack" --format text -o - >"$work/b" && per_location "$work/b" >"$work/d"
    [ -s "$work/c" ] && cmp -s "$work/c" "$work/d" && pass || fail "$n ranks, packed at the end: events differ"
    refrain info --verbose "$pack" | grep -q 'traced to MPI_Finalize' && pass || fail "$n ranks: info on what was packed at the end"
    check "$n ranks: trees" fold_ranks "$trace" "$work/$n.refrain-pack"
    rm -rf "$work/run" "$work/packed"
done

# no_growth PROGRAM same|same_events: checks that 16 ranks need little more structure than 4 ranks, and have as much in
# common.
no_growth() {
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/$1.c" -o "$work/$1" || fail "compile $1"
    for n in 4 16; do
        mkdir "$work/run"
        REFRAIN_DIRECTORY=$work/run REFRAIN_THROTTLE=off launch mpich $n "$work/$1" || fail "$1, $n ranks: status $?"
        trace=$(the_trace "$work/run")
        refrain pack "$trace" -o "$work/$1.refrain-pack" --json --force >"$work/report" || fail "$1, $n ranks: pack"
        bytes=$(json_number structure_bytes <"$work/report")
        echo "$1, $n ranks: $bytes bytes of structure"
        [ $n = 4 ] && few=$bytes
        "$2" "$1, $n ranks" "$trace" "$work/$1.refrain-pack"
        check "$1, $n ranks: trees" fold_ranks "$trace" "$work/$1.refrain-pack"
        rm -rf "$work/run"
    done
    [ "$bytes" -le $((few + few / 4)) ] && pass || fail "$1: 16 ranks take $bytes bytes of structure, 4 $few"
}

# Archived values are compared between ranks, too: numbers that differ by the rank take no more room.
no_growth archived same
# Ranks that do the same at different moments get one common form, although each found other repetitions by chance. This
# form may be none of those that they learned.
no_growth diagonal same_events

# Times beyond the coded ones are compressed if libzstd is available, and read back.
mkdir "$work/run"
REFRAIN_DIRECTORY=$work/run REFRAIN_THROTTLE=off launch mpich 2 "$work/archived" 4000 || fail "long: status $?"
trace=$(the_trace "$work/run")
refrain pack "$trace" -o "$work/long.refrain-pack" --json >"$work/report" || fail "long: pack"
for command in "formulas --all" stats "capture --json"; do
    # shellcheck disable=SC2086 # a command and its options
    refrain $command "$trace" | grep -v '"trace"' >"$work/a"
    # shellcheck disable=SC2086
    refrain $command "$work/long.refrain-pack" | grep -v '"trace"' >"$work/b"
    [ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && pass || fail "long: refrain $command differs"
done
if ldd "$(command -v refrain)" | grep -q libzstd; then
    files=$(cat "$trace"/rank-*.trace | wc -c)
    bytes=$(json_number bytes <"$work/report")
    echo "long: $files bytes in files of ranks, $bytes packed"
    [ "$bytes" -lt $((files / 2)) ] && pass || fail "long: $bytes bytes of $files"
    # The reading library for WebAssembly has no libzstd.
    if [ -e "$bin/../lib/dump_images.wasm" ] && command -v node >/dev/null; then
        node --no-warnings "$tests/run_wasi.mjs" "$work" "$bin/../lib/dump_images.wasm" 0 "$work/long.refrain-pack" >"$work/said" 2>&1
        grep -q 'compressed by libzstd, which this refrain was built without' "$work/said" && pass ||
            fail "long, without libzstd: $(head -n 3 "$work/said")"
    fi
fi
rm -rf "$work/run"
refrain info --json "$work/long.refrain-pack" >"$work/info" || fail "info --json on a pack"
[ "$(json_number structure_bytes <"$work/info")" = "$(json_number structure_bytes <"$work/report")" ] &&
    grep -q "^  \"bytes\": $(json_number bytes <"$work/report"),$" "$work/info" && pass || fail "info --json on a pack"
refrain info --verbose "$work/long.refrain-pack" | grep -q '^trace size .* in one file, .* of it what ranks learned' && pass || fail "info on a pack"

# If a pack is impossible, one line says so, and the ranks have files of their own.
for setting in REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=1M; do
    mkdir "$work/run"
    env "$setting" REFRAIN_DIRECTORY="$work/run" REFRAIN_PACK=on "$bin/refrain-run" mpiexec.mpich -n 4 "$work/neighbours" 20 \
        2>"$work/said" || fail "$setting: status $?"
    [ "$(grep -c REFRAIN_PACK "$work/said")" = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] && pass ||
        fail "$setting: $(cat "$work/said")"
    check "$setting: files of ranks" refrain stats "$(the_trace "$work/run")"
    rm -rf "$work/run"
done

# Ranks that never ran. The program is gone when they are read, so names are those of its tables.
for n in 16 256; do
    cp "$bin/many_ranks" "$work/gone" && "$work/gone" $n 24 "$work/many" && rm "$work/gone" || fail "many_ranks $n"
    refrain pack "$work/many" -o "$work/many.refrain-pack" --json --force >"$work/report" || fail "pack $n ranks"
    bytes=$(json_number structure_bytes <"$work/report")
    echo "$n ranks that nobody ran: $bytes bytes of structure"
    [ $n = 16 ] && few=$bytes
    [ "$bytes" -le $((few * 2)) ] && pass || fail "$n ranks: $bytes bytes of structure, 16 take $few"
    [ $n = 256 ] || same "many ranks" "$work/many" "$work/many.refrain-pack"
    [ $n = 256 ] || rm -rf "$work/many"
done

# Data that many ranks have in common are printed once.
refrain info --verbose "$work/many" >"$work/info" || fail "info on 256 ranks"
[ "$(wc -l <"$work/info")" -le 40 ] && grep -q '^ranks 0-255, 256 processes' "$work/info" &&
    grep -q ', MPI call sites 3 (rank 0) to 5 (rank 1),' "$work/info" &&
    grep -q 'nothing was lost on any rank' "$work/info" && pass || fail "info on 256 ranks: $(cat "$work/info")"
[ "$(refrain info --each "$work/many" | grep -c '^rank [0-9]* on ')" = 256 ] && pass || fail "info --each"
[ "$(refrain info --json "$work/many" | grep -c '"rank":')" = 256 ] && pass || fail "info --json"
[ "$(refrain info --rank 7 "$work/many" | grep -c '^rank 7 on ')" = 1 ] && pass || fail "info --rank"
refrain info --rank 256 "$work/many" 2>&1 | grep -q 'there is no rank 256' && pass || fail "info on a rank that is not there"
refrain formulas "$work/many" | grep -q ' 1-253:2  (r+1)^24$' && pass || fail "formulas on 256 ranks"

# Damage.
pack=$work/many.refrain-pack
whole=$(wc -c <"$pack")
head -c $((whole - 1000)) "$pack" >"$work/short.refrain-pack"
refrain info --verbose "$work/short.refrain-pack" >"$work/out" 2>"$work/said" && pass || fail "cut short: status $?"
grep -q 'left out' "$work/said" && grep -q '^ranks 0-2' "$work/out" && pass || fail "cut short: $(cat "$work/said")"
head -c 500 "$pack" >"$work/short.refrain-pack"
refrain info --verbose "$work/short.refrain-pack" >/dev/null 2>"$work/said" && fail "nothing of it is left, and it is read"
grep -q 'cut short' "$work/said" && pass || fail "nothing is left: $(cat "$work/said")"
{ head -c 60 "$pack"; printf XYZ; tail -c +64 "$pack"; } >"$work/short.refrain-pack"
refrain info --verbose "$work/short.refrain-pack" >/dev/null 2>"$work/said" && fail "damaged, and it is read"
grep -q 'checksum' "$work/said" && pass || fail "damaged: $(cat "$work/said")"

# A rank that is missing, and one of another run.
rm "$work/many/rank-7.trace"
refrain pack "$work/many" -o "$work/less.refrain-pack" >/dev/null 2>"$work/said" && pass || fail "a missing rank: status $?"
grep -q 'rank 7 of 256 is missing' "$work/said" && pass || fail "a missing rank: $(cat "$work/said")"
refrain stats "$work/less.refrain-pack" >/dev/null 2>"$work/said" && grep -q 'rank 7 of 256' "$work/said" && pass ||
    fail "a pack without a rank: $(cat "$work/said")"
many_ranks 16 8 "$work/other" && cp "$work/other/rank-7.trace" "$work/many/"
refrain pack "$work/many" -o "$work/mixed.refrain-pack" >/dev/null 2>"$work/said" && fail "two runs are packed together"
grep -q 'of a run with 16 ranks' "$work/said" && pass || fail "two runs: $(cat "$work/said")"
cp "$bin/many_ranks" "$work/elsewhere" && "$work/elsewhere" 16 8 "$work/program" && cp "$work/program/rank-3.trace" "$work/other/"
refrain pack "$work/other" -o "$work/two.refrain-pack" >/dev/null 2>"$work/said" && pass || fail "two programs: status $?"
grep -q 'rank 0 ran .*many_ranks, rank 3 ran .*elsewhere: both are packed' "$work/said" && pass || fail "two programs: $(cat "$work/said")"
[ "$(refrain info --each "$work/two.refrain-pack" | grep -c '^rank ')" = 16 ] && pass || fail "two programs: not all is read"
refrain pack "$work/other" -o "$work/less.refrain-pack" 2>"$work/said" && fail "a file is written over"
grep -q 'force' "$work/said" && pass || fail "a file that is there: $(cat "$work/said")"
summary
