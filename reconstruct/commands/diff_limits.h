/* diff_limits.h: limits for refrain diff: how much longer something may take before the command fails, such as
 * "time>5%", "waiting>10%+2ms", "solve>3%" (runs, their rows -> diff). */
#ifndef REFRAIN_DIFF_LIMITS_H
#define REFRAIN_DIFF_LIMITS_H

#include "commands/diff_rows.h"

struct refrain_diff_limit {
    char *text;     /* as the user gave it; owned */
    size_t what;    /* number of its characters that name what is limited */
    double percent; /* of the time in A, plus ... */
    int64_t ns;     /* ... this much */
    struct refrain_diff_change change;
    bool exceeded; /* the change exceeds the limit, and chance too if the noise is known */
};

/* Parses WHAT>PERCENT%, WHAT>TIME (time_option.h) or WHAT>PERCENT%+TIME. False if the text is none of these, and
 * without memory. The caller frees limit->text. */
bool refrain_diff_limit_parse(const char *text, struct refrain_diff_limit *limit);

/* Compares the runs in what the limit names: a whole (refrain_diff_wholes), or else the rows of that name. An error of
 * usage if no row has it. */
enum refrain_status refrain_diff_limit_check(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                             struct refrain_diff_limit *limit, struct refrain_error *error);

#endif
