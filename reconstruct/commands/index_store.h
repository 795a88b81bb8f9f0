/* index_store.h: where the saved states of a trace's replay (match/saved_states.h) lie between commands.
 *
 *     $XDG_CACHE_HOME/refrain/KEY.states, else $HOME/.cache/refrain/KEY.states    KEY is of the trace and of this
 * refrain
 *
 * Not beside the trace: states are believed as memory is, and traces come from other people; nor can every trace's
 * directory be written to. A file that others own or can write is not used. All of it can be deleted at any time. */
#ifndef REFRAIN_INDEX_STORE_H
#define REFRAIN_INDEX_STORE_H

#include "model/trace_read.h"

#define REFRAIN_INDEX_BYTES ((size_t)64 << 20)        /* of states of a trace, at most about */
#define REFRAIN_INDEX_ALL_BYTES ((uint64_t)512 << 20) /* of all traces; the oldest go */

/* As refrain_saved_states_keeper: the trace's cursors use its states. Where there are none, they are made if that pays:
 * if what lies before the window is long, and the whole run not too long. Says so where that takes longer than two
 * seconds, and where states are damaged. Their bytes stay until the program ends. */
void refrain_index_keep(struct refrain_trace *trace, bool compensate, int64_t time_ns, uint64_t passed);

struct refrain_index_made {
    char *path; /* the caller frees it */
    size_t bytes, states;
    uint64_t events; /* between two states at most */
};

/* Makes the states of the trace at `path` and stores them, as a whole or not at all. The oldest of other traces go
 * where all are more than there is to be. */
enum refrain_status refrain_index_make(const char *path, bool compensate, struct refrain_index_made *made,
                                       struct refrain_error *error);

/* Removes the states of a trace; false where there are none. */
bool refrain_index_remove(const struct refrain_trace *trace, bool compensate);

#endif
