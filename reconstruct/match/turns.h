/* turns.h: a run whose locations do not go by time (align.h <-> formats/, commands/output.c).
 *
 *     by time    location 0: a . . d e .    location 1: . b c . . f        each event after all earlier ones
 *     by turns   location 0: a d e          location 1: b c f              each location as far as it need not wait
 *
 * Which event waits for which does not depend on the order in which locations go, so all events have the same times.
 * Where it does depend on it (approximate receives, ranks that wait for each other ...), `wrong` says so, and what was
 * written up to there is void. */
#ifndef REFRAIN_TURNS_H
#define REFRAIN_TURNS_H

struct refrain_turns {
    const char *wrong; /* why the run has to be gone through by time; null: nothing was found yet */
};

#endif
