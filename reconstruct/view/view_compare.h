/* view_compare.h: two runs of a program beside each other (two traces -> which moments belong together, what became
 * slower -> JSON that page/compare.ts describes).
 *
 *     run A   main  step 0 step 1  step 2   ...        the n-th visit of a construct by a rank in one run belongs to
 *                     |      |       |                 its n-th visit by that rank in the other one
 *     run B   main  step 0  step 1    step 2 ...
 *
 * Constructs are the same by kind, name, file and calling function, and by their order where several have all of these;
 * lines may have moved. Of each construct and rank so many visits are kept, evenly; times between them are found by
 * proportion. Moments are means over the ranks, of constructs to which all ranks come
 * equally often.
 *
 * A construct's own time is compared stretch of visits by stretch of visits, of each rank, which says how much it
 * varies by itself: a change is beyond that when chance alone makes one in twenty such. */
#ifndef REFRAIN_VIEW_COMPARE_H
#define REFRAIN_VIEW_COMPARE_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Replays both. The caller releases *compared. */
enum refrain_status refrain_view_compare(struct refrain_trace *const traces[2], struct json_t **compared,
                                         struct refrain_error *error);

#endif
