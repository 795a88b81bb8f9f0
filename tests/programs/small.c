/* small.c: small functions and their default recording (instrumentor/weigh.c). One rank of MPI; the counts are in
 * test_small.sh. */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALL __attribute__((noinline))

static long buffered, posted;

static SMALL void send(long value) {
    long other;
    MPI_Sendrecv(&value, 1, MPI_LONG, 0, 1, &other, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Each time an event: entered. */
static SMALL void flush(void) {
    send(buffered);
    buffered = 0;
}

/* Not recorded when it is entered: flush is, by its message. */
SMALL void post(long value) {
    buffered += value;
    if (++posted % 100 == 0)
        flush();
}

/* Never entered, and a loop to the compiler. */
SMALL long descend(int depth) {
    if (depth == 0) {
        post(1);
        return 1;
    }
    return descend(depth - 1) + descend(depth - 1);
}

/* Never entered; it jumps to what it calls. */
SMALL long link(long n) {
    return n % 64 == 63 ? descend(3) : n;
}

/* Entered late: 10 times of 1,000, each with two MPI calls. */
SMALL int compare(const void *a, const void *b) {
    static int calls;
    if (++calls % 100 == 0) {
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Barrier(MPI_COMM_SELF);
    }
    return *(const int *)a - *(const int *)b;
}

#define CHECKED(call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != MPI_SUCCESS)                                                                                     \
            abort();                                                                                                   \
    } while (0)

/* Entered late, by what a macro holds; left in three ways. */
SMALL int macro(int n) {
    if (n < 5)
        return n;
    CHECKED(MPI_Barrier(MPI_COMM_SELF));
    if (n < 7)
        return -n;
    return 0;
}

/* Recursive, and entered late at each depth. */
SMALL int deepen(int n) {
    int sum = n > 0 ? deepen(n - 1) : 0;
    if (n % 2)
        MPI_Barrier(MPI_COMM_SELF);
    return sum + n;
}

/* Two conditions: entered when it is called. */
SMALL void exchange(int up, int down) {
    if (up)
        MPI_Barrier(MPI_COMM_SELF);
    if (down)
        MPI_Barrier(MPI_COMM_SELF);
}

/* Two functions, of which one is not known to be small: entered. */
SMALL void step(int n) {
    exchange(n % 2, n % 3);
    flush();
}

/* A loop by goto: entered. */
SMALL int again(int n) {
more:
    if (n % 3 == 0)
        post(n);
    if (n-- > 0)
        goto more;
    return n;
}

int main(int argc, char **argv) {
    long sum = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++)
        post(i);
    for (int i = 0; i < 1000; i++)
        sum += link(i);
    for (int i = 0; i < 1000; i++)
        sum += compare(&i, &argc);
    for (int i = 0; i < 10; i++)
        sum += macro(i);
    sum += deepen(9);
    for (int i = 0; i < 6; i++)
        step(i);
    sum += again(30);
    MPI_Finalize();
    printf("%ld\n", sum);
    return 0;
}
