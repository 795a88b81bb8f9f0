/* translate.h: translates records, learned or recorded, to events (walker or event file -> align.h).
 *
 *     record (slot numbers, references, ranks of a communicator) -> event (regions, ranks in MPI_COMM_WORLD, requests)
 *
 * There is one translation per location. It numbers requests by the same rule as the monitor (trace.h, enum
 * refrain_operation), so that it knows which receive or send an operation completes. */
#ifndef REFRAIN_TRANSLATE_H
#define REFRAIN_TRANSLATE_H

#include "match/event.h"
#include "model/trace_read.h"
#include "walk/request_table.h"
#include "walk/walk_rank.h"

struct refrain_translation {
    const struct refrain_process *process;
    uint32_t thread;
    struct refrain_request_table requests;
    struct refrain_request_table
        later; /* communications of persistent requests that are pending besides the oldest one */
    int64_t next_id;
    int64_t given_up, given_up_comm; /* the pending receive that the location's last call freed: id, -1 none, and index
                                        of its communicator */
    bool no_memory;
    bool with_costs;                       /* events get the time in probes */
    struct refrain_event blank;            /* an event with the fields that all events of the location have in common */
    int64_t untold[REFRAIN_UNTOLD_VALUES]; /* the first n_untold values of a count of a pause */
    unsigned n_untold;
};

/* `with_costs`: events get the time in probes. */
void refrain_translation_open(struct refrain_translation *translation, const struct refrain_process *process,
                              uint32_t thread, bool with_costs);
/* The address of the region for records whose region is not in the trace. */
uintptr_t refrain_unknown_region_address(void);

void refrain_translation_close(struct refrain_translation *translation);

/* Translates n records in their order. Returns the number of events: some records make none. A record that refers to an
 * object that the trace does not have makes an approximate event. If functions are inlined on the process's call paths,
 * the `value` of an ENTER points to the struct refrain_inlined of its call site, for inlined_stream.h; 0: nothing is
 * known. */
size_t refrain_translate(struct refrain_translation *translation, const struct refrain_record *records, size_t n,
                         struct refrain_event *events);

#endif
