/* import_parts.h: shared by the files behind import_trace.h.
 *
 *     import_trace.c         opens the trace and the files of a rank with events; writes its regions at the end
 *     import_definitions.c   regions and communicators, and their numbers in the records of a rank
 *     import_records.c       records in the extents of a rank's event file; an extent belongs to one thread
 *     import_events.c        events -> records: pending requests, and collectives that are completed later */
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
    enum refrain_region_use use; /* of a USER region */
    char *name, *file;
    uint32_t line, function;
};

struct refrain_import_location {
    struct refrain_request_table requests;
    struct refrain_table names;
    uint64_t collective_at; /* position of the record of its latest collective */
    uint64_t extent;        /* begin of its current extent */
    uint32_t extent_used;   /* bytes used in it; 0: no extent yet */
    int64_t last_ns;
    bool ran;
};

struct refrain_import_rank {
    bool made;                   /* it has a file of events */
    struct refrain_sink *events; /* null once the rank has ended */
    struct refrain_import_location *threads;
    uint32_t n_threads;
    uint32_t *numbers; /* by region: its number in this rank + 1; 0 none yet */
    size_t n_numbers;
    uint32_t n_functions, n_call_sites, n_user_regions;
    uint32_t *comms; /* used by the rank, besides MPI_COMM_WORLD and MPI_COMM_SELF: indices among those of the import */
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
    struct refrain_table
        by_name; /* (hash of its texts, number of earlier regions with this hash) -> number of the region + 1 */
    struct refrain_import_image_comm *comms; /* from number 2 on; members and names are owned */
    size_t n_comms, capacity_comms;
    struct refrain_table own_comms; /* (rank, communicator) -> number that the rank gives it */
    uint64_t events, left_out;
    bool made, no_memory, no_file;
};

/* ---- import_trace.c ---- */

/* Makes the event file of the rank, if there is none; false if that fails. Only ranks with events get files, since a
 * damaged text may name any rank. */
bool refrain_import_begin_rank(struct refrain_import *import, int32_t number);

/* ---- import_definitions.c ---- */

/* The number of a region in the records of the rank. Each function uses two slot numbers. */
uint64_t refrain_import_number_of(struct refrain_import *import, struct refrain_import_rank *rank, uint32_t region);

/* The number of the communicator of the event in the records of the rank; -1 none. A rank gets only the
 * communicators that it uses: all for each rank would be ranks * communicators, and a damaged text may have any
 * number. */
int64_t refrain_import_comm_number(struct refrain_import *import, const struct refrain_import_event *event);

/* Assigns communicators that no rank uses to rank 0, so that their numbers are kept. False without memory. */
bool refrain_import_keep_comms(struct refrain_import *import);

/* The rank of `peer` in the communicator, as operations of the event's rank name it; -1 if there is none. */
int64_t refrain_import_rank_in(const struct refrain_import *import, const struct refrain_import_event *event,
                               int32_t peer);

/* The same for the root of the event. A root on this side of an intercommunicator has no rank on the other side. */
int64_t refrain_import_root_in(const struct refrain_import *import, const struct refrain_import_event *event);

/* ---- import_records.c ---- */

/* Ends the last extent of each thread. A file has at least one extent. */
void refrain_import_end_extents(struct refrain_import_rank *rank);

/* Writes a record of a known location, and returns its position. */
uint64_t refrain_import_put(struct refrain_import *import, const struct refrain_import_event *event,
                            enum refrain_record_kind kind, enum refrain_operation operation, const int64_t *parameters,
                            unsigned n);

/* Changes a parameter of a written record. */
void refrain_import_amend(struct refrain_import *import, int32_t rank, uint64_t record_at, unsigned parameter,
                          int64_t value);

#endif
