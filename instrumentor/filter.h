/* filter.h: which functions and files are instrumented, in the syntax of Score-P's filter files.
 *
 *     SCOREP_FILE_NAMES_BEGIN             # comment
 *       EXCLUDE vendor_*
 *     SCOREP_FILE_NAMES_END
 *     SCOREP_REGION_NAMES_BEGIN
 *       EXCLUDE *
 *       INCLUDE MANGLED solve exchange_[a-z]*
 *     SCOREP_REGION_NAMES_END
 *
 * Patterns are shell wildcards (* ? [..]), `\` quotes the next character; the last rule that matches decides; what no rule
 * matches is instrumented. MANGLED is accepted and means nothing in C.
 */
#ifndef REFRAIN_FILTER_H
#define REFRAIN_FILTER_H

#include "text.h"

struct refrain_filter_rule {
    bool files;   /* else functions */
    bool include; /* else exclude */
    char *pattern;
};

struct refrain_filter {
    struct refrain_filter_rule *rules;
    size_t count, capacity;
};

/* Reads a filter file; false with one line in `error` (what, where, what to do). */
bool refrain_filter_read(struct refrain_filter *filter, const char *path, struct refrain_text *error);

bool refrain_filter_takes_file(const struct refrain_filter *filter, const char *file);
bool refrain_filter_takes_function(const struct refrain_filter *filter, const char *function);

void refrain_filter_free(struct refrain_filter *filter);

#endif
