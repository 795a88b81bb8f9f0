/* saved_states.h: states of a trace's replay, kept as bytes (two replays -> bytes -> cursor.c, in this process or
 * another).
 *
 *     header   magic, key of the trace, number of states, checksum of header and table
 *     table    a row each: events passed, time, where its bytes are, whose difference they are, their checksum
 *     states   words of the position and of its memory, and a bit for each: is it an address?
 *
 * A state is all that the walks, the translations and the matching hold after so many events: what a cursor's
 * checkpoint copies, whose memory is one arena (common/arena.h). In another process that memory lies elsewhere. Which
 * words of it are addresses is found by comparison: two replays of one trace, each with a copy of the trace of its own,
 * are alike in every word that is none, and differ in every word that is one. So no structure of the replay is
 * described here, and none that is added later can be forgotten. A word that differs and is no address of both at the
 * same place of the same part makes no state. An address is kept as a part (a chunk of the arena, an image, a
 * table of the trace ...) and an offset in it.
 *
 * The bytes are believed as memory is. They belong where only the user can write; a checksum tells damage, not intent.
 * They are of one build of refrain: its identity is part of the key. */
#ifndef REFRAIN_SAVED_STATES_H
#define REFRAIN_SAVED_STATES_H

#include <refrain/read.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_cursor;
struct refrain_saved_states;

/* What states must have in common with a trace: a number of its images, its tables' form, the build, and whether times
 * are without what probes took. */
uint64_t refrain_saved_states_key(const struct refrain_trace *trace, uint64_t build, bool compensate);

struct refrain_follower;

struct refrain_saved_states_options {
    uint64_t build;
    bool compensate;                         /* of times without what probes took */
    const struct refrain_follower *follower; /* whose state they have, too; null none */
    /* Calls job(data, i) for each i < n, by two threads if it can; null: by this one. */
    void (*each)(void (*job)(void *data, size_t i), void *data, size_t n, void *of_each);
    void *of_each;
    size_t most_bytes; /* that the states take, without the table */
    uint64_t events;   /* between two of them as long as all fit, a power of two; 0: a number for common use */
};

/* Replays a trace, opened twice as `one` and `other`, and makes the bytes of states all over it. The caller frees
 * *bytes. *n is 0, and *bytes null, where the trace has no states: the two do not agree. */
enum refrain_status refrain_saved_states_make(struct refrain_trace *one, struct refrain_trace *other,
                                              const struct refrain_saved_states_options *how, unsigned char **bytes,
                                              size_t *n, struct refrain_error *error);

/* The trace's cursors use the states in the n bytes, which stay as long as the trace. False, and nothing has changed,
 * where these are none, are damaged, or of another trace, build or kind of times. */
bool refrain_saved_states_use(struct refrain_trace *trace, uint64_t build, bool compensate, const void *bytes,
                              size_t n);

/* A program that keeps states sets this before it opens a cursor; null: there are none. Called before a window that
 * begins at time_ns is gone to (`passed` is 0), to find the trace's states and use them, and after that if there are
 * none: so many events were passed. */
extern void (*refrain_saved_states_keeper)(struct refrain_trace *trace, bool compensate, int64_t time_ns,
                                           uint64_t passed);

/* How many there are, and how many events lie between two at most. */
size_t refrain_saved_states_count(const void *bytes, uint64_t *most_events);

/* Moves a cursor to the last state before time_ns, where that is behind its position or it has none, or is at or behind
 * time_ns. False, and nothing has changed, where there is no such state: also of a cursor that replays otherwise than
 * by default or with compensate, goes by turns, keeps checkpoints, or has a follower that the states lack. */
bool refrain_saved_state_load(struct refrain_cursor *cursor, int64_t time_ns);

/* The cursor has gone to time_ns: where there were no states to begin at, their keeper is told. */
void refrain_saved_states_missed(struct refrain_cursor *cursor, int64_t time_ns);

#endif
