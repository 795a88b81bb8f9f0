/* called.h: the memory that is kept for MPI calls, so that every call has a call site: for each MPI function that the
 * program's tables name, the bytes of its first call site. Calls from other lines that find no memory are filed under
 * that one. The monitor keeps these bytes; `refrain size` computes them before the run. */
#ifndef REFRAIN_CALLED_H
#define REFRAIN_CALLED_H

#include <refrain/trace.h>
#include <string.h>

/* The different names of MPI functions in string tables, hashed. Zero at first. */
#define REFRAIN_CALLED_NAMES 1024u
struct refrain_called {
    const char *names[REFRAIN_CALLED_NAMES]; /* in the string tables */
    unsigned n;
};

/* The entry of a name in the hash table: the name, or null where it is not in the table. */
static inline const char **refrain_called_entry(struct refrain_called *called, const char *name) {
    uint32_t hash = 2166136261u;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    for (;; hash++) {
        const char **entry = &called->names[hash % REFRAIN_CALLED_NAMES];
        if (!*entry || strcmp(*entry, name) == 0)
            return entry;
    }
}

/* Adds the names in a table of `bytes` bytes, each of which ends in a zero. */
static inline void refrain_called_add(struct refrain_called *called, const char *strings, size_t bytes) {
    const char *end = strings + bytes;
    for (const char *name = strings, *zero; (zero = memchr(name, 0, (size_t)(end - name))); name = zero + 1) {
        if (strncmp(name, "MPI_", 4) != 0 || called->n == REFRAIN_CALLED_NAMES - 1)
            continue;
        const char **entry = refrain_called_entry(called, name);
        called->n += !*entry;
        *entry = name;
    }
}

/* Arrays of bytes, since each pointer would be relocated whenever a process starts. */
static const struct {
    char name[40], class[8];
} refrain_call_names[] = {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...) {#name, #class},
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};
#define REFRAIN_CALL_NAMES (sizeof refrain_call_names / sizeof *refrain_call_names)
#ifndef REFRAIN_CALL_WORDS
#define REFRAIN_CALL_WORDS 12u
#endif
_Static_assert(REFRAIN_CALL_NAMES <= REFRAIN_CALL_WORDS * 64, "a bit for each MPI function");

/* How many kinds of operations most calls of the function have. */
static inline unsigned refrain_call_operations(unsigned function) {
    const char *name = refrain_call_names[function].name, *class = refrain_call_names[function].class;
    if (strcmp(class, "OWN") != 0 && strcmp(class, "DOES") != 0)
        return strncmp(name, "MPI_Win_", 8) == 0 || strncmp(name, "MPI_File_", 9) == 0;
    return strncmp(name, "MPI_Sendrecv", 12) == 0 || strncmp(name, "MPI_Wait", 8) == 0 ||
                   strncmp(name, "MPI_Test", 8) == 0
               ? 2
               : 1;
}

static inline uint64_t refrain_call_room_round(uint64_t bytes) {
    return (bytes + REFRAIN_GRAIN_BYTES - 1) / REFRAIN_GRAIN_BYTES * REFRAIN_GRAIN_BYTES;
}

/* Bytes of a call site with so many operations. */
static inline uint64_t refrain_call_room_bytes(unsigned operations) {
    return refrain_call_room_round(sizeof(struct refrain_call_site)) +
           operations * refrain_call_room_round(sizeof(struct refrain_operation_record));
}

/* Bytes of the smallest tallies of the parameters of so many operations. */
static inline uint64_t refrain_call_rows_bytes(unsigned operations) {
    return operations * refrain_call_room_round(refrain_tally_bytes(REFRAIN_TALLY_WIDTH, REFRAIN_LEAST_ROWS));
}

/* Bytes of the first call sites of all functions that were added. Sets the functions' bits in `functions`, where it is
 * not null. */
static inline uint64_t refrain_called_bytes(struct refrain_called *called, uint64_t functions[REFRAIN_CALL_WORDS]) {
    uint64_t bytes = 0;
    for (unsigned i = 0; called->n > 0 && i < REFRAIN_CALL_NAMES; i++)
        if (*refrain_called_entry(called, refrain_call_names[i].name)) {
            unsigned operations = refrain_call_operations(i);
            bytes += refrain_call_room_bytes(operations) + refrain_call_rows_bytes(operations);
            if (functions)
                functions[i / 64] |= (uint64_t)1 << i % 64;
        }
    return bytes;
}

#endif
