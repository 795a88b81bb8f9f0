/* picl_statistics.h: PICL's statistics of one process (write_picl.c -> records -101 to -103; section 2.3.7 of the
 * description of the format).
 *
 *     of all events       time, number and volume of each event type of table 4, sums over the subsets of table 5, and
 *                         of tracing; time and number of each user event; numbers of user events of one kind
 *     of one user event   time, number and volume of each event type of table 4 during its time, and sums over the
 * subsets of table 5. MPI calls have no such statistics: most have one event type in them
 *
 * The time of nested activations of the same user event counts once. Memory grows with the number of different user
 * events. */
#ifndef REFRAIN_PICL_STATISTICS_H
#define REFRAIN_PICL_STATISTICS_H

#include "formats/picl_records.h"

struct refrain_picl_statistics;

/* Null without memory. */
struct refrain_picl_statistics *refrain_picl_statistics_make(const struct refrain_trace *trace);
void refrain_picl_statistics_free(struct refrain_picl_statistics *statistics);

/* An event of a type of table 4 took place, with these bytes and nanoseconds. */
void refrain_picl_count(struct refrain_picl_statistics *statistics, enum picl_event type, int64_t bytes, int64_t ns);

/* An unknown number of events of a type of table 4 took place. */
void refrain_picl_count_unknown(struct refrain_picl_statistics *statistics, enum picl_event type);

/* Count that a user event was entered, was left, or was marked. */
void refrain_picl_count_enter(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region,
                              int64_t time_ns);
void refrain_picl_count_leave(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region,
                              int64_t time_ns);
void refrain_picl_count_mark(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region);

/* Writes the statistics. Open user events last until end_ns. `written`: bytes of the records of the process so far. */
void refrain_picl_put_statistics(struct refrain_picl_statistics *statistics, struct refrain_sink *out,
                                 struct refrain_picl_location location, int64_t start_ns, int64_t end_ns,
                                 uint64_t written, bool verbose);

/* True if memory ran out, so that the statistics are incomplete. */
bool refrain_picl_statistics_no_memory(const struct refrain_picl_statistics *statistics);

#endif
