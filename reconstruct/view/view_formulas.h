/* view_formulas.h: the formulas of partners, tags, sizes, branches and loops for the page (trace -> JSON). */
#ifndef REFRAIN_VIEW_FORMULAS_H
#define REFRAIN_VIEW_FORMULAS_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Makes an array. Ranks with the same formula share an entry. If the array is full, further sequences of values are
 * left out and counted. The caller releases *formulas. */
enum refrain_status refrain_view_formulas(const struct refrain_trace *trace, struct json_t **formulas, size_t *left_out,
                                          struct refrain_error *error);

#endif
