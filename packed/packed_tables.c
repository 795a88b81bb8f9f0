/* packed_tables.c: visits the lists of a process: call sites, overflow sites, user regions, communicators, windows,
 * files, and files with code (packer.h). */
#include "packer.h"
#include <refrain/settings.h>
#include <stddef.h>

/* ---- call sites, overflow sites, user regions ---- */

static void operations(struct refrain_packer *packer, struct refrain_call_site *call_site) {
    struct refrain_packer_list list = {
        .kind = REFRAIN_PACKED_HAS, .next = &call_site->operations, .most = REFRAIN_OPERATIONS};
    struct refrain_operation_record *record;
    for (; (record = refrain_packer_next(packer, &list, sizeof *record)); list.next = &record->next) {
        if (packer->to)
            record->after.number = UINT32_MAX;
        refrain_packer_begin(packer, REFRAIN_PACKER_CALL_SITE, UINT32_MAX - call_site->number, list.n);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OPERATION, record->operation);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OPERATION, record->after_return);
        refrain_packer_place(packer, &record->after);
        for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
            refrain_packer_learner(packer, &record->parameter[i]);
    }
}

static void call_site_fields(struct refrain_packer *packer, void *record) {
    struct refrain_call_site *call_site = record;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->function);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->slot);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->thread);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->shared);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, call_site->return_address);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->line);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, call_site->grown_kib);
    refrain_packer_name(packer, &call_site->object);
    refrain_packer_name(packer, &call_site->within);
    refrain_packer_place(packer, &call_site->inside);
    operations(packer, call_site);
    if (packer->to)
        call_site->inside.number = UINT32_MAX;
}

static void overflow_rows(struct refrain_packer *packer, struct refrain_overflow_site *overflow) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .next = &overflow->rows};
    struct refrain_overflow_row *row;
    for (; (row = refrain_packer_next(packer, &list, sizeof *row)); list.next = &row->next) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->operation);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->amounts);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->differ);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->count);
        for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
            REFRAIN_SIGNED(packer, REFRAIN_PACKED_CALL_SITE, row->values[i]);
    }
}

static void overflow_site_fields(struct refrain_packer *packer, void *record) {
    struct refrain_overflow_site *overflow = record;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, overflow->host);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, overflow->flags);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, overflow->slot);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, overflow->calls);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, overflow->where);
    refrain_packer_name(packer, &overflow->object);
    refrain_packer_name(packer, &overflow->within);
    overflow_rows(packer, overflow);
}

static void region_fields(struct refrain_packer *packer, void *record) {
    struct refrain_region_name *region = record;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, region->thread);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, region->use);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, region->address);
    refrain_packer_name(packer, &region->name);
    refrain_packer_name(packer, &region->object);
    refrain_packer_place(packer, &region->inside);
    if (region->use == REFRAIN_USE_FUNCTION)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, region->called_from);
    else
        REFRAIN_FIELD(packer, REFRAIN_PACKED_TICKS, region->total_ticks);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, region->begun);
    if (packer->to)
        region->inside.number = UINT32_MAX;
}

/* A list of records that begin with the reference of the next one. Their numbers are below `count`, and decrease. */
struct numbered {
    enum refrain_packed_record kind;
    size_t bytes, number_at;
    uint32_t count;
    uint64_t most;
    void (*fields)(struct refrain_packer *packer, void *record);
};

static void numbered(struct refrain_packer *packer, uint64_t *first, const struct numbered *records) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .first = (uint32_t)*first, .most = records->most};
    uint32_t before = records->count;
    unsigned char *record;
    for (; (record = refrain_packer_next(packer, &list, records->bytes)); list.next = (uint32_t *)(void *)record) {
        uint32_t *number = (uint32_t *)(void *)(record + records->number_at);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CALL_SITE, *number, before - 1);
        before = *number;
        refrain_packer_begin(packer, records->kind, UINT32_MAX - before, 0);
        records->fields(packer, record);
    }
    if (packer->to)
        *first = list.first;
}

void refrain_packer_call_sites(struct refrain_packer *packer, struct refrain_header *header) {
    const struct numbered call_sites = {
        REFRAIN_PACKER_CALL_SITE, sizeof(struct refrain_call_site), offsetof(struct refrain_call_site, number),
        header->n_call_sites,     REFRAIN_MOST_CALL_SITES + 1,      call_site_fields};
    numbered(packer, &header->call_sites, &call_sites);
}

