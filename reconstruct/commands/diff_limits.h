/* diff_limits.h: how much longer something may take before refrain diff fails: "time>5%", "waiting>10%+2ms", "solve>3%"
 * (runs, their rows -> diff). */
#ifndef REFRAIN_DIFF_LIMITS_H
#define REFRAIN_DIFF_LIMITS_H

#include "commands/diff_rows.h"

struct refrain_diff_limit {
    char *text;     /* as it was given; owned */
    size_t what;    /* characters of it that name what is limited */
    double percent; /* of what A took, and ... */
    int64_t ns;     /* ... so much more */
    struct refrain_diff_change change;
    bool exceeded; /* the change is more than the limit, and than chance where the noise is known */
};

/* WHAT>PERCENT%, WHAT>TIME (time_option.h), or WHAT>PERCENT%+TIME. False when the text is none of these, and without
 * memory. The caller frees limit->text. */
bool refrain_diff_limit_parse(const char *text, struct refrain_diff_limit *limit);

/* Weighs what is limited: the whole of that name (refrain_diff_wholes), or else the rows that have it. An error of
 * usage where no row does. */
enum refrain_status refrain_diff_limit_check(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                             struct refrain_diff_limit *limit, struct refrain_error *error);

#endif
