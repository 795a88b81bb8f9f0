/* mpi_order.h: wildcard receives take the message that is first in virtual time (REFRAIN_ORDER=virtual), so that who
 * comes first is what it would be without probes (Li and Zhang, section 5.3).
 *
 *     virtual time of a process = the clock less what its probes have taken so far (its lag); by a message the later of
 *     both sides' virtual times is the receiver's
 *
 * Processes of one node keep in shared memory what their lag is, whether they wait in MPI, and when, in virtual time,
 * they sent their last messages. A blocking receive or probe for any source looks at all messages that are there. It
 * takes the earliest, unless another process may still send an earlier one: one that runs and whose virtual time is not
 * so far, or that waits and has a message on the way to it. Such a process comes to that virtual time by itself, or
 * waits in turn. Who waits with no message on its way can only go on when this receive has, so nobody waits for it:
 * that is what keeps the rule from making a deadlock. Since what is on the way is not known for certain (a message with
 * another tag, in a receive that is not ours to see), no receive is held for longer than twice the difference in
 * virtual time and 10 ms; such are counted.
 *
 * Nonblocking receives, several threads in MPI at once and processes on several nodes are left to MPI. */
#ifndef REFRAIN_MPI_ORDER_H
#define REFRAIN_MPI_ORDER_H

#include "mpi_often.h"

/* By all ranks, in MPI_Init, where one of them wants it; and in MPI_Finalize. */
void refrain_order_begin(int rank, int size);
void refrain_order_end(void);

/* The calls of the MPI library that follow may wait for other processes; the waiting is over. */
void refrain_order_wait(void);
void refrain_order_go_on(void);
static inline void refrain_order_waits(void) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_wait();
}
static inline void refrain_order_goes_on(void) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_go_on();
}

/* A message leaves for `dest` of the communicator. */
void refrain_order_note_send(const struct refrain_communicator *communicator, int dest, int tag);
static inline void refrain_order_sends(const struct refrain_communicator *communicator, int dest, int tag) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_note_send(communicator, dest, tag);
}

/* A message has been received from `source` of the communicator with that index; `blocking`: in a call that began to
 * wait with refrain_order_wait(). */
void refrain_order_note_receive(int64_t index, int source, int tag, bool blocking);
static inline void refrain_order_receives(int64_t index, int source, int tag, bool blocking) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_note_receive(index, source, tag, blocking);
}

/* The source that a receive or probe is to name in place of `source`: if that is any, the one whose message is first.
 * Waits until there is one. */
int refrain_order_choose(int source, int tag, MPI_Comm comm);
static inline int refrain_order_source(int source, int tag, MPI_Comm comm) {
    return __builtin_expect(refrain_mpi_often.order != NULL && source == MPI_ANY_SOURCE, 0)
               ? refrain_order_choose(source, tag, comm)
               : source;
}

#endif