void refrain_packer_overflow_sites(struct refrain_packer *packer, struct refrain_header *header) {
    const struct numbered overflow_sites = {REFRAIN_PACKER_OVERFLOW_SITE,
                                            sizeof(struct refrain_overflow_site),
                                            offsetof(struct refrain_overflow_site, number),
                                            header->n_call_sites,
                                            REFRAIN_MOST_CALL_SITES + 1,
                                            overflow_site_fields};
    numbered(packer, &header->overflow_sites, &overflow_sites);
}

void refrain_packer_regions(struct refrain_packer *packer, struct refrain_header *header) {
    const struct numbered regions = {REFRAIN_PACKER_REGION,
                                     sizeof(struct refrain_region_name),
                                     offsetof(struct refrain_region_name, number),
                                     header->n_regions,
                                     0,
                                     region_fields};
    numbered(packer, &header->regions, &regions);
}

/* ---- communicators ---- */

static void members(struct refrain_packer *packer, struct refrain_communicator *comm) {
    uint64_t n = (uint64_t)(uint32_t)comm->size + (uint32_t)comm->remote_size;
    if (!refrain_packer_has(packer, comm->members))
        return;
    struct refrain_packer_elements ranks = refrain_packer_bound(packer, n, sizeof(int32_t), UINT32_MAX);
    int32_t *all = refrain_packer_follow(packer, &comm->members, 0, ranks), before = -1;
    for (uint64_t i = 0; all && i < ranks.n && !packer->stream->wrong; i++) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_MEMBER, all[i], (int64_t)before + 1);
        before = all[i];
    }
}

static void topology(struct refrain_packer *packer, struct refrain_communicator *comm) {
    uint64_t n = 0;
    if (!packer->to && comm->topology) {
        const struct refrain_topology *before =
            refrain_packer_trace_file_at(packer, (uint64_t)comm->topology * REFRAIN_ALIGNMENT_BYTES, sizeof *before);
        n = before ? before->n_dimensions : 0;
    }
    n = refrain_packer_value(packer, REFRAIN_PACKED_TOPOLOGY, n);
    struct refrain_packer_elements dimensions = refrain_packer_bound(packer, n, 3 * sizeof(int32_t), 4096);
    struct refrain_topology *topology = refrain_packer_reference(packer, &comm->topology, sizeof *topology, dimensions);
    if (!topology)
        return;
    if (packer->to)
        topology->n_dimensions = (uint32_t)dimensions.n;
    for (uint64_t i = 0; i < 3 * dimensions.n; i++)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_TOPOLOGY, topology->values[i]);
}

void refrain_packer_communicators(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .first = (uint32_t)header->communicators};
    struct refrain_communicator *comm;
    for (; (comm = refrain_packer_next(packer, &list, sizeof *comm)); list.next = &comm->next) {
        refrain_packer_begin(packer, REFRAIN_PACKER_COMMUNICATOR, list.n - 1, 0);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_COMM, comm->index, list.n - 1);
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_COMM, comm->leader);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COMM, comm->ordinal);
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_COMM, comm->size);
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_COMM, comm->my_rank);
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_COMM, comm->remote_size);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COMM, comm->parent);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COMM, comm->collectives);
        refrain_packer_name(packer, &comm->name);
        members(packer, comm);
        topology(packer, comm);
    }
    if (packer->to)
        header->communicators = list.first;
}

/* ---- windows and files ---- */

void refrain_packer_objects(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .next = &header->objects};
    struct refrain_object *object;
    for (; (object = refrain_packer_next(packer, &list, sizeof *object)); list.next = &object->next) {
        refrain_packer_begin(packer, REFRAIN_PACKER_OBJECT, list.n - 1, 0);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, object->kind);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_OBJECT, object->number, list.n - 1);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, object->comm);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, object->slot);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, object->open);
        refrain_packer_name(packer, &object->name);
    }
}

/* ---- files with code ---- */

void refrain_packer_binaries(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .next = &header->binaries};
    struct refrain_binary *binary;
    for (; (binary = refrain_packer_next(packer, &list, sizeof *binary)); list.next = &binary->next) {
        refrain_packer_begin(packer, REFRAIN_PACKER_BINARY, list.n - 1, 0);
        refrain_packer_name(packer, &binary->path);
        refrain_packer_name(packer, &binary->build_id);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, binary->file_bytes);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_OBJECT, binary->changed_ns);
    }
}
