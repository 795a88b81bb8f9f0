/* block_totals.c: adds up the blocks of every thread in a region, straight from its layout (trace.h), and compares with
 * the time the thread ran.
 *
 *     block_totals FILE...    rank-N.trace files; status 1 when a sum is more than 0.1 % off */
#include "read_image.h"

#include <refrain/trace.h>
#include <refrain/unit.h>

#include <stdio.h>
#include <stdlib.h>

static const unsigned char *base;
static uint64_t bytes;

static const void *at(uint64_t offset) {
    if (offset >= bytes) {
        fprintf(stderr, "block_totals: offset %llu is outside the file\n", (unsigned long long)offset);
        exit(1);
    }
    return base + offset;
}

static const void *refer(uint32_t reference) {
    return at((uint64_t)reference * REFRAIN_ALIGNMENT_BYTES);
}

static uint64_t thread_ticks(const struct refrain_header *header, uint32_t t, const struct refrain_thread *thread) {
    uint64_t sum = thread->root.ticks;
    for (uint64_t u = header->units; u;) {
        const struct refrain_unit_record *unit = at(u);
        const struct refrain_slot *slots = (const struct refrain_slot *)at(unit->slots) + (uint64_t)t * unit->n_slots;
        for (uint32_t i = 0; i < unit->n_slots; i++) /* slot [1] of a function holds whole activations, no block */
            if (!(i && slots[i - 1].flags & REFRAIN_SLOT_FUNCTION))
                sum += slots[i].ticks;
        u = unit->next;
    }
    for (uint32_t s = (uint32_t)header->call_sites; s;) {
        const struct refrain_call_site *call_site = refer(s);
        if (call_site->thread == t) {
            sum += call_site->inside.ticks;
            for (uint32_t o = call_site->operations; o;) {
                const struct refrain_operation_record *operation = refer(o);
                sum += operation->after.ticks;
                o = operation->next;
            }
        }
        s = call_site->next;
    }
    for (uint32_t r = (uint32_t)header->regions; r;) {
        const struct refrain_region_name *region = refer(r);
        if (region->thread == t)
            sum += region->inside.ticks;
        r = region->next;
    }
    return sum;
}

int main(int argc, char **argv) {
    int wrong = 0, threads = 0;
    for (int i = 1; i < argc; i++) {
        size_t n = 0;
        unsigned char *copy = read_image(argv[i], &n);
        if (!copy || n < REFRAIN_HEADER_BYTES)
            return 2;
        bytes = n;
        base = copy;
        const struct refrain_header *header = at(0);
        const struct refrain_thread *thread = at(header->threads);
        for (uint32_t t = 0; t < header->n_threads; t++) {
            if (!thread[t].started)
                continue;
            threads++;
            uint64_t sum = thread_ticks(header, t, &thread[t]), run = thread[t].last_ticks - thread[t].start_ticks;
            double off = run ? ((double)sum - (double)run) / (double)run : 1;
            printf("rank %d thread %u: blocks %llu, run %llu ticks, %+.4f %%\n", header->rank, t,
                   (unsigned long long)sum, (unsigned long long)run, 100 * off);
            wrong += off > 0.001 || off < -0.001;
        }
        free(copy);
    }
    return wrong || !threads;
}
