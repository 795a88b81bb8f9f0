/* io_stdio.c: the wrappers of calls on streams (io.h). The bytes are those that the program passes to a stream or gets
 * from it; when the stream moves them from or to its file is not seen. Calls that read single characters (getc) and
 * fscanf are not wrapped: they would cost more than they do. */
#define _GNU_SOURCE
#include "io/io_wrap.h"
#include <refrain/access.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef fread_unlocked
#undef fwrite_unlocked

/* What the C library has for compilers, without a declaration. */
EXPORTED size_t __fread_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream);
EXPORTED size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream);
EXPORTED char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream);
EXPORTED int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
EXPORTED int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);

/* The descriptor of a stream, -1 if it has none. Keeps errno. */
static int descriptor_of(FILE *stream) {
    int saved = errno, descriptor = stream && refrain_io_monitor() ? fileno(stream) : -1;
    errno = saved;
    return descriptor;
}

/* ---- opening and closing ---- */

static unsigned mode_of(const char *mode) {
    unsigned result = mode[0] == 'r' ? REFRAIN_FILE_READS : REFRAIN_FILE_WRITES | REFRAIN_FILE_CREATES;
    return result | (strchr(mode, '+') ? REFRAIN_FILE_READS | REFRAIN_FILE_WRITES : 0u) |
           (strchr(mode, 'x') ? REFRAIN_FILE_EXCLUSIVE : 0u) | (mode[0] == 'a' ? REFRAIN_FILE_APPENDS : 0u);
}

#define OPEN(function, passed) OPENS(FILE *, function, path, passed, descriptor_of(result), mode_of(mode))

EXPORTED FILE *fopen(const char *path, const char *mode) {
    REAL(fopen);
    OPEN(fopen, real(path, mode));
}
EXPORTED FILE *fopen64(const char *path, const char *mode) {
    REAL(fopen64);
    OPEN(fopen, real(path, mode));
}

static void closes(FILE *stream) {
    const struct refrain_io *io = refrain_io_of(descriptor_of(stream));
    if (io)
        io->closes(descriptor_of(stream));
}

EXPORTED FILE *freopen(const char *path, const char *mode, FILE *stream) {
    REAL(freopen);
    closes(stream);
    OPEN(freopen, real(path, mode, stream));
}
EXPORTED FILE *freopen64(const char *path, const char *mode, FILE *stream) {
    REAL(freopen64);
    closes(stream);
    OPEN(freopen, real(path, mode, stream));
}

EXPORTED int fclose(FILE *stream) {
    REAL(fclose);
    int descriptor = descriptor_of(stream);
    const struct refrain_io *io = refrain_io_of(descriptor);
    if (!io)
        return real(stream);
    struct refrain_io_call call;
    io->begin(&call, REFRAIN_CALL_POSIX_fclose, descriptor, -1, FROM);
    io->closes(descriptor);
    int result = real(stream);
    io->used(&call);
    return result;
}

/* ---- accesses ---- */

#define ELEMENTS(function, passed)                                                                                     \
    int descriptor = descriptor_of(stream);                                                                            \
    ACCESS(size_t, function, descriptor, size *n, passed, result *size)

EXPORTED size_t fread(void *buffer, size_t size, size_t n, FILE *stream) {
    REAL(fread);
    ELEMENTS(fread, real(buffer, size, n, stream));
}
EXPORTED size_t fread_unlocked(void *buffer, size_t size, size_t n, FILE *stream) {
    REAL(fread_unlocked);
    ELEMENTS(fread, real(buffer, size, n, stream));
}
EXPORTED size_t __fread_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream) {
    REAL(__fread_chk);
    ELEMENTS(fread, real(buffer, room, size, n, stream));
}
EXPORTED size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream) {
    REAL(__fread_unlocked_chk);
    ELEMENTS(fread, real(buffer, room, size, n, stream));
}
EXPORTED size_t fwrite(const void *buffer, size_t size, size_t n, FILE *stream) {
    REAL(fwrite);
    ELEMENTS(fwrite, real(buffer, size, n, stream));
}
EXPORTED size_t fwrite_unlocked(const void *buffer, size_t size, size_t n, FILE *stream) {
    REAL(fwrite_unlocked);
    ELEMENTS(fwrite, real(buffer, size, n, stream));
}
EXPORTED int fputs(const char *text, FILE *stream) {
    REAL(fputs);
    int descriptor = descriptor_of(stream);
    ACCESS(int, fputs, descriptor, strlen(text), real(text, stream), result < 0 ? -1 : (int64_t)strlen(text));
}
EXPORTED int fputs_unlocked(const char *text, FILE *stream) {
    REAL(fputs_unlocked);
    int descriptor = descriptor_of(stream);
    ACCESS(int, fputs, descriptor, strlen(text), real(text, stream), result < 0 ? -1 : (int64_t)strlen(text));
}
/* A compiler makes these of fprintf() and fputs() for one character, so they are recorded as fputs. */
EXPORTED int fputc(int character, FILE *stream) {
    REAL(fputc);
    int descriptor = descriptor_of(stream);
    ACCESS(int, fputs, descriptor, 1, real(character, stream), result < 0 ? -1 : 1);
}
#undef putc
EXPORTED int putc(int character, FILE *stream) {
    REAL(putc);
    int descriptor = descriptor_of(stream);
    ACCESS(int, fputs, descriptor, 1, real(character, stream), result < 0 ? -1 : 1);
}

