/* diff_limits.h: limits for refrain diff: by how much a time may grow before the command fails, such as "time>5%",
 * "waiting>10%+2ms", "solve>3%" (runs, their rows -> diff). */
#ifndef REFRAIN_DIFF_LIMITS_H
#define REFRAIN_DIFF_LIMITS_H

#include "commands/diff_rows.h"

struct refrain_diff_limit {
    char *text;     /* as the user gave it; owned */
    size_t what;    /* length of the name at its beginning */
    double percent; /* of the time in A, plus ... */
    int64_t ns;     /* ... this much */
    struct refrain_diff_change change;
    bool exceeded; /* the change exceeds the limit, and chance too if the noise is known */
};

/* Parses WHAT>PERCENT%, WHAT>TIME (time_option.h) or WHAT>PERCENT%+TIME. False if the text is none of these, and
 * without memory. The caller frees limit->text. */
bool refrain_diff_limit_parse(const char *text, struct refrain_diff_limit *limit);

/* Compares the runs by the time that the limit names: a total of the run (refrain_diff_wholes), or the rows with this
 * label. A usage error if there is no such row. */
enum refrain_status refrain_diff_limit_check(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                             struct refrain_diff_limit *limit, struct refrain_error *error);

#endif
