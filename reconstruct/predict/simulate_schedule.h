/* simulate_schedule.h: turns the events of a run into the ops that SimGrid carries out, and the ends of the ops into
 * new times of the events (events in time order, twice -> simulate_job.h, times).
 *
 *     events   enter MPI_Send . send . leave         first walk: appends COMPUTE, SEND
 *                           \     \      \
 *     ops     ====COMPUTE====|===SEND====|           second walk: the same ops, whose ends are known now
 *
 * Both walks decide alike, so that the second one meets its ops in the same order. An event that begins something gets
 * the time before its op, one that completes something the time after it. Computing between two ops is stretched
 * evenly. A call without a known op sleeps as long as it took. Threads: one at a time. */
#ifndef REFRAIN_SIMULATE_SCHEDULE_H
#define REFRAIN_SIMULATE_SCHEDULE_H

#include "common/error.h"
#include "match/event.h"
#include "predict/changes.h"
#include "predict/simulate_job.h"

struct refrain_schedule;

/* `speed`: factor for all computing. Null without memory. The trace and the changes must outlive the result. */
struct refrain_schedule *refrain_schedule_open(const struct refrain_trace *trace, const struct refrain_changes *changes,
                                               double speed);
void refrain_schedule_close(struct refrain_schedule *schedule); /* null is allowed */

/* First walk. An error if SMPI has no such call, or without memory. */
enum refrain_status refrain_schedule_event(struct refrain_schedule *schedule, const struct refrain_event *event,
                                           struct refrain_error *error);

/* Called after the last event of the first walk. Null without memory. The ends of the ops are in memory that child
 * processes share. */
const struct refrain_simulate_job *refrain_schedule_finish(struct refrain_schedule *schedule, const char *platform,
                                                           const char *module);

/* Second walk, after the ops have been carried out: the new time of the event. */
int64_t refrain_schedule_time(struct refrain_schedule *schedule, const struct refrain_event *event);

/* Time from the end of the last MPI_Init to the begin of the last MPI_Finalize, after the second walk. */
void refrain_schedule_length(const struct refrain_schedule *schedule, int64_t *was_ns, int64_t *now_ns);

#endif