/* The end of the file is an access of no bytes. */
EXPORTED char *fgets(char *text, int bytes, FILE *stream) {
    REAL(fgets);
    int descriptor = descriptor_of(stream);
    ACCESS(char *, fgets, descriptor, bytes, real(text, bytes, stream), result ? strlen(text) : 0);
}
EXPORTED char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream) {
    REAL(__fgets_chk);
    int descriptor = descriptor_of(stream);
    ACCESS(char *, fgets, descriptor, bytes, real(text, room, bytes, stream), result ? strlen(text) : 0);
}

/* An access whose size is known only when it is over. */
#define FORMATTED(type, function, passed, bytes)                                                                       \
    int descriptor = descriptor_of(stream);                                                                            \
    RECORDED(type, function, descriptor, -1, passed, io->formatted(&call, (int64_t)(bytes)))

EXPORTED ssize_t getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    REAL(getdelim);
    FORMATTED(ssize_t, getdelim, real(line, room, delimiter, stream), result < 0 ? 0 : result);
}
EXPORTED ssize_t __getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    REAL(__getdelim);
    FORMATTED(ssize_t, getdelim, real(line, room, delimiter, stream), result < 0 ? 0 : result);
}
EXPORTED ssize_t getline(char **line, size_t *room, FILE *stream) {
    REAL(getline);
    FORMATTED(ssize_t, getdelim, real(line, room, stream), result < 0 ? 0 : result);
}

EXPORTED int vfprintf(FILE *stream, const char *format, va_list arguments) {
    REAL(vfprintf);
    FORMATTED(int, fprintf, real(stream, format, arguments), result);
}
EXPORTED int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    REAL(__vfprintf_chk);
    FORMATTED(int, fprintf, real(stream, flag, format, arguments), result);
}

/* The body of a wrapper with a list of arguments behind `format`. */
#define PRINTS(passed)                                                                                                 \
    int descriptor = descriptor_of(stream);                                                                            \
    const struct refrain_io *io = refrain_io_of(descriptor);                                                           \
    struct refrain_io_call call;                                                                                       \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    if (io)                                                                                                            \
        io->begin(&call, REFRAIN_CALL_POSIX_fprintf, descriptor, -1, FROM);                                            \
    int result = passed;                                                                                               \
    if (io)                                                                                                            \
        io->formatted(&call, result);                                                                                  \
    va_end(arguments);                                                                                                 \
    return result

EXPORTED int fprintf(FILE *stream, const char *format, ...) {
    REAL(vfprintf);
    PRINTS(real(stream, format, arguments));
}
EXPORTED int __fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    REAL(__vfprintf_chk);
    PRINTS(real(stream, flag, format, arguments));
}

/* ---- other calls ---- */

/* Where the stream is after a seek that did not name the position itself; keeps errno. */
static int64_t position_after(FILE *stream, int rc, off_t offset, int whence) {
    int saved = errno;
    int64_t position = rc != 0 ? -1 : whence == SEEK_SET ? offset : ftello(stream);
    errno = saved;
    return position;
}

#define SEEK(function, passed, offset, whence)                                                                         \
    int descriptor = descriptor_of(stream);                                                                            \
    RECORDED(int, function, descriptor, -1, passed,                                                                    \
             io->sought(&call, whence, offset, position_after(stream, result, offset, whence)))

EXPORTED int fseek(FILE *stream, long offset, int whence) {
    REAL(fseek);
    SEEK(fseek, real(stream, offset, whence), offset, whence);
}
EXPORTED int fseeko(FILE *stream, off_t offset, int whence) {
    REAL(fseeko);
    SEEK(fseek, real(stream, offset, whence), offset, whence);
}
EXPORTED int fseeko64(FILE *stream, off_t offset, int whence) {
    REAL(fseeko64);
    SEEK(fseek, real(stream, offset, whence), offset, whence);
}

EXPORTED void rewind(FILE *stream) {
    REAL(rewind);
    int descriptor = descriptor_of(stream);
    const struct refrain_io *io = refrain_io_of(descriptor);
    struct refrain_io_call call;
    if (io)
        io->begin(&call, REFRAIN_CALL_POSIX_rewind, descriptor, -1, FROM);
    real(stream);
    if (io)
        io->sought(&call, SEEK_SET, 0, 0);
}

EXPORTED int fflush(FILE *stream) {
    REAL(fflush);
    int descriptor = descriptor_of(stream);
    USE(int, fflush, descriptor, real(stream));
}
