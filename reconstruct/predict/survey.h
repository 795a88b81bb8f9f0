/* survey.h: what has to be known of the whole run before its events get new times (events in time order -> clocks.h).
 *
 *     balance    how long each rank computed in the n-th activation of a region
 *     senders    which sends wait for their receivers, and where each of these receives was posted
 *
 * A send waits for its receive if it is synchronous, or larger than any that ended before its receive was posted and at
 * least as large as one that ended after it. So the limit between eager and rendezvous messages follows from the run;
 * where the run does not show it, a send does not wait. Threads: one at a time. */
#ifndef REFRAIN_SURVEY_H
#define REFRAIN_SURVEY_H

#include "analysis/open_regions.h"
#include "predict/changes.h"

struct refrain_survey;

/* Null without memory. The trace and the changes have to stay open. */
struct refrain_survey *refrain_survey_open(const struct refrain_trace *trace, const struct refrain_changes *changes);
void refrain_survey_close(struct refrain_survey *survey); /* null is allowed */

/* Takes the next event. False without memory. */
bool refrain_survey_event(struct refrain_survey *survey, const struct refrain_event *event);

/* There are no further events: computes means and the limit. */
bool refrain_survey_finish(struct refrain_survey *survey);

/* The n-th activation, from 0, of the balanced region on the rank: the mean over the ranks that have an n-th, and in
 * *own_ns what it took on the rank. */
double refrain_survey_mean_ns(const struct refrain_survey *survey, size_t balance, int32_t rank, size_t n,
                              int64_t *own_ns);

/* Does the sender wait until this message's receive is posted? */
bool refrain_survey_sender_waits(const struct refrain_survey *survey, const struct refrain_event *send);

/* The message whose receive the location's event of this number, from 0, posts: its match; 0: none is known. */
uint64_t refrain_survey_posts(const struct refrain_survey *survey, size_t location, uint64_t number);

#endif
