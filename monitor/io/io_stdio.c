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
#undef putc
#undef putchar
#undef fputc_unlocked
#undef putc_unlocked
#undef putchar_unlocked

/* What the C library has for compilers, without a declaration. */
EXPORTED size_t __fread_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream);
EXPORTED size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t n, FILE *stream);
EXPORTED char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream);
EXPORTED char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream);
EXPORTED int __printf_chk(int flag, const char *format, ...);
EXPORTED int __vprintf_chk(int flag, const char *format, va_list arguments);
EXPORTED int __dprintf_chk(int descriptor, int flag, const char *format, ...);
EXPORTED int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments);
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

/* Without a path, the stream stays on its file, with another mode. */
#define REOPEN(passed)                                                                                                 \
    int descriptor = descriptor_of(stream);                                                                            \
    if (!path) {                                                                                                       \
        RECORDED(FILE *, freopen, descriptor, -1, passed, if (!result) io->closes(descriptor); io->used(&call));       \
    }                                                                                                                  \
    closes(stream);                                                                                                    \
    OPEN(freopen, passed)

EXPORTED FILE *freopen(const char *path, const char *mode, FILE *stream) {
    REAL(freopen);
    REOPEN(real(path, mode, stream));
}
EXPORTED FILE *freopen64(const char *path, const char *mode, FILE *stream) {
    REAL(freopen64);
    REOPEN(real(path, mode, stream));
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
/* The body of a wrapper that writes a text. */
#define TEXT(stream, bytes, passed)                                                                                    \
    int descriptor = descriptor_of(stream);                                                                            \
    const int64_t length = refrain_io_of(descriptor) ? (int64_t)(bytes) : 0;                                           \
    ACCESS(int, fputs, descriptor, length, passed, result < 0 ? -1 : length)

EXPORTED int fputs(const char *text, FILE *stream) {
    REAL(fputs);
    TEXT(stream, strlen(text), real(text, stream));
}
EXPORTED int fputs_unlocked(const char *text, FILE *stream) {
    REAL(fputs_unlocked);
    TEXT(stream, strlen(text), real(text, stream));
}
EXPORTED int puts(const char *text) {
    REAL(puts);
    TEXT(stdout, strlen(text) + 1, real(text));
}

/* A compiler makes these of fprintf() and fputs() for one character, so they are recorded as fputs. */
#define CHARACTER(name)                                                                                                \
    EXPORTED int name(int character, FILE *stream) {                                                                   \
        REAL(name);                                                                                                    \
        TEXT(stream, 1, real(character, stream));                                                                      \
    }
#define CHARACTER_OUT(name)                                                                                            \
    EXPORTED int name(int character) {                                                                                 \
        REAL(name);                                                                                                    \
        TEXT(stdout, 1, real(character));                                                                              \
    }
CHARACTER(fputc)
CHARACTER(putc)
CHARACTER(fputc_unlocked)
CHARACTER(putc_unlocked)
CHARACTER_OUT(putchar)
CHARACTER_OUT(putchar_unlocked)

/* The end of the file is an access of no bytes. */
#define GETS(passed)                                                                                                   \
    int descriptor = descriptor_of(stream);                                                                            \
    ACCESS(char *, fgets, descriptor, bytes, passed, result ? strlen(text) : 0)

EXPORTED char *fgets(char *text, int bytes, FILE *stream) {
    REAL(fgets);
    GETS(real(text, bytes, stream));
}
EXPORTED char *fgets_unlocked(char *text, int bytes, FILE *stream) {
    REAL(fgets_unlocked);
    GETS(real(text, bytes, stream));
}
EXPORTED char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream) {
    REAL(__fgets_chk);
    GETS(real(text, room, bytes, stream));
}
EXPORTED char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream) {
    REAL(__fgets_unlocked_chk);
    GETS(real(text, room, bytes, stream));
}

/* An access whose size is known only when it is over. */
#define FORMATTED(type, function, descriptor, passed, bytes)                                                           \
    RECORDED(type, function, descriptor, -1, passed, io->formatted(&call, (int64_t)(bytes)))
#define LINE(passed)                                                                                                   \
    int descriptor = descriptor_of(stream);                                                                            \
    FORMATTED(ssize_t, getdelim, descriptor, passed, result < 0 ? 0 : result)
