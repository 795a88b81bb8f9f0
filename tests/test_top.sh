#!/bin/sh
# refrain top on programs that hang: the circle of waiting, the collective that some have not entered, and no deadlock where
# there is none. On a terminal it shows the ranks again and again until q.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
source=$tests/programs/mpi_hang.c
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g "$source" -o hang 2>said || fail "compile: $(head -n 2 said)"

launcher=
stop() {
    [ -z "$launcher" ] || { kill "$launcher" && wait "$launcher"; } 2>/dev/null
    launcher=
}
trap 'stop; rm -rf "$work"' EXIT

# starts KIND: runs the program in the background and waits until top shows its ranks.
starts() {
    stop
    rm -rf run
    mkdir run
    REFRAIN_DIRECTORY=run refrain-run mpiexec.mpich -n 3 ./hang "$1" </dev/null >/dev/null 2>&1 &
    launcher=$!
    for i in $(seq 600); do
        trace=$(the_trace run) && [ "$(ls "$trace"/rank-*.trace 2>/dev/null | wc -l)" -eq 3 ] && return
        sleep 0.1
    done
    fail "$1: no trace came"
}

# becomes STATUS PATTERN: checks that top ends with this status and a matching message, within a minute.
becomes() {
    for i in $(seq 120); do
        refrain top --once --stuck 0.5 "$trace" >said 2>error
        status=$?
        [ $status -eq "$1" ] && tr '\n' ' ' <said | grep -qE "$2" && pass && return
        sleep 0.5
    done
    fail "$kind: status $status, said: $(cat said error)"
}

line() {
    grep -n "$1" "$source" | head -n 1 | cut -d : -f 1
}

for kind in ring receive tags comms mixed mismatch anybody requests ended waitall waitany several; do
    starts $kind
    case $kind in
    ring) wanted="deadlock: 3 ranks.*0 -> 1 -> 2 -> 0.*rank 0 in MPI_Ssend mpi_hang.c:$(line 'MPI_Ssend(&value') in ring \(tag 3\) waits for rank 1 to receive" ;;
    receive) wanted="deadlock: 3 ranks.*0 -> 2 -> 1 -> 0.*rank 1 in MPI_Recv mpi_hang.c:.* waits for rank 0 to send" ;;
    tags) wanted="deadlock: 2 ranks.*0 -> 1 -> 0.*\(tag 1\) waits for rank 1 to receive.*\(tag 2\) waits for rank 0 to send.*likely cause: rank 1 waits for tag 2 on MPI_COMM_WORLD, but .* rank 0 has sent .* 1 message with tag 1 on MPI_COMM_WORLD" ;;
    comms) wanted="deadlock: 2 ranks.*0 -> 1 -> 0.*likely cause: rank 1 waits for tag 3 on MPI_COMM_WORLD, but .* rank 0 has sent .* 1 message with tag 3 on halo" ;;
    mixed) wanted="deadlock: 3 ranks.*0 -> 2 -> 0.*rank 0 in MPI_Barrier .* waits for rank 2 to enter it.*collective 6 on MPI_COMM_WORLD: entered by rank 0, 1; not entered by *rank 2, which is in MPI_Recv" ;;
    mismatch) wanted="deadlock: 3 ranks.*rank 0 in MPI_Barrier .* waits for rank 1 to enter it.*likely cause: collective 6 on MPI_COMM_WORLD is MPI_Barrier on rank 0, 2 and MPI_Bcast on rank 1 .*entered by rank 0, 2; not entered by *rank 1, which is in MPI_Bcast" ;;
    anybody) wanted="deadlock: 3 ranks" ;;
    requests) wanted="deadlock: 3 ranks.*0 -> 2 -> 1 -> 0.*rank 0 in MPI_Wait .* waits for rank 2 to send" ;;
    waitall) wanted="deadlock: 3 ranks.*0 -> 2 -> 0.*rank 0 in MPI_Waitall mpi_hang.c:$(line 'MPI_Waitall(4') in waitall \(tag 3\) waits for rank 2 to send.*rank 2 in MPI_Barrier .* waits for rank 0 to enter it" ;;
    waitany) wanted="deadlock: 3 ranks.*rank 0 in MPI_Waitsome .*\(tag 5\) waits for rank 1 to send.*rank 1 in MPI_Waitany .* waits for rank 2 to send" ;;
    several) wanted="deadlock: 3 ranks.*rank 0 in MPI_Waitall mpi_hang.c:.* in several \(tag 3\) waits for rank 1 to send.* rank 0 in MPI_Waitall .* \(tag 4\) waits for rank 2 to send" ;;
    ended) wanted="deadlock: 1 rank .*rank 0 in MPI_Recv .* waits for rank 1 to send" ;;
    esac
    becomes 3 "$wanted"
done

for kind in late busy slow apart posted partly; do
    starts $kind
    case $kind in
    late) becomes 0 "collective 6 on MPI_COMM_WORLD: entered by rank 0, 2; not entered by *rank 1, which computes" ;;
    busy) becomes 0 "3 ranks for .* rank 2 in|2 .*in MPI_Sendrecv_replace|computes, after MPI_" ;;
    partly) becomes 0 "waiting: .*rank 0 in MPI_Waitall .* waits for rank 1 to send.*rank 0 in MPI_Waitall .* waits for rank 2 to send" ;;
    posted) becomes 0 "waiting: .*rank 0 in MPI_Ssend .* waits for rank 1 to receive.*rank 1 in MPI_Ssend .* waits for rank 0 to receive" ;;
    apart) becomes 0 "waiting: .*rank 0 in MPI_Waitall .*\(tag 3\) waits for rank 2 to send" ;;
    slow) becomes 0 "waiting: *rank 1 in MPI_Recv .* waits for rank 0 to send" ;;
    esac
    grep -q deadlock said && fail "$kind: a deadlock where there is none" || pass
