/* mpi_request_table.c: see mpi_request_table.h. */
#include "mpi_request_table.h"

struct refrain_request_table refrain_requests;

bool refrain_request_chunk_take(void) {
    if (refrain_requests.n_chunks == REFRAIN_MOST_REQUEST_CHUNKS)
        return false;
    union refrain_request_entry *chunk = refrain_pool_take_for_open(REFRAIN_REQUEST_CHUNK * sizeof *chunk);
    if (chunk)
        refrain_requests.chunks[refrain_requests.n_chunks++] = chunk;
    return chunk != NULL;
}

bool refrain_request_take_posted(struct refrain_request *request, const int64_t *parameters, unsigned n) {
    struct refrain_request *second = refrain_request_entry_take();
    if (!second) {
        refrain_request_entry_give(request);
        return false;
    }
    request->flags = 0;
    request->comm = refrain_request_place(second);
    int64_t *all = refrain_request_posted(request)->parameters;
    for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
        all[i] = i < n ? parameters[i] : -1;
    if (refrain_request_is_receive(request)) /* their one parameter */
        all[REFRAIN_PARAMETERS - 1] = parameters[0];
    return true;
}
