#!/bin/sh
# refrain record --threads=pthread: threads that never call MPI, and every call of the thread library that they make, as an
# independent log of the program has them. Calls that MPI libraries make are not in the trace.
#   test_pthreads.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

for mpi in mpich openmpi; do
    what=$mpi
    mpicc.$mpi -g -O1 -pthread "$tests/programs/pthread/calls.c" -o "calls-$mpi" 2>said || fail "$mpi: compile: $(head -n 1 said)"
    mkdir "run-$mpi"
    REFRAIN_MODE=both timeout 120 refrain record --threads=pthread --no-report -d "run-$mpi" "./calls-$mpi" log 50 >out 2>err ||
        fail "$mpi: status $?: $(head -n 1 err)"
    [ "$(cat out)" = "turns 150" ] && pass || fail "$mpi: output: $(cat out)"
    trace=$(the_trace "run-$mpi")
    exact "$trace" "$mpi"
    refrain reconstruct "$trace" --format text --force -o text 2>said || fail "reconstruct: $(head -n 1 said)"
    python3 - 2>said <<'END' && pass || fail "$mpi: not as logged: $(tail -n 1 said)"
from itertools import zip_longest
logged, traced, begun, threads = {}, {}, {}, set()
for line in open("log"):
    thread, name, number, begin, end = line.split()
    logged.setdefault(thread, []).append((name, number, int(end) - int(begin)))
for line in open("text"):
    rank, time, kind, name, *rest = line.rstrip("\n").split("\t") if line[0] != "#" else ("", "", "", "")
    if not name.startswith("!$pthread "):
        continue
    if kind == "counter":
        continue
    name, place = name[10:].split(" @")
    thread = next((r for r in rest if r.startswith("thread=")), "")
    assert place.startswith("calls.c:"), place
    if name == "thread":
        threads.add(thread)
    elif kind == "enter":
        begun[thread] = len(traced.setdefault(thread, []))
        what, _, object = name.partition("(")
        traced[thread].append([what, object.rstrip(")").split(",")[0] or "0", -float(time)])
        assert not what.startswith("cond_") or not what.endswith("wait") or object == "3,1)", name
    else:
        traced[thread][begun[thread]][2] += float(time)
order = lambda calls: sorted(calls.values(), key=lambda list: [call[:2] for call in list])
assert len(threads) >= 3, threads
for of_log, of_trace in zip(order(logged), order({t: [tuple(call) for call in calls] for t, calls in traced.items()})):
    differs = next((pair for pair in zip_longest(of_log, of_trace, fillvalue=()) if pair[0][:2] != pair[1][:2]), None)
    assert not differs, (len(of_log), len(of_trace), differs)
    for call, other in zip(of_log, of_trace): # a call is inside what its caller measures
        assert other[2] * 1e9 <= call[2] + 2000, (call, other)
END
done

# Threads for which there is no room are not traced, and go on.
mkdir run-beyond
timeout 120 refrain record --threads=pthread --threads=2 --no-report -d run-beyond ./calls-mpich log-beyond 50 >out 2>err ||
    fail "threads beyond the limit: status $?: $(head -n 1 err)"
[ "$(cat out)" = "turns 150" ] && pass || fail "threads beyond the limit: output: $(cat out)"

# The others wait in the barrier for the thread that sleeps 0.1 s with the mutex.
refrain stats --by construct --csv "$trace" >csv && python3 - 2>said <<'END' && pass || fail "stats: $(tail -n 1 said)"
import csv
rows = list(csv.DictReader(open("csv")))
barrier = max((int(row["waiting_ns"]), row["times"]) for row in rows if row["construct"] == "barrier_wait(4)")
thread = [row for row in rows if row["construct"] == "thread"]
assert barrier[0] > 100e6 and barrier[1] == "3", barrier
thread = [row for row in thread if row["times"] == row["threads"] == "3"]
assert len(thread) == 1 and int(thread[0]["inside_ns"]) >= 100e6, thread
END

