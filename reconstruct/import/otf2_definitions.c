/* otf2_definitions.c: stores the definitions of an OTF2 archive by their references (otf2_definitions.h). */
#define _GNU_SOURCE
#include "import/otf2_definitions.h"
#include "common/array.h"
#include "model/mpi_call.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables by reference ---- */

/* The entry of a reference, or null if it was never defined. */
static void *find(const struct refrain_otf2_table *table, uint64_t reference) {
    size_t number = refrain_table_number(&table->numbers, reference, 0);
    return number ? table->entries + (number - 1) * table->entry_bytes : NULL;
}

/* The entry of a reference, zeroed if it is new; valid until the next one is made. Null without memory. */
static void *entry(struct refrain_otf2_definitions *definitions, struct refrain_otf2_table *table, size_t entry_bytes,
                   uint64_t reference) {
    table->entry_bytes = entry_bytes;
    void *there = find(table, reference);
    if (there)
        return there;
    if (!refrain_array_room(realloc, &table->entries, table->n, 1, &table->capacity, entry_bytes) ||
        !refrain_table_put(&table->numbers, reference, 0, table->n + 1)) {
        definitions->no_memory = true;
        return NULL;
    }
    return memset(table->entries + table->n++ * entry_bytes, 0, entry_bytes);
}

/* The i-th entry. */
static void *at(const struct refrain_otf2_table *table, size_t i) {
    return table->entries + i * table->entry_bytes;
}

static void free_table(struct refrain_otf2_table *table) {
    free(table->entries);
    refrain_table_close(&table->numbers);
}

/* ---- callbacks ---- */

static OTF2_CallbackCode done(const struct refrain_otf2_definitions *definitions) {
    return definitions->no_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t start) {
    struct refrain_otf2_definitions *definitions = data;
    (void)length;
    definitions->resolution = resolution;
    definitions->offset = offset;
    definitions->start_ns = start == OTF2_UNDEFINED_TIMESTAMP ? 0 : start;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string) {
    struct refrain_otf2_definitions *definitions = data;
    char **own = entry(definitions, &definitions->strings, sizeof *own, self);
    if (own) {
        free(*own);
        *own = strdup(string);
        definitions->no_memory |= !*own;
    }
    return done(definitions);
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t first, uint32_t last) {
    struct refrain_otf2_definitions *definitions = data;
    (void)canonical, (void)description, (void)role, (void)flags, (void)last;
    struct refrain_otf2_region_definition *own = entry(definitions, &definitions->regions, sizeof *own, self);
    if (own)
        *own = (struct refrain_otf2_region_definition){.name = name, .file = file, .line = first, .paradigm = paradigm};
    return done(definitions);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator) {
    struct refrain_otf2_definitions *definitions = data;
    (void)name, (void)node, (void)creator;
    if (type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
        return OTF2_CALLBACK_SUCCESS;
    struct refrain_otf2_process *own = entry(definitions, &definitions->processes, sizeof *own, self);
    if (own)
        own->rank = -1;
    return done(definitions);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group) {
    struct refrain_otf2_definitions *definitions = data;
    (void)name;
    definitions->n_events += events;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return OTF2_CALLBACK_SUCCESS;
    if (!REFRAIN_ARRAY_ROOM(definitions->threads, definitions->n_threads, definitions->capacity_threads)) {
        definitions->no_memory = true;
        return done(definitions);
    }
    definitions->threads[definitions->n_threads++] = (struct refrain_otf2_thread){
        .location = self, .group = group, .rank = -1, .context = OTF2_UNDEFINED_CALLING_CONTEXT};
    return done(definitions);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members) {
    struct refrain_otf2_definitions *definitions = data;
    (void)name, (void)flags;
    uint64_t *own = malloc(((size_t)n + 1) * sizeof *own);
    if (!own) {
        definitions->no_memory = true;
        return done(definitions);
    }
    memcpy(own, members, n * sizeof *own);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) { /* some tools give it the reference of another group */
        free(paradigm == OTF2_PARADIGM_MPI ? definitions->mpi_locations : own);
        if (paradigm == OTF2_PARADIGM_MPI) {
            definitions->mpi_locations = own;
            definitions->n_mpi_locations = n;
        }
        return done(definitions);
    }
    struct refrain_otf2_group *group = entry(definitions, &definitions->groups, sizeof *group, self);
    if (!group) {
        free(own);
        return done(definitions);
    }
    free(group->members);
    *group = (struct refrain_otf2_group){type, n, own};
    return done(definitions);
}

