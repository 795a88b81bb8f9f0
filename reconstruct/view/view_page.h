/* view_page.h: the page of refrain view: what was bundled when refrain was built, with a trace put in (trace -> HTML).
 *
 *     page/, engine.c --build.mjs--> refrain-view.html --view_html.S--> in the executable --view_page.c--> page
 */
#ifndef REFRAIN_VIEW_PAGE_H
#define REFRAIN_VIEW_PAGE_H

#include "model/trace_read.h"

#include <stdio.h>

/* Was the page bundled when refrain was built? */
bool refrain_view_built(void);

/* Writes the page with the trace in it. The part in use of each rank's region is kept, compressed. */
enum refrain_status refrain_view_write(struct refrain_trace *trace, FILE *file, const char *path,
                                       struct refrain_error *error);

/* Writes a page that holds those of two traces, shows one above the other and what became slower in the second. */
enum refrain_status refrain_view_write_two(struct refrain_trace *const traces[2], FILE *file, const char *path,
                                           struct refrain_error *error);

#endif
