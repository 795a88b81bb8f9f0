"""faults.py: runs with one fault each, as text that `refrain convert` reads, with exact times; and whether reports find them.

    faults.py write     NAME.txt of each case, here; prints the names
    faults.py check     NAME.json, the reports: a line for each whose first finding is not its fault, and "N found"

A case is a program of four ranks: a generator for each rank that yields what it does. The runs are simulated: a message
takes a microsecond and a nanosecond a byte, a collective three microseconds from its last entry on."""
import json
import pathlib
import sys

RANKS = 4
MESSAGE, COLLECTIVE = 1e-6, 3e-6
CASES = {}


def case(kind, rank="-", function="-", call="-"):
    """Makes a function of a rank a case, with its first finding; kind "none": there is none."""
    def decorate(program):
        CASES[program.__name__] = (program, kind, rank, function, call)
        return program
    return decorate


# ---- what ranks do ----

def compute(function, line, seconds):
    return ("compute", function, line, seconds)


def send(to, line, size=8, name="MPI_Send"):
    return ("send", name, line, to, size)


def ssend(to, line, size=8):
    return ("send", "MPI_Ssend", line, to, size)


def receive(source, line, size=8):
    return ("receive", "MPI_Recv", line, source, size)


def beside(thread, function, line, seconds):
    """A further thread computes from now on, while the first one goes on."""
    return ("beside", function, line, thread, seconds)


def collective(name, line, root=-1, size=8):
    return ("collective", name, line, root, size)


def call(name, line, seconds):
    return ("call", name, line, seconds)


def use_file(name, line, seconds, opened=None, size=None):
    """A call about the only file of a rank: opens it by a name, or moves so many bytes."""
    return ("file", name, line, seconds, opened, size)


# ---- the simulation ----

class Rank:
    def __init__(self, number, program):
        self.number, self.now, self.lines, self.actions = number, 0.0, [], program
        self.entered = False
        self.ordinals = {}

    def tell(self, event, name, fields="", at=None):
        at = self.now if at is None else at
        self.lines.append((at, f"{self.number}\t{at:.9f}\t{event}\t{name}{fields}"))

    def enter(self, name, line):
        self.tell("enter", name, f"\tfile=fault.c\tline={line}")


class Run:
    def __init__(self, program):
        self.ranks = [Rank(rank, whole(program, rank)) for rank in range(RANKS)]
        self.messages = {}      # (from, to) -> list of [sent at, size, synchronous sender or None]
        self.collectives = {}   # (name, ordinal) -> {rank: entered at}

    def step(self, rank, action):
        """True when the action is done; else it waits for another rank."""
        if action[0] == "pass":
            rank.now += action[1]
            return True
        kind, name, line = action[:3]
        if kind == "beside":
            thread, seconds = action[3:]
            rank.tell("enter", name, f"\tfile=fault.c\tline={line}\tthread={thread}")
            rank.tell("leave", name, f"\tthread={thread}", rank.now + seconds)
            return True
        if not rank.entered:
            rank.enter(name, line)
            rank.entered, rank.begun = True, rank.now
        if kind in ("compute", "call"):
            return self.leave(rank, name, rank.now + action[3])
        if kind == "file":
            return self.use_file(rank, name, *action[3:])
        if kind == "send":
            return self.send(rank, name, *action[3:])
        if kind == "receive":
            return self.receive(rank, name, *action[3:])
        return self.collective(rank, name, *action[3:])

    def leave(self, rank, name, at):
        rank.now = at
        rank.tell("leave", name)
        rank.entered = False
        return True

    def use_file(self, rank, name, seconds, opened, size):
        if size is not None:
            rank.tell("io", name, f"\tbytes={size}\thandle=0\tcomm=0")
        rank.now += seconds
        if size is not None:
            rank.tell("moved", name, f"\tbytes={size}\thandle=0\tcomm=0")
        else:
            rank.tell("file", name, f"\thandle=0\tcomm=0\tname={opened}")
        return self.leave(rank, name, rank.now)

    def send(self, rank, name, to, size):
        queue = self.messages.setdefault((rank.number, to), [])
        if not getattr(rank, "message", None):
            rank.tell("send", name, f"\tdest={to}\ttag=0\tbytes={size}\tcomm=0")
            rank.message = [rank.now, size, None]
            queue.append(rank.message)
        if name == "MPI_Ssend" and rank.message[2] is None:
            return False
        at = rank.message[2] if name == "MPI_Ssend" else rank.now
        rank.message = None
        return self.leave(rank, name, max(at, rank.now) + MESSAGE + size * 1e-9)

    def receive(self, rank, name, source, size):
        queue = self.messages.get((source, rank.number), [])
        if not queue:
            return False
        message = queue.pop(0)
        message[2] = rank.begun
        rank.now = max(rank.now, message[0]) + MESSAGE + message[1] * 1e-9
        rank.tell("recv", name, f"\tsource={source}\ttag=0\tbytes={message[1]}\tcomm=0")
        return self.leave(rank, name, rank.now + 1e-7)

    def collective(self, rank, name, root, size):
        ordinal = rank.ordinals.get(name, 0)
        entered = self.collectives.setdefault((name, ordinal), {})
        if rank.number not in entered:
            entered[rank.number] = rank.now
            fields = f"\troot={root}" if root >= 0 else ""
            rank.tell("collective", name, f"{fields}\tsent={size}\treceived={size}\tcomm=0")
        awaited = {"MPI_Bcast": [root], "MPI_Scatter": [root]}.get(name, range(RANKS))
        if name in ("MPI_Reduce", "MPI_Gather") and rank.number != root:
            awaited = []
        if any(other not in entered for other in awaited):
            return False
        rank.ordinals[name] = ordinal + 1
        last = max([entered[other] for other in awaited] + [rank.now])
        return self.leave(rank, name, last + COLLECTIVE + size * 1e-9)

    def all(self):
        waiting = {rank: next(rank.actions, None) for rank in self.ranks}
        while any(waiting.values()):
            moved = False
            for rank in self.ranks:
                while waiting[rank] and self.step(rank, waiting[rank]):
                    waiting[rank], moved = next(rank.actions, None), True
            if not moved:
                sys.exit("the ranks wait for each other")
        lines = sorted((line for rank in self.ranks for line in rank.lines), key=lambda line: line[0])
        return [text for _, text in lines]


