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

#define OPEN(function) OPENS(FILE *, function, path, real(path, mode), descriptor_of(result), mode_of(mode))
WRAP(FILE *, fopen, (const char *path, const char *mode), OPEN(fopen))
WRAP(FILE *, fopen64, (const char *path, const char *mode), OPEN(fopen))

static void closes(FILE *stream) {
    const struct refrain_io *io = refrain_io_of(descriptor_of(stream));
    if (io)
        io->closes(descriptor_of(stream));
}

/* Without a path, the stream stays on its file, with another mode. */
#define REOPEN                                                                                                         \
    int descriptor = descriptor_of(stream);                                                                            \
    if (!path) {                                                                                                       \
        RECORDED(FILE *, freopen, descriptor, -1, real(path, mode, stream), if (!result) io->closes(descriptor);       \
                 io->used(&call));                                                                                     \
    }                                                                                                                  \
    closes(stream);                                                                                                    \
    OPENS(FILE *, freopen, path, real(path, mode, stream), descriptor_of(result), mode_of(mode))
WRAP(FILE *, freopen, (const char *path, const char *mode, FILE *stream), REOPEN)
WRAP(FILE *, freopen64, (const char *path, const char *mode, FILE *stream), REOPEN)

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

/* A wrapper whose file is that of `stream`. */
#define WRAP_STREAM(type, name, parameters, body) WRAP(type, name, parameters, int fd = descriptor_of(stream); body)

/* A wrapper that moves `n` elements of `size` bytes. */
#define MOVE(name, function, parameters, passed)                                                                       \
    WRAP_STREAM(size_t, name, parameters, ACCESS(size_t, function, fd, size *n, real passed, result *size))
MOVE(fread, fread, (void *to, size_t size, size_t n, FILE *stream), (to, size, n, stream))
MOVE(fread_unlocked, fread, (void *to, size_t size, size_t n, FILE *stream), (to, size, n, stream))
MOVE(__fread_chk, fread, (void *to, size_t room, size_t size, size_t n, FILE *stream), (to, room, size, n, stream))
MOVE(__fread_unlocked_chk, fread, (void *to, size_t room, size_t size, size_t n, FILE *stream),
     (to, room, size, n, stream))
MOVE(fwrite, fwrite, (const void *from, size_t size, size_t n, FILE *stream), (from, size, n, stream))
MOVE(fwrite_unlocked, fwrite, (const void *from, size_t size, size_t n, FILE *stream), (from, size, n, stream))

/* A wrapper that writes a text of `bytes` bytes to the stream `to`. */
#define TEXT(name, to, bytes, parameters, passed)                                                                      \
    EXPORTED int name parameters {                                                                                     \
        REAL(name);                                                                                                    \
        int fd = descriptor_of(to);                                                                                    \
        const int64_t length = refrain_io_of(fd) ? (int64_t)(bytes) : 0;                                               \
        ACCESS(int, fputs, fd, length, real passed, result < 0 ? -1 : length);                                         \
    }
TEXT(fputs, stream, strlen(text), (const char *text, FILE *stream), (text, stream))
TEXT(fputs_unlocked, stream, strlen(text), (const char *text, FILE *stream), (text, stream))
TEXT(puts, stdout, strlen(text) + 1, (const char *text), (text))

/* A compiler makes these of fprintf() and fputs() for one character, so they are recorded as fputs. */
TEXT(fputc, stream, 1, (int character, FILE *stream), (character, stream))
TEXT(putc, stream, 1, (int character, FILE *stream), (character, stream))
TEXT(fputc_unlocked, stream, 1, (int character, FILE *stream), (character, stream))
TEXT(putc_unlocked, stream, 1, (int character, FILE *stream), (character, stream))
TEXT(putchar, stdout, 1, (int character), (character))
TEXT(putchar_unlocked, stdout, 1, (int character), (character))

/* A wrapper that reads a line to `text`. The end of the file is an access of no bytes. */
#define GETS(name, parameters, passed)                                                                                 \
    WRAP_STREAM(char *, name, parameters, ACCESS(char *, fgets, fd, bytes, real passed, result ? strlen(text) : 0))
GETS(fgets, (char *text, int bytes, FILE *stream), (text, bytes, stream))
GETS(fgets_unlocked, (char *text, int bytes, FILE *stream), (text, bytes, stream))
GETS(__fgets_chk, (char *text, size_t room, int bytes, FILE *stream), (text, room, bytes, stream))
GETS(__fgets_unlocked_chk, (char *text, size_t room, int bytes, FILE *stream), (text, room, bytes, stream))

/* An access whose size is known only when it is over. */
#define FORMATTED(type, function, passed, bytes)                                                                       \
    RECORDED(type, function, fd, -1, passed, io->formatted(&call, (int64_t)(bytes)))