# OTF2: each mutex that a thread gets is released by it. A wait for a condition releases its mutex, and gets it again.
refrain reconstruct "$trace" --format otf2 -o otf2 2>said || fail "otf2: $(head -n 1 said)"
otf2-print -Werror otf2/traces.otf2 >printed 2>complaints
[ ! -s complaints ] && pass || fail "otf2-print: $(head -n 2 complaints)"
locks=$(grep -c ' \(\(mutex\|spin\)_lock\|cond_.*wait\) [1-9]' log)
[ "$locks" -gt 0 ] && [ "$(grep -c '^THREAD_ACQUIRE_LOCK .*PTHREAD' printed)" = "$locks" ] &&
    [ "$(grep -c '^THREAD_RELEASE_LOCK .*PTHREAD' printed)" = "$locks" ] && pass ||
    fail "otf2: $locks locks, $(grep -c '^THREAD_ACQUIRE_LOCK' printed) and $(grep -c '^THREAD_RELEASE_LOCK' printed) records: $(grep _LOCK printed | head -n 1)"

# Each created thread has the number that its creator and the one that joins it name.
python3 - 2>said <<'END' && pass || fail "otf2: numbers of threads: $(tail -n 1 said)"
import re
numbers = {}
for line in open("printed"):
    kind, location, time = (line.split() + ["", "", ""])[:3]
    if re.fullmatch("THREAD_(CREATE|BEGIN|WAIT|END)", kind):
        assert "threads of rank 0" in line, line
        number = re.search(r"Sequence Count: (\d+)", line).group(1)
        assert number not in numbers.setdefault(kind, {}), line
        numbers[kind][number] = (location, int(time))
kinds = [numbers["THREAD_" + kind] for kind in ("CREATE", "BEGIN", "END", "WAIT")]
assert all(sorted(kind) == ["1", "2", "3", "4"] for kind in kinds), numbers
for number, (creator, time) in kinds[0].items():
    assert kinds[1][number][0] == kinds[2][number][0] != creator == kinds[3][number][0], (number, numbers)
    times = [kind[number][1] for kind in kinds]
    assert times == sorted(times), (number, times)
END

# EPILOG: the same locks, never held by two threads at a time.
refrain reconstruct "$trace" --format epilog -o elg 2>said || fail "epilog: $(head -n 1 said)"
check "epilog" python3 "$tests/formats/read_epilog.py" elg
refrain stats "$trace" | grep -q "pthread number" && fail "stats: the numbers of threads are shown as a counter" || pass

# Threads that make no MPI call follow pauses, and those created in a pause belong to the program.
for mpi in mpich openmpi; do
    mpicc.$mpi -g -O1 -pthread -I "$tests/../include" "$tests/programs/pthread/paused.c" -o "paused-$mpi" 2>said ||
        fail "paused: compile: $(head -n 1 said)"
    mkdir "paused-run-$mpi"
    timeout 120 refrain record --threads=pthread --paused --no-report -d "paused-run-$mpi" "./paused-$mpi" >out 2>err ||
        fail "paused, $mpi: status $?: $(head -n 1 err)"
    refrain reconstruct "$(the_trace "paused-run-$mpi")" --format text --force -o paused.text 2>said ||
        fail "paused: reconstruct: $(head -n 1 said)"
    locks=$(grep -c '	enter	!.pthread mutex_lock' paused.text)
    [ "$locks" = 20 ] && pass || fail "paused, $mpi: $locks mutex_lock between two pauses, 20 expected"
done

# Without the option these calls are not traced.
mkdir none
timeout 60 refrain record --no-report -d none "./calls-$mpi" >out 2>err || fail "without: status $?"
refrain reconstruct "$(the_trace none)" --format text -o - 2>/dev/null | grep -q "!.pthread" && fail "without the option: constructs" || pass
refrain record --threads=pthreads true >out 2>err && fail "--threads=pthreads" || pass
grep -q "pthreads: pthread, or a number of threads" err && pass || fail "--threads=pthreads: $(cat err)"
summary