def whole(program, rank):
    yield call("MPI_Init", 1, 0.002)
    yield from program(rank)
    yield collective("MPI_Finalize", 99)


# ---- the cases ----

@case("none")
def even(rank):
    for _ in range(50):
        yield compute("burn", 10, 0.002)
        yield send((rank + 1) % RANKS, 20, 4096)
        yield receive((rank - 1) % RANKS, 21)
        yield collective("MPI_Allreduce", 30)


@case("none")
def alone(rank):
    yield compute("burn", 10, 0.1)


@case("none")
def slightly_uneven(rank):
    for step in range(50):
        yield compute("burn", 10, 0.002 + 0.00001 * ((rank + step) % RANKS))
        yield collective("MPI_Allreduce", 30)


@case("imbalance", 2, "burn", "-")
def one_computes_longer(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.003 if rank == 2 else 0.002)
        yield collective("MPI_Allreduce", 30)


@case("imbalance", 1, "burn", "-")
def barrier_late(rank):
    for _ in range(20):
        yield compute("prepare", 5, 0.001)
        yield compute("burn", 10, 0.004 if rank == 1 else 0.002)
        yield collective("MPI_Barrier", 30)


@case("imbalance", None, "burn", "-")
def uneven_in_turns(rank):
    for step in range(40):
        yield compute("burn", 10, 0.003 if step % RANKS == rank else 0.002)
        yield collective("MPI_Allreduce", 30)


