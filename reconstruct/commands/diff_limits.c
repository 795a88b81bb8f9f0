/* diff_limits.c: checks the limits of refrain diff (diff_limits.h). */
#define _GNU_SOURCE
#include "commands/diff_limits.h"
#include "commands/time_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

static bool add_part(char *part, struct refrain_diff_limit *limit) {
    struct refrain_time_option option;
    if (!refrain_time_option(part, &option))
        return false;
    if (option.percent)
        limit->percent += option.value;
    else
        limit->ns += (int64_t)option.value;
    return true;
}

bool refrain_diff_limit_parse(const char *text, struct refrain_diff_limit *limit) {
    const char *more = strrchr(text, '>'); /* the last one: names may contain >, too */
    if (!more || more == text)
        return false;
    *limit = (struct refrain_diff_limit){.text = strdup(text), .what = (size_t)(more - text)};
    char *parts = strdup(more + 1), *rest = parts;
    bool sound = limit->text && parts;
    while (sound && rest)
        sound = add_part(strsep(&rest, "+"), limit);
    free(parts);
    if (!sound) {
        free(limit->text);
        limit->text = NULL;
    }
    return sound;
}

/* ---- checking ---- */

static bool is_named(const struct refrain_diff_limit *limit, const char *label, const char *end) {
    return strncmp(label, limit->text, limit->what) == 0 && strcmp(label + limit->what, end) == 0;
}

/* The text that follows the limit's name in labels. Functions may be named without parentheses, if no other row has
 * that name. */
static const char *end_of(const struct refrain_diff_rows *rows, const struct refrain_diff_limit *limit) {
    for (size_t i = 0; i < rows->n; i++)
        if (is_named(limit, rows->rows[i].some->label, ""))
            return "";
    return "()";
}

/* For each run the sum of the rows with the label. *last: the last of these rows; *found: their number. Null without
 * memory. */
static int64_t *sum_rows(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                         const struct refrain_diff_limit *limit, const struct refrain_diff_row **last, size_t *found) {
    size_t n = runs->n[0] + runs->n[1];
    int64_t *values = calloc(n, sizeof *values);
    const char *end = end_of(rows, limit);
    for (size_t i = 0; values && i < rows->n; i++) {
        if (!is_named(limit, rows->rows[i].some->label, end))
            continue;
        *last = &rows->rows[i];
        ++*found;
        for (size_t run = 0; run < n; run++)
            values[run] += refrain_diff_ns(rows->rows[i].of[run], runs->rows[0].view);
    }
    return values;
}

static enum refrain_status weigh_rows(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                      struct refrain_diff_limit *limit, struct refrain_error *error) {
    size_t found = 0;
    const struct refrain_diff_row *last = NULL;
    int64_t *values = sum_rows(runs, rows, limit, &last, &found);
    if (!values)
        return REFRAIN_FAIL_MEMORY(error);
    refrain_diff_weigh(values, runs->n, &limit->change);
    free(values);
    if (found == 1) /* a single row has its change already, with the noise of its visits if there are two runs */
        limit->change = last->ns;
    if (found > 0)
        return REFRAIN_OK;
    return REFRAIN_FAIL_USAGE(error, "--fail-if '%s': there is no line %.*s by %s in any of the runs", limit->text,
                              (int)limit->what, limit->text, refrain_stats_views[runs->rows[0].view]);
}

static void weigh_whole(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                        enum refrain_diff_whole whole, struct refrain_diff_limit *limit) {
    for (size_t run = 0; run < runs->n[0] + runs->n[1]; run++)
        rows->values[run] = refrain_diff_whole_ns(runs->activities[run], whole);
    refrain_diff_weigh(rows->values, runs->n, &limit->change);
}

enum refrain_status refrain_diff_limit_check(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                             struct refrain_diff_limit *limit, struct refrain_error *error) {
    size_t whole = 0;
    enum refrain_status status = REFRAIN_OK;
    while (whole < REFRAIN_DIFF_WHOLES && !is_named(limit, refrain_diff_wholes[whole], ""))
        whole++;
    if (whole < REFRAIN_DIFF_WHOLES)
        weigh_whole(runs, rows, (enum refrain_diff_whole)whole, limit);
    else
        status = weigh_rows(runs, rows, limit, error);
    const struct refrain_diff_change *change = &limit->change;
    double allowed = limit->percent / 100 * (double)change->median[0] + (double)limit->ns;
    limit->exceeded = (double)change->change > allowed && (change->noise < 0 || change->beyond);
    return status;
}
