/* index_store.h: files that keep the saved states of a trace's replay (match/saved_states.h) between commands.
 *
 *     $XDG_CACHE_HOME/refrain/KEY.states, else $HOME/.cache/refrain/KEY.states
 *
 * KEY identifies the trace and this build of refrain. The files are not stored beside the trace, for two reasons: its
 * directory may be read-only, and states are loaded without a check of their contents, whereas traces come from other
 * people. A file that another user owns or can write is not used. All files can be deleted at any time. */
#ifndef REFRAIN_INDEX_STORE_H
#define REFRAIN_INDEX_STORE_H

#include "model/trace_read.h"

#define REFRAIN_INDEX_BYTES ((size_t)64 << 20)        /* approximate limit for the states of one trace */
#define REFRAIN_INDEX_ALL_BYTES ((uint64_t)512 << 20) /* limit for all traces; the oldest files are deleted */

/* A refrain_saved_states_keeper: lets the trace's cursors use its states, if there are any. Otherwise it makes states
 * for later commands, provided that the window begins late and the whole run is not too long. Prints a message if this
 * took longer than two seconds, and if states are damaged. Loaded states stay in memory until the program ends. */
void refrain_index_keep(struct refrain_trace *trace, bool compensate, int64_t time_ns, uint64_t passed);

struct refrain_index_made {
    char *path; /* the caller frees it */
    size_t bytes, states;
    uint64_t events; /* largest number of events between two states */
};

/* Makes the states of the trace at `path` and stores them in a file, which is written completely or not at all. Deletes
 * the oldest files of other traces if all together exceed REFRAIN_INDEX_ALL_BYTES. */
enum refrain_status refrain_index_make(const char *path, bool compensate, struct refrain_index_made *made,
                                       struct refrain_error *error);

/* Deletes the file of a trace; false if there is none. */
bool refrain_index_remove(const struct refrain_trace *trace, bool compensate);

#endif
