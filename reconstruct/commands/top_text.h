/* top_text.h: what refrain top shows, as lines of text (live, hang -> terminal or standard output). */
#ifndef REFRAIN_TOP_TEXT_H
#define REFRAIN_TOP_TEXT_H

#include "analysis/hang.h"

#include <stdio.h>

/* Two looks at a program, the earlier one for rates; null: since its start. */
struct refrain_top_view {
    const struct refrain_live *now, *before;
    const struct refrain_hang *hang;
    size_t first, most; /* ranks to show: from the first on, so many */
};

/* The heading: the program, how many ranks do what, rates. */
void refrain_top_print_summary(const struct refrain_top_view *view, FILE *file);

/* A heading and a line for each rank. */
void refrain_top_print_ranks(const struct refrain_top_view *view, FILE *file);

#endif
