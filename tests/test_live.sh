#!/bin/sh
# A trace is readable while the job runs: the events reconstructed then are the first events of the final recording, and
# each reading has at least the events of the previous one, or says that some are missing. (test_live_copy reads at every
# point of an update; here are real jobs with more than one rank.)
set -u
. "$(dirname "$0")/lib.sh"

looks_wanted=16

# The job is held between looks, so that it does not record more than can be read in a short time.
go_on() {
    kill -CONT $pids 2>/dev/null
}
hold() {
    kill -STOP $pids 2>/dev/null
}

# lines RANK FILE: the fields to compare: all except times.
lines() {
    awk -F '\t' -v OFS='\t' -v rank="$1" '$1 == rank { $2 = ""; print }' "$2"
}

# looks PROGRAM RANKS ARGUMENTS...
looks() {
    program=$1 ranks=$2
    shift 2
    run=$work/$program-run
    mkdir "$run"
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/$program.c" -o "$work/$program" ||
        fail "$program: compile"
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch mpich "$ranks" "$work/$program" "$@" >/dev/null 2>&1 &
    running=$!
    pids=
    tries=0
    while [ "$(echo $pids | wc -w)" -lt "$ranks" ] && [ $tries -lt 3000 ]; do
        tries=$((tries + 1))
        sleep 0.02
        trace=$(the_trace "$run") && pids=$(refrain info --json "$trace" 2>/dev/null | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
    done
    look=0
    while [ $look -lt $looks_wanted ] && kill -0 $running 2>/dev/null; do
        look=$((look + 1))
        go_on
        refrain reconstruct "$trace" --all --format text -o "$run/look$look" 2>"$run/said$look" &
        reading=$!
        sleep 0.0$((look % 5 + 1))
        hold
        wait $reading && pass || fail "$program: look $look: $(cat "$run/said$look")"
    done
    [ $look -eq $looks_wanted ] && pass || fail "$program: the run was over before look $look ended"
    # It has run long enough. All that it recorded before it was ended must be in the trace.
    go_on
    kill -9 $pids
    wait $running 2>/dev/null
    check "$program: events" refrain events "$trace" --all --format text -o "$run/recorded"
    rank=0
    while [ $rank -lt "$ranks" ]; do
        lines $rank "$run/recorded" >"$work/recorded-of-rank"
        before=1
        for number in $(seq $look); do
            lines $rank "$run/look$number" >"$work/look-of-rank"
            n=$(wc -l <"$work/look-of-rank")
            if head -n "$n" "$work/recorded-of-rank" | cmp -s - "$work/look-of-rank"; then
                pass
            else
                fail "$program: look $number, rank $rank: the $n lines read while it ran are not the beginning of the run"
                head -n "$n" "$work/recorded-of-rank" | diff - "$work/look-of-rank" | head -n 4
            fi
            [ "$n" -ge $before ] || grep -q 'changed too fast' "$run/said$number" && pass ||
                fail "$program: look $number, rank $rank: $n lines, $before in one before it, and nothing is said of it"
            [ "$n" -lt $before ] || before=$n
        done
        rank=$((rank + 1))
    done
}

looks control 2 1000000 1000
summary
