/* layers.h: shows MPI calls that are made in layers of the program at the callers of the layer (events ->
 * activity.h).
 *
 *     events      solve > exchange > MPI_Send halo.c:12      exchange is a layer
 *     become      solve > MPI_Send in solve(), solve.c:40
 *
 * A layer is a function, or all functions of a file. Its functions are left out, so their time counts for their
 * callers. A call in a layer is shown at its MPI function and the innermost open function that is no layer. If none
 * is open because the trace has no functions, the caller consists of the functions into which the compiler inlined
 * the layer. If there are none, the call stays as it is, and is counted.
 *
 * New regions have indices after those of the trace. They stay until the layers are closed. Threads: one at a time. */
#ifndef REFRAIN_LAYERS_H
#define REFRAIN_LAYERS_H

#include "match/event.h"
#include "model/trace_read.h"

struct refrain_layers;

/* `patterns`: shell patterns for names of functions, names of files and paths of files. The trace must stay open. If
 * a pattern matches nothing in the trace, fails with an error that names it. The caller closes *layers. */
enum refrain_status refrain_layers_open(const struct refrain_trace *trace, const char *const *patterns, size_t n,
                                        struct refrain_layers **layers, struct refrain_error *error);
void refrain_layers_close(struct refrain_layers *layers); /* null is allowed */

/* To be called before the first event of a replay. */
void refrain_layers_begin(struct refrain_layers *layers);

/* Changes the next event of a location, given by its number in the list of the trace. False if the event is left out
 * because it belongs to a layer, and without memory (refrain_layers_failed()). */
bool refrain_layers_event(struct refrain_layers *layers, size_t location, struct refrain_event *event);
bool refrain_layers_failed(const struct refrain_layers *layers);

/* Number of MPI calls in layers during the replay; of these, calls whose caller is not in the trace. */
uint64_t refrain_layers_calls(const struct refrain_layers *layers);
uint64_t refrain_layers_unknown(const struct refrain_layers *layers);

#endif