static OTF2_CallbackCode add_comm(struct refrain_otf2_definitions *definitions, OTF2_CommRef self,
                                  const struct refrain_otf2_comm_definition *comm) {
    struct refrain_otf2_comm_definition *own = entry(definitions, &definitions->comms, sizeof *own, self);
    if (own)
        *own = *comm;
    return done(definitions);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags) {
    (void)parent, (void)flags;
    return add_comm(data, self, &(struct refrain_otf2_comm_definition){.name = name, .group = group});
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                       OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags) {
    (void)common, (void)flags;
    return add_comm(data, self,
                    &(struct refrain_otf2_comm_definition){.name = name, .group = a, .remote = b, .is_inter = true});
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                   OTF2_RmaWinFlag flags) {
    struct refrain_otf2_definitions *definitions = data;
    (void)name, (void)flags;
    OTF2_CommRef *own = entry(definitions, &definitions->windows, sizeof *own, self);
    if (own)
        *own = comm;
    return done(definitions);
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,
                                   OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                   OTF2_IoHandleRef parent) {
    struct refrain_otf2_definitions *definitions = data;
    (void)file, (void)paradigm, (void)flags, (void)parent;
    struct refrain_otf2_handle_definition *own = entry(definitions, &definitions->handles, sizeof *own, self);
    if (own)
        *own = (struct refrain_otf2_handle_definition){name, comm};
    return done(definitions);
}

static OTF2_CallbackCode on_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent) {
    struct refrain_otf2_definitions *definitions = data;
    (void)line;
    struct refrain_otf2_context *own = entry(definitions, &definitions->contexts, sizeof *own, self);
    if (own)
        *own = (struct refrain_otf2_context){region, parent};
    return done(definitions);
}

/* ---- ranks and threads ---- */

static int by_location(const void *a, const void *b) {
    OTF2_LocationRef x = ((const struct refrain_otf2_thread *)a)->location,
                     y = ((const struct refrain_otf2_thread *)b)->location;
    return x < y ? -1 : x > y;
}

struct refrain_otf2_thread *refrain_otf2_thread(const struct refrain_otf2_definitions *definitions,
                                                OTF2_LocationRef location) {
    const struct refrain_otf2_thread key = {.location = location};
    return definitions->n_threads ? bsearch(&key, definitions->threads, definitions->n_threads, sizeof key, by_location)
                                  : NULL;
}

/* Ranks are those of MPI. Processes without MPI, and all processes of an archive without MPI, get numbers after
 * them, in order. The location that takes part in MPI is thread 0. */
static void number_threads(struct refrain_otf2_definitions *definitions) {
    qsort(definitions->threads, definitions->n_threads, sizeof *definitions->threads, by_location);
    for (uint32_t rank = 0; rank < definitions->n_mpi_locations; rank++) {
        const struct refrain_otf2_thread *thread = refrain_otf2_thread(definitions, definitions->mpi_locations[rank]);
        struct refrain_otf2_process *process = thread ? find(&definitions->processes, thread->group) : NULL;
        if (process && process->rank < 0)
            *process = (struct refrain_otf2_process){(int32_t)rank, 1, thread->location, true};
    }
    definitions->n_ranks = (int32_t)definitions->n_mpi_locations;
    for (size_t i = 0; i < definitions->n_threads; i++) {
        struct refrain_otf2_thread *thread = &definitions->threads[i];
        struct refrain_otf2_process *process = find(&definitions->processes, thread->group);
        if (!process)
            continue;
        if (process->rank < 0)
            process->rank = definitions->n_ranks++;
        thread->rank = process->rank;
        thread->thread = process->has_master && process->master == thread->location ? 0 : process->threads++;
    }
}

