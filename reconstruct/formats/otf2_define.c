/* otf2_define.c: writes the definitions of an archive: clock, strings, regions, machine, locations, communicators
 * (otf2_define.h). */
#define _GNU_SOURCE
#include "formats/otf2_define.h"
#include "common/array.h"
#include "common/table.h"
#include "formats/otf2_samples.h"
#include "formats/otf2_threads.h"
#include "formats/topology.h"
#include "model/mpi_call.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- communicators ---- */

static bool fill_side(const int32_t *members, int32_t n, const struct refrain_trace *trace,
                      struct refrain_otf2_comm *comm, bool remote) {
    uint64_t *ranks = calloc((size_t)n + 1, sizeof *ranks);
    uint32_t known = 0;
    if (!ranks)
        return false;
    for (int32_t i = 0; i < n; i++) {
        int32_t rank = members ? members[i] : i;
        if (rank < 0 || rank >= trace->size)
            continue;
        comm->rank_of[rank] = (int32_t)known;
        if (comm->is_remote)
            comm->is_remote[rank] = remote;
        ranks[known++] = (uint64_t)rank;
    }
    if (remote) {
        comm->remote_members = ranks;
        comm->n_remote = known;
    } else {
        comm->members = ranks;
        comm->n = known;
    }
    return true;
}

static bool fill_comm(const struct refrain_comm_info *info, const struct refrain_trace *trace,
                      struct refrain_otf2_comm *comm) {
    size_t ranks = (size_t)trace->size + 1;
    comm->info = info;
    comm->n_ranks = trace->size;
    if (info->index <= 1)
        return true;
    comm->rank_of = malloc(ranks * sizeof *comm->rank_of);
    if (!comm->rank_of)
        return false;
    memset(comm->rank_of, -1, ranks * sizeof *comm->rank_of);
    if (info->remote_size > 0 && !(comm->is_remote = calloc(ranks, sizeof *comm->is_remote)))
        return false;
    return fill_side(info->members, info->size, trace, comm, false) &&
           (info->remote_size == 0 || fill_side(info->remote_members, info->remote_size, trace, comm, true));
}

struct refrain_otf2_comm *refrain_otf2_comms(const struct refrain_trace *trace) {
    struct refrain_otf2_comm *comms = calloc(trace->n_comms + 1, sizeof *comms);
    for (size_t i = 0; comms && i < trace->n_comms; i++)
        if (!fill_comm(&trace->comms[i], trace, &comms[i])) {
            refrain_otf2_comms_free(comms, trace);
            return NULL;
        }
    return comms;
}

void refrain_otf2_comms_free(struct refrain_otf2_comm *comms, const struct refrain_trace *trace) {
    for (size_t i = 0; comms && i < trace->n_comms; i++) {
        free(comms[i].members);
        free(comms[i].remote_members);
        free(comms[i].rank_of);
        free(comms[i].is_remote);
    }
    free(comms);
}

/* ---- strings ---- */

struct strings {
    OTF2_GlobalDefWriter *writer;
    const char **texts; /* by reference: the texts that string() wrote */
    size_t capacity;
    struct refrain_table numbers; /* (hash of the text, number of earlier texts with this hash) -> reference + 1 */
    OTF2_StringRef n;
    OTF2_ErrorCode code;
};

static OTF2_StringRef write_string(struct strings *strings, const char *text) {
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteString(strings->writer, strings->n, text);
    if (code)
        strings->code = code;
    return strings->n++;
}

/* The number of a string that lives as long as the trace; writes the string at first use. */
static OTF2_StringRef string(struct strings *strings, const char *text) {
    uint64_t hash = refrain_table_text(REFRAIN_TABLE_TEXT, text), i = 0;
    for (size_t number; (number = refrain_table_number(&strings->numbers, hash, i)); i++)
        if (strcmp(strings->texts[number - 1], text) == 0)
            return (OTF2_StringRef)(number - 1);
    if (!REFRAIN_ARRAY_ROOM(strings->texts, strings->n, strings->capacity) ||
        !refrain_table_put(&strings->numbers, hash, i, strings->n + 1)) {
        strings->code = OTF2_ERROR_MEM_ALLOC_FAILED;
        return 0;
    }
    strings->texts[strings->n] = text;
    return write_string(strings, text);
}

/* ---- regions ---- */

