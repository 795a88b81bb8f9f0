/* mpi_order.h: lets receives of any source take the message that is first in virtual time (REFRAIN_ORDER=virtual). So
 * their order is that of a run without probes (Li and Zhang, section 5.3).
 *
 *     virtual time of a process = the clock, less what its probes have taken so far (its lag); after a message the
 *     receiver has the later one of both sides' virtual times
 *
 * The processes of a node share memory in which each stores its lag, whether it waits in MPI, and the virtual times of
 * its latest messages. A blocking receive or probe of any source compares all messages that have arrived and takes the
 * earliest one, unless another process may still send an earlier one. That is a process which runs and has an earlier
 * virtual time, or which waits and has a message on the way to it. Such a process reaches that virtual time by itself,
 * or waits in turn. A process that waits without a message on the way can only continue after this receive, so nobody
 * waits for it; therefore the rule causes no deadlock. What is on the way is not known for certain (a message with
 * another tag, in a receive that refrain does not see). So no receive is delayed by more than twice the difference in
 * virtual time and 10 ms; receives that reach this limit are counted.
 *
 * For nonblocking receives, several threads in MPI at once, and processes on several nodes, MPI chooses the order. */
#ifndef REFRAIN_MPI_ORDER_H
#define REFRAIN_MPI_ORDER_H

#include "mpi_often.h"

/* Called by all ranks in MPI_Init, if one of them wants it; and in MPI_Finalize. */
void refrain_order_begin(int rank, int size);
void refrain_order_end(void);

/* Called before a call of the MPI library that may wait for other processes, and after it. */
void refrain_order_wait(void);
void refrain_order_continue(void);
static inline void refrain_order_waits(void) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_wait();
}
static inline void refrain_order_continues(void) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_continue();
}

/* A message is sent to rank `dest` of the communicator. */
void refrain_order_note_send(const struct refrain_communicator *communicator, int dest, int tag);
static inline void refrain_order_sends(const struct refrain_communicator *communicator, int dest, int tag) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_note_send(communicator, dest, tag);
}

/* A message has been received from rank `source` of the communicator with this index. `blocking`: in a call that began
 * with refrain_order_wait(). */
void refrain_order_note_receive(int64_t index, int source, int tag, bool blocking);
static inline void refrain_order_receives(int64_t index, int source, int tag, bool blocking) {
    if (__builtin_expect(refrain_mpi_often.order != NULL, 0))
        refrain_order_note_receive(index, source, tag, blocking);
}

/* Returns the source to pass to MPI for a receive or probe of `source`: of any source, the sender of the first message.
 * Waits until there is one. */
int refrain_order_choose(int source, int tag, MPI_Comm comm);
static inline int refrain_order_source(int source, int tag, MPI_Comm comm) {
    return __builtin_expect(refrain_mpi_often.order != NULL && source == MPI_ANY_SOURCE, 0)
               ? refrain_order_choose(source, tag, comm)
               : source;
}

#endif
