/* view_samples.h: the samples of a run for the page, which adds them up over any part of the run (trace -> JSON). */
#ifndef REFRAIN_VIEW_SAMPLES_H
#define REFRAIN_VIEW_SAMPLES_H

#include "common/error.h"
#include "model/trace_read.h"
#include <jansson.h>

/* Functions, call paths, and the samples of each rank in each stretch of the run, by the MPI call before them;
 * protocol.ts has the form. Sets *samples to JSON's null if the run took none. If all threads together have more rows
 * than a page can hold, they are added up over ranks and the whole run. */
enum refrain_status refrain_view_samples(const struct refrain_trace *trace, json_t **samples,
                                         struct refrain_error *error);

#endif
