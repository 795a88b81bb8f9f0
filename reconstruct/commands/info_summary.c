/* info_summary.c: prints what refrain info shows without options (info_many.h). */
#include "commands/command.h"
#include "commands/info_comms.h"
#include "commands/info_left.h"
#include "commands/info_many.h"
#include "commands/info_run.h"
#include "commands/names_text.h"

#include <stdio.h>
#include <string.h>

#define MOST_HOSTS 4u /* hosts that are named */
#define MOST_LEFT 3u  /* constructs without a probe that are named */

/* "4 ranks on node1, node2 and other nodes by Open MPI v4.1.4, started ...". */
static void print_job(const struct refrain_trace *trace) {
    const struct refrain_process *first = &trace->processes[0];
    const char *hosts[MOST_HOSTS];
    size_t n = 0, i;
    bool more = false;
    for (size_t p = 0; p < trace->n_processes; p++) {
        const char *host = refrain_process_name(&trace->processes[p], trace->processes[p].header->host);
        for (i = 0; i < n && strcmp(hosts[i], host) != 0;)
            i++;
        if (i == n && n < MOST_HOSTS)
            hosts[n++] = host;
        else if (i == n)
            more = true;
    }
    refrain_info_print_ranks(trace);
    for (i = 0; i < n; i++)
        printf("%s%s", i == 0 ? " on " : ", ", refrain_show_name(hosts[i]));
    printf(more ? " and other nodes" : "");
    const char *library = refrain_process_name(first, first->header->mpi_library);
    if (*library) { /* up to its version; MPICH puts several blanks before it */
        printf(" by ");
        for (size_t c = 0; c < strcspn(library, ",\n"); c++)
            if (library[c] != ' ' || library[c + 1] != ' ')
                putchar(library[c]);
    }
    printf(", ");
    refrain_info_print_when(trace);
    putchar('\n');
}

/* Prints all settings in one line, except those that refrain record sets for itself. */
static void print_settings(const struct refrain_trace *trace) {
    static const char *const own[] = {"REFRAIN_RECORD_ID=", "REFRAIN_DIRECTORY="};
    const struct refrain_process *first = &trace->processes[0];
    const char *line = refrain_process_name(first, first->header->environment);
    bool any = false;
    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        if (strncmp(line, own[0], strlen(own[0])) == 0 || strncmp(line, own[1], strlen(own[1])) == 0)
            continue;
        printf("%s%.*s", any ? " " : "settings    ", (int)n, line);
        any = true;
    }
    if (any)
        putchar('\n');
}

static void print_recorded(const struct refrain_info_many *many) {
    const struct refrain_info_range *blocks = &many->range[REFRAIN_INFO_BLOCKS];
    printf("recorded    %s sequences of %s values%s, ", refrain_show_count(many->learners),
           refrain_show_count(many->values), many->exception[REFRAIN_INFO_THROTTLED].n ? " that were seen" : "");
    if (many->kept == many->values)
        printf("all exactly");
    else
        printf("%s of them exactly (%.4f %%)", refrain_show_count(many->kept),
               100.0 * (double)many->kept / (double)many->values);
    if (blocks->most > 0 && many->single == many->blocks)
        printf("; the time of each block to within %s", refrain_show_ns(many->quantum_ns));
    else if (many->single > 0)
        printf("; times of %.1Lf %% of the blocks each to within %s", 100 * many->single / many->blocks,
               refrain_show_ns(many->quantum_ns));
    putchar('\n');
}

/* False without memory. */
static bool print_lines(const struct refrain_trace *trace, const struct refrain_info_many *many) {
    uint32_t mode = trace->processes[0].header->mode;
    refrain_info_print_program(trace);
    print_job(trace);
    refrain_info_print_size(trace);
    print_settings(trace);
    if (!refrain_info_print_comms(trace, false))
        return false;
    if (mode != REFRAIN_MODE_STAT)
        printf("mode        %s\n", refrain_info_mode_name(mode));
    if (mode & REFRAIN_MODE_STAT)
        print_recorded(many);
    refrain_info_print_names(trace, false);
    return refrain_info_print_left(trace, MOST_LEFT) && refrain_info_print_exceptions(many, 0, 11);
}

enum refrain_status refrain_info_print_summary(const struct refrain_trace *trace, struct refrain_error *error) {
    struct refrain_info_many many;
    enum refrain_status status = refrain_info_many_count(&many, trace, error);
    if (!status && !print_lines(trace, &many))
        status = REFRAIN_FAIL_MEMORY(error);
    refrain_info_many_free(&many);
    return status;
}
