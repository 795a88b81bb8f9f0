/* io_files.c: records the calls that librefrain-io.so wraps (io.h). It keeps which file each descriptor is. */
#define _GNU_SOURCE
#include "context.h"
#include "entry.h"
#include "io/io.h"
#include "run/loaded.h"
#include "run/objects.h"
#include "run/pool.h"
#include <refrain/access.h>
#include <refrain/trace.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAMELESS UINT32_MAX /* a file without memory for its record */

static uint32_t files[REFRAIN_IO_DESCRIPTORS];

static bool is_known(int descriptor) {
    return descriptor >= 0 && (unsigned)descriptor < REFRAIN_IO_DESCRIPTORS;
}

static uint32_t file_of(int descriptor) {
    return is_known(descriptor) ? __atomic_load_n(&files[descriptor], __ATOMIC_RELAXED) : 0;
}

/* The child of a fork has descriptors, but no trace file. */
static struct refrain_object *object_of(uint32_t file) {
    return file == 0 || file == NAMELESS || !refrain_trace_file.base ? NULL : refrain_at_reference(file);
}

static int64_t number_of(uint32_t file) {
    const struct refrain_object *object = object_of(file);
    return object ? (int64_t)object->number : -1;
}

static void set_file(int descriptor, uint32_t file) {
    if (is_known(descriptor))
        __atomic_store_n(&files[descriptor], file, __ATOMIC_RELAXED);
}

/* ---- opening and closing ---- */

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* True if the code belongs to the monitor, or to a library with which MPI is made. */
static bool is_mpis(uintptr_t address) {
    struct refrain_loaded object;
    if (!refrain_loaded_find(address - 1, &object))
        return false;
    const enum refrain_loaded_owner owner = refrain_loaded_owner(&object);
    return owner == REFRAIN_OF_MPI || owner == REFRAIN_OF_RUNTIME;
}

static bool is_device(const char *path) {
    return begins(path, "/proc/") || begins(path, "/sys/") || begins(path, "/dev/");
}

static bool open_begin(struct refrain_io_call *io, unsigned function, const char *path, void *return_address,
                       void *frame_address) {
    const struct refrain_context *context = refrain_thread_context;
    int saved = errno;
    bool is_own = context && ((context->busy && context->busy != REFRAIN_PAUSED) ||
                              (context->top && context->top->kind == REFRAIN_ENTRY_CALL));
    if (is_own || !path || is_device(path) || is_mpis((uintptr_t)return_address))
        return false;
    /* At the first probe of a process call.c would conclude that it calls MPI. */
    bool is_traced = (context || refrain_context()) && refrain_trace_file.header;
    if (is_traced)
        refrain_call_begin(&io->call, function, return_address, frame_address);
    errno = saved;
    return is_traced;
}

static void open_end(struct refrain_io_call *io, int descriptor, const char *path, unsigned mode) {
    int saved = errno;
    refrain_call_returned(&io->call);
    if (descriptor >= 0) {
        struct refrain_object *object = is_known(descriptor) ? refrain_object_open(REFRAIN_OBJECT_FILE, 0, path) : NULL;
        if (!is_known(descriptor))
            refrain_lose(REFRAIN_LOSS_WINDOWS, 1);
        set_file(descriptor, object ? refrain_reference(object) : NAMELESS);
        if (object)
            refrain_call_operation(&io->call, REFRAIN_OP_FILE, (int64_t[]){mode, (int64_t)object->number}, 2);
    }
    refrain_call_end(&io->call);
    errno = saved;
}

static void closes(int descriptor) {
    if (!file_of(descriptor))
        return;
    uint32_t file = __atomic_exchange_n(&files[descriptor], 0, __ATOMIC_RELAXED);
    refrain_object_close(object_of(file));
}

static void copied(int descriptor, int copy) {
    if (file_of(descriptor) || file_of(copy))
        set_file(copy, file_of(descriptor));
}

/* ---- other calls ---- */

static void begin(struct refrain_io_call *io, unsigned function, int descriptor, int64_t bytes, void *return_address,
                  void *frame_address) {
    io->file = number_of(file_of(descriptor));
    const struct refrain_operation_values access = {REFRAIN_OP_IO, 2, {bytes, io->file}};
    /* A descriptor is known, so its trace is open; but the thread may be new. */
    refrain_call_begin_with(&io->call, function, return_address, frame_address, bytes < 0 ? NULL : &access);
}

static void moved(struct refrain_io_call *io, int64_t bytes) {
    refrain_call_end_with(&io->call,
                          &(struct refrain_operation_values){REFRAIN_OP_MOVED, 2, {bytes < 0 ? -1 : bytes, io->file}});
}

static void formatted(struct refrain_io_call *io, int64_t bytes) {
    if (bytes >= 0)
        refrain_call_operation(&io->call, REFRAIN_OP_IO, (int64_t[]){bytes, io->file}, 2);
    moved(io, bytes);
}

static void sought(struct refrain_io_call *io, int whence, int64_t offset, int64_t position) {
    enum refrain_whence from = whence == SEEK_CUR   ? REFRAIN_FROM_CURRENT
                               : whence == SEEK_END ? REFRAIN_FROM_END
                                                    : REFRAIN_FROM_START;
    refrain_call_returned(&io->call);
    refrain_call_operation(&io->call, REFRAIN_OP_SEEK,
                           (int64_t[]){from, offset, position < 0 ? -1 : position, io->file}, 4);
    refrain_call_end(&io->call);
}

static void used(struct refrain_io_call *io) {
    refrain_call_returned(&io->call);
    if (io->file >= 0)
        refrain_call_operation(&io->call, REFRAIN_OP_FILE, (int64_t[]){0, io->file}, 2);
    refrain_call_end(&io->call);
}

/* The first constructor: the program's own come later. */
static __attribute__((constructor(102))) void announce(void) {
    static const struct refrain_io io = {files,     open_begin, open_end, begin,  moved,
                                         formatted, sought,     used,     closes, copied};
    const struct refrain_io **entered = dlsym(RTLD_DEFAULT, "refrain_io");
    if (entered)
        __atomic_store_n(entered, &io, __ATOMIC_RELEASE);
}
