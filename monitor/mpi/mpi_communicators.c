/* mpi_communicators.c: the table of communicators (mpi_communicators.h).
 *
 *     handle --map--> struct communicator --> struct refrain_communicator in the trace file, members as ranks in
 * MPI_COMM_WORLD
 *
 * The leader of a communicator is its rank 0 (of an intercommunicator: the rank 0 that is lower in MPI_COMM_WORLD). It
 * chooses an ordinal and broadcasts it in the new communicator. The pair (leader, ordinal) is the communicator's name
 * on all members.
 *
 * When a communicator is freed, its record stays, since the trace refers to it. A later communicator with the same
 * members, parent and topology uses the record again: the leader chooses the ordinal of the freed one. So a program
 * that makes and frees communicators in a loop needs bounded memory. If some members belong to another MPI_COMM_WORLD,
 * they may not be traced, so nothing is agreed on. All members know alike whether there are any. */
#define _GNU_SOURCE
#include "mpi_communicators.h"
#include "arch/arch.h"
#include "mpi_map.h"
#include "mpi_members.h"
#include "run/pool.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <string.h>
#include <sys/mman.h>

#define MOST_COMMUNICATORS (REFRAIN_ALIKE_PARTS * REFRAIN_ALIKE_COMMUNICATORS)
_Static_assert(MOST_COMMUNICATORS <= UINT16_MAX, "an index fits refrain_trace_file.alike");
#define PART_COMMUNICATORS 16u /* records in a further part of the table */

/* Ordinals from here on are not chosen by a leader. They name the duplicates that MPI_Comm_idup makes of the
 * intercommunicator with ordinal `parent`. No nonblocking broadcast reaches both groups, but all members count these
 * duplicates alike. */
#define ORDINAL_IDUP 0x80000000u
#define MOST_IDUPS 256u /* largest number of such duplicates */
#define ordinal_of_idup(parent, n) (ORDINAL_IDUP | (parent)*MOST_IDUPS | (n) % MOST_IDUPS)

struct communicator {
    MPI_Comm handle; /* while live */
    struct refrain_communicator *record;
    uint64_t hash;                /* hash of the members */
    uint64_t alike;               /* hash of everything that is_like() compares */
    struct communicator *next;    /* the next one in its chain */
    struct communicator *younger; /* the one that was made next */
    struct communicator *other;   /* of the oldest one with its members: the oldest one of other members in its chain */
    uint32_t n_idups;             /* of an intercommunicator: number of duplicates made by MPI_Comm_idup */
    bool live;
};

static struct communicator first_room[REFRAIN_COMMUNICATORS], *room = first_room; /* memory for the next records ... */
static uint32_t room_left = REFRAIN_COMMUNICATORS;                                /* ... and their number */
static struct communicator *oldest, *youngest;
static uint32_t n_communicators;
static struct {
    struct communicator *first, *last;
} chains[REFRAIN_COMMUNICATORS / 2]; /* by `alike`, each in the order of age */
static struct communicator
    *by_members[REFRAIN_COMMUNICATORS / 2]; /* chains of those that are the oldest with their members */
static uint16_t first_alike[REFRAIN_ALIKE_COMMUNICATORS];
static struct refrain_map_entry entries[REFRAIN_COMMUNICATORS * 2];
static struct refrain_map handles = REFRAIN_MAP(entries);
static uint32_t next_ordinal;
static bool some_unfiled; /* the map had no memory for the handles of some communicators */

/* ---- records ---- */

struct description {
    const struct refrain_members *members;
    uint64_t alike;
    uint32_t parent; /* index of the parent + 1 */
    uint32_t n_dimensions, n_values;
    int32_t topology[3 * REFRAIN_MOST_DIMENSIONS];
};

static void hash_description(struct description *description) {
    const struct refrain_members *members = description->members;
    description->alike =
        refrain_members_hash(refrain_members_hash(members->hash, description->parent), (uint64_t)members->my_rank);
    for (uint32_t i = 0; i < description->n_values; i++)
        description->alike = refrain_members_hash(description->alike, (uint64_t)description->topology[i]);
}

static void describe(struct description *description, const struct refrain_members *members, uint32_t parent,
                     MPI_Comm comm) {
    description->members = members;
    description->parent = parent;
    description->n_values = refrain_topology_read(comm, description->topology, &description->n_dimensions);
    hash_description(description);
}

static uint32_t chain_of(uint64_t alike) {
    return (uint32_t)(alike ^ alike >> 32) % (sizeof chains / sizeof *chains);
}

/* The first communicator that may be equal to the description. Null if there is none. */
static struct communicator *first_like(const struct description *description) {
    return chains[chain_of(description->alike)].first;
}

