/* picl_header.c: writes the records at the beginning of a PICL file (picl_records.h): labels, descriptors and
 * subsets, all with time 0.
 *
 *     -7   message      what was traced, and when
 *     -5   label        the name of each user event; of each processor: its host
 *     -6   descriptor   numbers for the formats of statistics, unless formats are written out
 *     -201 processors   each communicator except MPI_COMM_WORLD, which has all of them
 *     -202 processes    the threads of a processor
 *     -203 event types  functions, MPI calls, user regions */
#define _GNU_SOURCE
#include "formats/locations.h"
#include "formats/picl_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void put_message(struct refrain_sink *out, const struct refrain_trace *trace, bool verbose) {
    char text[512], start[64] = "at an unknown time";
    time_t seconds = (time_t)(trace->start_realtime_ns / 1000000000);
    struct tm broken;
    if (trace->start_realtime_ns && gmtime_r(&seconds, &broken))
        strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", &broken);
    snprintf(text, sizeof text, "%.300s on %" PRId32 " ranks, started %s, by refrain", refrain_locations_program(trace),
             trace->size, start);
    refrain_picl_put_text(out, PICL_MESSAGE, PICL_ALL_EVENTS, REFRAIN_PICL_EVERYWHERE, text, verbose);
}

static void put_descriptor(struct refrain_sink *out, int number, const char *format) {
    refrain_picl_start(out, PICL_DESCRIPTOR, PICL_ALL_EVENTS, 0, REFRAIN_PICL_EVERYWHERE);
    refrain_sink_printf(out, " 1 \"%%d%%s\" %d \"%s\"\n", number, format);
}

static void put_communicators(struct refrain_sink *out, const struct refrain_trace *trace, int64_t *fields,
                              bool verbose) {
    for (size_t i = 2; i < trace->n_comms; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        size_t n = 0;
        fields[n++] = refrain_picl_processors(comm, 0);
        for (int32_t m = 0; m < comm->size; m++)
            fields[n++] = comm->members ? comm->members[m] : m;
        for (int32_t m = 0; m < comm->remote_size; m++)
            fields[n++] = comm->remote_members[m];
        refrain_picl_put(out, PICL_PROCESSORS, PICL_ALL_EVENTS, 0, REFRAIN_PICL_EVERYWHERE, fields, n, verbose);
    }
}

static void put_event_types(struct refrain_sink *out, const struct refrain_trace *trace, int64_t *fields,
                            bool verbose) {
    static const struct {
        enum refrain_region_kind kind;
        enum picl_subset subset;
    } subsets[] = {{REFRAIN_REGION_FUNCTION, PICL_FUNCTIONS},
                   {REFRAIN_REGION_MPI, PICL_CALLS},
                   {REFRAIN_REGION_USER, PICL_REGIONS}};
    for (size_t s = 0; s < sizeof subsets / sizeof *subsets; s++) {
        size_t n = 0;
        fields[n++] = subsets[s].subset;
        for (size_t i = 0; i < trace->n_regions; i++)
            if (trace->regions[i].kind == subsets[s].kind ||
                (trace->regions[i].kind == REFRAIN_REGION_IO && subsets[s].kind == REFRAIN_REGION_FUNCTION))
                fields[n++] = trace->regions[i].index;
        if (n > 1)
            refrain_picl_put(out, PICL_EVENT_TYPES, PICL_ALL_EVENTS, 0, REFRAIN_PICL_EVERYWHERE, fields, n, verbose);
    }
}

/* One subset stands for the threads of every processor: as many as the processor with the most threads has. */
static void put_processes(struct refrain_sink *out, const struct refrain_locations *locations, int64_t *fields,
                          bool verbose) {
    size_t n = 1;
    fields[0] = PICL_FIRST_PROCESS;
    for (size_t i = 0; i < locations->n; i++)
        while (n - 1 <= locations->all[i].thread) {
            fields[n] = (int64_t)n - 1;
            n++;
        }
    refrain_picl_put(out, PICL_PROCESSES, PICL_ALL_EVENTS, 0, REFRAIN_PICL_EVERYWHERE, fields, n, verbose);
}

bool refrain_picl_header(struct refrain_sink *out, const struct refrain_trace *trace,
                         const struct refrain_locations *locations, bool verbose) {
    size_t most = (trace->n_regions > locations->n ? trace->n_regions : locations->n) + 2;
    for (size_t i = 2; i < trace->n_comms; i++) {
        size_t n = (size_t)trace->comms[i].size + (size_t)trace->comms[i].remote_size + 1;
        most = n > most ? n : most;
    }
    int64_t *fields = calloc(most, sizeof *fields);
    if (!fields)
        return false;
    put_message(out, trace, verbose);
    for (size_t i = 0; i < trace->n_regions; i++)
        refrain_picl_put_text(out, PICL_LABEL, trace->regions[i].index, REFRAIN_PICL_EVERYWHERE, trace->regions[i].name,
                              verbose);
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        const char *host = refrain_process_name(process, process->header->host);
        if (host[0] && process->rank >= 0)
            refrain_picl_put_text(out, PICL_LABEL, PICL_ALL_EVENTS, (struct refrain_picl_location){process->rank, -1},
                                  host, verbose);
    }
    if (!verbose) {
        put_descriptor(out, PICL_TYPES_TIMES, "%d%lf");
        put_descriptor(out, PICL_TYPES_NUMBERS, "%d%d");
    }
    put_communicators(out, trace, fields, verbose);
    put_processes(out, locations, fields, verbose);
    put_event_types(out, trace, fields, verbose);
    free(fields);
    return true;
}
