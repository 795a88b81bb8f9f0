/* live_timeline.h: state of the copy of a running process's trace file while it is made consistent, and the copy of
 * its timelines. Private to files/. */
#ifndef REFRAIN_LIVE_TIMELINE_H
#define REFRAIN_LIVE_TIMELINE_H

#include "files/trace_files.h"

#include <string.h>

extern int refrain_settle_tries; /* attempts until something counts as changing all the time */

struct refrain_settling {
    struct refrain_process *process;
    unsigned char *image;
    const volatile unsigned char *file; /* shared with the process */
    size_t bytes;
    size_t left_out;    /* learners of which only a beginning was copied */
    uint64_t last_unit; /* offset */
};

/* True if these bytes are inside the pool. */
static inline bool refrain_settling_has(const struct refrain_settling *live, uint64_t offset, uint64_t bytes) {
    return offset >= REFRAIN_HEADER_BYTES && offset % 8 == 0 && offset <= live->bytes && bytes <= live->bytes - offset;
}

/* Copies the bytes again, if they are inside the pool. */
static inline void refrain_settling_copy(const struct refrain_settling *live, uint64_t offset, uint64_t bytes) {
    if (refrain_settling_has(live, offset, bytes))
        memcpy(live->image + offset, (const unsigned char *)live->file + offset, bytes);
}

/* Copies the timelines. To be called after the learners: a timeline then knows at least the blocks that the learners
 * have. */
void refrain_settle_timelines(struct refrain_settling *live);

#endif
