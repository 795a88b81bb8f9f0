/* resident_text.h: the memory of the ranks as a sentence and as JSON (stats, report, the page). */
#ifndef REFRAIN_RESIDENT_TEXT_H
#define REFRAIN_RESIDENT_TEXT_H

#include "model/trace_read.h"

/* "812.0 MiB of memory on rank 3, 101.2 MiB on the mean of the other ranks; ..." in text[`bytes`]. Empty if the trace
 * does not know it, or without memory. *uneven: one rank needs far more than the others; may be null. */
void refrain_resident_sentence(const struct refrain_trace *trace, char *text, size_t bytes, bool *uneven);

/* {"ranks": [{"rank", "first_bytes", "high_bytes", "points": [[ns, bytes], ...]}, ...], "growth": [...], "uneven"}.
 * Null without memory. */
struct json_t *refrain_resident_json(const struct refrain_trace *trace);

#endif
