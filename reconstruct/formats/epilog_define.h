/* epilog_define.h: records of EPILOG 1.2, and the definitions before the events (write_epilog.c).
 *
 *     record: bytes of the body (1), type (1), body; all numbers little-endian */
#ifndef REFRAIN_EPILOG_DEFINE_H
#define REFRAIN_EPILOG_DEFINE_H

#include "formats/locations.h"
#include "formats/sink.h"
#include "model/construct_regions.h"

enum refrain_epilog_type {
    REFRAIN_EPILOG_STRING = 1,
    REFRAIN_EPILOG_STRING_CNT = 2,
    REFRAIN_EPILOG_MACHINE = 3,
    REFRAIN_EPILOG_NODE = 4,
    REFRAIN_EPILOG_PROCESS = 5,
    REFRAIN_EPILOG_THREAD = 6,
    REFRAIN_EPILOG_LOCATION = 7,
    REFRAIN_EPILOG_FILE = 8,
    REFRAIN_EPILOG_REGION = 9,
    REFRAIN_EPILOG_METRIC = 10,
    REFRAIN_EPILOG_MPI_COMM = 11,
    REFRAIN_EPILOG_LAST_DEF = 13,
    REFRAIN_EPILOG_NUM_EVENTS = 14,
    REFRAIN_EPILOG_CALL_SITE = 15,
    REFRAIN_EPILOG_CART_TOPOLOGY =
        16, /* this and the next one are not in the description of 1.2; numbers from its library */
    REFRAIN_EPILOG_CART_COORDS = 17,
    REFRAIN_EPILOG_ENTER = 101,
    REFRAIN_EPILOG_EXIT = 102,
    REFRAIN_EPILOG_MPI_SEND = 103,
    REFRAIN_EPILOG_MPI_RECV = 104,
    REFRAIN_EPILOG_MPI_COLLEXIT = 105,
    REFRAIN_EPILOG_OMP_FORK = 106,
    REFRAIN_EPILOG_OMP_JOIN = 107,
    REFRAIN_EPILOG_OMP_ALOCK = 108,
    REFRAIN_EPILOG_OMP_RLOCK = 109,
    REFRAIN_EPILOG_OMP_COLLEXIT = 110,
    REFRAIN_EPILOG_ENTER_CS = 111,
    REFRAIN_EPILOG_LOG_OFF = 201,
    REFRAIN_EPILOG_LOG_ON = 202,
};

#define REFRAIN_EPILOG_NO_ID UINT32_MAX
#define REFRAIN_EPILOG_MOST_BYTES 255u
/* Capacity of a communicator record: a bit for each rank. */
#define REFRAIN_EPILOG_MOST_RANKS ((REFRAIN_EPILOG_MOST_BYTES - 8) * 8)
/* Capacity of an MPI_COLLEXIT record: location, time, and four further numbers, besides metrics. */
#define REFRAIN_EPILOG_MOST_METRICS ((REFRAIN_EPILOG_MOST_BYTES - 12 - 16) / 8)

struct refrain_epilog_record {
    unsigned char bytes[2 + REFRAIN_EPILOG_MOST_BYTES]; /* length, type, body */
    unsigned n;
};

static inline void refrain_epilog_ui1(struct refrain_epilog_record *record, unsigned value) {
    record->bytes[record->n++] = (unsigned char)value;
}

static inline void refrain_epilog_ui4(struct refrain_epilog_record *record, uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8)
        refrain_epilog_ui1(record, value >> shift & 255);
}

static inline void refrain_epilog_open(struct refrain_epilog_record *record, enum refrain_epilog_type type) {
    record->n = 1;
    refrain_epilog_ui1(record, type);
}

static inline void refrain_epilog_close(struct refrain_epilog_record *record, struct refrain_sink *out) {
    record->bytes[0] = (unsigned char)(record->n - 2);
    refrain_sink_put_bytes(out, record->bytes, record->n);
}

/* Numbers in the file for the objects of events. */
struct refrain_epilog_ids {
    struct refrain_construct_regions openmp;
    uint32_t *regions;    /* by region index; the unknown region comes last */
    uint32_t *call_sites; /* by region index; NO_ID: its region is entered without a call site */
    uint32_t *metrics;    /* by region index: metric of its counter; 0 (the metric of waiting): none */
    uint32_t n_metrics;
    uint16_t *uses; /* of regions (region_uses.h) */
    uint32_t n_comms;
    uint64_t shortened; /* number of names that were too long */
    uint64_t events_at; /* position of the number of events in the file */
};

/* The number of a communicator in an event of `rank`. MPI_COMM_SELF is a different one on each rank. */
uint32_t refrain_epilog_comm(const struct refrain_epilog_ids *ids, const struct refrain_comm_info *comm, int32_t rank);

/* Writes header and definitions. `waiting`: the metric covers all waits, not only those for senders. False without
 * memory. */
bool refrain_epilog_define(struct refrain_sink *out, const struct refrain_trace *trace,
                           const struct refrain_locations *locations, bool waiting, struct refrain_epilog_ids *ids);
void refrain_epilog_ids_free(struct refrain_epilog_ids *ids);

#endif
