#!/bin/sh
# A run killed at any moment, on any rank, leaves a trace with all events up to the last probe.
set -u
. "$(dirname "$0")/lib.sh"

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile"

killed=0
for try in 1 2 3 4 5 6 7 8 9 10; do
    run=$work/run$try
    mkdir "$run"
    REFRAIN_TOTAL_MEMORY=6M REFRAIN_MODE=both REFRAIN_DIRECTORY=$run \
        refrain-run mpiexec.mpich -n 2 "$work/control" 1000000 500 >"$run/out" 2>&1 &
    launcher=$!
    wait_for_traces "$run" 2
    sleep "0.$((try * 7 % 8))"
    # The ranks in the order of their process ids; the tries alternate between them.
    victim=$(processes_of "$work/control" | if [ $((try % 2)) = 0 ]; then head -n 1; else tail -n 1; fi)
    if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then
        killed=$((killed + 1))
    fi
    wait $launcher 2>/dev/null
    for trace in "$run"/*.refrain; do
        [ -d "$trace" ] || continue
        check "try $try: info" refrain info --verbose "$trace"
        exact "$trace" "try $try" ended
    done
    rm -rf "$run"
done

# Killed where an event has been learned but is not in the event file: the trace has it. At every fourth of such places, which
# lie less far apart than the completions of the six requests in the event file.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/killed_recording.c" -o "$work/killed_recording" || fail "compile killed_recording.c"
run=$work/recording
ahead=
for calls in 0 4 8 12 16; do
    mkdir "$run"
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch mpich 1 "$work/killed_recording" $calls >/dev/null 2>&1
    exact "$(the_trace "$run")" "killed while recording, after $calls calls" ended --all
    ahead="$ahead $(($(wc -l <"$work/a") - $(wc -l <"$work/b")))"
    rm -rf "$run"
done
case " $ahead " in *" 0 "* | *-*) fail "events that were learned and not recorded: $ahead" ;; *[2-6]*) pass ;; *) fail "no kill among completions: $ahead" ;; esac

# Killed in MPI_Init, before the ranks have agreed where the trace belongs.
cat >"$work/early.c" <<'END'
#include <mpi.h>
#include <signal.h>
int PMPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return raise(SIGKILL);
}
int main(int argc, char **argv) { MPI_Init(&argc, &argv); }
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$work/early.c" -o "$work/early" || fail "compile early.c"
mkdir "$work/early.run"
REFRAIN_DIRECTORY=$work/early.run refrain-run mpiexec.mpich -n 2 "$work/early" >/dev/null 2>&1
early=0
for trace in "$work"/early.run/*.refrain; do
    check "killed in MPI_Init: info" refrain info --verbose "$trace"
    check "killed in MPI_Init: reconstruct" refrain reconstruct "$trace" --format text -o "$work/reconstructed" --force
    early=$((early + 1))
done
[ $early -ge 1 ] || fail "nothing was killed in MPI_Init"

# Times of single blocks are where a running process has them, at the end of its file. They are read there in a run that
# is held, and in one that was killed: as it was left, copied, packed, and after `refrain record` gave free blocks back.
# times_are TEXT LEAST: so many events are in $work/read at least, each at the time that was recorded but for its quantum.
times_are() {
    cut -f 2 "$work/read" | paste - "$work/recorded" | awk '
        NF < 3 { exit }
        ($1 - $3) ^ 2 > 4e-14 { wrong++ }
        END { print NR - (NF < 3), "events,", wrong + 0, "at other times"; exit wrong > 0 }' >"$work/said" &&
        [ "$(wc -l <"$work/read")" -ge "$2" ] && pass || fail "$1: $(cat "$work/said")"
}
read_times() {
    check "$1: reconstruct" refrain reconstruct "$2" --all --format text -o "$work/read" --force
    times_are "$1" 12000
}
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 "$tests/programs/held.c" -o "$work/held" || fail "compile held.c"
mpicc.mpich -O1 "$tests/programs/held.c" -o "$work/plain" || fail "compile held.c"
mkdir "$work/held.run" "$work/plain.run"
REFRAIN_MODE=both REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=$work/held.run "$work/held" 4000 2000 3000 &
held=$!
for try in $(seq 600); do
    case "$(ps -o stat= -p $held)" in *T*) break ;; esac
    sleep 0.1
done
trace=$(the_trace "$work/held.run")
check "held: reconstruct" refrain reconstruct "$trace" --all --format text -o "$work/look"
kill -CONT $held
wait $held 2>/dev/null
check "killed: events" refrain events "$trace" --all --format text -o "$work/recorded" --force
read_times "killed" "$trace"
cp "$work/look" "$work/read"
times_are "held" 8000
cp -r "$trace" "$work/copy.refrain"
read_times "killed and copied" "$work/copy.refrain"
rm "$work/copy.refrain/rank-0.events"
check "killed: pack" refrain pack "$work/copy.refrain" -o "$work/killed.refrain-pack"
read_times "killed and packed" "$work/killed.refrain-pack"
truncate -s 4M "$work/copy.refrain/rank-0.trace"
refrain info "$work/copy.refrain" >/dev/null 2>"$work/said"
[ $? -eq 1 ] && grep -q "truncated.*copy it again" "$work/said" && pass || fail "cut off before its times: $(cat "$work/said")"
refrain record -q --mode both --directory "$work/plain.run" "$work/plain" 4000 -1 3000 >/dev/null 2>&1
trace=$(the_trace "$work/plain.run")
check "killed under record: events" refrain events "$trace" --all --format text -o "$work/recorded" --force
read_times "killed under record" "$trace"
[ "$(du -k "$trace/rank-0.trace" | cut -f 1)" -lt 1000 ] && pass || fail "killed under record: $(du -ka "$trace")"
[ $killed -ge 5 ] || fail "only $killed of 10 runs were killed in time"
summary