static void add_to_chain(struct communicator *communicator) {
    uint32_t chain = chain_of(communicator->alike);
    *(chains[chain].last ? &chains[chain].last->next : &chains[chain].first) = communicator;
    chains[chain].last = communicator;
}

/* True if the record is equal to the description, except for the name. */
static bool is_like(const struct communicator *communicator, const struct description *description) {
    const struct refrain_communicator *record = communicator->record;
    const struct refrain_members *members = description->members;
    if (communicator->alike != description->alike || record->size != members->size ||
        record->parent != description->parent || record->remote_size != members->remote_size ||
        record->my_rank != members->my_rank || (record->members == 0) != members->identity ||
        (record->topology == 0) != (description->n_values == 0))
        return false;
    if (record->members && memcmp(refrain_at_reference(record->members), members->ranks,
                                  sizeof(int32_t) * (size_t)(members->size + members->remote_size)) != 0)
        return false;
    if (record->topology == 0)
        return true;
    const struct refrain_topology *topology = refrain_at_reference(record->topology);
    return topology->n_dimensions == description->n_dimensions &&
           memcmp(topology->values, description->topology, sizeof(int32_t) * description->n_values) == 0;
}

static struct communicator **chain_of_members(uint64_t hash) {
    return &by_members[(uint32_t)(hash ^ hash >> 32) % (sizeof by_members / sizeof *by_members)];
}

/* The oldest communicator with these members. Null if there is none. */
static struct communicator *oldest_of(const struct refrain_members *members) {
    size_t bytes = sizeof(int32_t) * (size_t)(members->size + members->remote_size);
    for (struct communicator *one = *chain_of_members(members->hash); one; one = one->other) {
        const struct refrain_communicator *record = one->record;
        if (one->hash == members->hash && (record->members == 0) == members->identity &&
            record->size == members->size && record->remote_size == members->remote_size &&
            (members->identity || memcmp(refrain_at_reference(record->members), members->ranks, bytes) == 0))
            return one;
    }
    return NULL;
}

/* Stores the members, and returns their reference. 0 without memory. */
static uint32_t store_members(const struct refrain_members *members) {
    size_t bytes = sizeof(int32_t) * (size_t)(members->size + members->remote_size);
    void *copy = refrain_pool_take(bytes, REFRAIN_POOL_COMMUNICATORS);
    if (!copy)
        return 0;
    memcpy(copy, members->ranks, bytes);
    return refrain_reference(copy);
}

static uint32_t topology_reference(const struct description *description) {
    struct refrain_topology *topology =
        refrain_pool_take(sizeof *topology + sizeof(int32_t) * description->n_values, REFRAIN_POOL_ALIKE);
    if (!topology)
        return 0;
    topology->n_dimensions = description->n_dimensions;
    memcpy(topology->values, description->topology, sizeof(int32_t) * description->n_values);
    return refrain_reference(topology);
}

/* The entry of the table that says which communicator has the same members. */
static uint16_t *alike_of(uint32_t index) {
    return &refrain_trace_file.alike[index / REFRAIN_ALIKE_COMMUNICATORS][index % REFRAIN_ALIKE_COMMUNICATORS];
}

/* Takes memory for another one. False without memory. */
static bool make_room(void) {
    uint16_t **alike = &refrain_trace_file.alike[n_communicators / REFRAIN_ALIKE_COMMUNICATORS];
    if (n_communicators == MOST_COMMUNICATORS || !refrain_trace_file.base)
        return false;
    if (!*alike)
        *alike = n_communicators == 0 ? first_alike : refrain_pool_take_for_open(sizeof first_alike);
    if (*alike && room_left > 0)
        return true;
    struct communicator *part = *alike ? refrain_pool_take_for_open(sizeof *part * PART_COMMUNICATORS) : NULL;
    if (!part)
        return false;
    room = part;
    room_left = PART_COMMUNICATORS;
    return true;
}

