/* prototypes.h: an MPI's headers for libclang, without the prototypes of functions that nothing names (lean.c).
 *
 *     int MPI_Send(const void *buf, ...);          int MPI_Send(const void *buf, ...);
 *     int MPI_Ssend(const void *buf, ...);     ->
 *     #define MPI_SUCCESS 0                        #define MPI_SUCCESS 0
 *
 * An MPI declares a thousand functions and more, and to parse them takes longer than all else that is done to a small
 * file. Only whole prototypes at the top of the header go, and their lines stay. What a file means is the same without
 * a function that nothing in it names; what may name one without spelling it (##) makes all of them stay.
 */
#ifndef REFRAIN_PROTOTYPES_H
#define REFRAIN_PROTOTYPES_H

#include "text.h"

struct refrain_prototype {
    const char *name; /* in the header's text, no NUL */
    size_t name_length;
    size_t begin, end; /* in the header's text */
    size_t header;
    size_t same; /* 1 + index of the one before of the same name; 0: none */
    bool named;
};

struct refrain_mpi_header {
    char *path; /* as the flags' directory and the name give it */
    struct refrain_text text, cut;
};

/* Zero-initialised is empty. */
struct refrain_prototypes {
    struct refrain_mpi_header *headers;
    size_t n_headers, header_capacity;
    struct refrain_prototype *items;
    size_t count, capacity;
    size_t *table; /* 1 + index of the latest of a name, by the name's hash */
    size_t table_size;
};

/* Reads the MPI headers in the directories that the flags name. False when there are none, or nothing may go. */
bool refrain_prototypes_read(struct refrain_prototypes *prototypes, const char *const *flags, size_t n_flags);

/* The functions that the text names stay. Here and below a text ends with a NUL, at its length or later. */
void refrain_prototypes_name(struct refrain_prototypes *prototypes, const char *text, size_t length);

/* Makes each header's `cut`. */
void refrain_prototypes_cut(struct refrain_prototypes *prototypes);

/* Whether the text names a function that went. */
bool refrain_prototypes_lack(const struct refrain_prototypes *prototypes, const char *text, size_t length);

void refrain_prototypes_free(struct refrain_prototypes *prototypes);

#endif
