/* import_image.h: writes the trace file of a rank whose events were recorded by another tool (import_trace.c ->
 * trace.h).
 *
 *     header | unit: program tree and names | slots, all empty | threads | call sites | user regions | communicators |
 *     windows and files */
#ifndef REFRAIN_IMPORT_IMAGE_H
#define REFRAIN_IMPORT_IMAGE_H

#include "formats/sink.h"
#include "import/import_objects.h"
#include <refrain/read.h>
#include <refrain/trace.h>

#define REFRAIN_IMPORT_BASE_TICKS 1024u /* the start of the run; a tick is a nanosecond */

struct refrain_import_image_region {
    enum refrain_region_kind kind;
    enum refrain_region_use use; /* USER: use of its record */
    const char *name, *file;
    uint32_t line;
    uint32_t function; /* MPI: number in mpi_calls.def */
    uint32_t number;   /* number in the rank: a function has that of its slot; others are numbered by their first use */
};

struct refrain_import_image_comm {
    const char *name;
    const int32_t *members; /* size + remote_size ranks of MPI_COMM_WORLD; null: all, in order */
    int32_t size, remote_size;
    uint32_t number; /* the same in all ranks */
};

struct refrain_import_image {
    int32_t rank, size;
    uint32_t n_threads;
    const int64_t *last_ns; /* by thread: last event; -1: it never ran */
    const char *program, *source;
    uint64_t start_ns;
    const struct refrain_import_image_region *regions; /* sorted by kind and number */
    size_t n_regions;
    uint32_t n_slots;
    const struct refrain_import_image_comm
        *comms; /* of the rank, from the third on, by the numbers that the rank gives them */
    size_t n_comms;
    const struct refrain_import_object *objects; /* windows and files; null: none */
};

/* False without memory. */
bool refrain_import_image_write(struct refrain_sink *out, const struct refrain_import_image *image);

#endif
