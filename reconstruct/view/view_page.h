/* view_page.h: writes the page of refrain view: the page that was bundled when refrain was built, and a trace (trace ->
 * HTML).
 *
 *     page/, engine.c --build.mjs--> refrain-view.html --view_html.S--> in the executable --view_page.c--> page */
#ifndef REFRAIN_VIEW_PAGE_H
#define REFRAIN_VIEW_PAGE_H

#include "model/trace_read.h"

#include <stdio.h>

/* True if the page was bundled when refrain was built. */
bool refrain_view_built(void);

/* Writes the page with the trace in it. It contains the used part of each rank's trace file, compressed. */
enum refrain_status refrain_view_write(struct refrain_trace *trace, FILE *file, const char *path,
                                       struct refrain_error *error);

/* Writes a page that contains the pages of two traces. It shows one above the other, and what became slower in the
 * second. */
enum refrain_status refrain_view_write_two(struct refrain_trace *const traces[2], FILE *file, const char *path,
                                           struct refrain_error *error);

#endif