/* Makes a record. Null without memory. */
static struct communicator *make(const struct description *description, int leader, uint32_t ordinal) {
    const struct refrain_members *members = description->members;
    const struct communicator *alike = oldest_of(members);
    uint32_t reference = alike ? alike->record->members : 0;
    struct refrain_communicator *record = NULL;
    if (make_room() && (alike || members->identity || (reference = store_members(members)) != 0))
        record = refrain_pool_take(sizeof *record, alike ? REFRAIN_POOL_ALIKE : REFRAIN_POOL_COMMUNICATORS);
    if (!record) {
        refrain_lose(REFRAIN_LOSS_COMMUNICATORS, 1);
        return NULL;
    }
    record->index = n_communicators;
    record->leader = ordinal == REFRAIN_ORDINAL_NONE ? -1 : leader;
    record->ordinal = ordinal == REFRAIN_ORDINAL_NONE ? 0 : ordinal;
    record->size = members->size;
    record->my_rank = members->my_rank;
    record->remote_size = members->remote_size;
    record->members = reference;
    record->parent = description->parent;
    if (description->n_values)
        record->topology = topology_reference(description);
    struct communicator *made = room++;
    room_left--;
    *made = (struct communicator){.record = record, .hash = members->hash, .alike = description->alike};
    add_to_chain(made);
    *alike_of(record->index) = (uint16_t)(alike ? alike->record->index : record->index);
    if (!alike) {
        struct communicator **chain = chain_of_members(made->hash);
        made->other = *chain;
        *chain = made;
    }
    if (youngest)
        refrain_publish(&youngest->record->next, refrain_reference(record));
    else
        refrain_publish(&refrain_trace_file.header->communicators, refrain_reference(record));
    *(youngest ? &youngest->younger : &oldest) = made;
    youngest = made;
    refrain_trace_file.header->n_communicators = ++n_communicators;
    return made;
}

/* The communicator with this handle. Null if there is none. */
static struct communicator *of_handle(MPI_Comm comm) {
    return (struct communicator *)(intptr_t)refrain_map_get(&handles, REFRAIN_MPI_KEY(comm), 0);
}

static void forget(MPI_Comm comm) {
    refrain_mpi_often.latest_record = NULL;
    struct communicator *communicator = of_handle(comm);
    if (!communicator)
        return;
    if (communicator->handle == comm)
        communicator->live = false;
    refrain_map_remove(&handles, REFRAIN_MPI_KEY(comm));
}

/* Adds the handle to the map. False without memory. */
static bool file_handle(struct communicator *communicator, MPI_Comm comm) {
    forget(comm);
    if (refrain_map_put(&handles, REFRAIN_MPI_KEY(comm), (intptr_t)communicator))
        return true;
    some_unfiled = true;
    return false;
}

static void remember(struct communicator *communicator, MPI_Comm comm) {
    communicator->live = file_handle(communicator, comm);
    communicator->handle = comm;
    if (!communicator->live)
        refrain_lose(REFRAIN_LOSS_COMMUNICATORS, 1);
}

/* Gives the communicator the record with its name, or a new one. Without memory it uses the record of the oldest
 * communicator with the same members, so the meaning of its ranks is known. The caller holds the lock. */
static void place(MPI_Comm comm, const struct description *description, uint32_t ordinal) {
    int leader = ordinal == REFRAIN_ORDINAL_NONE ? -1 : description->members->leader;
    struct communicator *found = first_like(description);
    while (found && !(found->record->leader == leader &&
                      (leader >= 0 ? found->record->ordinal == ordinal : !found->live) && is_like(found, description)))
        found = found->next;
    if (!found && refrain_trace_file.base)
        found = make(description, leader, ordinal);
    if (found)
        remember(found, comm);
    else if ((found = oldest_of(description->members)))
        file_handle(found, comm);
}

/* Chooses an ordinal, on the leader. The caller holds the lock. */
static uint32_t choose(const struct description *description) {
    for (struct communicator *one = first_like(description); one; one = one->next)
        if (!one->live && one->record->leader == refrain_world.rank && one->record->ordinal < ORDINAL_IDUP &&
            is_like(one, description)) {
            one->live = true; /* so no other thread chooses it before it is placed */
            return one->record->ordinal;
        }
    return make_room() ? next_ordinal++ : REFRAIN_ORDINAL_NONE;
}

static uint32_t parent_of(MPI_Comm parent) {
    const struct communicator *communicator = parent == MPI_COMM_NULL ? NULL : of_handle(parent);
    return communicator ? communicator->record->index + 1 : 0;
}

/* ---- agreement ---- */

/* Broadcasts the ordinal from the leader to all members; in an intercommunicator, to both groups, one after the other.
 */
static void broadcast_ordinal(MPI_Comm comm, const struct refrain_members *members, uint32_t *ordinal) {
    if (members->remote_size == 0) {
        PMPI_Bcast(ordinal, 1, MPI_UNSIGNED, 0, comm);
        return;
    }
    int root = members->my_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    uint32_t echo;
    if (members->local) {
        PMPI_Bcast(ordinal, 1, MPI_UNSIGNED, root, comm);
        PMPI_Bcast(&echo, 1, MPI_UNSIGNED, 0, comm);
        *ordinal = members->my_rank == 0 ? *ordinal : echo;
    } else {
        PMPI_Bcast(ordinal, 1, MPI_UNSIGNED, 0, comm);
        PMPI_Bcast(ordinal, 1, MPI_UNSIGNED, root, comm);
    }
}

