/* translate.h: records, learned or recorded, to events (walker or event file -> align.h).
 *
 *     record (slot numbers, references, ranks of a communicator) -> event (regions, ranks in MPI_COMM_WORLD, requests)
 *
 * One translation per location. It follows the request table by the monitor's rule (trace.h, enum refrain_operation),
 * so that a completion is known to be of which receive or send.
 */
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
    struct refrain_request_table later; /* of requests that begin again while they are under way */
    int64_t next_id;
    int64_t given_up, given_up_comm; /* the receive that the call in which the location is, or was last, has given up:
                                        its id, -1 none, and the communicator's index */
    bool no_memory;
    bool with_costs;                       /* events tell what probes took */
    struct refrain_event blank;            /* what all events of the location have in common */
    int64_t untold[REFRAIN_UNTOLD_VALUES]; /* the first n_untold of what passed in a pause */
    unsigned n_untold;
};

/* `with_costs`: events are to tell what probes took. */
void refrain_translation_open(struct refrain_translation *translation, const struct refrain_process *process,
                              uint32_t thread, bool with_costs);
/* The address of the region of events that the trace names none for. */
uintptr_t refrain_unknown_region_address(void);

void refrain_translation_close(struct refrain_translation *translation);

/* The events of n records, in their order: returns how many there are, as some make none. A record that refers to
 * nothing in the trace makes an approximate event. Where functions were inlined on the process's call paths, ENTER says
 * in `value` where a call is made: a pointer to a struct refrain_inlined for inlined_stream.h; 0 nothing is known. */
size_t refrain_translate(struct refrain_translation *translation, const struct refrain_record *records, size_t n,
                         struct refrain_event *events);

#endif
