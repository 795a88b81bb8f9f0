/* share.h: one run aligned by several processes, each with some of its ranks (align.h <-> parallel/).
 *
 *     process 0: ranks 0 .. 7   --- messages that cross, collectives entered -->   process 1: ranks 8 .. 15
 *
 * When an event is follows from what its location did before and from what it waits for. So each process aligns its own
 * ranks by itself, waits where one of them waits for a rank of another, and comes to the times that one process would
 * have come to. Only the order in which locations take turns differs.
 *
 * That holds where everything that is waited for comes, and where it is certain what goes with what. A trace of which
 * that is not so (a message without its other end, a collective that some member never came to, approximate receives,
 * several threads of a rank that take part in the same exchange) cannot be shared out: `wrong` then says why, and what
 * was written up to there is void. */
#ifndef REFRAIN_SHARE_H
#define REFRAIN_SHARE_H

#include "virtual_time.h"
#include <refrain/read.h>

struct refrain_align;

/* A message to a rank of another process. */
struct refrain_share_message {
    uint64_t ranks, what; /* source << 32 | dest; communicator and tag */
    struct refrain_moment sent;
    uint64_t match;
    uint32_t thread;
};

/* All own members of a communicator have entered a collective of it; or, with `from_root`, its root has. */
struct refrain_share_entry {
    uint64_t ordinal;
    uint32_t comm; /* index in the trace */
    uint32_t kind;
    uint32_t entered; /* so many of them; 0 with from_root */
    bool from_root;
    struct refrain_moment when; /* the latest of them, or the root */
};

struct refrain_share {
    /* Is the rank one of this process's? Constant. */
    bool (*owns)(const struct refrain_share *share, int32_t rank);
    /* Tell the process of that rank, or those that have members of that communicator. */
    void (*message)(struct refrain_share *share, int32_t rank, const struct refrain_share_message *message);
    void (*entered)(struct refrain_share *share, const struct refrain_comm_info *comm,
                    const struct refrain_share_entry *entry);
    /* Hands what has come to refrain_align_take_message() and refrain_align_take_entry(). `wait`: nothing can be done
     * here without it, so until something has come; then false says that nothing will come any more. */
    bool (*news)(struct refrain_share *share, struct refrain_align *align, bool wait);
    uint64_t held;     /* messages of other processes that no receive has asked for yet; the aligner counts them */
    const char *wrong; /* why the run cannot be shared out; null: nothing was found yet */
};

/* What other processes told (align_messages.c, align_collectives.c). Their ranks, threads and numbers are those of one
 * trace. */
void refrain_align_take_message(struct refrain_align *align, const struct refrain_share_message *message);
void refrain_align_take_entry(struct refrain_align *align, const struct refrain_comm_info *comm,
                              const struct refrain_share_entry *entry);

#endif
