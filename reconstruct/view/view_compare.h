/* view_compare.h: compares two runs of a program (two traces -> times that belong together, and constructs that became
 * slower -> JSON, described in page/compare.ts).
 *
 *     run A   main  step 0 step 1  step 2   ...        a rank's n-th visit of a construct in one run belongs to
 *                     |      |       |                 its n-th visit in the other run
 *     run B   main  step 0  step 1    step 2 ...
 *
 * Constructs of both runs are the same if they have the same kind, name, file and calling function. If several have,
 * their order decides; lines may have moved. A limited number of visits, evenly spaced, is kept for each construct and
 * rank; times between them are interpolated. The times are means over the ranks, and only of constructs which all ranks
 * visit equally often.
 *
 * A construct's own time is compared in each rank, stretch of visits by stretch, which shows how much it varies by
 * chance. A change is reported as significant if chance alone would exceed it less than once in twenty times, or
 * if the numbers of visits differ. */
#ifndef REFRAIN_VIEW_COMPARE_H
#define REFRAIN_VIEW_COMPARE_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Replays both traces. The caller releases *compared. */
enum refrain_status refrain_view_compare(struct refrain_trace *const traces[2], struct json_t **compared,
                                         struct refrain_error *error);

#endif
