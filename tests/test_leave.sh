#!/bin/sh
# Programs that end abnormally, on one rank and on several, have the same output and status as without refrain, and leave
# a trace that agrees with the recorded events. Bad arguments get MPI's own error, unchanged.
#   test_leave.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
LC_ALL=C
export LC_ALL

# agrees WHAT RANKS: the trace in $run has that many ranks, each as it was recorded.
agrees() {
    trace=$(the_trace "$run") || {
        fail "$1: not one trace: $(cd "$run" && echo *)"
        return
    }
    check "$1: info" refrain info --verbose "$trace"
    exact "$trace" "$1" ended --all
    check "$1: all ranks" test "$(cut -f 1 "$work/b" | uniq | tr '\n' ' ')" = "$(seq -s ' ' 0 $(($2 - 1))) "
}

# aborted WHAT: checks that the trace has the MPI_Abort of rank 0, and that its file is as small as after a regular end.
aborted() {
    refrain info --verbose "$trace" >"$work/said" 2>&1
    grep -q '^rank 0 on .*: ended by MPI_Abort(3) after' "$work/said" && pass || fail "$1: $(grep '^rank' "$work/said")"
    [ "$(wc -c <"$trace/rank-0.trace")" -lt 65536 ] && pass || fail "$1: a file of $(wc -c <"$trace/rank-0.trace") bytes"
}

# Parts of the output that differ from run to run: addresses, names of files, process ids, frames in libraries.
masked() {
    sed -e 's/0x[0-9a-f]*/ADDRESS/g' -e "s|$work/[a-z]*/[a-z_]*|PROGRAM|g" -e 's/Abort([0-9]*)/Abort/g' -e 's/\[[^]]*\]/[]/g' \
        -e 's/\(PID\|pid\|Process\|process\) [0-9]*/process/g' -e '/^=/d' -e '/^-*$/d' "$1" | sort
}

# has_status OUTCOME N: MPICH's launcher ended so.
has_status() {
    read -r first <"$1"
    [ "$mpi" = mpich ] && [ "$first" = "status $2" ]
}

# Did MPICH's launcher die itself, by SIGPIPE (128 + 13), since the only rank had ended before all was written to it? That
# was seen without refrain, at a high load. Such a run is made again.
launcher_fell() {
    has_status "$1" 141
}

# plain TRY ARGUMENTS..., traced TRY ARGUMENTS...: one run of $program with $mpi and $ranks, without refrain and with it;
# output and status go to $work/outcomes/plain.TRY and traced.TRY. Plain runs after the fifth take a moment to end.
plain() {
    try=$1 slow=
    shift
    [ "$try" -le 5 ] || slow=$work/slow_end.so
    for _ in 1 2 3 4 5; do
        launch "$mpi" "$ranks" env LD_PRELOAD="$slow" "$work/plain/$program-$mpi" "$@" >"$work/plain.out" 2>"$work/plain.err"
        { echo "status $?" && masked "$work/plain.out"; } >"$work/outcomes/plain.$try"
        launcher_fell "$work/outcomes/plain.$try" || break
    done
}

# MPICH's launcher gives a process whose connection closes the status 1 for the time being, and now and then (once in some
# hundred runs, without refrain, too) that is what it prints in the end, as a hangup: such a run is made again.
traced() {
    try=$1
    shift
    for again in 1 2 3 4 5; do
        rm -rf "$run"
        mkdir "$run"
        REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch "$mpi" "$ranks" "$work/traced/$program-$mpi" "$@" \
            >"$work/traced.out" 2>"$work/traced.err"
        { echo "status $?" && masked "$work/traced.out"; } >"$work/outcomes/traced.$try"
        launcher_fell "$work/outcomes/traced.$try" && continue
        [ "$mpi" = mpich ] && grep -q "EXIT STRING: Hangup (signal 1)" "$work/traced.out" || break
    done
}

# Succeeds if the launcher kills ranks of such a run. If all ranks end by themselves, the outcome is always the same. Open
# MPI's launcher also kills the only rank of a job that aborts, and then ends with the status of this rank or with its
# own.
is_killed() {
    [ "$ranks" -gt 1 ] || [ "$mpi" = openmpi ] || return 1
    case $program:$mpi:${1-} in
    mpi_errors:*: | mpi_leave:*:finalize | mpi_leave:mpich:late | mpi_leave:mpich:early) return 1 ;;
    esac
}

