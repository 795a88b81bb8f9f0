/* io_copies.c: the wrappers of calls that are not in the trace, but change what a descriptor is, or who uses it:
 * copies, other ways to close, and children that share the memory (io.h). */
#define _GNU_SOURCE
#include "io/io_wrap.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

/* Not in the headers of C libraries that do not have them. */
EXPORTED int close_range(unsigned first, unsigned last, int flags);
EXPORTED void closefrom(int first);

#define CLOSE_ON_EXEC 4 /* CLOSE_RANGE_CLOEXEC: the descriptors stay open */

/* ---- copies ---- */

static int copied(int descriptor, int copy) {
    const struct refrain_io *io = refrain_io_monitor();
    if (io && copy >= 0)
        io->copied(descriptor, copy);
    return copy;
}

WRAP(int, dup, (int descriptor), return copied(descriptor, real(descriptor)))
WRAP(int, dup2, (int descriptor, int copy), return copied(descriptor, real(descriptor, copy)))
WRAP(int, dup3, (int descriptor, int copy, int flags), return copied(descriptor, real(descriptor, copy, flags)))

/* The argument of a command, if it has one, is in the place of a pointer. */
#define COMMAND                                                                                                        \
    va_list more;                                                                                                      \
    va_start(more, command);                                                                                           \
    void *argument = va_arg(more, void *);                                                                             \
    va_end(more);                                                                                                      \
    int result = real(descriptor, command, argument);                                                                  \
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(descriptor, result) : result
WRAP(int, fcntl, (int descriptor, int command, ...), COMMAND)
WRAP(int, fcntl64, (int descriptor, int command, ...), COMMAND)

/* ---- other ways to close ---- */

static void forget(unsigned first, unsigned last) {
    for (unsigned descriptor = first; descriptor <= last && descriptor < REFRAIN_IO_DESCRIPTORS; descriptor++) {
        const struct refrain_io *io = refrain_io_of((int)descriptor);
        if (io)
            io->closes((int)descriptor);
    }
}

EXPORTED int close_range(unsigned first, unsigned last, int flags) {
    REAL(close_range);
    if (!real) { /* a program that asks at run time whether there is one */
        errno = ENOSYS;
        return -1;
    }
    /* No such descriptor can exist. The call fails here if it fails below: for its flags, or on an old kernel. */
    if (real(UINT_MAX, UINT_MAX, flags) != 0)
        return -1;
    if (!(flags & CLOSE_ON_EXEC))
        forget(first, last);
    return real(first, last, flags);
}

EXPORTED void closefrom(int first) {
    REAL(closefrom);
    forget(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    if (real)
        real(first);
}

/* A directory may be on a descriptor that the program has opened (fdopendir). */
EXPORTED int closedir(DIR *directory) {
    REAL(closedir);
    DIR *volatile given = directory; /* may be null for all that the declaration says: then dirfd() would crash */
    int descriptor = given ? dirfd(given) : -1;
    if (descriptor >= 0)
        forget((unsigned)descriptor, (unsigned)descriptor);
    return real(directory);
}

/* ---- vfork (io_vfork.S) ---- */

__thread unsigned refrain_io_children;

#define MOST_CHILDREN 8u /* children that call vfork themselves, which POSIX does not allow */
static __thread uintptr_t return_addresses[MOST_CHILDREN];

typedef pid_t vfork_function(void);
struct vforked {
    int64_t pid;
    uintptr_t return_address;
};
HIDDEN vfork_function *refrain_io_vfork_begins(uintptr_t return_address);
HIDDEN struct vforked refrain_io_vfork_returns(pid_t pid);

/* Keeps the return address and returns the function of the C library. */
vfork_function *refrain_io_vfork_begins(uintptr_t return_address) {
    REAL(vfork);
    return_addresses[refrain_io_children++ % MOST_CHILDREN] = return_address;
    return real;
}

/* First in the child, which leaves the count as it is; when the child has ended or has started another program, in the
 * parent. */
struct vforked refrain_io_vfork_returns(pid_t pid) {
    uintptr_t return_address = return_addresses[(refrain_io_children - 1) % MOST_CHILDREN];
    refrain_io_children -= pid != 0;
    return (struct vforked){pid, return_address};
}
