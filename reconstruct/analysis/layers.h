/* layers.h: MPI calls made in layers of the program become calls of what called the layer (events -> activity.h).
 *
 *     events      solve > exchange > MPI_Send halo.c:12      exchange is a layer
 *     become      solve > MPI_Send in solve(), solve.c:40
 *
 * A layer is a function, or all functions of a file. Its functions are left out, so that their time is their caller's.
 * A call in it is filed under its MPI function and the innermost open function that is no layer. Where none is open,
 * because the trace has no functions, the functions count into which the compiler inlined the layer. Where there are
 * none of these, the call stays as it is, and is counted.
 *
 * New regions have indices behind those of the trace. They stay until the layers are closed. Threads: one at a time. */
#ifndef REFRAIN_LAYERS_H
#define REFRAIN_LAYERS_H

#include "match/event.h"
#include "model/trace_read.h"

struct refrain_layers;

/* `patterns`: as the shell's, compared with names of functions, names of files and paths of files. The trace has to
 * stay open. Fails where a pattern is the name of nothing in the trace, with an error that says which. The caller
 * closes *layers. */
enum refrain_status refrain_layers_open(const struct refrain_trace *trace, const char *const *patterns, size_t n,
                                        struct refrain_layers **layers, struct refrain_error *error);
void refrain_layers_close(struct refrain_layers *layers); /* null is allowed */

/* Before the first event of a replay. */
void refrain_layers_begin(struct refrain_layers *layers);

/* Changes the next event of a location, given by its number in the trace's list. False: the event is a layer's, and is
 * left out; or there is no memory (refrain_layers_failed()). */
bool refrain_layers_event(struct refrain_layers *layers, size_t location, struct refrain_event *event);
bool refrain_layers_failed(const struct refrain_layers *layers);

/* Of the replay: MPI calls in layers, and those of them whose caller the trace does not have. */
uint64_t refrain_layers_calls(const struct refrain_layers *layers);
uint64_t refrain_layers_unknown(const struct refrain_layers *layers);

#endif
