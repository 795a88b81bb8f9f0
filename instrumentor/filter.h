/* filter.h: decides which functions and files are instrumented, by filter files in the syntax of Score-P.
 *
 *     SCOREP_FILE_NAMES_BEGIN             # comment
 *       EXCLUDE vendor_*
 *     SCOREP_FILE_NAMES_END
 *     SCOREP_REGION_NAMES_BEGIN
 *       EXCLUDE *
 *       INCLUDE MANGLED solve exchange_[a-z]*
 *     SCOREP_REGION_NAMES_END
 *
 * Patterns are shell wildcards (* ? [..]); `\` quotes the next character. The last rule that matches decides. Names
 * without a matching rule are instrumented. MANGLED is accepted and has no effect in C. */
#ifndef REFRAIN_FILTER_H
#define REFRAIN_FILTER_H

#include "text.h"

struct refrain_filter_rule {
    bool files;   /* rule for files; else for functions */
    bool include; /* include; else exclude */
    char *pattern;
};

struct refrain_filter {
    struct refrain_filter_rule *rules;
    size_t count, capacity;
};

/* Reads a filter file. False after a failure, with one line in `error` (what, where, what to do). */
bool refrain_filter_read(struct refrain_filter *filter, const char *path, struct refrain_text *error);

bool refrain_filter_takes_file(const struct refrain_filter *filter, const char *file);
bool refrain_filter_takes_function(const struct refrain_filter *filter, const char *function);

void refrain_filter_free(struct refrain_filter *filter);

#endif
