/* numbered.c: the lists of call sites, user regions and communicators become tables (numbered.h). */
#include "numbered.h"
#include "arena.h"

/* All these records begin with the reference of the next one. */
struct list {
    const unsigned char *image;
    size_t image_bytes;
    uint64_t first;
    size_t record_bytes, number_at;
};

/* The record at a reference; null outside of the image. */
static const unsigned char *record_at(const struct list *list, uint64_t reference) {
    uint64_t at = reference * REFRAIN_GRAIN_BYTES;
    bool inside = reference != 0 && reference <= UINT32_MAX && at >= REFRAIN_HEADER_BYTES && at <= list->image_bytes &&
                  list->record_bytes <= list->image_bytes - at;
    return inside ? list->image + at : NULL;
}

static bool make_table(const struct list *list, uint64_t **offsets, size_t *n) {
    size_t most = list->image_bytes / list->record_bytes, records = 0;
    const unsigned char *record = record_at(list, list->first);
    *n = 0;
    for (; record && records < most; record = record_at(list, *(const uint32_t *)record), records++) {
        uint32_t number = *(const uint32_t *)(record + list->number_at);
        if (number < most && number >= *n)
            *n = (size_t)number + 1;
    }
    *offsets = refrain_calloc(*n ? *n : 1, sizeof **offsets);
    if (!*offsets)
        return false;
    record = record_at(list, list->first);
    for (; record && records > 0; record = record_at(list, *(const uint32_t *)record), records--) {
        uint32_t number = *(const uint32_t *)(record + list->number_at);
        if (number < *n)
            (*offsets)[number] = (uint64_t)(record - list->image);
    }
    return true;
}

bool refrain_numbered_open(struct refrain_numbered *numbered, const void *image, size_t image_bytes) {
    const struct refrain_header *header = image;
    const struct list call_sites = {image, image_bytes, header->call_sites, sizeof(struct refrain_call_site),
                                    offsetof(struct refrain_call_site, number)};
    const struct list regions = {image, image_bytes, header->regions, sizeof(struct refrain_region_name),
                                 offsetof(struct refrain_region_name, number)};
    const struct list communicators = {image, image_bytes, header->communicators, sizeof(struct refrain_communicator),
                                       offsetof(struct refrain_communicator, index)};
    *numbered = (struct refrain_numbered){.image = image};
    if (make_table(&call_sites, &numbered->call_sites, &numbered->n_call_sites) &&
        make_table(&regions, &numbered->regions, &numbered->n_regions) &&
        make_table(&communicators, &numbered->communicators, &numbered->n_communicators))
        return true;
    refrain_numbered_close(numbered);
    return false;
}

void refrain_numbered_close(struct refrain_numbered *numbered) {
    refrain_free(numbered->call_sites);
    refrain_free(numbered->regions);
    refrain_free(numbered->communicators);
    *numbered = (struct refrain_numbered){0};
}

static const struct refrain_communicator *communicator_at(const struct refrain_numbered *numbered, uint64_t index) {
    bool known = index < numbered->n_communicators && numbered->communicators[index];
    return known ? (const void *)(numbered->image + numbered->communicators[index]) : NULL;
}

bool refrain_numbered_same_members(const struct refrain_numbered *numbered, uint64_t a, uint64_t b) {
    const struct refrain_communicator *one = communicator_at(numbered, a), *other = communicator_at(numbered, b);
    return one && other && one->members == other->members && one->size == other->size &&
           one->remote_size == other->remote_size; /* lists of members are stored once */
}
