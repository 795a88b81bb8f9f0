/* top_text.h: formats the lines of refrain top (live, hang -> terminal or standard output). */
#ifndef REFRAIN_TOP_TEXT_H
#define REFRAIN_TOP_TEXT_H

#include "analysis/hang.h"

#include <stdio.h>

/* Two looks at a running program. The earlier one is for rates; null: rates are since the start. */
struct refrain_top_view {
    const struct refrain_live *now, *before;
    const struct refrain_hang *hang;
    size_t first, most; /* the first rank to show, and how many */
};

/* Prints the heading: the program, how many ranks do what, rates. */
void refrain_top_print_summary(const struct refrain_top_view *view, FILE *file);

/* Prints a heading and a line for each rank. */
void refrain_top_print_ranks(const struct refrain_top_view *view, FILE *file);

#endif
