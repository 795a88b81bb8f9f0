/* io_wrap.h: what the wrappers of librefrain-io.so share (io.h). */
#ifndef REFRAIN_IO_WRAP_H
#define REFRAIN_IO_WRAP_H

#include "io/io.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

/* Set by the monitor when it is loaded. Null: no call is recorded. */
extern EXPORTED const struct refrain_io *refrain_io;

/* Not 0: this is the child of a vfork, which has the memory of its parent, but descriptors of its own. */
extern HIDDEN __thread unsigned refrain_io_children;

static inline const struct refrain_io *refrain_io_monitor(void) {
    return refrain_io_children ? NULL : __atomic_load_n(&refrain_io, __ATOMIC_ACQUIRE);
}

/* The monitor, if the descriptor is a file whose calls are recorded; else null. */
static inline const struct refrain_io *refrain_io_of(int descriptor) {
    const struct refrain_io *io = refrain_io_monitor();
    bool known = io && descriptor >= 0 && (unsigned)descriptor < REFRAIN_IO_DESCRIPTORS &&
                 __atomic_load_n(&io->files[descriptor], __ATOMIC_RELAXED);
    return __builtin_expect(known, 0) ? io : NULL;
}

/* Declares `real`, the function of the C library (or of another preloaded library). */
#define REAL(name)                                                                                                     \
    static __typeof__(&name) found;                                                                                    \
    __typeof__(&name) real = __atomic_load_n(&found, __ATOMIC_RELAXED);                                                \
    if (__builtin_expect(!real, 0)) {                                                                                  \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                     \
        __atomic_store_n(&found, real, __ATOMIC_RELAXED);                                                              \
    }

/* A wrapper with `body`, in which `real` is the function of the C library. */
#define WRAP(type, name, parameters, body)                                                                             \
    EXPORTED type name parameters {                                                                                    \
        REAL(name);                                                                                                    \
        body;                                                                                                          \
    }

/* The arguments of begin and open_begin in a wrapper. */
#define FROM __builtin_return_address(0), REFRAIN_FRAME_ADDRESS

/* The body of a wrapper: `passed` is the call of `real`, and `ends` tells the monitor its `result`. `bytes`: that the
 * call is to move; -1: none, or unknown. */
#define RECORDED(type, function, descriptor, bytes, passed, ends)                                                      \
    const struct refrain_io *io = refrain_io_of(descriptor);                                                           \
    if (!io)                                                                                                           \
        return passed;                                                                                                 \
    struct refrain_io_call call;                                                                                       \
    io->begin(&call, REFRAIN_CALL_POSIX_##function, descriptor, bytes, FROM);                                          \
    type result = passed;                                                                                              \
    ends;                                                                                                              \
    return result

/* The body of the wrapper of an access; `moved_bytes`: by its result. */
#define ACCESS(type, function, descriptor, bytes, passed, moved_bytes)                                                 \
    RECORDED(type, function, descriptor, (int64_t)(bytes), passed, io->moved(&call, (int64_t)(moved_bytes)))

/* The same of a call that is no access. */
#define USE(type, function, descriptor, passed) RECORDED(type, function, descriptor, -1, passed, io->used(&call))

/* The body of a wrapper that opens a file; `opened`: its descriptor, from `result`. */
#define OPENS(type, function, path, passed, opened, mode)                                                              \
    const struct refrain_io *io = refrain_io_monitor();                                                                \
    struct refrain_io_call call;                                                                                       \
    bool recorded = io && io->open_begin(&call, REFRAIN_CALL_POSIX_##function, path, FROM);                            \
    type result = passed;                                                                                              \
    if (recorded)                                                                                                      \
        io->open_end(&call, opened, path, mode);                                                                       \
    return result

#endif