static void new_by_gathering(MPI_Comm parent, MPI_Comm comm) {
    struct refrain_members members;
    struct description description;
    refrain_members_measure(comm, &members);
    int larger = members.size > members.remote_size ? members.size : members.remote_size;
    if (members.foreign)
        return;
    size_t bytes = 2 * sizeof(int) * (size_t)larger;
    int *ranks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool mapped = ranks != MAP_FAILED;
    refrain_members_gather(comm, &members, mapped ? ranks : refrain_world.scratch); /* all members have to take part */
    refrain_mpi_lock();
    describe(&description, &members, parent_of(parent), comm);
    uint32_t ordinal = members.local && members.my_rank == 0 ? choose(&description) : REFRAIN_ORDINAL_NONE;
    refrain_mpi_unlock();
    broadcast_ordinal(comm, &members, &ordinal);
    refrain_mpi_lock();
    place(comm, &description, ordinal);
    refrain_mpi_unlock();
    if (mapped)
        munmap(ranks, bytes);
}

void refrain_communicator_new(MPI_Comm parent, MPI_Comm comm) {
    if (!refrain_mpi_active || comm == MPI_COMM_NULL)
        return;
    if (!refrain_mpi_world) {
        new_by_gathering(parent, comm);
        return;
    }
    struct refrain_members members;
    struct description description;
    uint32_t ordinal = REFRAIN_ORDINAL_NONE;
    refrain_mpi_lock();
    refrain_members_read(comm, &members);
    if (!members.unreadable)
        describe(&description, &members, parent_of(parent), comm);
    if (!members.foreign && members.local && members.my_rank == 0)
        ordinal = choose(&description);
    refrain_mpi_unlock();
    if (members.unreadable) {
        refrain_lose(REFRAIN_LOSS_COMMUNICATORS, 1);
        return;
    }
    if (!members.foreign)
        broadcast_ordinal(comm, &members, &ordinal);
    refrain_mpi_lock();
    if (refrain_mpi_multiple)
        refrain_members_read(comm, &members); /* another thread may have used the scratch array */
    place(comm, &description, ordinal);
    refrain_mpi_unlock();
}

void refrain_communicator_new_of_session(MPI_Comm comm) {
    if (!refrain_mpi_active || comm == MPI_COMM_NULL)
        return;
    int size;
    PMPI_Comm_size(comm, &size);
    if (!refrain_mpi_world && size == refrain_world.size) /* the first communicator that contains all processes */
        refrain_mpi_choose_directory(comm, refrain_world.rank, refrain_world.size);
    new_by_gathering(MPI_COMM_NULL, comm);
}

/* The ordinal of an intercommunicator's next duplicate. None if the intercommunicator has no name, or is such a
 * duplicate itself. The caller holds the lock. */
static uint32_t next_idup(MPI_Comm parent) {
    struct communicator *communicator = of_handle(parent);
    if (!communicator || communicator->record->leader < 0 || communicator->record->ordinal >= ORDINAL_IDUP / MOST_IDUPS)
        return REFRAIN_ORDINAL_NONE;
    return ordinal_of_idup(communicator->record->ordinal, communicator->n_idups++);
}

/* Duplicates of a session's communicators get no name. */
bool refrain_communicator_reserve(MPI_Comm parent, uint32_t *ordinal, bool wanted) {
    struct refrain_members members;
    struct description description;
    *ordinal = REFRAIN_ORDINAL_NONE;
    if (!refrain_mpi_world)
        return false;
    refrain_mpi_lock();
    refrain_members_read(parent, &members);
    bool agreed = !members.foreign && members.remote_size == 0;
    if (agreed && wanted && members.my_rank == 0) {
        describe(&description, &members, parent_of(parent), parent);
        *ordinal = choose(&description);
    } else if (!members.foreign && members.remote_size > 0) {
        *ordinal = next_idup(parent);
    }
    refrain_mpi_unlock();
    return agreed;
}

/* True if there is a live communicator with this name. */
static bool is_live(int leader, uint32_t ordinal) {
    for (const struct communicator *one = oldest; one; one = one->younger)
        if (one->live && one->record->leader == leader && one->record->ordinal == ordinal)
            return true;
    return false;
}

