/* otf2_memory.c: allocates chunks for the buffers of OTF2 (otf2_memory.h). */
#include "formats/otf2_memory.h"
#include "common/array.h"

#include <stdlib.h>

#define EVENT_CHUNKS 2u

/* Chunks of one buffer. */
struct chunks {
    void **all;
    size_t n, capacity;
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer, uint64_t bytes) {
    struct chunks *chunks = *of_buffer;
    (void)data, (void)location;
    if (!chunks)
        chunks = *of_buffer = calloc(1, sizeof *chunks);
    if (!chunks || (type == OTF2_FILETYPE_EVENTS && chunks->n == EVENT_CHUNKS))
        return NULL; /* OTF2 then writes the buffer to disk and asks again */
    if (!REFRAIN_ARRAY_ROOM(chunks->all, chunks->n, chunks->capacity))
        return NULL;
    void *chunk = malloc(bytes);
    if (chunk)
        chunks->all[chunks->n++] = chunk;
    return chunk;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer, bool final) {
    struct chunks *chunks = *of_buffer;
    (void)data, (void)type, (void)location;
    for (size_t i = 0; chunks && i < chunks->n; i++)
        free(chunks->all[i]);
    if (chunks)
        chunks->n = 0;
    if (!final || !chunks)
        return;
    free(chunks->all);
    free(chunks);
    *of_buffer = NULL;
}

const OTF2_MemoryCallbacks *refrain_otf2_memory(void) {
    static const OTF2_MemoryCallbacks callbacks = {.otf2_allocate = allocate, .otf2_free_all = free_all};
    return &callbacks;
}
