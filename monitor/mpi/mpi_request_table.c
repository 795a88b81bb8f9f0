/* mpi_request_table.c: stores requests by their handles, and gives out their numbers (mpi_request_table.h). */
#include "mpi_request_table.h"
#include "call.h"
#include "context.h"
#include "run/pool.h"
#include <refrain/trace.h>

struct refrain_request_table refrain_requests;

bool refrain_request_chunk_take(void) {
    if (refrain_requests.n_chunks == REFRAIN_MOST_REQUEST_CHUNKS)
        return false;
    union refrain_request_entry *chunk = refrain_pool_take_for_open(REFRAIN_REQUEST_CHUNK * sizeof *chunk);
    if (chunk)
        refrain_requests.chunks[refrain_requests.n_chunks++] = chunk;
    return chunk != NULL;
}

#define ANY_THREAD UINT32_MAX

static struct refrain_request *find_of_thread(uint32_t thread, uint64_t key, unsigned older) {
    struct refrain_request *request = refrain_request_bucket(key)->head;
    for (; request; request = request->next ? refrain_request_at(request->next - 1) : NULL)
        if (request->handle == key && (thread == ANY_THREAD || request->thread == thread) && older-- == 0)
            return request;
    return NULL;
}

struct refrain_request *refrain_request_find_any(const struct refrain_call *call, uint64_t key, unsigned older) {
    uint32_t own = call->entry && refrain_mpi_multiple ? call->context->number : ANY_THREAD;
    struct refrain_request *request = find_of_thread(own, key, older);
    return request || own == ANY_THREAD ? request : find_of_thread(ANY_THREAD, key, older);
}

bool refrain_request_take_posted(struct refrain_request *request, const int64_t *parameters, unsigned n) {
    struct refrain_request *second = refrain_request_entry_take();
    if (!second) {
        refrain_request_entry_give(request);
        return false;
    }
    request->comm = refrain_request_place(second);
    int64_t *all = refrain_request_posted(request)->parameters;
    for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
        all[i] = i < n ? parameters[i] : -1;
    if (refrain_request_is_receive(request)) /* their only parameter */
        all[REFRAIN_PARAMETERS - 1] = parameters[0];
    return true;
}

/* ---- numbers ---- */

_Alignas(REFRAIN_LINE_BYTES) struct refrain_numbering refrain_numberings[REFRAIN_MAXIMUM_THREADS];

void refrain_number_orphan(struct refrain_numbering *numbering, uint32_t index) {
    numbering = refrain_number_part(numbering, &index);
    numbering->orphan[index / 64] |= (uint64_t)1 << index % 64;
    numbering->orphans |= (uint64_t)1 << index / 64;
}

void refrain_number_free_orphans(struct refrain_call *call, struct refrain_numbering *first) {
    uint32_t before = 0;
    for (struct refrain_numbering *part = first; part; part = part->next, before += REFRAIN_NUMBERS)
        while (part->orphans) {
            unsigned word = (unsigned)__builtin_ctzll(part->orphans);
            uint32_t index = before + word * 64 + (unsigned)__builtin_ctzll(part->orphan[word]);
            part->orphan[word] &= part->orphan[word] - 1;
            if (part->orphan[word] == 0)
                part->orphans &= part->orphans - 1;
            if (refrain_call_operation(call, REFRAIN_OP_FREE, (int64_t[]){index}, 1))
                refrain_number_give(first, index);
        }
}

void refrain_number_free(struct refrain_call *call, unsigned index) {
    refrain_call_returned(call);
    refrain_number_done(call, index, refrain_call_operation(call, REFRAIN_OP_FREE, (int64_t[]){index}, 1) != NULL);
}
