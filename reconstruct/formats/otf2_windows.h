/* otf2_windows.h: which window a synchronisation is of, and what it completes (events of a process -> records of RMA).
 *
 * A trace says the window of each access, and not that of the calls that make, free and synchronise windows. They are
 * of the one window that is open, where there is but one; the number of a new one is the lowest that is free, as long
 * as it is known which were freed. So this is exact or says nothing: with several windows open, of a part of a run that
 * does not begin with MPI_Init, and after a pause. */
#ifndef REFRAIN_OTF2_WINDOWS_H
#define REFRAIN_OTF2_WINDOWS_H

#include "event.h"

/* What an MPI call does to windows. */
enum refrain_window_call {
    REFRAIN_WINDOW_NOTHING,
    REFRAIN_WINDOW_INIT, /* MPI_Init: there are none yet */
    REFRAIN_WINDOW_OPENS,
    REFRAIN_WINDOW_FREES,
    REFRAIN_WINDOW_FENCES,
    REFRAIN_WINDOW_FLUSHES, /* all accesses, at their targets */
    REFRAIN_WINDOW_LOCKS,
    REFRAIN_WINDOW_UNLOCKS,   /* one target, or all */
    REFRAIN_WINDOW_COMPLETES, /* here, not at their targets */
    REFRAIN_WINDOW_PAUSES,    /* the region "paused": what is in it is not seen */
};
enum refrain_window_call refrain_window_call_of(const struct refrain_region_info *region);

/* Windows of a process. All zero at first: nothing is known. */
struct refrain_process_windows {
    bool known;    /* how many are open */
    bool numbered; /* and which: `taken` */
    uint32_t open, locks;
    uint64_t taken[4];
};

#define REFRAIN_WINDOW_NUMBERS 256u

/* What the return from a call means. */
struct refrain_window_step {
    int64_t opened, freed;             /* numbers of windows; -1: none that is known */
    bool completes, completes_locally; /* all accesses of the thread that it has not completed */
};
struct refrain_window_step refrain_window_leave(struct refrain_process_windows *windows, enum refrain_window_call call,
                                                bool approximate);

/* The number of the only window that is open; -1 where there is not one, or it is not known which. */
int64_t refrain_window_only(const struct refrain_process_windows *windows);

#endif
