/* otf2_samples.h: samples of processor time in the definitions of an archive (trace -> OTF2).
 *
 * OTF2's records of single samples need the time of each. A trace has sums: how many samples each call path has. They
 * become calling contexts with properties:
 *
 *     calling context 3: PairLJCut::compute() < run() < main      samples: 312, samples outside of MPI calls: 312 */
#ifndef REFRAIN_OTF2_SAMPLES_H
#define REFRAIN_OTF2_SAMPLES_H

#include "model/trace_read.h"
#include <otf2/otf2.h>

/* Writes the interrupt generator, and for each function a region, for each call path a calling context; nothing if the
 * run took no samples. Their regions follow those of the trace and the unknown one. `string`: writes a string and
 * returns its number; `data` is passed to it. */
OTF2_ErrorCode refrain_otf2_define_samples(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                           OTF2_StringRef (*string)(void *data, const char *text), void *data);

#endif
