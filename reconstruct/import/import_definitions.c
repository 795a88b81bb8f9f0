/* import_definitions.c: regions and communicators of an imported trace, and their numbers in records
 * (import_parts.h). */
#define _GNU_SOURCE
#include "common/array.h"
#include "import/import_parts.h"
#include "model/mpi_call.h"

#include <stdlib.h>
#include <string.h>

/* ---- regions ---- */

static uint64_t hash_of(const char *name, const char *file, uint32_t line) {
    return refrain_table_text(refrain_table_text(REFRAIN_TABLE_TEXT + line, name), file);
}

/* The number of the region + 1. 0 if there is no such region; then *i is the number of others with its hash. */
static size_t find(const struct refrain_import *import, enum refrain_region_kind kind, enum refrain_region_use use,
                   const char *name, const char *file, uint32_t line, uint64_t *i) {
    size_t number;
    *i = 0;
    for (; (number = refrain_table_number(&import->by_name, hash_of(name, file, line), *i)); ++*i) {
        const struct refrain_import_region_entry *region = &import->regions[number - 1];
        if (region->kind == kind && region->use == use && region->line == line && strcmp(region->name, name) == 0 &&
            strcmp(region->file, file) == 0)
            return number;
    }
    return 0;
}

static uint32_t number_of(struct refrain_import *import, enum refrain_region_kind kind, enum refrain_region_use use,
                          const char *name, const char *file, uint32_t line) {
    uint64_t i;
    size_t number = find(import, kind, use, name, file, line, &i);
    if (number)
        return (uint32_t)(number - 1);
    char *own_name = strdup(name), *own_file = strdup(file);
    if (!own_name || !own_file || !REFRAIN_ARRAY_ROOM(import->regions, import->n_regions, import->capacity_regions) ||
        !refrain_table_put(&import->by_name, hash_of(name, file, line), i, import->n_regions + 1)) {
        free(own_name);
        free(own_file);
        import->no_memory = true;
        return 0;
    }
    const uint32_t function =
        kind == REFRAIN_REGION_MPI || kind == REFRAIN_REGION_IO ? (uint32_t)refrain_mpi_call_named(name) : UINT32_MAX;
    import->regions[import->n_regions] =
        (struct refrain_import_region_entry){kind, use, own_name, own_file, line, function};
    return (uint32_t)import->n_regions++;
}

uint32_t refrain_import_region(struct refrain_import *import, enum refrain_region_kind kind, const char *name,
                               const char *file, uint32_t line) {
    return kind == REFRAIN_REGION_MPI ? refrain_import_region_named(import, REFRAIN_REGION_FUNCTION, name, file, line)
                                      : number_of(import, kind, REFRAIN_USE_REGION, name, file, line);
}

uint32_t refrain_import_region_named(struct refrain_import *import, enum refrain_region_kind otherwise,
                                     const char *name, const char *file, uint32_t line) {
    uint64_t i;
    const int32_t call = refrain_mpi_call_named(name);
    const enum refrain_region_kind kind = call >= 0 ? refrain_mpi_call((uint32_t)call)->region : REFRAIN_REGION_MPI;
    size_t number = find(import, kind, REFRAIN_USE_REGION, name, file, line, &i);
    if (!number)
        number = find(import, otherwise, REFRAIN_USE_REGION, name, file, line, &i);
    if (number)
        return (uint32_t)(number - 1);
    return number_of(import, call >= 0 ? kind : otherwise, REFRAIN_USE_REGION, name, file, line);
}

uint32_t refrain_import_value(struct refrain_import *import, enum refrain_region_use use, const char *name) {
    return number_of(import, REFRAIN_REGION_USER, use, name, "", 0);
}

const char *refrain_import_region_name(const struct refrain_import *import, uint32_t region) {
    return region < import->n_regions ? import->regions[region].name : "";
}

enum refrain_mpi_kind refrain_import_region_does(const struct refrain_import *import, uint32_t region) {
    return refrain_import_is_call(import, region) ? refrain_mpi_call(import->regions[region].function)->kind
                                                  : REFRAIN_MPI_OTHER;
}

enum refrain_region_kind refrain_import_region_kind(const struct refrain_import *import, uint32_t region) {
    return region < import->n_regions ? import->regions[region].kind : REFRAIN_REGION_FUNCTION;
}

bool refrain_import_is_call(const struct refrain_import *import, uint32_t region) {
    const enum refrain_region_kind kind = refrain_import_region_kind(import, region);
    return kind == REFRAIN_REGION_MPI || kind == REFRAIN_REGION_IO;
}

