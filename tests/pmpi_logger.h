/* pmpi_logger.h: declarations that the files of the independent logger share (pmpi_logger.c). */
#ifndef PMPI_LOGGER_H
#define PMPI_LOGGER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern FILE *out; /* null: MPI is not initialised */

/* A request that has been given out; `peer` is the root of a collective one. */
struct posted {
    MPI_Request request;
    MPI_Comm comm;
    MPI_Datatype type;
    int is_receive, is_persistent, active, is_partitioned;
    long long count;
    int peer, tag, is_collective, is_sendrecv, is_file_access;
};

void *next(const char *name);          /* the function behind this library */
int in_world(MPI_Comm comm, int rank); /* -1 unknown */
void post(struct posted posted);
void log_collective(const char *call, int root, MPI_Comm comm);
void log_file_access_complete(const char *call, const MPI_Status *status);

#endif
