/* test_request_numbers.c: each thread numbers its requests with the lowest free number, however many it has had at a
 * time. It frees the numbers of requests that another thread has completed once it learns of the completion. */
#include "mpi_request_table.h"

#include "check.h"
#include <stdlib.h>
#include <string.h>

#define MOST (2 * REFRAIN_NUMBERS)

/* The parts of the monitor that the numbering uses. */
__thread struct refrain_context *refrain_thread_context;
struct refrain_trace_file refrain_trace_file;
bool refrain_mpi_multiple;
static struct refrain_context contexts[2];
static unsigned told;

void *refrain_pool_take_for_open(size_t bytes) {
    return calloc(1, bytes);
}

struct refrain_operation_record *refrain_call_operation(struct refrain_call *call, enum refrain_operation operation,
                                                        const int64_t *parameters, unsigned n) {
    static _Alignas(64) unsigned char record[64];
    (void)call;
    told += operation == REFRAIN_OP_FREE && n == 1 && parameters[0] >= 0;
    return (struct refrain_operation_record *)(void *)record;
}

void refrain_mpi_lock_wait(void) {
}

void refrain_mpi_lock_give(void) {
}

void refrain_call_returned(struct refrain_call *call) {
    (void)call;
}

/* One thread takes and returns random numbers. `taken`: the numbers that it has. */
static void take_and_give(unsigned most, unsigned steps) {
    static bool taken[MOST];
    unsigned n = 0, lowest = 0;
    uint32_t index;
    for (unsigned i = 0; i < steps; i++) {
        if (n < most && (n == 0 || rand() % 5 < 3)) {
            for (lowest = 0; taken[lowest];)
                lowest++;
            CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == lowest, "%u, not %u", index, lowest);
            taken[index] = true;
            n++;
        } else {
            index = (uint32_t)rand() % MOST;
            while (!taken[index])
                index = (index + 1) % MOST;
            refrain_number_give(&refrain_numberings[0], index);
            taken[index] = false;
            n--;
        }
    }
    for (index = 0; index < MOST; index++)
        if (taken[index])
            refrain_number_give(&refrain_numberings[0], index);
    memset(taken, 0, sizeof taken);
}

int main(void) {
    static struct refrain_header header;
    struct refrain_call call = {.context = &contexts[0]};
    uint32_t index;
    refrain_trace_file.header = &header;
    contexts[1].number = 1;

    /* All of a part are taken. The other thread has its own. */
    for (unsigned i = 0; i < REFRAIN_NUMBERS; i++)
        CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == i, "%u, not %u", index, i);
    CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == REFRAIN_NUMBERS,
          "%u, not the next part's first", index);
    CHECK(refrain_number_take(&refrain_numberings[1], &index) && index == 0, "%u, not the other thread's first", index);
    refrain_number_give(&refrain_numberings[0], REFRAIN_NUMBERS);
    refrain_numbers_give(&refrain_numberings[0], 64, UINT64_MAX);
    CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == 64, "%u, not the lowest of 64 given back",
          index);
    refrain_number_give(&refrain_numberings[0], 64);

    /* Another thread has completed a request. This is recorded before the next request is posted. */
    refrain_number_orphan(&refrain_numberings[0], 7);
    CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == 64, "%u, though no orphan has been told",
          index);
    refrain_number_give(&refrain_numberings[0], 64);
    refrain_number_free_orphans(&call, &refrain_numberings[0]);
    CHECK(told == 1, "%u told", told);
    CHECK(refrain_number_take(&refrain_numberings[0], &index) && index == 7, "%u, not the orphan's", index);

    for (index = 0; index < REFRAIN_NUMBERS; index++)
        if (index / 64 != 1)
            refrain_number_give(&refrain_numberings[0], index);
    take_and_give(100, 20000);
    take_and_give(MOST, 60000);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
