/* rules.c: converts a filter file to one line of rules, which the processes of the job inherit (record.h). The
 * reader is that of the wrapper, so mistakes give the same messages, once, and nodes need not have the file. */
#define _GNU_SOURCE
#include "record.h"

#include "../../instrumentor/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 4096 /* limit of the monitor (configure.h) */

enum refrain_status refrain_record_filter(const char *path, struct refrain_error *error) {
    struct refrain_filter filter = {0};
    struct refrain_text wrong = {0}, rules = {0};
    enum refrain_status status = REFRAIN_OK;
    if (!refrain_filter_read(&filter, path, &wrong))
        status = REFRAIN_FAIL(error, "%s", wrong.bytes);
    for (size_t i = 0; !status && i < filter.count; i++) {
        const struct refrain_filter_rule *rule = &filter.rules[i];
        if (strpbrk(rule->pattern, " \t\n"))
            status = REFRAIN_FAIL(error, "%s: '%s': a name with a blank in it cannot be recorded or left out", path,
                                  rule->pattern);
        refrain_text_format(&rules, "%s%c%s%s", i ? " " : "", rule->include ? '+' : '-', rule->files ? "/" : "",
                            rule->pattern);
    }
    if (!status && rules.length >= MOST_BYTES)
        status = REFRAIN_FAIL(error, "%s: its rules take more than %d bytes; use patterns (*)", path, MOST_BYTES - 1);
    if (!status)
        setenv("REFRAIN_RECORD_FILTER", rules.bytes ? rules.bytes : "", 1);
    refrain_filter_free(&filter);
    refrain_text_free(&wrong);
    refrain_text_free(&rules);
    return status;
}