uint64_t refrain_import_number_of(struct refrain_import *import, struct refrain_import_rank *rank, uint32_t region) {
    if (region >= import->n_regions)
        return 0;
    if (region >= rank->n_numbers) {
        size_t n = import->n_regions * 2;
        uint32_t *numbers = realloc(rank->numbers, n * sizeof *numbers);
        if (!numbers) {
            import->no_memory = true;
            return 0;
        }
        memset(numbers + rank->n_numbers, 0, (n - rank->n_numbers) * sizeof *numbers);
        rank->numbers = numbers;
        rank->n_numbers = n;
    }
    uint32_t *number = &rank->numbers[region];
    if (*number == 0)
        switch (import->regions[region].kind) {
        case REFRAIN_REGION_FUNCTION:
            *number = 2 * rank->n_functions++ + 1;
            break;
        case REFRAIN_REGION_MPI:
        case REFRAIN_REGION_IO:
            *number = ++rank->n_call_sites;
            break;
        case REFRAIN_REGION_USER:
        case REFRAIN_REGION_VALUE:
            *number = ++rank->n_user_regions;
            break;
        }
    return *number - 1;
}

/* ---- communicators ---- */

uint32_t refrain_import_comm(struct refrain_import *import, const char *name, const int32_t *members, int32_t size,
                             const int32_t *remote_members, int32_t remote_size) {
    bool room = REFRAIN_ARRAY_ROOM(import->comms, import->n_comms, import->capacity_comms);
    size_t n = (size_t)size + (size_t)remote_size;
    int32_t *own = malloc((n + 1) * sizeof *own);
    char *own_name = strdup(name);
    if (!room || !own || !own_name) {
        free(own);
        free(own_name);
        import->no_memory = true;
        return REFRAIN_IMPORT_NO_COMM;
    }
    if (size > 0)
        memcpy(own, members, (size_t)size * sizeof *own);
    if (remote_size > 0)
        memcpy(own + size, remote_members, (size_t)remote_size * sizeof *own);
    uint32_t number = (uint32_t)import->n_comms + 2;
    import->comms[import->n_comms++] = (struct refrain_import_image_comm){own_name, own, size, remote_size, number};
    return number;
}

static int64_t index_among(const int32_t *members, int32_t n, int32_t rank) {
    for (int32_t i = 0; i < n; i++)
        if (members[i] == rank)
            return i;
    return -1;
}

int64_t refrain_import_rank_in(const struct refrain_import *import, const struct refrain_import_event *event,
                               int32_t peer) {
    if (peer < 0 || event->comm == REFRAIN_IMPORT_NO_COMM || event->comm >= import->n_comms + 2)
        return -1;
    if (event->comm < 2)
        return event->comm == 0 ? peer : peer == event->rank ? 0 : -1;
    const struct refrain_import_image_comm *comm = &import->comms[event->comm - 2];
    if (comm->remote_size == 0 || index_among(comm->members + comm->size, comm->remote_size, event->rank) >= 0)
        return index_among(comm->members, comm->size, peer);
    return index_among(comm->members + comm->size, comm->remote_size, peer);
}

int64_t refrain_import_root_in(const struct refrain_import *import, const struct refrain_import_event *event) {
    int64_t root = refrain_import_rank_in(import, event, event->peer);
    return root < 0 && event->peer == event->rank ? REFRAIN_ROOT_SELF : root;
}

/* Gives the communicator a new number in the rank; -1 without memory. */
static int64_t add_own_comm(struct refrain_import *import, size_t rank_number, uint32_t comm) {
    struct refrain_import_rank *rank = &import->ranks[rank_number];
    if (!REFRAIN_ARRAY_ROOM(rank->comms, rank->n_comms, rank->capacity_comms) ||
        !refrain_table_put(&import->own_comms, rank_number, comm, rank->n_comms + 2)) {
        import->no_memory = true;
        return -1;
    }
    rank->comms[rank->n_comms++] = comm - 2;
    return (int64_t)rank->n_comms + 1;
}

int64_t refrain_import_comm_number(struct refrain_import *import, const struct refrain_import_event *event) {
    if (event->comm < 2)
        return event->comm;
    if (event->comm >= import->n_comms + 2)
        return -1;
    uintptr_t number = refrain_table_number(&import->own_comms, (uint64_t)event->rank, event->comm);
    return number ? (int64_t)number : add_own_comm(import, (size_t)event->rank, event->comm);
}

bool refrain_import_keep_comms(struct refrain_import *import) {
    bool *used = calloc(import->n_comms + 1, sizeof *used);
    for (int32_t i = 0; used && i < import->n_ranks; i++)
        for (size_t c = 0; c < import->ranks[i].n_comms; c++)
            used[import->ranks[i].comms[c]] = true;
    for (size_t c = 0; used && c < import->n_comms && !import->no_memory; c++)
        if (!used[c])
            add_own_comm(import, 0, (uint32_t)c + 2);
    import->no_memory |= !used;
    free(used);
    return !import->no_memory;
}
