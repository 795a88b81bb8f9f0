/* turns.h: a run in which locations take turns instead of going in time order (align.h <-> formats/,
 * commands/output.c).
 *
 *     time order   location 0: a . . d e .    location 1: . b c . . f        each event after all earlier ones
 *     turns        location 0: a d e          location 1: b c f              each until it waits or its turn ends
 *
 * Which event waits for which one does not depend on the order of the locations, so all events have the same times.
 * Exceptions are approximate receives, ranks that wait for each other and others: then `wrong` gives the reason, and
 * the output written until then is void. */
#ifndef REFRAIN_TURNS_H
#define REFRAIN_TURNS_H

struct refrain_turns {
    const char *wrong; /* why the run has to be repeated in time order; null: no reason so far */
};

#endif
