/* control.c: one function per control construct, messages at the leaves.
   Usage: control [ROUNDS [PAUSE]], PAUSE in microseconds after each round. */
#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size, sum;

/* A leaf: a message around the ring, or to itself if there is only one rank. */
static int leaf(int value) {
    int got;
    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, value % 7, &got, 1, MPI_INT, (rank + size - 1) % size,
                 MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = (sum * 31 + got) % 1000003;
    return got;
}

static void chains(int n) {
    if (n % 5 == 0)
        leaf(1);
    else if (n % 5 == 1) {
        leaf(2);
        leaf(3);
    } else if (n % 3 == 0)
        ;
    else
        leaf(4);
    sum += n % 2 ? leaf(5) : n % 3 ? leaf(6) : 1;
    if (n % 4 == 0 && leaf(n) >= 0 && n % 8 == 0)
        leaf(7);
    if (n % 3 == 1 || leaf(8) < 0 || n % 7)
        leaf(9);
}

static void loops(int n) {
    for (int i = 0; i < n % 6; i++)
        for (int j = 0; j < i; j++)
            leaf(j);
    int k = n % 4;
    while (k-- > 0)
        leaf(k + 10);
    do
        leaf(11);
    while (++k < n % 3);
    for (;;) {
        if (leaf(n) % 2 == 0 || n % 2)
            break;
        n++;
    }
    for (k = 0; k < 8; k++) {
        if (k % 3 == n % 3)
            continue;
        if (k == 6)
            break;
        leaf(k);
    }
}

static void switches(int n) {
    switch (n % 6) {
    case 0:
        leaf(20);
        /* fall through */
    case 1:
        leaf(21);
        break;
    case 2 ... 3:
        leaf(22);
        return;
    default:
        leaf(23);
    }
    switch (n % 3)
    case 1:
        leaf(24);
    int count = n % 9 + 1, times = (count + 3) / 4;
    switch (count % 4) { /* Duff's device */
    case 0:
        do {
            leaf(25);
        case 3:
            leaf(26);
        case 2:
            leaf(27);
        case 1:
            leaf(28);
        } while (--times > 0);
    }
}

static void jumps(int n) {
    int i = 0;
again:
    leaf(i);
    if (++i < n % 4)
        goto again;
    if (n % 2)
        goto end;
    leaf(30);
    static const void *const targets[] = {&&one, &&two, &&end};
    goto *targets[n % 3];
one:
    leaf(31);
two:
    leaf(32);
end:;
}

static void odd(int n);
static void even(int n) {
    leaf(n);
    if (n > 0)
        odd(n - 1);
}
static void odd(int n) {
    if (n > 0)
        even(n - 1);
    leaf(n);
}

static int fibonacci(int n) {
    return n < 2 ? leaf(n) : fibonacci(n - 1) + fibonacci(n - 2);
}

static void (*const table[])(int) = {chains, loops, switches, jumps, even};

static int compare(const void *a, const void *b) {
    leaf(40);
    return *(const int *)a - *(const int *)b;
}

static void callbacks(int n) {
    int values[6];
    for (int i = 0; i < 6; i++)
        values[i] = (i * 5 + n) % 6;
    qsort(values, 6, sizeof *values, compare);
    table[n % 5](n % 5);
}

static jmp_buf landing;

static void deep(int depth) {
    leaf(depth);
    if (depth == 0)
        longjmp(landing, 1);
    deep(depth - 1);
    leaf(50);
}

static void jump_out(int n) {
    volatile int tries = 0;
    if (setjmp(landing) == 0 || tries++ < n % 3)
        deep(n % 4);
    leaf(51);
}

static int pair(int a, int b) {
    return leaf(a) + leaf(b) * leaf(a + b);
}

#define TWICE(call)                                                                                                    \
    do {                                                                                                               \
        call;                                                                                                          \
        call;                                                                                                          \
    } while (0)
#define UNLESS(c) if (!(c))
#define REPEAT(n) for (int repeat = 0; repeat < (n); repeat++)

static int many(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n-- > 0)
        total += leaf(va_arg(list, int));
    va_end(list);
    return total;
}

static void macros(int n) {
    TWICE(leaf(60));
    UNLESS(n % 2)
    leaf(61);
    REPEAT(n % 3) TWICE(leaf(62));
    many(n % 4, 1, 2, 3);
}

static void by_rank(int n) {
    if (rank == 0)
        for (int other = 1; other < size; other++) {
            int value;
            MPI_Recv(&value, 1, MPI_INT, other, 100 + other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    else
        MPI_Send(&n, 1, MPI_INT, 0, 100 + rank, MPI_COMM_WORLD);
    MPI_Request requests[2];
    int out = n, in = 0;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += out;
}

static void at_exit(void) {
    printf("rank %d: left\n", rank);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 12;
    struct timespec pause = {.tv_nsec = argc > 2 ? atol(argv[2]) * 1000 : 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    atexit(at_exit);
    for (int n = 0; n < rounds; n++) {
        chains(n);
        loops(n);
        switches(n);
        jumps(n);
        even(n % 5);
        sum += fibonacci(n % 6);
        callbacks(n);
        jump_out(n);
        sum += pair(n % 3, 2) + pair(1, n % 2);
        macros(n);
        by_rank(n);
        if (pause.tv_nsec > 0)
            nanosleep(&pause, NULL);
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    exit(0);
}
