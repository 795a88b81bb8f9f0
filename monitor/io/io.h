/* io.h: input and output of the system by the program (refrain record --io).
 *
 *     program: write(4, ...)
 *         |
 *     librefrain-io.so, preloaded: write() in io_posix.c, fwrite() in io_stdio.c
 *         | is descriptor 4 a file that the program has opened by name?      no: the function of the C library
 *         | yes: refrain_io->begin(), the function of the C library, refrain_io->end()
 *     librefrain.so: io_files.c -> call.c, as a call of POSIX_write (mpi_calls.def)
 *
 * librefrain-io.so needs only the C library, since processes without MPI load it, too: librefrain.so enters its
 * functions in refrain_io when it is loaded. Before that, the wrappers only call the C library.
 *
 * Recorded are calls on descriptors that the program itself has opened by name. Not recorded: calls inside an MPI call
 * that open files, as those are MPI's own; files of the monitor and of MPI's libraries; /proc, /sys and /dev; pipes,
 * sockets and standard streams, which nobody opened by name; the child of a fork or vfork. The C library does not call
 * its own exported functions, so fwrite() is one call, whatever it writes below. */
#ifndef REFRAIN_IO_H
#define REFRAIN_IO_H

#include "arch/arch.h"
#include "call.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Files with higher descriptors are lost, and counted. */
#define REFRAIN_IO_DESCRIPTORS 4096u

/* Function numbers: the position in mpi_calls.def. */
enum refrain_io_function {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...) REFRAIN_CALL_##name,
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};

/* A call that is open. */
struct refrain_io_call {
    struct refrain_call call;
    int64_t file; /* the number of its file in the trace, -1 unknown */
};

/* The functions of the monitor. All keep errno. */
struct refrain_io {
    /* For each descriptor: the reference of its struct refrain_object, UINT32_MAX for one without memory, 0: not
     * recorded. */
    const uint32_t *files;
    /* Begins a call that opens a file. False if it is not the program's, or nothing is traced: it is not recorded. In a
     * pause only the file is. */
    bool (*open_begin)(struct refrain_io_call *io, unsigned function, const char *path, void *return_address,
                       void *frame_address);
    /* It has returned this descriptor, negative: it failed. `mode`: enum refrain_file_mode. */
    void (*open_end)(struct refrain_io_call *io, int descriptor, const char *path, unsigned mode);
    /* Begins a call on a known descriptor. `bytes`: requested by an access, else -1. */
    void (*begin)(struct refrain_io_call *io, unsigned function, int descriptor, int64_t bytes, void *return_address,
                  void *frame_address);
    /* An access has moved these bytes; negative: it failed. */
    void (*moved)(struct refrain_io_call *io, int64_t bytes);
    /* The same, and as many were requested, which was not known before. */
    void (*formatted)(struct refrain_io_call *io, int64_t bytes);
    /* The pointer of the file was set. `position`: the result, negative: it failed. */
    void (*sought)(struct refrain_io_call *io, int whence, int64_t offset, int64_t position);
    /* Another call on the file has returned. */
    void (*used)(struct refrain_io_call *io);
    /* The descriptor is about to be closed: it is not known from now on. Then the call ends with used(). */
    void (*closes)(int descriptor);
    /* `copy` is the same file as `descriptor` from now on. */
    void (*copied)(int descriptor, int copy);
};

#endif
