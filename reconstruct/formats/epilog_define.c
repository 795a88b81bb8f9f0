/* epilog_define.c: writes header and definitions of an EPILOG file (epilog_define.h; sections 3 and 4 of the
 * description of the format). */
#include "formats/epilog_define.h"
#include "formats/region_uses.h"
#include "formats/topology.h"
#include "model/mpi_call.h"

#include <stdio.h>
#include <stdlib.h>

enum region_type {
    ELG_UNKNOWN = 0,
    ELG_FUNCTION = 1,
    ELG_USER_REGION = 3,
    ELG_OMP_PARALLEL = 11,
    ELG_OMP_LOOP = 12,
    ELG_OMP_SECTIONS = 13,
    ELG_OMP_SECTION = 14,
    ELG_OMP_SINGLE = 16,
    ELG_OMP_MASTER = 17,
    ELG_OMP_CRITICAL = 18,
    ELG_OMP_BARRIER = 20,
    ELG_OMP_IBARRIER = 21,
    ELG_OMP_CRITICAL_SBLOCK = 23,
    ELG_OMP_SINGLE_SBLOCK = 24
};

struct definitions {
    struct refrain_sink *out;
    const struct refrain_trace *trace;
    const struct refrain_locations *locations;
    struct refrain_epilog_ids *ids;
    uint32_t n_strings;
    bool no_memory;
};

/* ---- strings ---- */

#define STRING_BYTES 250u
#define CONTINUATIONS 255u

/* Writes a string of n bytes with its zero: 250 bytes, then up to 255 records of up to 255 bytes. Returns its
 * number. */
static uint32_t put_string(struct definitions *definitions, const char *text) {
    size_t most = STRING_BYTES + (size_t)CONTINUATIONS * REFRAIN_EPILOG_MOST_BYTES - 1, n = 0;
    char *ascii = malloc(4 * strlen(text) + 1);
    if (!ascii) {
        definitions->no_memory = true;
        return 0;
    }
    n = refrain_escape_name(ascii, text);
    char *name = malloc(4 * n + 1);
    if (!name) {
        free(ascii);
        definitions->no_memory = true;
        return 0;
    }
    size_t length = 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)ascii[i] < 128)
            name[length++] = ascii[i];
        else
            length += (size_t)sprintf(name + length, "\\x%02x", (unsigned char)ascii[i]);
    name[length] = 0;
    free(ascii);
    if (length > most) {
        definitions->ids->shortened++;
        length = most;
        name[length] = 0;
    }
    size_t rest = length + 1, part = rest < STRING_BYTES ? rest : STRING_BYTES;
    struct refrain_epilog_record record;
    refrain_epilog_open(&record, REFRAIN_EPILOG_STRING);
    refrain_epilog_ui4(&record, definitions->n_strings);
    refrain_epilog_ui1(&record, (unsigned)((rest - part + REFRAIN_EPILOG_MOST_BYTES - 1) / REFRAIN_EPILOG_MOST_BYTES));
    for (const char *at = name;;) {
        memcpy(record.bytes + record.n, at, part);
        record.n += (unsigned)part;
        refrain_epilog_close(&record, definitions->out);
        at += part;
        rest -= part;
        if (rest == 0)
            break;
        part = rest < REFRAIN_EPILOG_MOST_BYTES ? rest : REFRAIN_EPILOG_MOST_BYTES;
        refrain_epilog_open(&record, REFRAIN_EPILOG_STRING_CNT);
    }
    free(name);
    return definitions->n_strings++;
}

static void put_record(struct definitions *definitions, enum refrain_epilog_type type, const uint32_t *fields,
                       size_t n) {
    struct refrain_epilog_record record;
    refrain_epilog_open(&record, type);
    for (size_t i = 0; i < n; i++)
        refrain_epilog_ui4(&record, fields[i]);
    refrain_epilog_close(&record, definitions->out);
}

/* ---- machine and locations ---- */

