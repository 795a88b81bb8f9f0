"""paths.py: runs whose critical path is known, as text that `refrain convert` reads, with exact times; and whether it is found.

    paths.py write      NAME.txt of each case, here; prints the names
    paths.py check      NAME.json and NAME.parallelism, what refrain stats says of them: a line for each fault, and "N right"

The programs and the simulation are those of faults.py, and some of its own. Three things are known of each run without
looking for a path: the parts are together as long as the run; without a function the run is as long as a simulation of
the program in which that function takes no time; and how many ranks compute when, from the text's lines."""
import json
import pathlib
import sys

import faults
from faults import Run, call, collective, compute, receive, send, ssend

CASES = {}
TEXTS = {}  # runs that the simulation does not have, with nanoseconds by function and rank


def path(**parts):
    """Makes a function of a rank a case. `parts`: nanoseconds on the path by function and rank, as burn_0=3000000."""
    def decorate(program):
        CASES[program.__name__] = (program, parts)
        return program
    return decorate


@path(burn_0=30000000, work_1=20000000)
def two_ranks(rank):
    # Rank 1 waits for rank 0, and then computes longer.
    if rank == 0:
        yield compute("burn", 5, 0.03)
        yield send(1, 6)
        yield compute("work", 7, 0.001)
    if rank == 1:
        yield compute("work", 7, 0.01)
        yield receive(0, 8)
        yield compute("work", 7, 0.02)


@path(first_2=40000000, second_1=50000000, third_3=60000000)
def collectives(rank):
    # In each phase another rank is the last one.
    yield compute("first", 5, 0.04 if rank == 2 else 0.01)
    yield collective("MPI_Allreduce", 6)
    yield compute("second", 7, 0.05 if rank == 1 else 0.01)
    yield collective("MPI_Barrier", 8)
    yield compute("third", 9, 0.06 if rank == 3 else 0.01)


@path(make_0=20000000, use_3=30000000)
def broadcast(rank):
    yield compute("make", 5, 0.02 if rank == 0 else 0.01)
    yield collective("MPI_Bcast", 6, 0)
    yield compute("use", 7, 0.03 if rank == 3 else 0.001)


@path(make_1=70000000, use_0=30000000)
def reduction(rank):
    yield compute("make", 5, 0.07 if rank == 1 else 0.01)
    yield collective("MPI_Reduce", 6, 0)
    yield compute("use", 7, 0.03 if rank == 0 else 0.001)


@path(slow_1=50000000, end_0=20000000)
def late_for_a_synchronous_send(rank):
    # The send waits, and is known to have waited only when its message was received.
    if rank == 0:
        yield ssend(1, 5, 100)
        yield compute("end", 6, 0.02)
    if rank == 1:
        yield compute("slow", 7, 0.05)
        yield receive(0, 8, 100)
        yield compute("end", 6, 0.001)


@path(step_0=1000000, step_1=1000000, step_2=1000000, step_3=37000000)
def ring(rank):
    # A token goes round ten times; rank 3 takes longest each time, but for what it computes before.
    for turn in range(10):
        if rank > 0 or turn > 0:
            yield receive((rank - 1) % 4, 21)
        yield compute("step", 10, 0.0037 if rank == 3 else 0.0001)
        if rank < 3 or turn < 9:
            yield send((rank + 1) % 4, 20)


@path(burn_0=10000000)
def one_rank(rank):
    if rank == 0:
        yield compute("burn", 5, 0.01)


@path(short_3=0)
def no_messages(rank):
    # The longest rank alone is the path.
    yield compute("long" if rank == 2 else "short", 5, 0.05 if rank == 2 else 0.02)


def shared_by_two(rank):
    # Without the longer function the other chain is the longest: the run is shorter by what they differ.
    yield compute("long" if rank == 2 else "short", 5, 0.05 if rank == 2 else 0.02)
    yield collective("MPI_Allreduce", 6)


path(long_2=50000000)(shared_by_two)


# ---- texts ----

def text(lines, **parts):
    """Lines "RANK AT what it enters, leaves or tells", times in microseconds; a name alone is entered."""
    out = []
    for line in lines.strip().splitlines():
        rank, at, kind, name, *fields = line.split()
        at, place = f"{int(at) / 1e6:.9f}", ["file=path.c", "line=1"] if kind == "enter" else []
        out.append("\t".join([rank, at, kind, name] + fields + place))
    return sorted(out, key=lambda line: float(line.split("\t")[1])), parts


def span(rank, begin, end, name, *told):
    """A region, and what its call tells at its begin (<) or at its end."""
    lines = [f"{rank} {begin} enter {name}"]
    lines += [f"{rank} {begin if kind[0] == '<' else end} {kind.lstrip('<')}" for kind in told]
    return "\n".join(lines + [f"{rank} {end} leave {name}"]) + "\n"