#define PRINTS_LIST(stream, passed)                                                                                    \
    int descriptor = descriptor_of(stream);                                                                            \
    FORMATTED(int, fprintf, descriptor, passed, result)

EXPORTED ssize_t getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    REAL(getdelim);
    LINE(real(line, room, delimiter, stream));
}
EXPORTED ssize_t __getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    REAL(__getdelim);
    LINE(real(line, room, delimiter, stream));
}
EXPORTED ssize_t getline(char **line, size_t *room, FILE *stream) {
    REAL(getline);
    LINE(real(line, room, stream));
}

EXPORTED int vfprintf(FILE *stream, const char *format, va_list arguments) {
    REAL(vfprintf);
    PRINTS_LIST(stream, real(stream, format, arguments));
}
EXPORTED int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    REAL(__vfprintf_chk);
    PRINTS_LIST(stream, real(stream, flag, format, arguments));
}
EXPORTED int vprintf(const char *format, va_list arguments) {
    REAL(vprintf);
    PRINTS_LIST(stdout, real(format, arguments));
}
EXPORTED int __vprintf_chk(int flag, const char *format, va_list arguments) {
    REAL(__vprintf_chk);
    PRINTS_LIST(stdout, real(flag, format, arguments));
}
EXPORTED int vdprintf(int descriptor, const char *format, va_list arguments) {
    REAL(vdprintf);
    FORMATTED(int, fprintf, descriptor, real(descriptor, format, arguments), result);
}
EXPORTED int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments) {
    REAL(__vdprintf_chk);
    FORMATTED(int, fprintf, descriptor, real(descriptor, flag, format, arguments), result);
}

/* The body of a wrapper with arguments behind `format`. `to`: the descriptor. */
#define PRINTS(to, passed)                                                                                             \
    const struct refrain_io *io = refrain_io_of(to);                                                                   \
    struct refrain_io_call call;                                                                                       \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    if (io)                                                                                                            \
        io->begin(&call, REFRAIN_CALL_POSIX_fprintf, to, -1, FROM);                                                    \
    int result = passed;                                                                                               \
    if (io)                                                                                                            \
        io->formatted(&call, result);                                                                                  \
    va_end(arguments);                                                                                                 \
    return result

EXPORTED int fprintf(FILE *stream, const char *format, ...) {
    REAL(vfprintf);
    PRINTS(descriptor_of(stream), real(stream, format, arguments));
}
EXPORTED int __fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    REAL(__vfprintf_chk);
    PRINTS(descriptor_of(stream), real(stream, flag, format, arguments));
}
EXPORTED int printf(const char *format, ...) {
    REAL(vprintf);
    PRINTS(descriptor_of(stdout), real(format, arguments));
}
EXPORTED int __printf_chk(int flag, const char *format, ...) {
    REAL(__vprintf_chk);
    PRINTS(descriptor_of(stdout), real(flag, format, arguments));
}
EXPORTED int dprintf(int descriptor, const char *format, ...) {
    REAL(vdprintf);
    PRINTS(descriptor, real(descriptor, format, arguments));
}
EXPORTED int __dprintf_chk(int descriptor, int flag, const char *format, ...) {
    REAL(__vdprintf_chk);
    PRINTS(descriptor, real(descriptor, flag, format, arguments));
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

/* The position is in a form of the C library's own; ftello() says what it is. */
#define SET(passed)                                                                                                    \
    int descriptor = descriptor_of(stream);                                                                            \
    RECORDED(int, fseek, descriptor, -1, passed, const int64_t now = position_after(stream, result, 0, SEEK_CUR);      \
             io->sought(&call, SEEK_SET, now < 0 ? 0 : now, now))

EXPORTED int fsetpos(FILE *stream, const fpos_t *position) {
    REAL(fsetpos);
    SET(real(stream, position));
}
EXPORTED int fsetpos64(FILE *stream, const fpos64_t *position) {
    REAL(fsetpos64);
    SET(real(stream, position));
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
EXPORTED int fflush_unlocked(FILE *stream) {
    REAL(fflush_unlocked);
    int descriptor = descriptor_of(stream);
    USE(int, fflush, descriptor, real(stream));
}