static void put_locations(struct definitions *definitions) {
    const struct refrain_locations *locations = definitions->locations;
    uint32_t machine = put_string(definitions, "machine");
    put_record(definitions, REFRAIN_EPILOG_MACHINE, (uint32_t[]){0, locations->n_hosts, machine}, 3);
    for (uint32_t host = 0; host < locations->n_hosts; host++) {
        struct refrain_epilog_record record;
        uint32_t cpus = 0, name = locations->hosts[host][0] ? put_string(definitions, locations->hosts[host])
                                                            : REFRAIN_EPILOG_NO_ID;
        for (size_t i = 0; i < locations->n; i++)
            cpus += locations->all[i].host == host;
        refrain_epilog_open(&record, REFRAIN_EPILOG_NODE);
        refrain_epilog_ui4(&record, host);
        refrain_epilog_ui4(&record, 0);
        refrain_epilog_ui4(&record, cpus);
        refrain_epilog_ui4(&record, name);
        for (unsigned i = 0; i < 8; i++) /* clock rate: not needed, since no cycles are counted */
            refrain_epilog_ui1(&record, 0);
        refrain_epilog_close(&record, definitions->out);
    }
    for (size_t i = 0; i < locations->n; i++) {
        const struct refrain_location *location = &locations->all[i];
        char text[64];
        uint32_t rank = (uint32_t)location->rank;
        if (location->thread == 0) {
            snprintf(text, sizeof text, "Rank %u", rank);
            uint32_t name = put_string(definitions, text);
            put_record(definitions, REFRAIN_EPILOG_PROCESS, (uint32_t[]){rank, name}, 2);
        }
        snprintf(text, sizeof text, location->thread ? "Thread %u" : "Master thread", location->thread);
        uint32_t name = put_string(definitions, text);
        put_record(definitions, REFRAIN_EPILOG_THREAD, (uint32_t[]){location->thread, rank, name}, 3);
        put_record(definitions, REFRAIN_EPILOG_LOCATION,
                   (uint32_t[]){(uint32_t)i, 0, location->host, rank, location->thread}, 5);
    }
}

/* ---- regions and call sites ---- */

struct named {
    const char *name;
    uint32_t index; /* of the refrain_region_info */
};

static int by_name(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Numbers the files in the order of their names, and sets files[i] to the file of region i. */
static void put_files(struct definitions *definitions, struct named *sorted, uint32_t *files) {
    size_t n = definitions->trace->n_regions;
    uint32_t n_files = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct named){definitions->trace->regions[i].file, (uint32_t)i};
    qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t i = 0; i < n; i++) {
        files[sorted[i].index] = REFRAIN_EPILOG_NO_ID;
        if (!sorted[i].name[0])
            continue;
        if (i == 0 || strcmp(sorted[i].name, sorted[i - 1].name) != 0) {
            uint32_t name = put_string(definitions, sorted[i].name);
            put_record(definitions, REFRAIN_EPILOG_FILE, (uint32_t[]){n_files++, name}, 2);
        }
        files[sorted[i].index] = n_files - 1;
    }
}

static void put_region(struct definitions *definitions, uint32_t id, const char *name, uint32_t file, uint32_t line,
                       uint32_t description, enum region_type type) {
    struct refrain_epilog_record record;
    uint32_t string = put_string(definitions, name);
    refrain_epilog_open(&record, REFRAIN_EPILOG_REGION);
    refrain_epilog_ui4(&record, id);
    refrain_epilog_ui4(&record, string);
    refrain_epilog_ui4(&record, file);
    refrain_epilog_ui4(&record, line ? line : REFRAIN_EPILOG_NO_ID);
    refrain_epilog_ui4(&record, line ? line : REFRAIN_EPILOG_NO_ID);
    refrain_epilog_ui4(&record, description);
    refrain_epilog_ui1(&record, type);
    refrain_epilog_close(&record, definitions->out);
}

