/* view_svg.h: a window of the run as a figure for papers (trace -> SVG). */
#ifndef REFRAIN_VIEW_SVG_H
#define REFRAIN_VIEW_SVG_H

#include "model/trace_read.h"

#include <stdio.h>

/* What the figure shows. */
struct refrain_figure {
    double from_s, to_s; /* the window; to_s < 0: up to the end of the run */
    const char *ranks;   /* "0-3,8": those; null all */
    unsigned width;      /* pixels */
    bool small;          /* low rows and a short legend, for a picture beside a text */
};

/* Whether a text names ranks as the figure takes them: numbers and ranges with commas between. */
bool refrain_figure_ranks(const char *text);

/* Writes the figure: rows of bars with nesting where these are few, else with shares of time, messages, collectives, an
 * axis and a legend with the times. */
enum refrain_status refrain_figure_write(struct refrain_trace *trace, const struct refrain_figure *figure, FILE *file,
                                         struct refrain_error *error);

/* Writes n figures of a trace, each to its file, by one replay. `watcher` takes the events, too, and is begun and
 * ended; null: nobody does. */
struct refrain_writer;
enum refrain_status refrain_figures_write(struct refrain_trace *trace, const struct refrain_figure *figures,
                                          FILE *const *files, size_t n, struct refrain_writer *watcher,
                                          struct refrain_error *error);

#endif
