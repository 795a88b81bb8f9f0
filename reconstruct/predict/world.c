/* world.c: see world.h. */
#include "predict/world.h"
#include "common/array.h"

#include <stdlib.h>

bool refrain_world_open(struct refrain_world *world, int32_t ranks) {
    *world = (struct refrain_world){.ranks = ranks};
    if (!REFRAIN_ARRAY_ROOMS(world->comms, 0, 2, world->capacity))
        return false;
    world->comms[0] = (struct refrain_world_comm){0};
    world->comms[1] = (struct refrain_world_comm){.defined = 1};
    world->n_comms = 2;
    return true;
}

void refrain_world_close(struct refrain_world *world) {
    for (size_t i = 0; i < world->n_comms; i++) {
        free(world->comms[i].members);
        free(world->comms[i].totals);
    }
    free(world->comms);
    refrain_table_close(&world->parts);
    *world = (struct refrain_world){0};
}

size_t refrain_world_part(struct refrain_world *world, size_t parent, size_t before, uint64_t group, int32_t first) {
    uint64_t which = (uint64_t)parent << 32 | (uint32_t)before, who = group << 32 | (uint32_t)first;
    uintptr_t known = refrain_table_number(&world->parts, which, who);
    if (known)
        return known;
    if (!REFRAIN_ARRAY_ROOM(world->comms, world->n_comms, world->capacity) ||
        !refrain_table_put(&world->parts, which, who, world->n_comms))
        return SIZE_MAX;
    world->comms[world->n_comms] = (struct refrain_world_comm){.parent = parent};
    return world->n_comms++;
}

bool refrain_world_join(struct refrain_world *world, size_t number, int64_t key, int32_t rank, int64_t own_number) {
    struct refrain_world_comm *comm = &world->comms[number];
    if (!REFRAIN_ARRAY_ROOM(comm->members, comm->n, comm->capacity))
        return false;
    if (comm->n == 0)
        comm->own_number = own_number;
    comm->members[comm->n++] = (struct refrain_world_member){key, rank};
    return true;
}

bool refrain_world_add(struct refrain_world *world, size_t number, size_t i, int64_t amount) {
    struct refrain_world_comm *comm = &world->comms[number];
    for (; comm->n_totals <= i; comm->n_totals++) {
        if (!REFRAIN_ARRAY_ROOM(comm->totals, comm->n_totals, comm->totals_capacity))
            return false;
        comm->totals[comm->n_totals] = 0;
    }
    comm->totals[i] += amount;
    return true;
}

static int by_key(const void *a, const void *b) {
    const struct refrain_world_member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* True if the second one is the first one, made again. */
static bool same(const struct refrain_world *world, const struct refrain_world_comm *a,
                 const struct refrain_world_comm *b) {
    bool same = a->n == b->n && a->own_number == b->own_number &&
                world->comms[a->parent].defined == world->comms[b->parent].defined;
    for (size_t i = 0; i < a->n && same; i++)
        same = a->members[i].rank == b->members[i].rank;
    return same;
}

bool refrain_world_settle(struct refrain_world *world) {
    struct refrain_table known = {0}; /* (first member, its number and how many others have it) -> communicator */
    uint32_t n = 2;
    bool settled = true;
    for (size_t i = 2; i < world->n_comms && settled; i++) {
        struct refrain_world_comm *comm = &world->comms[i];
        qsort(comm->members, comm->n, sizeof *comm->members, by_key);
        uint64_t who = comm->n ? (uint64_t)comm->members[0].rank : 0, which = (uint64_t)comm->own_number << 32;
        uintptr_t before;
        while ((before = refrain_table_number(&known, who, which)) && !same(world, &world->comms[before], comm))
            which++;
        comm->again = before != 0;
        comm->defined = before ? world->comms[before].defined : n++;
        settled = before || refrain_table_put(&known, who, which, i);
    }
    refrain_table_close(&known);
    return settled;
}

int32_t refrain_world_rank(const struct refrain_world *world, size_t number, int32_t own, int64_t place) {
    const struct refrain_world_comm *comm = &world->comms[number];
    int64_t size = number == 0 ? world->ranks : number == 1 ? 1 : (int64_t)comm->n;
    if (place < 0 || place >= size)
        return -1;
    return number == 0 ? (int32_t)place : number == 1 ? own : comm->members[place].rank;
}
