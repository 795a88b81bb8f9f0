/* live_timeline.h: the copy of a running process's trace file while it is made whole, and its timelines made whole.
 * Private to files/. */
#ifndef REFRAIN_LIVE_TIMELINE_H
#define REFRAIN_LIVE_TIMELINE_H

#include "files/trace_files.h"

#include <string.h>

extern int refrain_settle_tries; /* before something is taken to change all the time */

struct refrain_settling {
    struct refrain_process *process;
    unsigned char *image;
    const volatile unsigned char *file; /* shared with the process */
    size_t bytes;
    size_t left_out;    /* learners of which only the beginning was copied */
    uint64_t last_unit; /* offset */
};

/* Do so many bytes of the pool lie at the offset? */
static inline bool refrain_settling_has(const struct refrain_settling *live, uint64_t offset, uint64_t bytes) {
    return offset >= REFRAIN_HEADER_BYTES && offset % 8 == 0 && offset <= live->bytes && bytes <= live->bytes - offset;
}

/* Copies them once more, where they do. */
static inline void refrain_settling_copy(const struct refrain_settling *live, uint64_t offset, uint64_t bytes) {
    if (refrain_settling_has(live, offset, bytes))
        memcpy(live->image + offset, (const unsigned char *)live->file + offset, bytes);
}

/* Copies the timelines. After the learners: what they hold is a beginning of what the timelines know. */
void refrain_settle_timelines(struct refrain_settling *live);

#endif
