/* prototypes.h: the headers of an MPI for libclang, without prototypes that the source does not need (lean.c).
 *
 *     int MPI_Send(const void *buf, ...);          int MPI_Send(const void *buf, ...);
 *     int MPI_Ssend(const void *buf, ...);     ->
 *     #define MPI_SUCCESS 0                        #define MPI_SUCCESS 0
 *
 * An MPI declares more than a thousand functions. Parsing them takes longer than all other work on a small file.
 * Only whole prototypes at top level are removed, and their lines stay. A file means the same without a function
 * that nothing in it names. If something may name a function without spelling it (##), all prototypes stay. */
#ifndef REFRAIN_PROTOTYPES_H
#define REFRAIN_PROTOTYPES_H

#include "text.h"

struct refrain_prototype {
    const char *name; /* in the text of the header, without NUL */
    size_t name_length;
    size_t begin, end; /* in the text of the header */
    size_t header;
    size_t same; /* 1 + index of an earlier prototype with the same name; 0: none */
    bool named;
};

struct refrain_mpi_header {
    char *path; /* directory from the flags, and the name */
    struct refrain_text text, cut;
};

/* Empty if zero-initialised. */
struct refrain_prototypes {
    struct refrain_mpi_header *headers;
    size_t n_headers, header_capacity;
    struct refrain_prototype *items;
    size_t count, capacity;
    size_t *table; /* hash of a name -> 1 + index of the latest prototype */
    size_t table_size;
};

/* Reads the MPI headers in the directories of the flags. False if there are none, or if no prototype may be removed. */
bool refrain_prototypes_read(struct refrain_prototypes *prototypes, const char *const *flags, size_t n_flags);

/* Keeps the functions that the text names. Here and below, a text ends with a NUL at its length or later. */
void refrain_prototypes_name(struct refrain_prototypes *prototypes, const char *text, size_t length);

/* Makes the `cut` text of each header. */
void refrain_prototypes_cut(struct refrain_prototypes *prototypes);

/* True if the text names a removed function. */
bool refrain_prototypes_lack(const struct refrain_prototypes *prototypes, const char *text, size_t length);

void refrain_prototypes_free(struct refrain_prototypes *prototypes);

#endif