/* Type of a region that is no MPI function. OpenMP constructs without a type in the format are user regions. */
static enum region_type type_of(const struct refrain_construct_regions *openmp,
                                const struct refrain_region_info *region) {
    static const enum region_type types[REFRAIN_CONSTRUCT_CLASSES] = {[REFRAIN_CONSTRUCT_PARALLEL] = ELG_OMP_PARALLEL,
                                                                      [REFRAIN_CONSTRUCT_FOR] = ELG_OMP_LOOP,
                                                                      [REFRAIN_CONSTRUCT_SECTIONS] = ELG_OMP_SECTIONS,
                                                                      [REFRAIN_CONSTRUCT_SECTION] = ELG_OMP_SECTION,
                                                                      [REFRAIN_CONSTRUCT_SINGLE] = ELG_OMP_SINGLE,
                                                                      [REFRAIN_CONSTRUCT_MASTER] = ELG_OMP_MASTER,
                                                                      [REFRAIN_CONSTRUCT_CRITICAL] = ELG_OMP_CRITICAL,
                                                                      [REFRAIN_CONSTRUCT_BARRIER] = ELG_OMP_BARRIER,
                                                                      [REFRAIN_CONSTRUCT_IMPLICIT_BARRIER] =
                                                                          ELG_OMP_IBARRIER};
    const struct refrain_construct_region *construct = refrain_construct_region(openmp, region);
    if (construct->block && construct->class == REFRAIN_CONSTRUCT_CRITICAL)
        return ELG_OMP_CRITICAL_SBLOCK;
    if (construct->block && construct->class == REFRAIN_CONSTRUCT_SINGLE)
        return ELG_OMP_SINGLE_SBLOCK;
    if (types[construct->class])
        return types[construct->class];
    return region->kind == REFRAIN_REGION_FUNCTION ? ELG_FUNCTION : ELG_USER_REGION;
}

/* Each function, user region and marker becomes a region of its file. The description of a marker's region is "marker".
 * All calls of an MPI function have one region; a call site says from where it is entered. */
static void put_regions(struct definitions *definitions) {
    const struct refrain_trace *trace = definitions->trace;
    struct refrain_epilog_ids *ids = definitions->ids;
    struct named *sorted = calloc(trace->n_regions + 1, sizeof *sorted);
    uint32_t *files = calloc(trace->n_regions + 1, sizeof *files), n = 0, n_call_sites = 0;
    if (!sorted || !files || definitions->no_memory) {
        definitions->no_memory = true;
        free(sorted);
        free(files);
        return;
    }
    put_files(definitions, sorted, files);
    uint32_t marker = put_string(definitions, "marker");
    for (size_t i = 0; i < trace->n_regions; i++)
        sorted[i] = (struct named){trace->regions[i].name, (uint32_t)i};
    qsort(sorted, trace->n_regions, sizeof *sorted, by_name);
    const char *last_mpi = NULL;
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *region = &trace->regions[sorted[i].index];
        bool mpi = region->kind == REFRAIN_REGION_MPI;
        if (!mpi)
            put_region(definitions, n++, region->name, files[region->index], region->line,
                       region->kind == REFRAIN_REGION_VALUE ? marker : REFRAIN_EPILOG_NO_ID,
                       type_of(&ids->openmp, region));
        else if (!last_mpi || strcmp(last_mpi, region->name) != 0)
            put_region(definitions, n++, region->name, REFRAIN_EPILOG_NO_ID, 0, REFRAIN_EPILOG_NO_ID, ELG_FUNCTION);
        last_mpi = mpi ? region->name : NULL;
        ids->regions[region->index] = n - 1;
        ids->call_sites[region->index] = REFRAIN_EPILOG_NO_ID;
    }
    ids->regions[trace->n_regions] = n;
    ids->call_sites[trace->n_regions] = REFRAIN_EPILOG_NO_ID;
    put_region(definitions, n, "unknown", REFRAIN_EPILOG_NO_ID, 0, REFRAIN_EPILOG_NO_ID, ELG_UNKNOWN);
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *region = &trace->regions[i];
        if (region->kind != REFRAIN_REGION_MPI || files[i] == REFRAIN_EPILOG_NO_ID)
            continue;
        ids->call_sites[i] = n_call_sites;
        put_record(definitions, REFRAIN_EPILOG_CALL_SITE,
                   (uint32_t[]){n_call_sites++, files[i], region->line, ids->regions[i], REFRAIN_EPILOG_NO_ID}, 5);
    }
    free(sorted);
    free(files);
}