done

# By process: the launcher's, and a rank's. Then on a terminal.
refrain top --once "$launcher" >said 2>error && grep -q "3 ranks" said && pass || fail "top of the launcher: $(cat error)"
refrain top --once "$(sed -n 's/^ *0 *\([0-9]*\) .*/\1/p' said)" >said 2>error && grep -q "3 ranks" said && pass || fail "top of a rank: $(cat error)"
export TERM=xterm
# Waits until the screen has been drawn (a minute at most), and then presses q.
: >screen
(
    for i in $(seq 600); do
        ! { grep -q "calls/s" screen && grep -q "now: " screen; } || break
        sleep 0.1
    done
    printf q
) | timeout 120 script -qefc "refrain top '$trace'" /dev/null >screen
status=$?
[ $status -eq 0 ] && grep -q "calls/s" screen && grep -q "MPI_Recv mpi_hang.c" screen && grep -q "now: " screen && pass || fail "on a terminal: status $status"

# is_given PID: other processes have the numbers of the ranks of $trace now.
is_given() {
    for file in "$trace"/rank-*.trace; do
        trace_header pid "$file" "$1"
    done
}

# A rank is killed: the others wait for a rank that is gone.
kill -KILL "$(sed -n 's/^ *1 *\([0-9]*\) .*/\1/p' said)" 2>/dev/null
for i in $(seq 100); do
    refrain top --once "$trace" >said 2>error
    ! grep -q "gone without having ended" said || break
    sleep 0.1
done
grep -q "gone without having ended" said && pass || fail "a rank that was killed: $(cat said error)"
stop

# A job that is over does not hang, also where the numbers of its processes are another one's now; it is explained as it
# was.
starts comms
becomes 3 "deadlock: 2 ranks"
refrain stats "$trace" >said 2>error && ! grep -q -e "how it ended" -e deadlock said && pass || fail "stats of a job that runs: $(cat said error)"
stop
kind="a job that is over"
explained="deadlock at the end, as it seems: 2 ranks.*rank 1 in MPI_Recv mpi_hang.c:.* waited for rank 0 to send, for at least .*likely cause: rank 1 waits for tag 3 on MPI_COMM_WORLD, but .* 1 message with tag 3 on halo"
becomes 0 "gone without having ended; at the end: 1 compute, 2 in MPI.*$explained"
is_given $$
becomes 0 "gone without having ended; at the end: 1 compute, 2 in MPI.*$explained"
for command in info stats; do
    refrain $command "$trace" >said 2>error && tr '\n' ' ' <said | grep -qE "how it ended: of 3 ranks 2 were in MPI, 1 computed.*$explained" && pass ||
        fail "$command of a job that is over: $(cat said error)"
    refrain $command --json "$trace" >json && python3 -c 'import json, sys
end = json.load(open("json"))["end"]
cause = end["likely_causes"][0]
sys.exit(end["hanging_ranks"] != [0, 1] or end["time_is_known"] or (cause["sender"], cause["rank"], cause["sent_with_tag"], cause["waits_on_comm"]) != (0, 1, 3, 0))' &&
        pass || fail "$command --json of a job that is over: $(cat json)"
done
refrain pack "$trace" -o packed >/dev/null && refrain stats packed | tr '\n' ' ' | grep -qE "$explained" && pass || fail "a pack of a job that is over"

# What refrain record ran: it saw when the job was over, and its files take no more than they hold.
mpicc.mpich -g -w "$source" -o plain
rm -rf run
timeout 3 refrain record -d run mpiexec.mpich -n 3 ./plain comms </dev/null >/dev/null 2>error
trace=$(the_trace run)
grep -q "refrain record: deadlock at the end: 2 ranks waited" error && refrain report "$trace" | grep -q "deadlock at the end: 2 ranks waited" && pass ||
    fail "the report of a job that refrain record ran: $(cat error)"
refrain stats "$trace" >said 2>error
tr '\n' ' ' <said | grep -qE "1 computed  *deadlock at the end: 2 ranks waited.*waited for rank 0 to send, for [0-9.]+ m?s.*likely cause" && pass ||
    fail "a job that refrain record ran: $(cat said error)"
[ "$(du -k "$trace" | cut -f 1)" -lt 3000 ] && pass || fail "files of killed processes: $(du -ka "$trace")"

# A header with many ranks that have no files must not cost memory for them.
for file in "$trace"/rank-*.trace; do
    trace_header size "$file" 16777216
done
for command in "stats" "info" "info --json"; do
    (ulimit -v 3000000 && refrain $command "$trace" >said 2>error) && ! grep -q "how it ended" said && pass || fail "$command of a trace with few of its ranks: $(head -n 2 error)"
done
says 1 "16777213 of its 16777216 ranks have no file here" sh -c 'ulimit -v 3000000 && exec refrain top --once "$0"' "$trace"
says 1 "nowhere" refrain top --once nowhere.refrain
says 1 "write no trace" refrain top --once 999999999
says 2 "--once" refrain top nowhere.refrain </dev/null
summary
