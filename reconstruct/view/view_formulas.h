/* view_formulas.h: the formulas of partners, tags, sizes, branches and loops for the page (trace -> JSON). */
#ifndef REFRAIN_VIEW_FORMULAS_H
#define REFRAIN_VIEW_FORMULAS_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Makes an array. Ranks with the same formula share an entry. Formulas that would make the page too large are left out;
 * then the last entry says so. The caller releases *formulas. */
enum refrain_status refrain_view_formulas(const struct refrain_trace *trace, struct json_t **formulas,
                                          struct refrain_error *error);

#endif
