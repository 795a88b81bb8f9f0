/* heap.c: allocates the heap of libclang from large pages (heap.h). */
#include "heap.h"
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HEAP_BYTES ((size_t)16 << 20) /* more than libclang needs for a small file and the header of an MPI */
#define LARGE_PAGE ((uintptr_t)2 << 20)

void refrain_heap_prepare(void) {
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    mallopt(M_ARENA_MAX, 1); /* libclang parses in another thread, which would otherwise have another heap */
    mallopt(M_MMAP_THRESHOLD, 2 * HEAP_BYTES);
    mallopt(M_TRIM_THRESHOLD, 4 * HEAP_BYTES);
    void *bytes = malloc(HEAP_BYTES); /* becomes the free end of the heap when it is freed */
    uintptr_t begin = ((uintptr_t)bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    if (bytes) /* without large pages, the heap is as usual */
        madvise((void *)begin, ((uintptr_t)bytes + HEAP_BYTES - begin) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    free(bytes);
}
