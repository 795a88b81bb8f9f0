/* mpi_request_numbers.c: see mpi_request_numbers.h. */
#include "mpi_request_numbers.h"
#include "call.h"
#include "context.h"
#include <refrain/trace.h>

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