# The receive is posted long before it is waited for.
TEXTS["nonblocking_receive"] = text(
    span(0, 0, 10000, "burn") + span(0, 10000, 10010, "MPI_Irecv", "recv-post MPI_Irecv comm=0 request=0")
    + span(0, 10010, 20000, "work")
    + span(0, 20000, 40001, "MPI_Wait", "recv MPI_Wait source=1 tag=5 bytes=64 comm=0 request=0")
    + span(0, 40001, 50000, "end")
    + span(1, 0, 40000, "slow") + span(1, 40000, 40001, "MPI_Send", "<send MPI_Send dest=0 tag=5 bytes=64 comm=0")
    + span(1, 40001, 41000, "end"), slow_1=40000000, end_0=9999000, burn_0=0, MPI_Wait_0=1000)

# MPI_Wait waits until the other rank posts its receive.
TEXTS["nonblocking_send"] = text(
    span(0, 0, 10000, "burn")
    + span(0, 10000, 10001, "MPI_Isend", "<send MPI_Isend dest=1 tag=5 bytes=64 comm=0 request=0")
    + span(0, 10001, 60002, "MPI_Wait", "send-complete MPI_Wait request=0") + span(0, 60002, 80000, "end")
    + span(1, 0, 60000, "slow") + span(1, 60000, 60002, "MPI_Recv", "recv MPI_Recv source=0 tag=5 bytes=64 comm=0")
    + span(1, 60002, 61000, "end"), slow_1=60000000, end_0=19998000, burn_0=0, MPI_Wait_0=2000)

# A nonblocking collective: both compute until they wait, and rank 1 begins it last.
TEXTS["nonblocking_collective"] = text(
    span(0, 0, 1000, "burn")
    + span(0, 1000, 1001, "MPI_Ibarrier", "<collective MPI_Ibarrier sent=0 received=0 comm=0 request=0")
    + span(0, 1001, 2000, "burn") + span(0, 2000, 5001, "MPI_Wait", "collective-complete MPI_Wait comm=0 request=0")
    + span(0, 5001, 9000, "end") + span(1, 0, 5000, "slow")
    + span(1, 5000, 5001, "MPI_Ibarrier", "<collective MPI_Ibarrier sent=0 received=0 comm=0 request=0")
    + span(1, 5001, 5002, "MPI_Wait", "collective-complete MPI_Wait comm=0 request=0"),
    slow_1=5000000, end_0=3999000, MPI_Wait_0=1000)


def exchange(rank, begin, end):
    to, source = (rank + 1) % 3, (rank + 2) % 3
    return span(rank, begin, end, "MPI_Sendrecv", f"<send MPI_Sendrecv dest={to} tag=1 bytes=8 comm=0",
                f"recv MPI_Sendrecv source={source} tag=1 bytes=8 comm=0")


# Rank 1 waits in the first exchange, rank 0 in the second: the path is rank 2 until then.
TEXTS["ring_of_sendrecv"] = text(
    span(0, 0, 10000, "step") + exchange(0, 10000, 10001) + span(0, 10001, 12000, "step") + exchange(0, 12000, 20001)
    + span(0, 20001, 30000, "end")
    + span(1, 0, 5000, "step") + exchange(1, 5000, 10001) + span(1, 10001, 15001, "step") + exchange(1, 15001, 15002)
    + span(2, 0, 5000, "step") + exchange(2, 5000, 5001) + span(2, 5001, 20000, "step") + exchange(2, 20000, 20001),
    step_2=19999000, step_0=0, step_1=0, end_0=9999000)

# A call that waits for two messages: the last one counts.
TEXTS["two_receives"] = text(
    span(0, 0, 1, "MPI_Irecv", "recv-post MPI_Irecv comm=0 request=0")
    + span(0, 1, 2, "MPI_Irecv", "recv-post MPI_Irecv comm=0 request=1")
    + span(0, 2, 7001, "MPI_Waitall", "recv MPI_Waitall source=1 tag=5 bytes=8 comm=0 request=0",
           "recv MPI_Waitall source=2 tag=5 bytes=8 comm=0 request=1") + span(0, 7001, 9000, "end")
    + span(1, 0, 4000, "slow") + span(1, 4000, 4001, "MPI_Send", "<send MPI_Send dest=0 tag=5 bytes=8 comm=0")
    + span(2, 0, 7000, "slow") + span(2, 7000, 7001, "MPI_Send", "<send MPI_Send dest=0 tag=5 bytes=8 comm=0"),
    slow_2=7000000, slow_1=0, end_0=1999000, MPI_Waitall_0=1000)


def programs():
    cases = {name: program for name, (program, *_) in faults.CASES.items()}
    cases.update({name: program for name, (program, _) in CASES.items()})
    return cases


