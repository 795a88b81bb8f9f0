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

#define OPEN(function, path, flags, passed) OPENS(int, function, path, passed, result, mode_of(flags))

EXPORTED int open(const char *path, int flags, ...) {
    PERMISSIONS(flags);
    REAL(open);
    OPEN(open, path, flags, real(path, flags, permissions));
}
EXPORTED int open64(const char *path, int flags, ...) {
    PERMISSIONS(flags);
    REAL(open64);
    OPEN(open, path, flags, real(path, flags, permissions));
}
EXPORTED int __open_2(const char *path, int flags) {
    REAL(__open_2);
    OPEN(open, path, flags, real(path, flags));
}
EXPORTED int __open64_2(const char *path, int flags) {
    REAL(__open64_2);
    OPEN(open, path, flags, real(path, flags));
}
EXPORTED int openat(int directory, const char *path, int flags, ...) {
    PERMISSIONS(flags);
    REAL(openat);
    OPEN(openat, path, flags, real(directory, path, flags, permissions));
}
EXPORTED int openat64(int directory, const char *path, int flags, ...) {
    PERMISSIONS(flags);
    REAL(openat64);
    OPEN(openat, path, flags, real(directory, path, flags, permissions));
}
EXPORTED int __openat_2(int directory, const char *path, int flags) {
    REAL(__openat_2);
    OPEN(openat, path, flags, real(directory, path, flags));
}
EXPORTED int __openat64_2(int directory, const char *path, int flags) {
    REAL(__openat64_2);
    OPEN(openat, path, flags, real(directory, path, flags));
}
EXPORTED int creat(const char *path, mode_t permissions) {
    REAL(creat);
    OPEN(creat, path, O_CREAT | O_WRONLY | O_TRUNC, real(path, permissions));
}
EXPORTED int creat64(const char *path, mode_t permissions) {
    REAL(creat64);
    OPEN(creat, path, O_CREAT | O_WRONLY | O_TRUNC, real(path, permissions));
}

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

EXPORTED ssize_t read(int descriptor, void *buffer, size_t bytes) {
    REAL(read);
    ACCESS(ssize_t, read, descriptor, bytes, real(descriptor, buffer, bytes), result);
}
EXPORTED ssize_t __read_chk(int descriptor, void *buffer, size_t bytes, size_t room) {
    REAL(__read_chk);
    ACCESS(ssize_t, read, descriptor, bytes, real(descriptor, buffer, bytes, room), result);
}
EXPORTED ssize_t write(int descriptor, const void *buffer, size_t bytes) {
    REAL(write);
    ACCESS(ssize_t, write, descriptor, bytes, real(descriptor, buffer, bytes), result);
}
EXPORTED ssize_t readv(int descriptor, const struct iovec *parts, int n) {
    REAL(readv);
    ACCESS(ssize_t, readv, descriptor, bytes_of(parts, n), real(descriptor, parts, n), result);
}
EXPORTED ssize_t writev(int descriptor, const struct iovec *parts, int n) {
    REAL(writev);
    ACCESS(ssize_t, writev, descriptor, bytes_of(parts, n), real(descriptor, parts, n), result);
}
EXPORTED ssize_t pread(int descriptor, void *buffer, size_t bytes, off_t offset) {
    REAL(pread);
    ACCESS(ssize_t, pread, descriptor, bytes, real(descriptor, buffer, bytes, offset), result);
}
EXPORTED ssize_t pread64(int descriptor, void *buffer, size_t bytes, off_t offset) {
    REAL(pread64);
    ACCESS(ssize_t, pread, descriptor, bytes, real(descriptor, buffer, bytes, offset), result);
}
EXPORTED ssize_t __pread_chk(int descriptor, void *buffer, size_t bytes, off_t offset, size_t room) {
    REAL(__pread_chk);
    ACCESS(ssize_t, pread, descriptor, bytes, real(descriptor, buffer, bytes, offset, room), result);
}
EXPORTED ssize_t __pread64_chk(int descriptor, void *buffer, size_t bytes, off_t offset, size_t room) {
    REAL(__pread64_chk);
    ACCESS(ssize_t, pread, descriptor, bytes, real(descriptor, buffer, bytes, offset, room), result);
}
EXPORTED ssize_t pwrite(int descriptor, const void *buffer, size_t bytes, off_t offset) {
    REAL(pwrite);
    ACCESS(ssize_t, pwrite, descriptor, bytes, real(descriptor, buffer, bytes, offset), result);
}
EXPORTED ssize_t pwrite64(int descriptor, const void *buffer, size_t bytes, off_t offset) {
    REAL(pwrite64);
    ACCESS(ssize_t, pwrite, descriptor, bytes, real(descriptor, buffer, bytes, offset), result);
}
EXPORTED ssize_t preadv(int descriptor, const struct iovec *parts, int n, off_t offset) {
    REAL(preadv);
    ACCESS(ssize_t, preadv, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset), result);
}
EXPORTED ssize_t preadv64(int descriptor, const struct iovec *parts, int n, off_t offset) {
    REAL(preadv64);
    ACCESS(ssize_t, preadv, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset), result);
}
EXPORTED ssize_t pwritev(int descriptor, const struct iovec *parts, int n, off_t offset) {
    REAL(pwritev);
    ACCESS(ssize_t, pwritev, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset), result);
}
EXPORTED ssize_t pwritev64(int descriptor, const struct iovec *parts, int n, off_t offset) {
    REAL(pwritev64);
    ACCESS(ssize_t, pwritev, descriptor, bytes_of(parts, n), real(descriptor, parts, n, offset), result);
}

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

#define SEEK(passed) RECORDED(off_t, lseek, descriptor, -1, passed, io->sought(&call, whence, offset, result))

EXPORTED off_t lseek(int descriptor, off_t offset, int whence) {
    REAL(lseek);
    SEEK(real(descriptor, offset, whence));
}
EXPORTED off_t lseek64(int descriptor, off_t offset, int whence) {
    REAL(lseek64);
    SEEK(real(descriptor, offset, whence));
}
EXPORTED int fsync(int descriptor) {
    REAL(fsync);
    USE(int, fsync, descriptor, real(descriptor));
}
EXPORTED int fdatasync(int descriptor) {
    REAL(fdatasync);
    USE(int, fdatasync, descriptor, real(descriptor));
}
EXPORTED void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    REAL(mmap);
    USE(void *, mmap, descriptor, real(address, bytes, protection, flags, descriptor, offset));
}
EXPORTED void *mmap64(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    REAL(mmap64);
    USE(void *, mmap, descriptor, real(address, bytes, protection, flags, descriptor, offset));
}