/* ---- communicators and topologies ---- */

uint32_t refrain_epilog_comm(const struct refrain_epilog_ids *ids, const struct refrain_comm_info *comm, int32_t rank) {
    if (!comm)
        return REFRAIN_EPILOG_NO_ID;
    return comm->index == 0 ? 0 : comm->index == 1 ? ids->n_comms - 1 + (uint32_t)rank : comm->index - 1;
}

static void put_comm(struct definitions *definitions, uint32_t id, const struct refrain_comm_info *comm, int32_t self) {
    struct refrain_epilog_record record;
    uint32_t bytes = ((uint32_t)definitions->trace->size + 7) / 8;
    unsigned char *bits;
    refrain_epilog_open(&record, REFRAIN_EPILOG_MPI_COMM);
    refrain_epilog_ui4(&record, id);
    refrain_epilog_ui4(&record, bytes);
    bits = record.bytes + record.n;
    memset(bits, 0, bytes);
    record.n += bytes;
    if (self >= 0)
        bits[self / 8] |= (unsigned char)(1u << self % 8);
    for (int side = 0; self < 0 && side < 2; side++) {
        const int32_t *members = side ? comm->remote_members : comm->members;
        for (int32_t i = 0; i < (side ? comm->remote_size : comm->size); i++) {
            int32_t rank = members ? members[i] : i;
            if (rank >= 0 && rank < definitions->trace->size)
                bits[rank / 8] |= (unsigned char)(1u << rank % 8);
        }
    }
    refrain_epilog_close(&record, definitions->out);
}

static void put_comms(struct definitions *definitions) {
    const struct refrain_trace *trace = definitions->trace;
    for (size_t i = 0; i < trace->n_comms; i++)
        if (i != 1)
            put_comm(definitions, refrain_epilog_comm(definitions->ids, &trace->comms[i], 0), &trace->comms[i], -1);
    for (int32_t rank = 0; rank < trace->size; rank++)
        put_comm(definitions, refrain_epilog_comm(definitions->ids, &trace->comms[1], rank), &trace->comms[1], rank);
}

static void put_topology(struct definitions *definitions, uint32_t id, const struct refrain_topology *topology) {
    struct refrain_epilog_record record;
    uint32_t n = topology->n_dimensions;
    refrain_epilog_open(&record, REFRAIN_EPILOG_CART_TOPOLOGY);
    refrain_epilog_ui4(&record, id);
    refrain_epilog_ui1(&record, n);
    for (uint32_t i = 0; i < n; i++)
        refrain_epilog_ui4(&record, (uint32_t)topology->values[i]);
    for (uint32_t i = 0; i < n; i++)
        refrain_epilog_ui1(&record, topology->values[n + i] != 0);
    refrain_epilog_close(&record, definitions->out);
}

static void put_topologies(struct definitions *definitions) {
    const struct refrain_trace *trace = definitions->trace;
    uint32_t *numbers = calloc(trace->n_comms + 1, sizeof *numbers), n = 0; /* number + 1; 0: not defined */
    definitions->no_memory |= !numbers;
    for (size_t p = 0; numbers && p < trace->n_processes; p++) {
        const struct refrain_process *process = &trace->processes[p];
        for (size_t c = 0; c < process->n_comms; c++) {
            const struct refrain_comm_view *view = &process->comms[c];
            const struct refrain_topology *topology = refrain_topology_of(process, view);
            if (!topology || !view->info)
                continue;
            uint32_t *number = &numbers[view->info->index];
            if (*number == 0) {
                *number = ++n;
                put_topology(definitions, n - 1, topology);
            }
            struct refrain_epilog_record record;
            refrain_epilog_open(&record, REFRAIN_EPILOG_CART_COORDS);
            refrain_epilog_ui4(&record, *number - 1);
            refrain_epilog_ui4(&record, (uint32_t)definitions->locations->first[process->rank]);
            refrain_epilog_ui1(&record, topology->n_dimensions);
            for (uint32_t i = 0; i < topology->n_dimensions; i++)
                refrain_epilog_ui4(&record, (uint32_t)topology->values[2 * topology->n_dimensions + i]);
            refrain_epilog_close(&record, definitions->out);
        }
    }
    free(numbers);
}

