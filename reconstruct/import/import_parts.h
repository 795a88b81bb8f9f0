/* import_parts.h: what the files behind import_trace.h share.
 *
 *     import_trace.c         opens the trace, and the files of a rank that has events; writes their regions at the end
 *     import_definitions.c   regions and communicators, and their numbers in a rank's records
 *     import_records.c       records in the extents of a rank's event file, each of one thread
 *     import_events.c        events as records: requests under way, collectives of which more is known later */
#ifndef REFRAIN_IMPORT_PARTS_H
#define REFRAIN_IMPORT_PARTS_H

#include "common/table.h"
#include "import/import_image.h"
#include "import/import_objects.h"
#include "import/import_trace.h"
#include "walk/request_table.h"
#include <refrain/event_file.h>
#include <refrain/trace.h>

struct refrain_import_region_entry {
    enum refrain_region_kind kind;
    enum refrain_region_use use; /* USER */
    char *name, *file;
    uint32_t line, function;
};

struct refrain_import_location {
    struct refrain_request_table requests;
    struct refrain_table names;
    uint64_t collective_at; /* record of the collective that it has begun last */
    uint64_t extent;        /* where the extent begins that is written */
    uint32_t extent_used;   /* bytes of it; 0: there is none yet */
    int64_t last_ns;
    bool ran;
};

struct refrain_import_rank {
    struct refrain_sink *events;
    struct refrain_import_location *threads;
    uint32_t n_threads;
    uint32_t *numbers; /* by region: its number in this rank + 1; 0 none yet */
    size_t n_numbers;
    uint32_t n_functions, n_call_sites, n_user_regions;
    uint32_t *comms; /* those it uses, behind MPI_COMM_WORLD and MPI_COMM_SELF: indices among the import's */
    size_t n_comms, capacity_comms;
    struct refrain_import_objects objects;
};

struct refrain_import {
    struct refrain_error *error;
    char *directory, *program, *source;
    uint64_t start_ns;
    int32_t n_ranks;
    struct refrain_import_rank *ranks;
    struct refrain_import_region_entry *regions;
    size_t n_regions, capacity_regions;
    struct refrain_table by_name; /* number of the region + 1, by the hash of its texts and how many have it before */
    struct refrain_import_image_comm *comms; /* from number 2 on; members and names are owned */
    size_t n_comms, capacity_comms;
    struct refrain_table own_comms; /* by rank and communicator: the number that the rank has for it */
    uint64_t events, left_out;
    bool made, no_memory, no_file;
};

/* ---- import_trace.c ---- */

/* The rank's event file is there from now on; false where it cannot be. A rank of which nothing is known but that
 * others named it has no files: a text may be damaged, and name any. */
bool refrain_import_begin_rank(struct refrain_import *import, int32_t number);

/* ---- import_definitions.c ---- */

/* The number that the rank's records have for a region. Functions have two slots each. */
uint64_t refrain_import_number_of(struct refrain_import *import, struct refrain_import_rank *rank, uint32_t region);

/* The number that the rank's records have for the event's communicator; -1 none. A rank has only those it uses: all in
 * each would be as many as ranks times communicators, and a number in a damaged text may be any. */
int64_t refrain_import_comm_number(struct refrain_import *import, const struct refrain_import_event *event);

/* Gives the communicators that no rank uses to rank 0, so that the numbers of the others stay. False without memory. */
bool refrain_import_keep_comms(struct refrain_import *import);

/* The rank in the communicator that stands for `peer` in operations of the event's rank; -1 where there is none. */
int64_t refrain_import_rank_in(const struct refrain_import *import, const struct refrain_import_event *event,
                               int32_t peer);

/* The same of the event's root: those of this side of an intercommunicator are no rank of the other side. */
int64_t refrain_import_root_in(const struct refrain_import *import, const struct refrain_import_event *event);

/* ---- import_records.c ---- */

/* Ends the last extent of each thread. A file has one extent at least. */
void refrain_import_end_extents(struct refrain_import_rank *rank);

/* Writes a record of the event's location, which is known; returns where. */
uint64_t refrain_import_put(struct refrain_import *import, const struct refrain_import_event *event,
                            enum refrain_record_kind kind, enum refrain_operation operation, const int64_t *parameters,
                            unsigned n);

/* Changes a parameter of a record that is written. */
void refrain_import_amend(struct refrain_import *import, int32_t rank, uint64_t record_at, unsigned parameter,
                          int64_t value);

#endif