def without(program, function):
    """The program in which a function takes no time. The path is that of first threads, which wait for no others."""
    def changed(rank):
        for action in program(rank):
            if action[0] == "beside":
                continue
            yield action[:3] + (0,) if action[0] == "compute" and action[1] == function else action
    return changed


def end_of(lines):
    """When the last rank comes to MPI_Finalize; without that call, when the run ends."""
    finalized = [round(float(line.split("\t")[1]) * 1e9) for line in lines if "\tenter\tMPI_Finalize" in line]
    return max(finalized) if finalized else last_of(lines)


def last_of(lines):
    return max(round(float(line.split("\t")[1]) * 1e9) for line in lines)


def computing(lines, begin, end):
    """Nanoseconds by number of ranks that compute, between two moments: those that are in no MPI call."""
    changes, first, last, depth = {}, {}, {}, {}
    for line in lines:
        rank, at, kind, name = line.split("\t")[:4]
        at = round(float(at) * 1e9)
        if rank not in first:
            first[rank] = at
            changes[at] = changes.get(at, 0) + 1
        last[rank] = at
        if name.startswith("MPI_") and kind in ("enter", "leave"):
            changes[at] = changes.get(at, 0) + (-1 if kind == "enter" else 1)
    for at in last.values():
        changes[at] = changes.get(at, 0) - 1
    changes[end] = changes.get(end, 0)
    shares, now, before = {}, 0, begin
    for at in sorted(changes):
        if begin < at <= end:
            shares[now] = shares.get(now, 0) + at - before
            before = at
        now += changes[at]
    return {n: ns for n, ns in shares.items() if ns}


def on_rank(found, function, rank):
    return sum(r["path_ns"] for row in found["rows"] if row["name"] == function
               for r in row["ranks"] if r["rank"] == rank and row["kind"] != "computing_before")


def sums_of(name, lines, parts):
    """What is wrong with the sums of a case."""
    found = json.loads(pathlib.Path(f"{name}.json").read_text())
    run = found["to_ns"] - found["from_ns"]
    if found["to_ns"] != end_of(lines):
        yield f"the run ends at {end_of(lines)}, not {found['to_ns']}"
    if sum(row["path_ns"] for row in found["rows"]) != run:
        yield f"the parts are {sum(row['path_ns'] for row in found['rows'])} together, the run is {run}"
    if any(sum(rank["path_ns"] for rank in row["ranks"]) != row["path_ns"] for row in found["rows"]):
        yield "ranks of a part are not together the part"
    if sum(found["path_ns"].values()) != run or found["path_ns"]["waiting"] or found["path_ns"]["unknown"]:
        yield f"what is done on the path is {found['path_ns']}"
    if abs(found["as_it_was_ns"] - run) > run / 1000:
        yield f"the second walk makes {found['as_it_was_ns']} of a run of {run}"
    told = json.loads(pathlib.Path(f"{name}.parallelism").read_text())["rows"]
    told = {row["ranks"]: row["time_ns"] for row in told if row["time_ns"]}
    known = computing(lines, found["from_ns"], found["to_ns"])
    if told != known:
        yield f"ranks compute {told}, not {known}"
    for part, ns in parts.items():
        function, rank = part.rsplit("_", 1)
        if on_rank(found, function, int(rank)) != ns:
            yield f"{function} on rank {rank}: {on_rank(found, function, int(rank))} ns, not {ns}"


def without_of(name, lines, program):
    """What is wrong with how much shorter the run is said to be without functions."""
    found = json.loads(pathlib.Path(f"{name}.json").read_text())
    for row in found["rows"]:
        if row["kind"] != "computing" or "saved_ns" not in row:
            continue
        simulated = last_of(lines) - last_of(Run(without(program, row["name"])).all())
        if abs(row["saved_ns"] - simulated) > 1000 + last_of(lines) // 1000:
            yield f"without {row['name']}: {row['saved_ns']} ns shorter, not {simulated}"


def all_lines():
    lines = {name: Run(program).all() for name, program in programs().items()}
    lines.update({name: text for name, (text, _) in TEXTS.items()})
    return lines


def write():
    for name, lines in all_lines().items():
        pathlib.Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
        print(name)


def check():
    right, cases = 0, all_lines()
    for name, lines in cases.items():
        parts = CASES.get(name, TEXTS.get(name, (None, {})))[1]
        wrong = list(sums_of(name, lines, parts))
        if name in programs():
            wrong += without_of(name, lines, programs()[name])
        right += not wrong
        for what in wrong:
            print(f"{name}: {what}")
    print(f"{right} right")
    return 0 if right == len(cases) else 1


if __name__ == "__main__":
    sys.exit({"write": write, "check": check}[sys.argv[1]]())