OTF2_ErrorCode refrain_otf2_definitions_read(OTF2_Reader *reader, struct refrain_otf2_definitions *definitions) {
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n;
    OTF2_ErrorCode code = global ? OTF2_SUCCESS : OTF2_ERROR_FILE_CAN_NOT_OPEN;
    if (!callbacks)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, on_handle);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
    if (!code)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, definitions);
    if (!code)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (definitions->no_memory)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    if (code)
        return code;
    number_threads(definitions);
    return definitions->no_memory ? OTF2_ERROR_MEM_ALLOC_FAILED : OTF2_SUCCESS;
}

void refrain_otf2_definitions_free(struct refrain_otf2_definitions *definitions) {
    for (size_t i = 0; i < definitions->strings.n; i++)
        free(*(char **)at(&definitions->strings, i));
    for (size_t i = 0; i < definitions->groups.n; i++)
        free(((struct refrain_otf2_group *)at(&definitions->groups, i))->members);
    for (size_t i = 0; i < definitions->n_threads; i++)
        free(definitions->threads[i].stack);
    free_table(&definitions->strings);
    free_table(&definitions->regions);
    free_table(&definitions->groups);
    free_table(&definitions->comms);
    free_table(&definitions->windows);
    free_table(&definitions->handles);
    free_table(&definitions->contexts);
    free_table(&definitions->processes);
    free(definitions->threads);
    free(definitions->mpi_locations);
}

/* ---- conversion to regions and communicators ---- */

static const char *string_of(const struct refrain_otf2_definitions *definitions, OTF2_StringRef string) {
    char *const *text = find(&definitions->strings, string);
    return text && *text ? *text : "";
}

static const struct refrain_otf2_group *group_of(const struct refrain_otf2_definitions *definitions,
                                                 OTF2_GroupRef group) {
    static const struct refrain_otf2_group none;
    const struct refrain_otf2_group *found = find(&definitions->groups, group);
    return found ? found : &none;
}

int64_t refrain_otf2_time_ns(const struct refrain_otf2_definitions *definitions, OTF2_TimeStamp time) {
    uint64_t ticks = time > definitions->offset ? time - definitions->offset : 0;
    uint64_t resolution = definitions->resolution ? definitions->resolution : 1000000000;
    return (int64_t)((unsigned __int128)ticks * 1000000000 / resolution);
}

bool refrain_otf2_thread_enter(struct refrain_otf2_thread *thread, uint32_t region) {
    if (!REFRAIN_ARRAY_ROOM(thread->stack, thread->n_stack, thread->capacity))
        return false;
    thread->stack[thread->n_stack++] = region;
    return true;
}

/* Some tools put more into names and files. TAU adds the signatures of MPI functions, and source lines as in "main C
 * [{app.c} {10,1}-{20,1}]". Score-P gives the functions of a library its name as their file, without a line. */
static bool plain_name(char *name, char **file, uint32_t *line) {
    char *where = strstr(name, " [{"), *end = where ? strchr(where, '}') : NULL;
    size_t n = strlen(name);
    if (!(*file)[0] && end && name[n - 1] == ']') {
        *end = 0;
        free(*file);
        *file = strdup(where + 3);
        if (!*file)
            return false;
        if (strncmp(end + 1, " {", 2) == 0)
            *line = (uint32_t)strtoul(end + 3, NULL, 10);
        *where = 0;
        if (where - name > 2 && strcmp(where - 2, " C") == 0)
            where[-2] = 0;
    }
    if (*line == 0 && !strchr(*file, '.'))
        (*file)[0] = 0;
    char *const bracket = strchr(name, '(');
    if (bracket) {
        *bracket = 0;
        if (refrain_mpi_call_named(name) < 0)
            *bracket = '(';
    }
    return true;
}

