/* diff_print.h: what changed between runs, as text, JSON and CSV (diff_rows, diff_limits -> diff). */
#ifndef REFRAIN_DIFF_PRINT_H
#define REFRAIN_DIFF_PRINT_H

#include "commands/diff_limits.h"

struct refrain_diff_look {
    size_t most; /* lines of text */
    bool all;    /* text: also what is within the noise */
};

struct refrain_diff_print {
    const char *const *names; /* of the runs */
    const struct refrain_diff_runs *runs;
    const struct refrain_diff_rows *rows;
    const struct refrain_diff_limit *limits; /* weighed */
    size_t n_limits;
    struct refrain_diff_look look;
};

/* To standard output. Text: the whole, the lines, the limits. CSV: the lines. */
void refrain_diff_print_text(const struct refrain_diff_print *print);
void refrain_diff_print_csv(const struct refrain_diff_print *print);
enum refrain_status refrain_diff_print_json(const struct refrain_diff_print *print, struct refrain_error *error);

#endif
