/* io_posix.c: the wrappers of calls on descriptors (io.h). The names with 64, and those that a compiler calls instead
 * with _FORTIFY_SOURCE, are recorded under the plain name. */
#define _GNU_SOURCE
#include "io/io_wrap.h"
#include <refrain/access.h>

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "the names with 64 have the same arguments");

const struct refrain_io *refrain_io;

/* What the C library has for compilers, without a declaration. */
EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open64_2(const char *path, int flags);
EXPORTED int __openat_2(int directory, const char *path, int flags);
EXPORTED int __openat64_2(int directory, const char *path, int flags);
EXPORTED ssize_t __read_chk(int descriptor, void *buffer, size_t bytes, size_t room);
EXPORTED ssize_t __pread_chk(int descriptor, void *buffer, size_t bytes, off_t offset, size_t room);
EXPORTED ssize_t __pread64_chk(int descriptor, void *buffer, size_t bytes, off_t offset, size_t room);

/* ---- opening and closing ---- */

static unsigned mode_of(int flags) {
    return ((flags & O_ACCMODE) != O_WRONLY ? REFRAIN_FILE_READS : 0u) |
           ((flags & O_ACCMODE) != O_RDONLY ? REFRAIN_FILE_WRITES : 0u) |
           (flags & O_CREAT ? REFRAIN_FILE_CREATES : 0u) | (flags & O_EXCL ? REFRAIN_FILE_EXCLUSIVE : 0u) |
           (flags & O_APPEND ? REFRAIN_FILE_APPENDS : 0u);
}

/* The argument after the flags, which is there only if the call may make a file. */
#define PERMISSIONS(flags)                                                                                             \
    mode_t permissions = 0;                                                                                            \
    if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                                                         \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        permissions = va_arg(more, mode_t);                                                                            \
        va_end(more);                                                                                                  \
    }

/* A wrapper that opens a file, recorded as `function`. `before` finds the permissions, where the call has any. */
#define OPEN(name, function, before, mode, parameters, passed)                                                         \
    EXPORTED int name parameters {                                                                                     \
        before REAL(name);                                                                                             \
        OPENS(int, function, path, real passed, result, mode_of(mode));                                                \
    }
#define CREATE (O_CREAT | O_WRONLY | O_TRUNC)
OPEN(open, open, PERMISSIONS(flags), flags, (const char *path, int flags, ...), (path, flags, permissions))
OPEN(open64, open, PERMISSIONS(flags), flags, (const char *path, int flags, ...), (path, flags, permissions))
OPEN(__open_2, open, , flags, (const char *path, int flags), (path, flags))
OPEN(__open64_2, open, , flags, (const char *path, int flags), (path, flags))
OPEN(openat, openat, PERMISSIONS(flags), flags, (int at, const char *path, int flags, ...),
     (at, path, flags, permissions))
OPEN(openat64, openat, PERMISSIONS(flags), flags, (int at, const char *path, int flags, ...),
     (at, path, flags, permissions))
OPEN(__openat_2, openat, , flags, (int at, const char *path, int flags), (at, path, flags))
OPEN(__openat64_2, openat, , flags, (int at, const char *path, int flags), (at, path, flags))
OPEN(creat, creat, , CREATE, (const char *path, mode_t permissions), (path, permissions))
OPEN(creat64, creat, , CREATE, (const char *path, mode_t permissions), (path, permissions))

EXPORTED int close(int descriptor) {
    REAL(close);
    const struct refrain_io *io = refrain_io_of(descriptor);
    if (!io)
        return real(descriptor);
    struct refrain_io_call call;
    io->begin(&call, REFRAIN_CALL_POSIX_close, descriptor, -1, FROM);
    io->closes(descriptor);
    int result = real(descriptor);
    io->used(&call);
    return result;
}

/* ---- accesses ---- */

static int64_t bytes_of(const struct iovec *parts, int n) {
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += (int64_t)parts[i].iov_len;
    return bytes;
}

/* A wrapper that is to move `moved` bytes, recorded as `function`. */
#define MOVE(name, function, moved, parameters, passed)                                                                \
    WRAP(ssize_t, name, parameters, ACCESS(ssize_t, function, fd, moved, real passed, result))
#define PARTS bytes_of(parts, n)
MOVE(read, read, bytes, (int fd, void *to, size_t bytes), (fd, to, bytes))
MOVE(__read_chk, read, bytes, (int fd, void *to, size_t bytes, size_t room), (fd, to, bytes, room))
MOVE(write, write, bytes, (int fd, const void *from, size_t bytes), (fd, from, bytes))
MOVE(readv, readv, PARTS, (int fd, const struct iovec *parts, int n), (fd, parts, n))
MOVE(writev, writev, PARTS, (int fd, const struct iovec *parts, int n), (fd, parts, n))
MOVE(pread, pread, bytes, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
MOVE(pread64, pread, bytes, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
MOVE(__pread_chk, pread, bytes, (int fd, void *to, size_t bytes, off_t at, size_t room), (fd, to, bytes, at, room))
MOVE(__pread64_chk, pread, bytes, (int fd, void *to, size_t bytes, off_t at, size_t room), (fd, to, bytes, at, room))
MOVE(pwrite, pwrite, bytes, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))
MOVE(pwrite64, pwrite, bytes, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))
MOVE(preadv, preadv, PARTS, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
MOVE(preadv64, preadv, PARTS, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
MOVE(pwritev, pwritev, PARTS, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))
MOVE(pwritev64, pwritev, PARTS, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at))

/* preadv2() and the like: at the offset -1 they are readv() and writev(). */
#define AT_ANY(name, at_pointer, at_offset)                                                                            \
    EXPORTED ssize_t name(int descriptor, const struct iovec *parts, int n, off_t offset, int flags) {                 \
        REAL(name);                                                                                                    \
        if (offset == -1) {                                                                                            \
            ACCESS(ssize_t, at_pointer, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset, flags),     \
                   result);                                                                                            \
        }                                                                                                              \
        ACCESS(ssize_t, at_offset, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset, flags), result); \
    }
AT_ANY(preadv2, readv, preadv)
AT_ANY(preadv64v2, readv, preadv)
AT_ANY(pwritev2, writev, pwritev)
AT_ANY(pwritev64v2, writev, pwritev)

/* ---- other calls ---- */

#define SEEK RECORDED(off_t, lseek, fd, -1, real(fd, offset, whence), io->sought(&call, whence, offset, result))
#define MAP USE(void *, mmap, fd, real(address, bytes, protection, flags, fd, offset))
WRAP(off_t, lseek, (int fd, off_t offset, int whence), SEEK)
WRAP(off_t, lseek64, (int fd, off_t offset, int whence), SEEK)
WRAP(int, fsync, (int fd), USE(int, fsync, fd, real(fd)))
WRAP(int, fdatasync, (int fd), USE(int, fdatasync, fd, real(fd)))
WRAP(void *, mmap, (void *address, size_t bytes, int protection, int flags, int fd, off_t offset), MAP)
WRAP(void *, mmap64, (void *address, size_t bytes, int protection, int flags, int fd, off_t offset), MAP)