void refrain_communicator_duplicated(MPI_Comm parent, MPI_Comm comm, uint32_t ordinal) {
    struct refrain_members members;
    struct description description;
    if (!refrain_mpi_world)
        return;
    refrain_mpi_lock();
    refrain_members_read(comm, &members);
    if (!members.unreadable) {
        describe(&description, &members, parent_of(parent), comm);
        if (members.remote_size > 0 && is_live(members.leader, ordinal))
            ordinal = REFRAIN_ORDINAL_NONE;
        place(comm, &description, ordinal);
    }
    refrain_mpi_unlock();
}

/* ---- the rest ---- */

/* If the map had no memory for a handle, its communicator is found by the members. */
static const struct refrain_communicator *find_locked(MPI_Comm comm) {
    const struct communicator *communicator = of_handle(comm);
    if (!communicator && some_unfiled && refrain_mpi_world && comm != MPI_COMM_NULL) {
        struct refrain_members members;
        refrain_members_read(comm, &members);
        communicator = members.unreadable ? NULL : oldest_of(&members);
    }
    return communicator ? communicator->record : NULL;
}

const struct refrain_communicator *refrain_communicator_find_other(MPI_Comm comm) {
    refrain_mpi_lock();
    const struct refrain_communicator *record = find_locked(comm);
    if (!refrain_mpi_multiple) {
        refrain_mpi_often.latest = comm;
        refrain_mpi_often.latest_record = record;
    }
    refrain_mpi_unlock();
    return record;
}

void refrain_communicator_freed(MPI_Comm former) {
    refrain_mpi_lock();
    forget(former);
    refrain_mpi_unlock();
}

/* The first name gets the memory of the longest one, so renaming takes no more. */
void refrain_communicator_named(MPI_Comm comm, const char *text) {
    refrain_mpi_lock();
    struct communicator *communicator = of_handle(comm);
    struct refrain_communicator *record = communicator ? communicator->record : NULL;
    size_t length = strnlen(text, MPI_MAX_OBJECT_NAME - 1);
    if (record) {
        struct refrain_name *name = record->name
                                        ? refrain_at_reference(record->name)
                                        : refrain_pool_take(sizeof *name + MPI_MAX_OBJECT_NAME, REFRAIN_POOL_FIRST_MET);
        if (name) {
            name->length = (uint32_t)length;
            memcpy(name->text, text, length);
            name->text[length] = 0;
            refrain_publish(&record->name, refrain_reference(name));
        }
    }
    refrain_mpi_unlock();
}

const struct refrain_communicator *refrain_communicator_at(int64_t index) {
    for (uint32_t reference = (uint32_t)refrain_trace_file.header->communicators; reference;) {
        const struct refrain_communicator *communicator = refrain_at_reference(reference);
        if (communicator->index == index)
            return communicator;
        reference = communicator->next;
    }
    return NULL;
}

int refrain_communicator_world_rank(const struct refrain_communicator *communicator, int rank) {
    if (!communicator || rank < 0)
        return -1;
    if (communicator->remote_size ? rank >= communicator->remote_size : rank >= communicator->size)
        return -1;
    if (communicator->members == 0)
        return rank;
    const int32_t *ranks = refrain_at_reference(communicator->members);
    return ranks[(communicator->remote_size ? communicator->size : 0) + rank];
}

/* Makes the record of one of the two communicators that always exist. */
static void make_predefined(const int *ranks, int size, int my_rank, uint32_t ordinal) {
    struct refrain_members members = {.ranks = ranks, .size = size, .my_rank = my_rank};
    refrain_members_conclude(&members);
    struct description description = {.members = &members};
    hash_description(&description);
    make(&description, members.leader, ordinal);
}

bool refrain_communicators_open(int rank, int size, bool has_world) {
    if (!refrain_world.ranks) {
        next_ordinal = 2;
        if (!refrain_members_open(rank, size))
            return false;
        if (refrain_trace_file.base) {
            make_predefined(refrain_world.ranks, size, rank, 0);
            make_predefined(&refrain_world.rank, 1, 0, 1);
        }
    }
    if (!has_world)
        return true;
    PMPI_Comm_group(MPI_COMM_WORLD, &refrain_world.group);
    if (n_communicators >= 2) {
        refrain_mpi_often.world = oldest->record;
        remember(oldest, MPI_COMM_WORLD);
        remember(oldest->younger, MPI_COMM_SELF);
        refrain_communicator_named(MPI_COMM_WORLD, "MPI_COMM_WORLD");
        refrain_communicator_named(MPI_COMM_SELF, "MPI_COMM_SELF");
    }
    return true;
}

void refrain_communicators_close(void) {
    if (refrain_mpi_world)
        PMPI_Group_free(&refrain_world.group);
}