static OTF2_RegionRole mpi_role(const struct refrain_region_info *region) {
    /* The first part that is found in the name of the collective counts. */
    static const struct {
        const char *part;
        OTF2_RegionRole role;
    } collectives[] = {{"barrier", OTF2_REGION_ROLE_BARRIER},      {"all", OTF2_REGION_ROLE_COLL_ALL2ALL},
                       {"bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},   {"reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
                       {"scatter", OTF2_REGION_ROLE_COLL_ONE2ALL}, {"gather", OTF2_REGION_ROLE_COLL_ALL2ONE},
                       {"reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},  {"", OTF2_REGION_ROLE_COLL_OTHER}};
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    if (region->role) {
        size_t i = 0;
        while (!strstr(region->collective, collectives[i].part))
            i++;
        return collectives[i].role;
    }
    return refrain_mpi_is_file(kind)                                    ? OTF2_REGION_ROLE_FILE_IO
           : refrain_mpi_is_window(kind) || refrain_mpi_is_access(kind) ? OTF2_REGION_ROLE_RMA
           : refrain_mpi_is_message(kind)                               ? OTF2_REGION_ROLE_POINT2POINT
                                                                        : OTF2_REGION_ROLE_FUNCTION;
}

static void define_region(struct strings *strings, OTF2_RegionRef self, const struct refrain_region_info *region) {
    OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_COMPILER;
    if (region->kind == REFRAIN_REGION_MPI) {
        role = mpi_role(region);
        paradigm = OTF2_PARADIGM_MPI;
    } else if (region->kind == REFRAIN_REGION_IO) {
        role = OTF2_REGION_ROLE_FILE_IO;
    } else if (region->kind == REFRAIN_REGION_USER && !refrain_otf2_construct_role(region->name, &role, &paradigm)) {
        role = OTF2_REGION_ROLE_CODE;
        paradigm = OTF2_PARADIGM_USER;
    }
    OTF2_StringRef name = string(strings, region->name), nothing = string(strings, "");
    OTF2_StringRef file = string(strings, region->file);
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteRegion(strings->writer, self, name, name, nothing, role, paradigm,
                                                           OTF2_REGION_FLAG_NONE, file, region->line, region->line);
    if (code)
        strings->code = code;
}

static void define_call_path(void *data, uint32_t number, uint32_t parent, uint32_t region) {
    struct strings *strings = data;
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteCallpath(
        strings->writer, number, parent == REFRAIN_CALL_TREE_NONE ? OTF2_UNDEFINED_CALLPATH : parent, region);
    if (code)
        strings->code = code;
}

/* ---- machine and locations ---- */

static void define_locations(struct strings *strings, const struct refrain_trace *trace,
                             const struct refrain_otf2_location *locations, size_t n_locations) {
    OTF2_GlobalDefWriter *writer = strings->writer;
    const char **hosts = calloc(trace->n_processes + 1, sizeof *hosts);
    uint32_t n_hosts = 0, host = 0;
    OTF2_StringRef class_node = string(strings, "node");
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteSystemTreeNode(
        writer, 0, string(strings, "machine"), string(strings, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    if (!hosts)
        code = OTF2_ERROR_MEM_ALLOC_FAILED;
    for (size_t i = 0; !code && i < n_locations; i++) {
        const struct refrain_otf2_location *location = &locations[i];
        char text[64];
        if (location->thread == 0) {
            const char *name =
                location->process ? refrain_process_name(location->process, location->process->header->host) : "";
            for (host = 0; host < n_hosts && strcmp(hosts[host], name) != 0; host++)
                ;
            if (host == n_hosts) {
                hosts[n_hosts++] = name;
                code = OTF2_GlobalDefWriter_WriteSystemTreeNode(
                    writer, 1 + host, string(strings, name[0] ? name : "unknown host"), class_node, 0);
            }
            snprintf(text, sizeof text, "MPI Rank %d", location->rank);
            OTF2_StringRef group = write_string(strings, text);
            if (!code)
                code = OTF2_GlobalDefWriter_WriteLocationGroup(writer, (OTF2_LocationGroupRef)location->rank, group,
                                                               OTF2_LOCATION_GROUP_TYPE_PROCESS, 1 + host,
                                                               OTF2_UNDEFINED_LOCATION_GROUP);
        }
        if (location->thread == 0)
            snprintf(text, sizeof text, "Master thread");
        else
            snprintf(text, sizeof text, "Thread %u", location->thread);
        OTF2_StringRef name = write_string(strings, text);
        if (!code)
            code = OTF2_GlobalDefWriter_WriteLocation(writer, location->id, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                      location->events, (OTF2_LocationGroupRef)location->rank);
    }
    free(hosts);
    if (code)
        strings->code = code;
}

/* Name of a communicator: from the program, from MPI, or by its number. */
static OTF2_StringRef comm_name(struct strings *strings, const struct refrain_comm_info *comm) {
    char text[64];
    if (comm->name[0])
        return string(strings, comm->name);
    if (comm->index < 2)
        return string(strings, comm->index ? "MPI_COMM_SELF" : "MPI_COMM_WORLD");
    snprintf(text, sizeof text, "communicator %u", comm->index);
    return write_string(strings, text);
}

static OTF2_StringRef group_name(struct strings *strings, const struct refrain_otf2_comm *comm, bool remote) {
    char text[512];
    const struct refrain_comm_info *info = comm->info;
    const char *side = remote ? "remote group" : comm->is_remote ? "local group" : "group";
    if (info->index < 2)
        return 0;
    if (info->name[0])
        snprintf(text, sizeof text, "%s of %s", side, info->name);
    else
        snprintf(text, sizeof text, "%s of communicator %u", side, info->index);
    return write_string(strings, text);
}

OTF2_GroupRef refrain_otf2_next_group(const struct refrain_trace *trace, const struct refrain_otf2_comm *comms) {
    OTF2_GroupRef next = 3;
    for (size_t i = 2; i < trace->n_comms; i++)
        next += comms[i].is_remote ? 2 : 1;
    return next;
}

/* Groups: 0 the locations that take part in MPI, 1 MPI_COMM_WORLD, 2 MPI_COMM_SELF, then one for each communicator,
 * or two if it has a remote group. */
static void define_comms(struct strings *strings, const struct refrain_trace *trace,
                         const struct refrain_otf2_comm *comms) {
    OTF2_GlobalDefWriter *writer = strings->writer;
    uint64_t *ranks = calloc((size_t)trace->size + 1, sizeof *ranks);
    OTF2_ErrorCode code = ranks ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (int32_t rank = 0; ranks && rank < trace->size; rank++)
        ranks[rank] = (uint64_t)rank;
    OTF2_StringRef all = string(strings, "MPI processes"), world = string(strings, "MPI_COMM_WORLD");
    OTF2_StringRef self_name = string(strings, "MPI_COMM_SELF");
    OTF2_GroupRef next_group = 3;
    uint32_t size = (uint32_t)trace->size;
    if (!code)
        code = OTF2_GlobalDefWriter_WriteGroup(writer, 0, all, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, size, ranks);
    if (!code)
        code = OTF2_GlobalDefWriter_WriteGroup(writer, 1, world, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, size, ranks);
    if (!code)
        code = OTF2_GlobalDefWriter_WriteGroup(writer, 2, self_name, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, 0, NULL);
    for (size_t i = 0; !code && i < trace->n_comms; i++) {
        const struct refrain_otf2_comm *comm = &comms[i];
        OTF2_CommRef self = comm->info->index;
        OTF2_GroupRef group = i < 2 ? (OTF2_GroupRef)(1 + i) : next_group++;
        OTF2_StringRef name = comm_name(strings, comm->info), of_group = group_name(strings, comm, false);
        if (i >= 2)
            code = OTF2_GlobalDefWriter_WriteGroup(writer, group, of_group, OTF2_GROUP_TYPE_COMM_GROUP,
                                                   OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, comm->n, comm->members);
        if (!code && comm->is_remote)
            code = OTF2_GlobalDefWriter_WriteGroup(writer, next_group++, group_name(strings, comm, true),
                                                   OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                   comm->n_remote, comm->remote_members);
        if (code)
            break;
        code =
            comm->is_remote
                ? OTF2_GlobalDefWriter_WriteInterComm(writer, self, name, group, group + 1, 0, OTF2_COMM_FLAG_NONE)
                : OTF2_GlobalDefWriter_WriteComm(writer, self, name, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
    free(ranks);
    if (code)
        strings->code = code;
}

/* ---- Cartesian topologies ---- */

static OTF2_ErrorCode define_topology(struct strings *strings, OTF2_CartTopologyRef self,
                                      const struct refrain_comm_info *info, const struct refrain_topology *topology,
                                      OTF2_CartDimensionRef *next_dimension) {
    OTF2_CartDimensionRef dimensions[REFRAIN_MOST_DIMENSIONS];
    uint32_t n = topology->n_dimensions;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t i = 0; !code && i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "dimension %u", i);
        dimensions[i] = (*next_dimension)++;
        OTF2_StringRef reference = write_string(strings, name);
        code = OTF2_GlobalDefWriter_WriteCartDimension(
            strings->writer, dimensions[i], reference, (uint32_t)topology->values[i],
            topology->values[n + i] ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE);
    }
    OTF2_StringRef name = string(strings, info->name);
    return code ? code
                : OTF2_GlobalDefWriter_WriteCartTopology(strings->writer, self, name, info->index, (uint8_t)n,
                                                         dimensions);
}

/* A topology for each communicator that has one, with the coordinates of those members whose traces exist. */
static void define_topologies(struct strings *strings, const struct refrain_trace *trace,
                              const struct refrain_otf2_comm *comms) {
    OTF2_CartTopologyRef *numbers = calloc(trace->n_comms + 1, sizeof *numbers); /* number + 1; 0: not defined */
    OTF2_CartTopologyRef n_topologies = 0;
    OTF2_CartDimensionRef next_dimension = 0;
    OTF2_ErrorCode code = numbers ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (size_t p = 0; !code && p < trace->n_processes; p++) {
        const struct refrain_process *process = &trace->processes[p];
        for (size_t c = 0; !code && c < process->n_comms; c++) {
            const struct refrain_comm_view *view = &process->comms[c];
            const struct refrain_topology *topology = refrain_topology_of(process, view);
            uint32_t rank, coordinates[REFRAIN_MOST_DIMENSIONS];
            if (!topology || !view->info ||
                !refrain_otf2_comm_rank(&comms[view->info->index], process->rank, process->rank, &rank))
                continue;
            OTF2_CartTopologyRef *number = &numbers[view->info->index];
            if (*number == 0) {
                *number = ++n_topologies;
                code = define_topology(strings, *number - 1, view->info, topology, &next_dimension);
            }
            for (uint32_t i = 0; i < topology->n_dimensions; i++)
                coordinates[i] = (uint32_t)topology->values[2 * topology->n_dimensions + i];
            if (!code)
                code = OTF2_GlobalDefWriter_WriteCartCoordinate(strings->writer, *number - 1, rank,
                                                                (uint8_t)topology->n_dimensions, coordinates);
        }
    }
    free(numbers);
    if (code)
        strings->code = code;
}

/* ---- public function ---- */

static void define_waiting(struct strings *strings, bool waiting) {
    const OTF2_MetricMemberRef member = 0;
    OTF2_StringRef name = string(strings, waiting ? "waiting" : "waiting for senders"), unit = string(strings, "ns");
    OTF2_StringRef description = string(strings, waiting ? "time in calls that waited for another rank"
                                                         : "time in calls before the messages that they received were "
                                                           "sent");
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteMetricMember(strings->writer, member, name, description,
                                                                 OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
                                                                 OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit);
    if (!code)
        code = OTF2_GlobalDefWriter_WriteMetricClass(strings->writer, REFRAIN_OTF2_WAITING, 1, &member,
                                                     OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    if (code)
        strings->code = code;
}

static void define_waits(struct strings *strings) {
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[REFRAIN_OTF2_WAIT_ATTRIBUTES] = {
        [REFRAIN_OTF2_WAIT_FOR] = {"for", "what was waited for", OTF2_TYPE_STRING},
        [REFRAIN_OTF2_WAITED] = {"waited_ns", "nanoseconds of this wait", OTF2_TYPE_UINT64},
        [REFRAIN_OTF2_WAIT_BY] = {"by", "the rank that was late", OTF2_TYPE_INT32},
        [REFRAIN_OTF2_WAIT_AT] = {"at", "the call of the rank that was late", OTF2_TYPE_REGION},
        [REFRAIN_OTF2_WAIT_CALL] = {"call", "the call that waited", OTF2_TYPE_REGION}};
    for (OTF2_AttributeRef i = 0; i < REFRAIN_OTF2_WAIT_ATTRIBUTES; i++) {
        OTF2_StringRef name = string(strings, attributes[i].name);
        OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteAttribute(
            strings->writer, i, name, string(strings, attributes[i].description), attributes[i].type);
        if (code)
            strings->code = code;
    }
}

size_t refrain_otf2_first_value(const struct refrain_trace *trace) {
    size_t i = 0;
    while (i < trace->n_regions && trace->regions[i].kind != REFRAIN_REGION_VALUE)
        i++;
    return i;
}

/* The metric of a marker or counter. Its only member has the same number. */
static void define_value(struct strings *strings, OTF2_MetricRef metric, const struct refrain_region_info *region) {
    const OTF2_MetricMemberRef member = metric;
    OTF2_StringRef name = string(strings, region->name), unit = string(strings, "");
    OTF2_StringRef description = string(strings, "set by the program");
    OTF2_ErrorCode code =
        OTF2_GlobalDefWriter_WriteMetricMember(strings->writer, member, name, description, OTF2_METRIC_TYPE_USER,
                                               OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, unit);
    if (!code)
        code = OTF2_GlobalDefWriter_WriteMetricClass(strings->writer, metric, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                     OTF2_RECORDER_KIND_CPU);
    if (code)
        strings->code = code;
}

/* Each value holds until the next one: the most that was resident meanwhile. */
static void define_resident(struct strings *strings, OTF2_MetricRef metric) {
    const OTF2_MetricMemberRef member = metric;
    OTF2_StringRef name = string(strings, "resident memory"), unit = string(strings, "bytes");
    OTF2_StringRef description = string(strings, "memory of the process that is in RAM (VmRSS)");
    OTF2_ErrorCode code =
        OTF2_GlobalDefWriter_WriteMetricMember(strings->writer, member, name, description, OTF2_METRIC_TYPE_OTHER,
                                               OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit);
    if (!code)
        code = OTF2_GlobalDefWriter_WriteMetricClass(strings->writer, metric, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                     OTF2_RECORDER_KIND_CPU);
    if (code)
        strings->code = code;
}

static bool has_resident(const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].header->resident.n)
            return true;
    return false;
}

static OTF2_StringRef string_of_object(void *strings, const char *text) {
    return write_string(strings, text);
}

OTF2_ErrorCode refrain_otf2_define(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                   const struct refrain_otf2_location *locations, size_t n_locations,
                                   const struct refrain_otf2_comm *comms, const struct refrain_otf2_objects *objects,
                                   const struct refrain_otf2_groups *groups, const struct refrain_call_tree *calls,
                                   const struct refrain_construct_regions *constructs, uint64_t end_ns, bool waiting) {
    static const struct refrain_region_info unknown = {.name = "unknown", .file = "", .collective = ""};
    struct strings strings = {.writer = writer};
    strings.code =
        OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, end_ns + 1, trace->start_realtime_ns);
    string(&strings, "");
    for (unsigned kind = 0; waiting && kind < REFRAIN_WAIT_KINDS; kind++) /* numbered by refrain_otf2_wait_kind */
        string(&strings, refrain_wait_kind_name(kind));
    for (size_t i = 0; i < trace->n_regions; i++)
        define_region(&strings, (OTF2_RegionRef)i, &trace->regions[i]);
    define_region(&strings, (OTF2_RegionRef)trace->n_regions, &unknown);
    if (!refrain_call_tree_visit(calls, define_call_path, &strings))
        strings.code = OTF2_ERROR_MEM_ALLOC_FAILED;
    define_locations(&strings, trace, locations, n_locations);
    define_comms(&strings, trace, comms);
    define_topologies(&strings, trace, comms);
    OTF2_ErrorCode code =
        groups->n ? refrain_otf2_define_groups(groups, writer, string(&strings, "group of a window")) : OTF2_SUCCESS;
    if (!code)
        code = refrain_otf2_define_objects(objects, writer, string_of_object, &strings);
    if (code)
        strings.code = code;
    code = refrain_otf2_define_teams(writer, trace, constructs, locations, n_locations, groups->first + groups->n,
                                     string_of_object, &strings);
    if (code)
        strings.code = code;
    define_waiting(&strings, waiting);
    if (waiting)
        define_waits(&strings);
    size_t first = refrain_otf2_first_value(trace);
    for (size_t i = first; i < trace->n_regions; i++)
        define_value(&strings, refrain_otf2_value(first, &trace->regions[i]), &trace->regions[i]);
    if (has_resident(trace))
        define_resident(&strings, refrain_otf2_resident(trace, first));
    code = refrain_otf2_define_samples(writer, trace, string_of_object, &strings);
    if (code)
        strings.code = code;
    free(strings.texts);
    refrain_table_close(&strings.numbers);
    return strings.code;
}
