#!/bin/sh
# A program in the least memory that it runs with: calls that it first reaches when the memory is full are in the trace, by
# thread and by partner, in the recording and in the reconstruction. A communicator without room for a record gets the
# ranks of an older one.
set -u
. "$(dirname "$0")/lib.sh"
export REFRAIN_THROTTLE=off REFRAIN_MODE=both

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/least.c" -o "$work/least" -lpthread || fail "compile"

# traced WHAT THREADS: runs it in the least memory; $work/recorded and $work/replayed are its events, $work/info the rest
traced() {
    rm -rf "$work/run"
    mkdir "$work/run"
    export REFRAIN_THREADS="$2"
    least=$(REFRAIN_TOTAL_MEMORY=1K refrain size "$work/least" 2>&1 | grep -o '[0-9]*$')
    REFRAIN_TOTAL_MEMORY=$least REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/least" "$1" || fail "$1: status $?"
    trace=$(the_trace "$work/run") || fail "$1: no trace"
    refrain info --verbose "$trace" >"$work/info"
    refrain events "$trace" >"$work/recorded" || fail "$1: recorded events"
    refrain reconstruct "$trace" --format text -o "$work/replayed" --force || fail "$1: reconstruct"
    if grep -q 'no room for their call site' "$work/info"; then
        fail "$1: $(grep 'no room for their call site' "$work/info")"
    fi
}

traced communicators 1
grep -q 'counted as another' "$work/info" && pass || fail "communicators: the memory was not spent: $(cat "$work/info")"
grep -qi 'communicators .*room' "$work/info" && pass || fail "communicators: all have room: $(cat "$work/info")"
for events in recorded replayed; do
    sent=$(awk -F '\t' '$1 == 0 && $3 == "send" && /MPI_Send\t/ && /dest=1/' "$work/$events" | wc -l)
    received=$(awk -F '\t' '$1 == 1 && $3 == "recv" && /MPI_Recv\t/ && /source=0/' "$work/$events" | wc -l)
    [ "$sent $received" = "600 600" ] && pass || fail "communicators, $events: $sent sent to rank 1, $received received"
done

traced threads 3
for events in recorded replayed; do
    for call in MPI_Bcast MPI_Allreduce MPI_Irecv MPI_Ssend MPI_Wait MPI_Isend MPI_Recv MPI_Waitall MPI_Iprobe; do
        counts=$(for thread in 0 1 2; do
            awk -F '\t' -v call=$call -v thread="thread=$thread" '
                $1 == 0 && $3 == "enter" && $4 == call { n += thread == "thread=0" ? !/thread=/ || /thread=0/ : $0 ~ thread }
                END { printf "%d ", n }' "$work/$events"
        done)
        [ "$counts" = "5 5 5 " ] && pass || fail "threads, $events: $call comes $counts times in the threads"
    done
done

# The least has room for all that probes need, however many there are: functions show, and no file is left out.
for function in $(seq 400); do
    echo "int of_$function(int n) { int sum = 0; for (int i = 0; i < n; i++) { if (i & $function) sum += i; else sum -= n; if (n > 5) sum++; } return sum; }"
done >"$work/many.c"
{
    echo 'int main(int argc, char **argv) { int sum = 0; (void)argv;'
    seq 400 | sed 's/.*/    sum += of_&(argc + 3);/'
    echo '    return sum == 7; }'
} >>"$work/many.c"
refrain-cc --detail=every gcc -O2 "$work/many.c" -o "$work/many" || fail "compile many.c"
for threads in 1 3; do
    export REFRAIN_THREADS=$threads
    least=$(REFRAIN_TOTAL_MEMORY=1K refrain size "$work/many" 2>&1 | grep -o '[0-9]*$')
    rm -rf "$work/run"
    REFRAIN_TOTAL_MEMORY=$((least - 4096)) REFRAIN_DIRECTORY=$work/run "$work/many" 2>"$work/said"
    grep -q "at least $least " "$work/said" && [ ! -d "$work/run" ] && pass || fail "many, below the least: $(cat "$work/said")"
    REFRAIN_TOTAL_MEMORY=$least REFRAIN_DIRECTORY=$work/run "$work/many" 2>"$work/said" || fail "many: $(cat "$work/said")"
    trace=$(the_trace "$work/run") || fail "many: no trace"
    refrain info --verbose "$trace" >"$work/info"
    grep -q 'untraced' "$work/info" && fail "many, $threads threads: $(grep untraced "$work/info")" || pass
    entered=$(refrain events "$trace" | awk -F '\t' '$3 == "enter" && $4 ~ /^of_/' | wc -l)
    [ "$entered" = 400 ] && pass || fail "many, $threads threads: $entered of 400 functions"
done

# In a program without probes, all calls are made from one place, which is followed by more kinds of steps than can be
# counted.
unset REFRAIN_THREADS
mpicc.mpich -O1 -w -I"$tests/programs" "$tests/programs/chance.c" -o "$work/chance" || fail "compile chance.c"
for memory in 250K 264K; do
    rm -rf "$work/run"
    mkdir "$work/run"
    launch mpich 2 "$bin/refrain" record -q --memory $memory --directory "$work/run" "$work/chance" 1 1500 >"$work/said" 2>&1 ||
        fail "record: $(cat "$work/said")"
    trace=$(the_trace "$work/run") || fail "record: no trace"
    for command in events reconstruct; do
        refrain $command "$trace" --format text -o - 2>"$work/said" | awk -F '\t' '$3 == "enter" { print $1, $4 }' | sort | uniq -c >"$work/$command"
    done
    grep -q 'events are approximate' "$work/said" && pass || fail "record, $memory: the memory was not spent"
    [ -s "$work/events" ] && cmp -s "$work/events" "$work/reconstruct" && pass ||
        fail "record, $memory: $(diff "$work/events" "$work/reconstruct" | grep -c '^[<>]') counts of calls differ"
done
summary
