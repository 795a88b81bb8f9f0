/* filter_writer.h: leaves out events that a format cannot use (replay -> writer).
 *
 * Some formats have readers that pair messages by their order. These formats get no receives of messages that were sent
 * before the part of the run that is written:
 *
 *     whole run   send 1   send 2   | recv 1   send 3   recv 2   recv 3
 *     part                          |          send 3            recv 3
 *
 * With recv 1, such a reader would pair send 3 with recv 1, and all later ones wrongly, too. */
#ifndef REFRAIN_FILTER_WRITER_H
#define REFRAIN_FILTER_WRITER_H

#include "match/event.h"

struct refrain_filter {
    int64_t sent_from_ns; /* leaves out receives of messages that were sent earlier; REFRAIN_TIME_FIRST: none */
    const char *format;   /* its name, for the line at the end that counts receives left out; null: no line */
};

/* A writer that passes on to `inner` what the filter lets through; `inner` itself if the filter lets everything
 * through. It frees both at its end. Null without memory; then `inner` is unchanged. */
struct refrain_writer *refrain_filter_writer(struct refrain_writer *inner, const struct refrain_filter *filter);

#endif
