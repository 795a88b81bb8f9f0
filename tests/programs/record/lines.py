# lines.py: MPI calls from functions, methods, comprehensions, generators and threads of Python. Writes to the file it is
# given, with the rank appended, the function and line of each call of Get_size.
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
log = open(f"{sys.argv[1]}.{comm.rank}", "w")


def say():
    frame = sys._getframe(1)
    log.write(f"{frame.f_code.co_qualname} {frame.f_lineno}\n")


def stamp():
    MPI.Wtime()


def timed():
    stamp()
    stamp()


class Grid:
    def __init__(self, n):
        self.n = n

    def exchange(self):
        say(); comm.Get_size()
        return [(say(), comm.Get_size()) for _ in range(self.n)]

    def __enter__(self):
        say(); comm.Get_size()
        return self

    def __exit__(self, *what):
        say(); comm.Get_size()


def count(n):
    for i in range(n):
        say(); comm.Get_size()
        yield i


def fail(depth):
    say(); comm.Get_size()
    if depth == 0:
        raise ValueError("at the bottom")
    fail(depth - 1)


for step in range(5):
    with Grid(step % 3) as grid:
        grid.exchange()
    try:
        fail(step)
    except ValueError:
        say(); comm.Get_size()
    sum(count(3))
    comm.allreduce(step)
    exec(compile(f"def made():\n    comm.Get_size()\n    return {step}\n", f"made{step}", "exec"))
    log.write("made 2\n")
    made()

timed()
lock = threading.Lock()
both = threading.Barrier(2)  # of a thread that has ended another one has the location


def work():
    both.wait()
    with lock:
        say(); comm.Get_size()
    both.wait()


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
log.close()
