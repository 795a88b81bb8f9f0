// paths.cc: MPI calls through functions of many kinds of frames, in an order by chance; recursion, exceptions, longjmp,
// callbacks of the C library, user regions. Before each MPI_Comm_size it writes the functions that are open, as its own
// account has them, to the file it is given with the rank appended.
//
//     paths LOG STEPS
#include <refrain/refrain.h>
#include <alloca.h>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>

static FILE *log_file;
static const char *open_functions[4096];
static int n_open;
static unsigned long state = 1;
static volatile int sink;

static unsigned chance(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

struct account {
    int before = n_open;
    explicit account(const char *name) { open_functions[n_open++] = name; }
    ~account() { n_open = before; }
};

#define OPEN(name) account open_here(#name)
#define LAST __asm__ volatile("") // so that the call before it is none that ends the function

static void next(int depth);

static __attribute__((noinline)) void call() {
    OPEN(call);
    int size;
    for (int i = 0; i < n_open; i++)
        fprintf(log_file, "%s%s", i ? ";" : "", open_functions[i]);
    fputc('\n', log_file);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    LAST;
}

static __attribute__((noinline)) void plain(int depth) {
    OPEN(plain);
    next(depth);
    LAST;
}

static __attribute__((noinline)) void growing(int depth) {
    OPEN(growing);
    volatile char *room = static_cast<char *>(alloca(1 + chance(300)));
    room[0] = 1;
    next(depth);
    sink += room[0];
}

static __attribute__((noinline)) void large(int depth) {
    OPEN(large);
    volatile char room[3000];
    room[depth] = 1;
    next(depth);
    sink += room[depth];
}

static __attribute__((noinline)) void throwing(int depth) {
    OPEN(throwing);
    next(depth);
    if (chance(3) == 0)
        throw std::string("thrown");
    LAST;
}

static __attribute__((noinline)) void catching(int depth) {
    OPEN(catching);
    try {
        throwing(depth);
    } catch (const std::string &what) {
        sink += static_cast<int>(what.size());
        call();
    }
    LAST;
}

static jmp_buf *back;

static __attribute__((noinline)) void jumping(int depth) {
    open_functions[n_open++] = "jumping";
    call();
    if (back && chance(2))
        longjmp(*back, 1);
    n_open--;
    sink += depth;
}

static __attribute__((noinline)) void returning(int depth) {
    OPEN(returning);
    jmp_buf here, *outer = back;
    volatile int open_now = n_open;
    back = &here;
    if (setjmp(here) == 0)
        jumping(depth);
    n_open = open_now;
    back = outer;
    call();
    LAST;
}

static int compare(const void *a, const void *b) {
    OPEN(compare);
    call();
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static __attribute__((noinline)) void sorting(int) {
    OPEN(sorting);
    int values[] = {3, 1, 2};
    qsort(values, 3, sizeof *values, compare);
    LAST;
}

static __attribute__((noinline)) void region(int depth) {
    OPEN(region);
    refrain_region_begin("span");
    open_functions[n_open++] = "span";
    next(depth);
    refrain_region_end();
    n_open--;
    if (chance(2))
        call();
    LAST;
}

static __attribute__((noinline)) void next(int depth) {
    OPEN(next);
    static void (*const functions[])(int) = {plain, growing, large, catching, returning, sorting, region};
    unsigned n = chance(3);
    for (unsigned i = 0; depth > 0 && i <= n; i++)
        functions[chance(7)](depth - 1);
    if (depth == 0 || chance(4) == 0)
        call();
    LAST;
}

int main(int argc, char **argv) {
    OPEN(main);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string name = std::string(argv[1]) + "." + std::to_string(rank);
    log_file = fopen(name.c_str(), "w");
    state += static_cast<unsigned long>(rank);
    for (int i = 0; log_file && i < atoi(argv[2]); i++)
        plain(4);
    fclose(log_file);
    MPI_Finalize();
    return 0;
}