@case("moving_load", None, "burn", "-")
def load_that_moves(rank):
    for step in range(80):
        yield compute("burn", 10, 0.003 if step // 20 == rank else 0.002)
        yield collective("MPI_Allreduce", 30)


@case("none")
def load_that_moves_without_waits(rank):
    for step in range(80):
        yield compute("burn", 10, 0.003 if step // 20 == rank else 0.002)


@case("idle_threads", None, "serial", "-")
def idle_threads(rank):
    for _ in range(20):
        yield compute("serial", 10, 0.002)
        for thread in 1, 2, 3:
            yield beside(thread, "work", 12, 0.0005)
        yield compute("work", 12, 0.0005)
        yield collective("MPI_Allreduce", 30)


@case("none")
def busy_threads(rank):
    for _ in range(20):
        for thread in 1, 2, 3:
            yield beside(thread, "work", 12, 0.002)
        yield compute("work", 12, 0.002)
        yield collective("MPI_Allreduce", 30)


@case("waits_beside_threads", 0, "burn", "-")
def waits_beside_threads(rank):
    for _ in range(20):
        yield beside(1, "work", 12, 0.003)
        yield compute("burn", 10, 0.003 if rank == 0 else 0.001)
        yield collective("MPI_Barrier", 30)


@case("imbalance", 0, "burn", "-")
def waits_beside_idle_threads(rank):
    for _ in range(20):
        yield beside(1, "work", 12, 0.003 if rank == 0 else 0.001)
        yield compute("burn", 10, 0.003 if rank == 0 else 0.001)
        yield collective("MPI_Barrier", 30)


@case("imbalance", 3, "last", "-")
def late_to_the_end(rank):
    yield compute("burn", 10, 0.05)
    yield compute("last", 12, 0.05 if rank == 3 else 0.02)


@case("late_sender", 0, "prepare", "-")
def late_sender(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        if rank == 0:
            yield compute("prepare", 5, 0.002)
            yield send(1, 20)
        if rank == 1:
            yield receive(0, 21)
            yield compute("use", 12, 0.0001)
        if rank > 1:
            yield compute("other", 14, 0.0022)


@case("late_receiver", 1, "prepare", "-")
def late_receiver(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        if rank == 0:
            yield ssend(1, 20)
            yield compute("use", 12, 0.0001)
        if rank == 1:
            yield compute("prepare", 5, 0.002)
            yield receive(0, 21)
        if rank > 1:
            yield compute("other", 14, 0.0021)


@case("late_root", 0, "choose", "-")
def late_root(rank):
    for _ in range(20):
        yield compute("choose", 10, 0.003 if rank == 0 else 0.001)
        yield collective("MPI_Bcast", 30, 0)


@case("late_root", 2, "choose", "-")
def late_scatter(rank):
    for _ in range(20):
        yield compute("choose", 10, 0.003 if rank == 2 else 0.001)
        yield collective("MPI_Scatter", 31, 2)


@case("early_reduce", 3, "sum", "-")
def early_reduce(rank):
    for _ in range(20):
        yield compute("sum", 10, (0.001, 0.0038, 0.0038, 0.004)[rank])
        yield collective("MPI_Reduce", 30, 0)


@case("serial_phase", 0, "read_input", "-")
def serial_phase(rank):
    if rank == 0:
        yield compute("read_input", 5, 0.1)
    yield collective("MPI_Bcast", 30, 0)
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        yield collective("MPI_Allreduce", 31)


@case("delay_chain", 0, "slow", "-")
def delay_chain(rank):
    # Rank 0 is late; each rank passes that on to the next one, without being slow itself.
    if rank == 0:
        yield compute("slow", 5, 0.02)
    for _ in range(10):
        yield compute("burn", 10, 0.001)
        if rank > 0:
            yield receive(rank - 1, 21)
        if rank + 1 < RANKS:
            yield send(rank + 1, 20)
    yield compute("end", 12, 0.02)


@case("delay_chain", 1, "slow", "-")
def chain_of_before(rank):
    # Rank 2 waits for rank 1 while that computes what all compute: it is late since it waited for rank 0 before.
    if rank == 1:
        yield compute("slow", 5, 0.02)
    yield compute("burn", 10, 0.01)
    if rank == 1:
        yield send(0, 20)
    if rank == 0:
        yield receive(1, 21)
    yield compute("burn", 10, 0.03)
    if rank == 0:
        yield send(2, 22)
    if rank == 2:
        yield receive(0, 23)
    yield compute("burn", 10, 0.03)
    if rank == 2:
        yield send(3, 24)
    if rank == 3:
        yield receive(2, 25)
    yield compute("end", 12, 0.02)


@case("delay_chain", 1, "slow", "-")
def chain_in_a_ring(rank):
    for step in range(30):
        if rank == 1 and step % 10 == 3:
            yield compute("slow", 5, 0.01)
        yield compute("burn", 10, 0.001)
        yield send((rank + 1) % RANKS, 20)
        yield receive((rank - 1) % RANKS, 21)


@case("slow_call", 0, "-", "MPI_Send:20")
def one_after_the_other(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        if rank == 0:
            for to in range(1, RANKS):
                yield send(to, 20, 1000000)
        else:
            yield receive(0, 21)
        yield collective("MPI_Barrier", 30)


@case("small_messages")
def small_messages(rank):
    for _ in range(10):
        yield compute("burn", 10, 0.002)
        for _ in range(400):
            yield send(rank ^ 1, 20, 1600)
        for _ in range(400):
            yield receive(rank ^ 1, 21)


@case("transfer", "-", "-", "MPI_Alltoall:30")
def large_collective(rank):
    for _ in range(10):
        yield compute("burn", 10, 0.002)
        yield collective("MPI_Alltoall", 30, size=2000000)


@case("transfer")
def large_messages(rank):
    for _ in range(10):
        yield compute("burn", 10, 0.002)
        yield send(rank ^ 1, 20, 2000000)
        yield receive(rank ^ 1, 21)


@case("transfer", "-", "-", "MPI_Allreduce:30")
def without_cores(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        yield call("MPI_Allreduce", 30, 0.003)


@case("management", "-", "-", "MPI_Comm_dup:15")
def communicators(rank):
    for _ in range(30):
        yield compute("burn", 10, 0.002)
        yield call("MPI_Comm_dup", 15, 0.0005)
        yield collective("MPI_Allreduce", 30)


@case("management", 1, "-", "MPI_Type_commit:16")
def datatypes(rank):
    for _ in range(30):
        yield compute("burn", 10, 0.0015 if rank == 1 else 0.002)
        if rank == 1:
            yield call("MPI_Type_commit", 16, 0.0005)
        yield collective("MPI_Allreduce", 30)


@case("polling", "-", "-", "MPI_Test:40")
def polling(rank):
    for _ in range(30):
        yield compute("burn", 10, 0.001)
        for _ in range(50):
            yield call("MPI_Iprobe" if rank == 9 else "MPI_Test", 40, 0.00002)


@case("input_output", "-", "-", "MPI_File_write_all:50")
def files(rank):
    for _ in range(5):
        yield compute("burn", 10, 0.01)
        yield call("MPI_File_write_all", 50, 0.01)


@case("small_accesses", "-", "-", "MPI_File_write:52")
def small_writes(rank):
    yield use_file("MPI_File_open", 51, 0.0001, opened="out.dat")
    for _ in range(50):
        yield compute("burn", 10, 0.001)
        yield use_file("MPI_File_write", 52, 0.0002, size=512)
        yield use_file("MPI_File_write", 53, 0.0001, size=1024)


@case("input_output", "-", "-", "MPI_File_write:52")
def large_writes(rank):
    yield use_file("MPI_File_open", 51, 0.0001, opened="out.dat")
    for _ in range(50):
        yield compute("burn", 10, 0.001)
        yield use_file("MPI_File_write", 52, 0.0002, size=65536)


@case("one_sided", "-", "-", "MPI_Win_fence:60")
def windows(rank):
    for _ in range(20):
        yield compute("burn", 10, 0.002)
        yield call("MPI_Win_fence", 60, 0.001)


@case("odd_iteration", 2, "burn", "-")
def one_iteration(rank):
    for step in range(30):
        yield compute("burn", 10, 0.02 if (step, rank) == (20, 2) else 0.002)
        yield collective("MPI_Allreduce", 30)


@case("odd_iteration", None, "write_output", "-")
def output_once(rank):
    for step in range(30):
        yield compute("burn", 10, 0.002)
        if step == 12:
            yield compute("write_output", 15, 0.01)
        yield collective("MPI_Allreduce", 30)


@case("odd_iteration", None, None, None)
def odd_in_many_places(rank):
    for step in range(30):
        for part in range(20):
            yield compute(f"part_{part}", 40 + part, 0.001 if step == 12 else 0.0001)
        yield collective("MPI_Allreduce", 30)


@case("imbalance", 0, "-", "MPI_Allreduce:30")
def no_functions(rank):
    for _ in range(20):
        yield ("pass", 0.003 if rank == 0 else 0.002)
        yield collective("MPI_Allreduce", 30)


@case("imbalance", 1, "<img src=x onerror=alert(1)>&\"'", "-")
def html_in_names(rank):
    for _ in range(20):
        yield compute("<img src=x onerror=alert(1)>&\"'", 10, 0.004 if rank == 1 else 0.002)
        yield collective("MPI_Barrier", 30)


def named(place):
    return place and f"{place['name']}:{place['line']}" if place and place["name"].startswith("MPI_") else place and place["name"]


def wrong_with(report, wanted):
    """What is wrong with the report of a case; None if nothing is."""
    found = [(f["kind"], f["rank"], named(f["function"]), named(f["call"])) for f in report["findings"]]
    costs = [f["cost_ns"] for f in report["findings"]]
    if costs != sorted(costs, reverse=True):
        return f"costs out of order: {costs}"
    if wanted[0] == "none":
        return f"found {found}" if found else None
    good = found and all(w in ("-", g) for w, g in zip(wanted, found[0]))
    return None if good else f"wanted {wanted}, found {found}"


def write():
    for name, (program, *_) in CASES.items():
        pathlib.Path(f"{name}.txt").write_text("\n".join(Run(program).all()) + "\n")
        print(name)


def check():
    right = 0
    for name, (_, *wanted) in CASES.items():
        wrong = wrong_with(json.loads(pathlib.Path(f"{name}.json").read_text()), wanted)
        right += not wrong
        if wrong:
            print(f"{name}: {wrong}")
    print(f"{right} found")
    return 0 if right == len(CASES) else 1


if __name__ == "__main__":
    sys.exit({"write": write, "check": check}[sys.argv[1]]())
