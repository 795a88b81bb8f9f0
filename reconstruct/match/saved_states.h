/* saved_states.h: saves states of a trace's replay as bytes (two replays -> bytes -> cursor.c, in this process or
 * another).
 *
 *     header   magic, key of the trace, number of states, checksum of header and table
 *     table    a row for each state: number of events before it, time, position of its bytes, its base, checksum
 *     states   words of the position and of its memory, and a bit for each word: is it an address?
 *
 * A state is all that the walks, the translations, the matching and a follower hold after a number of events: what a
 * checkpoint of a cursor copies, and whose memory is one arena (common/arena.h). In another process this memory has
 * other addresses. Which words are addresses is found by comparing two replays of one trace, each with its own copy of
 * the trace: a word that differs is an address, and so is one of the known addresses of refrain's own code
 * (saved_parts.h). So no structure of the replay is described here, and a new structure cannot be forgotten. If a word
 * differs, but is not an address of the same place of the same part, no state is made. An address is saved as a part (a
 * chunk of the arena, an image, a table of the trace ...) and an offset in it.
 *
 * The bytes are trusted like memory. Only the user may be able to write the file: a checksum finds damage, not attacks.
 * The bytes belong to one build of refrain, whose identity is part of the key. */
#ifndef REFRAIN_SAVED_STATES_H
#define REFRAIN_SAVED_STATES_H

#include <refrain/read.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_cursor;
struct refrain_saved_states;

/* The key that states and trace must have in common: of the trace's images, the number of its tables, the build, and
 * whether times are without the time in probes. */
uint64_t refrain_saved_states_key(const struct refrain_trace *trace, uint64_t build, bool compensate);

struct refrain_follower;

struct refrain_saved_states_options {
    uint64_t build;
    bool compensate;                         /* times are without the time in probes */
    const struct refrain_follower *follower; /* the states contain its state, too; null: none */
    /* Calls job(data, i) for each i < n, with several threads if possible. Null: this thread calls it. */
    void (*each)(void (*job)(void *data, size_t i), void *data, size_t n, void *of_each);
    void *of_each;
    size_t most_bytes; /* limit of the states' bytes, without the table */
    uint64_t events;   /* number of events between two states, while all of them fit; a power of two; 0: the default */
};

/* Replays a trace, opened twice as `one` and `other`, and makes the bytes of states all over it. The caller frees
 * *bytes. *n is 0, and *bytes null, if the trace has no states, since the two replays do not agree. */
enum refrain_status refrain_saved_states_make(struct refrain_trace *one, struct refrain_trace *other,
                                              const struct refrain_saved_states_options *how, unsigned char **bytes,
                                              size_t *n, struct refrain_error *error);

/* Makes the trace's cursors use the states in the n bytes, which have to outlive the trace. False, without an effect,
 * if these are not states, are damaged, or belong to another trace, build or kind of times. */
bool refrain_saved_states_use(struct refrain_trace *trace, uint64_t build, bool compensate, const void *bytes,
                              size_t n);

/* A program that saves states sets this before it opens a cursor; null: no states are saved. Called with passed = 0
 * before a cursor moves to a window that begins at time_ns, to find the trace's states and use them. Called again after
 * that if there were none, with the number of events that the cursor passed. */
extern void (*refrain_saved_states_keeper)(struct refrain_trace *trace, bool compensate, int64_t time_ns,
                                           uint64_t passed);

/* The number of states. *most_events: the largest number of events between two of them. */
size_t refrain_saved_states_count(const void *bytes, uint64_t *most_events);

/* Moves a cursor to the last state before time_ns, if the cursor is before that state, at or behind time_ns, or has no
 * position. Otherwise returns false and changes nothing. Also false for a cursor with turns, with checkpoint_bytes,
 * recorded, unaligned or at_once, or with a follower whose state was not saved. */
bool refrain_saved_state_load(struct refrain_cursor *cursor, int64_t time_ns);

/* Calls refrain_saved_states_keeper after a cursor moved to time_ns without saved states. */
void refrain_saved_states_missed(struct refrain_cursor *cursor, int64_t time_ns);

#endif