uint32_t refrain_otf2_region_number(struct refrain_otf2_definitions *definitions, struct refrain_import *import,
                                    OTF2_RegionRef region) {
    struct refrain_otf2_region_definition *definition = find(&definitions->regions, region);
    if (!definition)
        return refrain_import_region(import, REFRAIN_REGION_FUNCTION, "unknown", "", 0);
    if (definition->number)
        return definition->number - 1;
    char *name = strdup(string_of(definitions, definition->name)),
         *file = strdup(string_of(definitions, definition->file));
    uint32_t line = definition->line == OTF2_UNDEFINED_UINT32 ? 0 : definition->line;
    if (!name || !file || !plain_name(name, &file, &line)) {
        free(name);
        free(file);
        definitions->no_memory = true;
        return 0;
    }
    enum refrain_region_kind otherwise =
        definition->paradigm == OTF2_PARADIGM_USER && !file[0] ? REFRAIN_REGION_USER : REFRAIN_REGION_FUNCTION;
    uint32_t number = refrain_import_region_named(import, otherwise, name, file, line);
    definition->number = number + 1;
    free(name);
    free(file);
    return number;
}

const struct refrain_otf2_context *refrain_otf2_context(const struct refrain_otf2_definitions *definitions,
                                                        OTF2_CallingContextRef context) {
    return context == OTF2_UNDEFINED_CALLING_CONTEXT ? NULL : find(&definitions->contexts, context);
}

size_t refrain_otf2_context_depth(const struct refrain_otf2_definitions *definitions, OTF2_CallingContextRef context) {
    const struct refrain_otf2_context *is;
    size_t depth = 0;
    while ((is = refrain_otf2_context(definitions, context)) &&
           depth <= definitions->contexts.n) { /* a longer path would be circular */
        depth++;
        context = is->parent;
    }
    return depth;
}

const struct refrain_otf2_context *refrain_otf2_context_above(const struct refrain_otf2_definitions *definitions,
                                                              OTF2_CallingContextRef context, size_t above) {
    const struct refrain_otf2_context *is = refrain_otf2_context(definitions, context);
    for (; above > 0; above--)
        is = refrain_otf2_context(definitions, is->parent);
    return is;
}

OTF2_CallingContextRef refrain_otf2_common_context(const struct refrain_otf2_definitions *definitions,
                                                   OTF2_CallingContextRef a, OTF2_CallingContextRef b) {
    size_t depth_a = refrain_otf2_context_depth(definitions, a), depth_b = refrain_otf2_context_depth(definitions, b);
    for (; depth_a > depth_b; depth_a--)
        a = refrain_otf2_context(definitions, a)->parent;
    for (; depth_b > depth_a; depth_b--)
        b = refrain_otf2_context(definitions, b)->parent;
    for (; a != b && depth_a > 0; depth_a--) {
        a = refrain_otf2_context(definitions, a)->parent;
        b = refrain_otf2_context(definitions, b)->parent;
    }
    return depth_a > 0 ? a : OTF2_UNDEFINED_CALLING_CONTEXT;
}

static bool is_world(const struct refrain_otf2_definitions *definitions,
                     const struct refrain_otf2_comm_definition *comm) {
    const struct refrain_otf2_group *group = group_of(definitions, comm->group);
    if (comm->is_inter || group->type != OTF2_GROUP_TYPE_COMM_GROUP || group->n != (uint32_t)definitions->n_ranks)
        return false;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->members[i] != i)
            return false;
    return true;
}

/* The ranks of a group in MPI_COMM_WORLD. Null without memory. */
static int32_t *members_of(const struct refrain_otf2_definitions *definitions, const struct refrain_otf2_group *group) {
    int32_t *members = malloc(((size_t)group->n + 1) * sizeof *members);
    for (uint32_t i = 0; members && i < group->n; i++)
        members[i] = group->members[i] < (uint64_t)definitions->n_ranks ? (int32_t)group->members[i] : -1;
    return members;
}

