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

/* States in use by a trace. Zero: none. */
struct refrain_index {
    void *bytes;
    size_t n;
};

/* The trace's cursors use its states, where there are any that are sound: says so once where they are not. The caller
 * closes the index after the trace. */
void refrain_index_use(struct refrain_trace *trace, struct refrain_index *index);
void refrain_index_close(struct refrain_index *index);

/* Identifies this build in states; 0 not known, and then there are none. */
uint64_t refrain_index_build(void);

/* Stores the n bytes of the trace's states, as a whole or not at all, and removes the oldest of others where all are
 * more than there is to be. *path is where; the caller frees it. */
enum refrain_status refrain_index_store(const struct refrain_trace *trace, const void *bytes, size_t n, char **path,
                                        struct refrain_error *error);

/* Removes the states of a trace; false where there are none. */
bool refrain_index_remove(const struct refrain_trace *trace);

#endif
