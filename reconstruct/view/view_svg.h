/* view_svg.h: draws a window of the run as a figure for papers (trace -> SVG). */
#ifndef REFRAIN_VIEW_SVG_H
#define REFRAIN_VIEW_SVG_H

#include "model/trace_read.h"

#include <stdio.h>

/* Settings of a figure. */
struct refrain_figure {
    double from_s, to_s; /* the window; to_s < 0: up to the end of the run */
    const char *ranks;   /* for example "0-3,8": only these ranks; null: all */
    unsigned width;      /* in pixels */
    bool small;          /* low rows and a short legend, for a picture beside a text */
};

/* True if the text is a list of ranks: numbers and ranges with commas between them. */
bool refrain_figure_ranks(const char *text);

/* Writes the figure: rows of nested bars if there are few bars, else rows with shares of time; and messages,
 * collectives, an axis and a legend with times. */
enum refrain_status refrain_figure_write(struct refrain_trace *trace, const struct refrain_figure *figure, FILE *file,
                                         struct refrain_error *error);

/* Writes n figures of a trace, each to its file, with one replay. `watcher` gets the events, too; null: none. Its begin
 * and end are called. */
struct refrain_writer;
enum refrain_status refrain_figures_write(struct refrain_trace *trace, const struct refrain_figure *figures,
                                          FILE *const *files, size_t n, struct refrain_writer *watcher,
                                          struct refrain_error *error);

#endif