void refrain_otf2_define_comms(struct refrain_otf2_definitions *definitions, struct refrain_import *import) {
    const struct refrain_otf2_comm_definition *world = NULL;
    for (size_t i = 0; i < definitions->comms.n; i++) {
        const struct refrain_otf2_comm_definition *comm = at(&definitions->comms, i);
        bool named = strcmp(string_of(definitions, comm->name), "MPI_COMM_WORLD") == 0;
        if (is_world(definitions, comm) && (!world || named))
            world = comm;
    }
    for (size_t i = 0; i < definitions->comms.n; i++) {
        struct refrain_otf2_comm_definition *comm = at(&definitions->comms, i);
        const struct refrain_otf2_group *group = group_of(definitions, comm->group),
                                        *remote = group_of(definitions, comm->remote);
        if (comm == world)
            continue;
        if (group->type == OTF2_GROUP_TYPE_COMM_SELF) {
            comm->number = 1;
            continue;
        }
        int32_t *members = members_of(definitions, group),
                *others = comm->is_inter ? members_of(definitions, remote) : NULL;
        comm->number = members && (others || !comm->is_inter)
                           ? refrain_import_comm(import, string_of(definitions, comm->name), members, (int32_t)group->n,
                                                 others, comm->is_inter ? (int32_t)remote->n : 0)
                           : REFRAIN_IMPORT_NO_COMM;
        free(members);
        free(others);
    }
}

uint32_t refrain_otf2_comm_number(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm) {
    const struct refrain_otf2_comm_definition *definition = find(&definitions->comms, comm);
    return definition ? definition->number : REFRAIN_IMPORT_NO_COMM;
}

static bool is_member(const struct refrain_otf2_group *group, int32_t rank) {
    for (uint32_t i = 0; i < group->n; i++)
        if (group->members[i] == (uint64_t)rank)
            return true;
    return false;
}

static int32_t world_rank_of(const struct refrain_otf2_definitions *definitions, const struct refrain_otf2_group *group,
                             uint32_t i) {
    return i < group->n && group->members[i] < (uint64_t)definitions->n_ranks ? (int32_t)group->members[i] : -1;
}

uint32_t refrain_otf2_group_size(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group) {
    return group_of(definitions, group)->n;
}

int32_t refrain_otf2_group_rank(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group, uint32_t i) {
    return world_rank_of(definitions, group_of(definitions, group), i);
}

int32_t refrain_otf2_world_rank(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm, int32_t own,
                                uint32_t rank) {
    const struct refrain_otf2_comm_definition *definition = find(&definitions->comms, comm);
    if (!definition)
        return -1;
    const struct refrain_otf2_group *group = group_of(definitions, definition->group);
    if (group->type == OTF2_GROUP_TYPE_COMM_SELF)
        return own;
    if (definition->is_inter && is_member(group, own))
        group = group_of(definitions, definition->remote);
    return world_rank_of(definitions, group, rank);
}

uint32_t refrain_otf2_window_comm(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window) {
    const OTF2_CommRef *comm = find(&definitions->windows, window);
    return comm ? refrain_otf2_comm_number(definitions, *comm) : REFRAIN_IMPORT_NO_COMM;
}

uint32_t refrain_otf2_handle_comm(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle) {
    const struct refrain_otf2_handle_definition *own = find(&definitions->handles, handle);
    return own ? refrain_otf2_comm_number(definitions, own->comm) : REFRAIN_IMPORT_NO_COMM;
}

const char *refrain_otf2_handle_name(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle) {
    const struct refrain_otf2_handle_definition *own = find(&definitions->handles, handle);
    return own ? string_of(definitions, own->name) : "";
}

int32_t refrain_otf2_window_rank(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window, int32_t own,
                                 uint32_t rank) {
    const OTF2_CommRef *comm = find(&definitions->windows, window);
    return comm ? refrain_otf2_world_rank(definitions, *comm, own, rank) : -1;
}
