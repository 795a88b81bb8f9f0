/* survey.h: collects from the whole run the data that new times need (events in time order -> clocks.h).
 *
 *     balance    how long each rank computed in the n-th activation of a region
 *     senders    which sends wait for their receivers, and where each of these receives was posted
 *
 * A send waits for its receive if it is synchronous. It also waits if it is larger than each message whose send
 * ended before its receive was posted, and at least as large as one whose send ended after it. So the limit between
 * eager and rendezvous messages follows from the run. If the run does not show it, a send does not wait. Threads:
 * one at a time. */
#ifndef REFRAIN_SURVEY_H
#define REFRAIN_SURVEY_H

#include "analysis/open_regions.h"
#include "predict/changes.h"

struct refrain_survey;

/* Null without memory. The trace and the changes must outlive the result. */
struct refrain_survey *refrain_survey_open(const struct refrain_trace *trace, const struct refrain_changes *changes);
void refrain_survey_close(struct refrain_survey *survey); /* null is allowed */

/* Processes the next event. False without memory. */
bool refrain_survey_event(struct refrain_survey *survey, const struct refrain_event *event);

/* Called after the last event: computes the means and the limit. False without memory. */
bool refrain_survey_finish(struct refrain_survey *survey);

/* Mean time of the n-th activation, from 0, of a balanced region, over the ranks that have an n-th one. *own_ns: its
 * time on this rank. */
double refrain_survey_mean_ns(const struct refrain_survey *survey, size_t balance, int32_t rank, size_t n,
                              int64_t *own_ns);

/* True if the sender waits until the receive of this message is posted. */
bool refrain_survey_sender_waits(const struct refrain_survey *survey, const struct refrain_event *send);

/* The match of the message whose receive is posted by this event of the location (numbers from 0); 0: none known. */
uint64_t refrain_survey_posts(const struct refrain_survey *survey, size_t location, uint64_t number);

#endif
