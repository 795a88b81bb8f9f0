/* packed_tables.c: what a process lists, as values: call sites, user regions, communicators, windows and files
 * (packer.h). */
#include "packer.h"
#include <refrain/settings.h>

/* ---- call sites, user regions ---- */

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

void refrain_packer_call_sites(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {
        .kind = REFRAIN_PACKED_HAS, .first = (uint32_t)header->call_sites, .most = REFRAIN_MOST_CALL_SITES + 1};
    uint32_t before = header->n_call_sites;
    struct refrain_call_site *call_site;
    for (; (call_site = refrain_packer_next(packer, &list, sizeof *call_site)); list.next = &call_site->next) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CALL_SITE, call_site->number, before - 1);
        before = call_site->number;
        refrain_packer_begin(packer, REFRAIN_PACKER_CALL_SITE, UINT32_MAX - call_site->number, 0);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->function);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->slot);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->thread);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->shared);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, call_site->return_address);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, call_site->line);
        refrain_packer_name(packer, &call_site->object);
        refrain_packer_name(packer, &call_site->within);
        refrain_packer_place(packer, &call_site->inside);
        operations(packer, call_site);
        if (packer->to)
            call_site->inside.number = UINT32_MAX;
    }
    if (packer->to)
        header->call_sites = list.first;
}

static void guest_rows(struct refrain_packer *packer, struct refrain_guest *guest) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .next = &guest->rows};
    struct refrain_guest_row *row;
    for (; (row = refrain_packer_next(packer, &list, sizeof *row)); list.next = &row->next) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->operation);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->amounts);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->differ);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, row->count);
        for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
            REFRAIN_SIGNED(packer, REFRAIN_PACKED_CALL_SITE, row->values[i]);
    }
}

void refrain_packer_guests(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {
        .kind = REFRAIN_PACKED_HAS, .first = (uint32_t)header->guests, .most = REFRAIN_MOST_CALL_SITES + 1};
    uint32_t before = header->n_call_sites;
    struct refrain_guest *guest;
    for (; (guest = refrain_packer_next(packer, &list, sizeof *guest)); list.next = &guest->next) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CALL_SITE, guest->number, before - 1);
        before = guest->number;
        refrain_packer_begin(packer, REFRAIN_PACKER_GUEST, UINT32_MAX - guest->number, 0);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, guest->host);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, guest->flags);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, guest->slot);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, guest->calls);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, guest->where);
        refrain_packer_name(packer, &guest->object);
        refrain_packer_name(packer, &guest->within);
        guest_rows(packer, guest);
    }
    if (packer->to)
        header->guests = list.first;
}

void refrain_packer_regions(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .first = (uint32_t)header->regions};
    uint32_t before = header->n_regions;
    struct refrain_region_name *region;
    for (; (region = refrain_packer_next(packer, &list, sizeof *region)); list.next = &region->next) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CALL_SITE, region->number, before - 1);
        before = region->number;
        refrain_packer_begin(packer, REFRAIN_PACKER_REGION, UINT32_MAX - region->number, 0);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, region->thread);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, region->use);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, region->address);
        refrain_packer_name(packer, &region->name);
        refrain_packer_name(packer, &region->object);
        refrain_packer_place(packer, &region->inside);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_TICKS, region->total_ticks);
        if (packer->to)
            region->inside.number = UINT32_MAX;
    }
    if (packer->to)
        header->regions = list.first;
}

/* ---- communicators ---- */

static void members(struct refrain_packer *packer, struct refrain_communicator *comm) {
    uint64_t n = (uint64_t)(uint32_t)comm->size + (uint32_t)comm->remote_size;
    int32_t *all = refrain_packer_reference(packer, &comm->members, n * sizeof *all), before = -1;
    for (uint64_t i = 0; all && i < n && !packer->stream->wrong; i++) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_MEMBER, all[i], (int64_t)before + 1);
        before = all[i];
    }
}

static void topology(struct refrain_packer *packer, struct refrain_communicator *comm) {
    uint64_t n = 0;
    if (!packer->to && comm->topology) {
        const struct refrain_topology *before =
            refrain_packer_trace_file_at(packer, (uint64_t)comm->topology * REFRAIN_GRAIN_BYTES, sizeof *before);
        n = before ? before->n_dimensions : 0;
    }
    n = refrain_packer_value(packer, REFRAIN_PACKED_TOPOLOGY, n);
    struct refrain_topology *topology =
        n > 4096 ? refrain_packer_fail(packer, "a topology of too many dimensions")
                 : refrain_packer_reference(packer, &comm->topology, sizeof *topology + 3 * n * sizeof(int32_t));
    if (!topology)
        return;
    if (packer->to)
        topology->n_dimensions = (uint32_t)n;
    for (uint64_t i = 0; i < 3 * n; i++)
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