# among OUTCOME: succeeds if it is one of those without refrain.
among() {
    for one in "$work"/outcomes/plain.*; do
        cmp -s "$one" "$1" && return
    done
    return 1
}

# same WHAT PROGRAM ARGUMENTS...: checks that the outcomes with refrain are those without it. A launcher that kills the
# remaining ranks may kill one that was about to end by itself, so that status and output differ. Then each outcome with
# refrain must also occur without it. For this the program runs without refrain so often that a rare outcome is likely to
# occur. In most of these runs the ranks take a moment to end, as they do with refrain.
same() {
    what=$1 program=$2
    shift 2
    rm -rf "$work/outcomes"
    mkdir "$work/outcomes"
    runs=1 most=1
    if is_killed "$@"; then
        most=24
        [ $mpi = mpich ] && runs=3
    fi
    for number in $(seq $runs); do
        plain "$number" "$@" &
        traced "$number" "$@"
        wait $!
    done
    for number in $(seq $runs); do
        until among "$work/outcomes/traced.$number" || [ $runs -ge $most ]; do
            runs=$((runs + 1))
            plain $runs "$@"
            # MPICH 4.2's launcher now and then (2 of 60 runs, without refrain) says nothing of a rank that was killed, and
            # ends with 0: such a run is made again, too.
            has_status "$work/outcomes/traced.$number" 0 && traced "$number" "$@"
        done
        if among "$work/outcomes/traced.$number"; then
            pass
        else
            fail "$what: an outcome with refrain that $runs runs without it do not have: $(head -n 2 "$work/traced.err")"
            diff "$work/outcomes/plain.1" "$work/outcomes/traced.$number" | head -n 6
        fi
    done
}

mkdir "$work/plain" "$work/traced"
cc -O1 -shared -fPIC "$tests/slow_end.c" -o "$work/slow_end.so" || fail "compile slow_end.c"
run=$work/run
for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    for program in mpi_leave mpi_errors; do
        "mpicc.$mpi" -O1 -w "$tests/programs/$program.c" -o "$work/plain/$program-$mpi" || fail "$program ($mpi): compile"
        REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -O1 -w "$tests/programs/$program.c" -o "$work/traced/$program-$mpi" ||
            fail "$program ($mpi): compile with refrain"
    done
    # Open MPI's launcher takes a second or two over each of them.
    [ $mpi = mpich ] && ranks_wanted="1 3" || ranks_wanted=2
    for ranks in $ranks_wanted; do
        for how in finalize return exit _exit abort segv term kill handled assert early late; do
            same "$how on $ranks ranks ($mpi)" mpi_leave $how
            [ $how = early ] || agrees "$how on $ranks ranks ($mpi)" $ranks
            [ $how != abort ] || aborted "$how on $ranks ranks ($mpi)"
        done
    done
    # Further ranks only test the launcher.
    [ $mpi = mpich ] && ranks_wanted="1 2" || ranks_wanted=1
    for ranks in $ranks_wanted; do
        same "errors returned on $ranks ranks ($mpi)" mpi_errors
        agrees "errors returned on $ranks ranks ($mpi)" $ranks
        for which in 1 2 3 4 5 6; do
            same "fatal error $which on $ranks ranks ($mpi)" mpi_errors $which
            # MPI's message. Of two ranks, one may be killed before its message is complete. Open MPI's launcher
            # sometimes loses the message of a single rank.
            masked "$work/plain.err" >"$work/a"
            masked "$work/traced.err" >"$work/b"
            if [ $ranks -gt 1 ] || [ "$(cat "$work/a" "$work/b" | grep -ci fatal)" -lt 2 ]; then
                :
            elif cmp -s "$work/a" "$work/b"; then
                pass
            else
                fail "fatal error $which ($mpi): what is said on standard error"
                diff "$work/a" "$work/b" | head -n 6
            fi
            agrees "fatal error $which on $ranks ranks ($mpi)" $ranks
        done
    done
done
summary
