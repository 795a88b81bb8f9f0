/* called.h: memory reserved so that every MPI call has a call site: for each MPI function named in the tables of the
 * program, the bytes of its first call site. If memory is full, calls from other lines are recorded at this one. The
 * monitor reserves these bytes; `refrain size` computes them before the run. */
#ifndef REFRAIN_CALLED_H
#define REFRAIN_CALLED_H

#include <refrain/mpi_kinds.h>
#include <refrain/trace.h>
#include <string.h>

/* The number of operation records that a call site needs in most programs: two for calls that send and receive, or that
 * complete requests (of sends and of receives), else one. Calls on windows and files have one, even if their wrapper
 * records nothing else of them (PLAIN). Other PLAIN calls have none. */
enum {
    REFRAIN_CALL_CLASS_OWN = 1,
    REFRAIN_CALL_CLASS_DOES = 1,
    REFRAIN_CALL_CLASS_PLAIN = 0,
    REFRAIN_CALL_CLASS_FORTRAN = 0,
    REFRAIN_CALL_CLASS_POSIX = 2 /* not MPI's */
};
#define REFRAIN_CALL_OPERATIONS(class, kind)                                                                           \
    (!REFRAIN_CALL_CLASS_##class ? (kind) >= REFRAIN_MPI_WINDOW_MAKE && (kind) <= REFRAIN_MPI_FILE_OTHER               \
     : (kind) == REFRAIN_MPI_SENDRECV || (kind) == REFRAIN_MPI_WAIT || (kind) == REFRAIN_MPI_TEST ? 2                  \
                                                                                                  : 1)

/* Arrays of characters instead of pointers, which would be relocated whenever a process starts. */
static const struct {
    char name[39];
    uint8_t operations;
    bool is_file_call; /* of the C library (refrain record --io) */
} refrain_call_names[] = {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...)                                                 \
    {#name, REFRAIN_CALL_OPERATIONS(class, REFRAIN_MPI_KIND_OF(REFRAIN_MPI_##kind)),                                   \
     REFRAIN_CALL_CLASS_##class == REFRAIN_CALL_CLASS_POSIX},
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};
#define REFRAIN_CALL_NAMES (sizeof refrain_call_names / sizeof *refrain_call_names)
#ifndef REFRAIN_CALL_WORDS
#define REFRAIN_CALL_WORDS 12u
#endif
_Static_assert(REFRAIN_CALL_NAMES <= REFRAIN_CALL_WORDS * 64, "a bit for each MPI function");

/* The set of MPI functions that occur in string tables of ELF files. Zero at first. */
#define REFRAIN_CALLED_ENTRIES 2048u
struct refrain_called {
    /* Hash table of all MPI functions, by name: position in refrain_call_names + 1; 0: free entry. */
    uint16_t numbers[REFRAIN_CALLED_ENTRIES];
    uint64_t functions[REFRAIN_CALL_WORDS]; /* bit i: function i of refrain_call_names occurs */
};

/* The entry with this name in the hash table, or the free entry where it would be inserted. */
static inline uint16_t *refrain_called_entry(struct refrain_called *called, const char *name) {
    uint32_t hash = 2166136261u;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    for (;; hash++) {
        uint16_t *entry = &called->numbers[hash % REFRAIN_CALLED_ENTRIES];
        if (!*entry || strcmp(refrain_call_names[*entry - 1].name, name) == 0)
            return entry;
    }
}

/* Adds the MPI functions among the names of a string table of `bytes` bytes. Each name ends with a zero byte. */
static inline void refrain_called_add(struct refrain_called *called, const char *strings, size_t bytes) {
    const char *end = strings + bytes;
    if (!*refrain_called_entry(called, refrain_call_names[0].name))
        for (unsigned i = 0; i < REFRAIN_CALL_NAMES; i++)
            *refrain_called_entry(called, refrain_call_names[i].name) = (uint16_t)(i + 1); /* POSIX_ is no symbol */
    for (const char *name = strings, *zero; (zero = memchr(name, 0, (size_t)(end - name))); name = zero + 1) {
        const unsigned number = *refrain_called_entry(called, name);
        if (number)
            called->functions[(number - 1) / 64] |= (uint64_t)1 << (number - 1) % 64;
    }
}

static inline uint64_t refrain_call_room_round(uint64_t bytes) {
    return (bytes + REFRAIN_ALIGNMENT_BYTES - 1) / REFRAIN_ALIGNMENT_BYTES * REFRAIN_ALIGNMENT_BYTES;
}

/* Bytes of a call site with this number of operations. */
static inline uint64_t refrain_call_room_bytes(unsigned operations) {
    return refrain_call_room_round(sizeof(struct refrain_call_site)) +
           operations * refrain_call_room_round(sizeof(struct refrain_operation_record));
}

/* Bytes of the smallest tallies for the parameters of this number of operations. */
static inline uint64_t refrain_call_rows_bytes(unsigned operations) {
    return operations * refrain_call_room_round(refrain_tally_bytes(REFRAIN_TALLY_WIDTH, REFRAIN_LEAST_ROWS));
}

/* Bytes of the first call sites of all functions that were added. */
static inline uint64_t refrain_called_bytes(const struct refrain_called *called) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < REFRAIN_CALL_NAMES; i++)
        if (called->functions[i / 64] >> i % 64 & 1)
            bytes += refrain_call_room_bytes(refrain_call_names[i].operations) +
                     refrain_call_rows_bytes(refrain_call_names[i].operations);
    return bytes;
}

#endif
