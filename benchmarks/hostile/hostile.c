/* hostile.c: programs in which probes come far more often than events. Usage: hostile KIND ROUNDS, as one rank of MPI.
 *
 *     post       tiny calls post to a buffer, one in 4,096 sends it
 *     chain      a chain of eight small functions in another file, one call in 65,536 communicates at its end
 *     recursion  a binary recursion, with a rare call at its leaves
 *     callback   qsort with a comparison function that communicates once in 65,536 times
 *     coin       twenty branches that chance decides before each call
 *     loops      loops of one or two turns around a rare call
 *     late       a comparison function that calls MPI itself, once in 65,536 times
 *     handlers   a queue of messages, each handled by a function of a table; one in 65,536 is answered
 *     thread     a function of a table for each message, in a thread that refrain has no room for
 *     states     an automaton of functions that jump to each other, one step in 65,536 communicates
 */
#include "hostile.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long state = 88172645463325252u;
static long buffered, messages;

unsigned hostile_chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

void hostile_communicate(long value) {
    long other = 0;
    MPI_Sendrecv(&value, 1, MPI_LONG, 0, 1, &other, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    messages += other & 1;
}

static void flush(void) {
    hostile_communicate(buffered);
}

static __attribute__((noinline)) void post(long value) {
    buffered += value;
    if (hostile_full(&buffered))
        flush();
}

static __attribute__((noinline)) long visit(int depth) {
    if (depth == 0) {
        if (hostile_chance(1u << 16) == 0)
            hostile_communicate(depth);
        return 1;
    }
    return visit(depth - 1) + visit(depth - 1);
}

static int compare(const void *a, const void *b) {
    if (hostile_chance(1u << 16) == 0)
        hostile_communicate(1);
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static __attribute__((noinline)) long toss(long sum) {
    for (int i = 0; i < 20; i++)
        if (hostile_chance(2))
            sum += hostile_step(i);
        else
            sum ^= i;
    hostile_communicate(sum);
    return sum;
}

static __attribute__((noinline)) long turns(long n) {
    long sum = 0;
    for (unsigned i = 0; i < 1 + hostile_chance(2); i++)
        for (unsigned j = 0; j < 1 + hostile_chance(2); j++)
            if (hostile_chance(1u << 15) == 0)
                hostile_communicate(n);
            else
                sum += hostile_step(n + j);
    return sum;
}

static int compare_late(const void *a, const void *b) {
    if (hostile_chance(1u << 16) == 0) {
        MPI_Barrier(MPI_COMM_SELF);
        messages++;
    }
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static long sort(long rounds, int (*comparison)(const void *, const void *)) {
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        int numbers[1000];
        for (int j = 0; j < 1000; j++)
            numbers[j] = (int)hostile_chance(1000000);
        qsort(numbers, 1000, sizeof *numbers, comparison);
        sum += numbers[0];
    }
    return sum;
}

static long add(long sum, unsigned message) {
    return sum + message;
}

static long flip(long sum, unsigned message) {
    return sum ^ message;
}

static long answer(long sum, unsigned message) {
    if (message < 4)
        hostile_communicate(sum);
    return sum;
}

static long (*const handlers[])(long, unsigned) = {add, flip, hostile_handle, answer};

static long handle(long rounds) {
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        unsigned message = hostile_chance(1u << 16);
        sum = handlers[message % 4](sum, message);
    }
    return sum;
}

static void *handle_in_thread(void *of) {
    long *rounds = of;
    *rounds = handle(*rounds);
    return NULL;
}

static long run_thread(long rounds) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, handle_in_thread, &rounds) != 0)
        return -1;
    pthread_join(thread, NULL);
    return rounds;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "post";
    long rounds = argc > 2 ? atol(argv[2]) : 1000000, sum = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (strcmp(kind, "post") == 0)
        for (long i = 0; i < rounds; i++)
            post(i);
    else if (strcmp(kind, "chain") == 0)
        for (long i = 0; i < rounds; i++)
            sum += hostile_chain(i);
    else if (strcmp(kind, "recursion") == 0)
        for (long i = 0; i < rounds; i++)
            sum += visit(10);
    else if (strcmp(kind, "coin") == 0)
        for (long i = 0; i < rounds; i++)
            sum = toss(sum);
    else if (strcmp(kind, "loops") == 0)
        for (long i = 0; i < rounds; i++)
            sum += turns(i);
    else if (strcmp(kind, "callback") == 0)
        sum = sort(rounds, compare);
    else if (strcmp(kind, "late") == 0)
        sum = sort(rounds, compare_late);
    else if (strcmp(kind, "handlers") == 0)
        sum = handle(rounds);
    else if (strcmp(kind, "thread") == 0)
        sum = run_thread(rounds);
    else if (strcmp(kind, "states") == 0)
        sum = hostile_states(rounds);
    else
        return fprintf(stderr, "hostile: no kind '%s'\n", kind), 2;
    MPI_Finalize();
    printf("%ld %ld\n", sum, messages);
    return 0;
}