#define LINE(...) FORMATTED(ssize_t, getdelim, real(__VA_ARGS__), result < 0 ? 0 : result)
WRAP_STREAM(ssize_t, getdelim, (char **line, size_t *room, int last, FILE *stream), LINE(line, room, last, stream))
WRAP_STREAM(ssize_t, __getdelim, (char **line, size_t *room, int last, FILE *stream), LINE(line, room, last, stream))
WRAP_STREAM(ssize_t, getline, (char **line, size_t *room, FILE *stream), LINE(line, room, stream))

/* A wrapper that prints to the descriptor `to` what `list` has. */
#define PRINTS_LIST(name, to, parameters, passed)                                                                      \
    WRAP(int, name, parameters, int fd = (to); FORMATTED(int, fprintf, real passed, result))
#define STREAM descriptor_of(stream)
#define OUTPUT descriptor_of(stdout)
PRINTS_LIST(vfprintf, STREAM, (FILE * stream, const char *format, va_list list), (stream, format, list))
PRINTS_LIST(__vfprintf_chk, STREAM, (FILE * stream, int flag, const char *format, va_list list),
            (stream, flag, format, list))
PRINTS_LIST(vprintf, OUTPUT, (const char *format, va_list list), (format, list))
PRINTS_LIST(__vprintf_chk, OUTPUT, (int flag, const char *format, va_list list), (flag, format, list))
PRINTS_LIST(vdprintf, given, (int given, const char *format, va_list list), (given, format, list))
PRINTS_LIST(__vdprintf_chk, given, (int given, int flag, const char *format, va_list list), (given, flag, format, list))

/* The same with arguments behind `format`, by the function `listing` of the C library. */
#define PRINTS(name, listing, to, parameters, passed)                                                                  \
    EXPORTED int name parameters {                                                                                     \
        REAL(listing);                                                                                                 \
        const struct refrain_io *io = refrain_io_of(to);                                                               \
        struct refrain_io_call call;                                                                                   \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        if (io)                                                                                                        \
            io->begin(&call, REFRAIN_CALL_POSIX_fprintf, to, -1, FROM);                                                \
        int result = real passed;                                                                                      \
        if (io)                                                                                                        \
            io->formatted(&call, result);                                                                              \
        va_end(list);                                                                                                  \
        return result;                                                                                                 \
    }
PRINTS(fprintf, vfprintf, STREAM, (FILE * stream, const char *format, ...), (stream, format, list))
PRINTS(__fprintf_chk, __vfprintf_chk, STREAM, (FILE * stream, int flag, const char *format, ...),
       (stream, flag, format, list))
PRINTS(printf, vprintf, OUTPUT, (const char *format, ...), (format, list))
PRINTS(__printf_chk, __vprintf_chk, OUTPUT, (int flag, const char *format, ...), (flag, format, list))
PRINTS(dprintf, vdprintf, fd, (int fd, const char *format, ...), (fd, format, list))
PRINTS(__dprintf_chk, __vdprintf_chk, fd, (int fd, int flag, const char *format, ...), (fd, flag, format, list))

/* ---- other calls ---- */

/* Where the stream is after a seek that did not name the position itself; keeps errno. */
static int64_t position_after(FILE *stream, int rc, off_t offset, int whence) {
    int saved = errno;
    int64_t position = rc != 0 ? -1 : whence == SEEK_SET ? offset : ftello(stream);
    errno = saved;
    return position;
}

#define SEEK                                                                                                           \
    RECORDED(int, fseek, fd, -1, real(stream, offset, whence),                                                         \
             io->sought(&call, whence, offset, position_after(stream, result, offset, whence)))
WRAP_STREAM(int, fseek, (FILE * stream, long offset, int whence), SEEK)
WRAP_STREAM(int, fseeko, (FILE * stream, off_t offset, int whence), SEEK)
WRAP_STREAM(int, fseeko64, (FILE * stream, off_t offset, int whence), SEEK)

/* The position is in a form of the C library's own; ftello() says what it is. */
#define SET                                                                                                            \
    RECORDED(int, fseek, fd, -1, real(stream, position),                                                               \
             const int64_t now = position_after(stream, result, 0, SEEK_CUR);                                          \
             io->sought(&call, SEEK_SET, now < 0 ? 0 : now, now))
WRAP_STREAM(int, fsetpos, (FILE * stream, const fpos_t *position), SET)
WRAP_STREAM(int, fsetpos64, (FILE * stream, const fpos64_t *position), SET)

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

WRAP_STREAM(int, fflush, (FILE * stream), USE(int, fflush, fd, real(stream)))
WRAP_STREAM(int, fflush_unlocked, (FILE * stream), USE(int, fflush, fd, real(stream)))
