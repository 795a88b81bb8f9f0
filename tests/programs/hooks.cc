/* hooks.cc: C++ for test_hooks.sh: exceptions through several frames, templates, static objects, threads, virtual
 * functions, and a function that leaves by longjmp. Its functions are never inlined, so that their numbers of calls
 * are known. */
#include <csetjmp>
#include <mpi.h>
#include <stdexcept>
#include <thread>

#define KEPT __attribute__((noinline))

static volatile double sink;

struct Table {
    double values[100];
    KEPT Table() {
        for (int i = 0; i < 100; i++)
            values[i] = sink + i;
    }
    KEPT ~Table() {
        for (int i = 0; i < 100; i++)
            sink = sink + values[i];
    }
};
static Table table;

namespace work {
/* Has a loop, so it has a probe. */
template <typename T> KEPT T sum(int n) {
    T total = 0;
    for (int i = 0; i < n; i++)
        total += static_cast<T>(sink);
    return total;
}

struct Guard {
    int n = 10 + (sink < -1);
    KEPT ~Guard() {
        for (int i = 0; i < n; i++)
            sink = sink + i;
    }
};

KEPT void deepest(int i) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 5; k++)
        sink = sink + k;
    if (i % 2 == 0)
        throw std::runtime_error("even");
}
KEPT void middle(int i) {
    Guard guard;
    MPI_Barrier(MPI_COMM_WORLD);
    deepest(i);
    sink = sink + i;
}
KEPT void outer(int i) {
    MPI_Barrier(MPI_COMM_WORLD);
    middle(i);
    sink = sink + i;
}
KEPT void caught() {
    MPI_Barrier(MPI_COMM_WORLD);
}
/* Uses one function and has no MPI calls: it has no probe, and catches all the same. */
KEPT bool quiet(int i) {
    try {
        outer(i);
    } catch (...) {
        return false;
    }
    return true;
}
KEPT int loop(int n) {
    int n_caught = 0;
    for (int i = 0; i < n; i++) {
        try {
            outer(i);
        } catch (const std::exception &) {
            n_caught++;
            caught();
        }
        n_caught += !quiet(i);
    }
    return n_caught;
}

struct Solver {
    virtual ~Solver() {}
    virtual void step() = 0;
};
struct Exchange : Solver {
    KEPT void step() override {
        MPI_Barrier(MPI_COMM_WORLD);
    }
};
KEPT void run(Solver &solver, int n) {
    for (int i = 0; i < n; i++)
        solver.step();
}
} // namespace work

static jmp_buf back;
KEPT static void jumps(int i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (i)
        longjmp(back, 1);
}
KEPT static void returns_here() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (setjmp(back) == 0)
        jumps(1);
    MPI_Barrier(MPI_COMM_WORLD);
}
KEPT static void thread_body() {
    for (int i = 0; i < 3; i++)
        work::sum<long>(50);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int n_caught = work::loop(20);
    for (int i = 0; i < 3; i++) {
        work::sum<int>(100);
        work::sum<double>(100);
    }
    work::Exchange exchange;
    work::run(exchange, 7);
    returns_here();
    std::thread thread(thread_body);
    thread.join();
    MPI_Finalize();
    return n_caught == 20 ? 0 : 1;
}