/* ---- metrics ---- */

enum metric_type { ELG_INTEGER = 0, ELG_FLOAT = 1 };
enum metric_mode { ELG_COUNTER = 0, ELG_SAMPLE = 2 };
enum { ELG_START = 0 };

static void put_metric(struct definitions *definitions, const char *name, const char *description,
                       enum metric_type type, enum metric_mode mode) {
    struct refrain_epilog_record record;
    uint32_t name_id = put_string(definitions, name), description_id = put_string(definitions, description);
    refrain_epilog_open(&record, REFRAIN_EPILOG_METRIC);
    refrain_epilog_ui4(&record, definitions->ids->n_metrics++);
    refrain_epilog_ui4(&record, name_id);
    refrain_epilog_ui4(&record, description_id);
    refrain_epilog_ui1(&record, type);
    refrain_epilog_ui1(&record, mode);
    refrain_epilog_ui1(&record, ELG_START);
    refrain_epilog_close(&record, definitions->out);
}

/* The waiting time of the location, in all or for senders; then the counters of the program, as floating point,
 * because integers have no sign in this format. Every enter and exit has all metrics. */
static void put_metrics(struct definitions *definitions, bool waiting) {
    const struct refrain_trace *trace = definitions->trace;
    struct refrain_epilog_ids *ids = definitions->ids;
    put_metric(definitions, waiting ? "WAITING" : "WAITING_FOR_SENDERS",
               waiting ? "nanoseconds in calls that waited for another rank"
                       : "nanoseconds in calls before the messages that they received were sent",
               ELG_INTEGER, ELG_COUNTER);
    for (size_t i = 0; i < trace->n_regions && ids->n_metrics < REFRAIN_EPILOG_MOST_METRICS; i++)
        if (ids->uses[i] & 1u << REFRAIN_USE_COUNTER && !ids->openmp.of[i].number) {
            ids->metrics[i] = ids->n_metrics;
            put_metric(definitions, trace->regions[i].name, "counter of the program", ELG_FLOAT, ELG_SAMPLE);
        }
}

/* ---- public function ---- */

bool refrain_epilog_define(struct refrain_sink *out, const struct refrain_trace *trace,
                           const struct refrain_locations *locations, bool waiting, struct refrain_epilog_ids *ids) {
    static const unsigned char header[] = {'E', 'P', 'I', 'L', 'O', 'G', 0, 1, 2, 1 /* little-endian */};
    struct definitions definitions = {.out = out, .trace = trace, .locations = locations, .ids = ids};
    *ids = (struct refrain_epilog_ids){.n_comms = (uint32_t)trace->n_comms};
    ids->regions = calloc(trace->n_regions + 1, sizeof *ids->regions);
    ids->call_sites = calloc(trace->n_regions + 1, sizeof *ids->call_sites);
    ids->metrics = calloc(trace->n_regions + 1, sizeof *ids->metrics);
    ids->uses = refrain_region_uses(trace);
    if (!refrain_construct_regions_make(&ids->openmp, trace) || !ids->regions || !ids->call_sites || !ids->metrics ||
        !ids->uses)
        return false;
    refrain_sink_put_bytes(out, header, sizeof header);
    put_locations(&definitions);
    put_regions(&definitions);
    put_metrics(&definitions, waiting);
    put_comms(&definitions);
    put_topologies(&definitions);
    ids->events_at = refrain_sink_position(out) + 2;
    put_record(&definitions, REFRAIN_EPILOG_NUM_EVENTS, (uint32_t[]){0}, 1);
    put_record(&definitions, REFRAIN_EPILOG_LAST_DEF, NULL, 0);
    return !definitions.no_memory;
}

void refrain_epilog_ids_free(struct refrain_epilog_ids *ids) {
    free(ids->regions);
    free(ids->call_sites);
    free(ids->metrics);
    free(ids->uses);
    refrain_construct_regions_free(&ids->openmp);
}
