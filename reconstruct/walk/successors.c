/* successors.c: visits all successor learners of a thread (successors.h). */
#include "walk/successors.h"

struct visit {
    const unsigned char *image;
    size_t bytes;
    unsigned thread;
    void (*visit)(void *data, const struct refrain_learner *learner);
    void *data;
};

/* `bytes` bytes at an offset, or null if they are not inside the image. */
static const void *at(const struct visit *visit, uint64_t offset, uint64_t bytes) {
    bool inside =
        offset >= REFRAIN_HEADER_BYTES && offset % 8 == 0 && offset <= visit->bytes && bytes <= visit->bytes - offset;
    return inside ? visit->image + offset : NULL;
}

static void visit_units(const struct visit *visit, const struct refrain_header *header,
                        bool (*is_decision)(const void *data, uint32_t slot)) {
    uint64_t previous = 0;
    for (uint64_t offset = header->units; offset > previous;) {
        const struct refrain_unit_record *unit = at(visit, offset, sizeof *unit);
        if (!unit)
            return;
        uint64_t of_thread = (uint64_t)unit->n_slots * sizeof(struct refrain_slot);
        const struct refrain_slot *slots = at(visit, unit->slots + of_thread * visit->thread, of_thread);
        for (uint32_t i = 0; slots && i < unit->n_slots; i++)
            if (!is_decision(visit->data, unit->first_slot + i))
                visit->visit(visit->data, &slots[i].next);
        previous = offset;
        offset = unit->next;
    }
}

static void visit_operations(const struct visit *visit, uint32_t reference) {
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        const struct refrain_operation_record *operation =
            at(visit, (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES, sizeof *operation);
        if (!operation)
            return;
        visit->visit(visit->data, &operation->after.next);
        reference = operation->next;
    }
}

void refrain_successors_visit(const void *image, size_t image_bytes, unsigned thread,
                              bool (*is_decision)(const void *data, uint32_t slot),
                              void (*callback)(void *data, const struct refrain_learner *learner), void *data) {
    const struct refrain_header *header = image;
    const struct visit visit = {image, image_bytes, thread, callback, data};
    size_t most = image_bytes / REFRAIN_ALIGNMENT_BYTES;
    const struct refrain_thread *threads = at(&visit, header->threads, ((uint64_t)thread + 1) * sizeof *threads);
    if (threads)
        callback(data, &threads[thread].root.next);
    visit_units(&visit, header, is_decision);
    uint64_t reference = header->call_sites;
    for (size_t n = 0; reference && n < most; n++) {
        const struct refrain_call_site *call_site = at(&visit, reference * REFRAIN_ALIGNMENT_BYTES, sizeof *call_site);
        if (!call_site)
            break;
        if (call_site->thread == thread) {
            callback(data, &call_site->inside.next);
            visit_operations(&visit, call_site->operations);
        }
        reference = call_site->next;
    }
    reference = header->regions;
    for (size_t n = 0; reference && n < most; n++) {
        const struct refrain_region_name *name = at(&visit, reference * REFRAIN_ALIGNMENT_BYTES, sizeof *name);
        if (!name)
            break;
        if (name->thread == thread && !refrain_use_is_value(name->use))
            callback(data, &name->inside.next);
        reference = name->next;
    }
}
