#!/bin/sh
# refrain-reconstruct by several processes writes what refrain reconstruct writes: each location's events in OTF2 to the
# byte, the text to the byte; of traces that can be shared out, and of those that cannot.
set -u
. "$(dirname "$0")/lib.sh"
parallel_only

# alike NAME MPI PROCESSES TRACE SAID [OPTION...]: one process and several write the same; standard error of the several
# holds SAID, "" that they shared it out.
alike() {
    name="$1, $3 processes of $2"
    mpi=$2
    processes=$3
    trace=$4
    said=$5
    shift 5
    rm -rf "$work/one" "$work/several"
    refrain -q reconstruct "$trace" -o "$work/one" "$@" || fail "$name: one process: status $?"
    launch "$mpi" "$processes" "$bin/refrain-reconstruct" "$trace" -o "$work/several" "$@" 2>"$work/said" ||
        fail "$name: status $?: $(head -n 3 "$work/said")"
    # traces.otf2 holds a number that is drawn anew each time.
    diff -r -x traces.otf2 "$work/one" "$work/several" >"$work/diff" && [ -s "$work/several/traces.def" ] && pass ||
        fail "$name: $(head -n 3 "$work/diff")"
    if [ "$said" ]; then
        grep -q "cannot be shared out: .*$said" "$work/said" && pass || fail "$name: said $(cat "$work/said")"
    else
        grep -q "cannot be shared out" "$work/said" && fail "$name: said $(cat "$work/said")" || pass
    fi
}

mpis=
for mpi in mpich openmpi; do
    [ ! -x "$bin/refrain-reconstruct-$mpi" ] || mpis="$mpis $mpi"
done
first=${mpis# }
first=${first%% *}

# A stencil with collectives.
many_ranks 6 100 "$work/stencil" || fail "many_ranks"
for mpi in $mpis; do
    alike stencil "$mpi" 2 "$work/stencil" ""
    alike stencil "$mpi" 3 "$work/stencil" ""
done
alike "more processes than ranks" "$first" 7 "$work/stencil" ""
alike "one process" "$first" 1 "$work/stencil" ""
alike "some ranks" "$first" 2 "$work/stencil" "" --ranks 1-4
alike "a window" "$first" 2 "$work/stencil" "" --from 0.2ms --to 1ms
alike "without probes" "$first" 2 "$work/stencil" "" --compensate
alike "waits" "$first" 3 "$work/stencil" "" --waiting

# A rank's file is missing: what waits for it is let through as by one process.
cp -r "$work/stencil" "$work/missing"
rm "$work/missing/rank-2.trace"
alike "a rank is missing" "$first" 2 "$work/missing" ""
alike "a rank is missing" "$first" 5 "$work/missing" ""

# Text, and its parts, in one file.
for options in "" "--waiting --all" "--from 0.2ms --to 1ms"; do
    # shellcheck disable=SC2086 # several options
    refrain -q reconstruct "$work/stencil" -o "$work/one.txt" --force $options
    # shellcheck disable=SC2086
    launch "$first" 3 "$bin/refrain-reconstruct" "$work/stencil" -o "$work/several.txt" --force $options 2>/dev/null ||
        fail "text $options: status $?"
    [ -s "$work/one.txt" ] && cmp -s "$work/one.txt" "$work/several.txt" && pass || fail "text $options differs"
    [ "$(ls "$work"/several.txt*)" = "$work/several.txt" ] && pass || fail "text $options: parts are left"
done
refrain -q reconstruct "$work/stencil" -o "$work/one.prv" 2>/dev/null
launch "$first" 2 "$bin/refrain-reconstruct" "$work/stencil" -o "$work/several.prv" 2>"$work/said" || fail "paraver: status $?"
cmp -s "$work/one.prv" "$work/several.prv" && grep -q "written by one process" "$work/said" && pass || fail "paraver"

# Real programs: roots, several communicators, windows and files.
for program in collectives comms rma io intercomm; do
    REFRAIN_MPICC=mpicc.$first refrain-mpicc -O1 -w "$tests/programs/mpi_$program.c" -o "$work/$program" ||
        fail "compile $program"
    mkdir "$work/run"
    (cd "$work/run" && REFRAIN_DIRECTORY=$work/run launch "$first" 4 "$work/$program") >/dev/null 2>&1 ||
        fail "$program: status $?"
    alike "$program" "$first" 2 "$(the_trace "$work/run")" ""
    rm -rf "$work/run"
done

# Several threads of a rank, and ranks that do not do the same.
for program in threads wildcards waiting; do
    REFRAIN_MPICC=mpicc.$first refrain-mpicc -O1 -w "$tests/programs/mpi_$program.c" -o "$work/$program" ||
        fail "compile $program"
    mkdir "$work/run"
    (cd "$work/run" && REFRAIN_DIRECTORY=$work/run launch "$first" 4 "$work/$program") \
        >/dev/null 2>&1 || fail "$program: status $?"
    alike "$program" "$first" 3 "$(the_trace "$work/run")" ""
    alike "$program without probes" "$first" 3 "$(the_trace "$work/run")" "" --compensate
    rm -rf "$work/run"
done

# What is wrong is said once, and what was there stays.
launch "$first" 2 "$bin/refrain-reconstruct" "$work/nothing" -o "$work/out" 2>"$work/said" && fail "no trace: status 0" || pass
[ "$(grep -c "nothing: No such file" "$work/said")" = 1 ] && pass || fail "no trace: $(cat "$work/said")"
launch "$first" 2 "$bin/refrain-reconstruct" "$work/stencil" -o "$work/several" 2>"$work/said" && fail "archive: status 0" || pass
[ "$(grep -c -- "--force overwrites" "$work/said")" = 1 ] && pass || fail "archive: $(cat "$work/said")"
launch "$first" 2 "$bin/refrain-reconstruct" "$work/stencil" -o "$work/several" --force 2>"$work/said" && pass || fail "--force"
[ "$(ls "$work/several" | tr '\n' ' ')" = "traces traces.def traces.otf2 " ] && pass || fail "--force: $(ls "$work/several")"
summary
