/* diff_print.h: prints the changes between runs as text, JSON and CSV (diff_rows, diff_limits -> diff). */
#ifndef REFRAIN_DIFF_PRINT_H
#define REFRAIN_DIFF_PRINT_H

#include "commands/diff_limits.h"

struct refrain_diff_look {
    size_t most; /* lines of text */
    bool all;    /* in text: also changes within the noise */
};

struct refrain_diff_print {
    const char *const *names; /* of the runs */
    const struct refrain_diff_runs *runs;
    const struct refrain_diff_rows *rows;
    const struct refrain_diff_limit *limits; /* checked already */
    size_t n_limits;
    struct refrain_diff_look look;
};

/* Prints to standard output. Text: wholes, rows, limits. CSV: rows. */
void refrain_diff_print_text(const struct refrain_diff_print *print);
void refrain_diff_print_csv(const struct refrain_diff_print *print);
enum refrain_status refrain_diff_print_json(const struct refrain_diff_print *print, struct refrain_error *error);

#endif
