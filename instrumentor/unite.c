/* unite.c: joins a source and the C files that it includes (unite.h). */
#include "unite.h"
#include "include.h"
#include <string.h>
#include <sys/stat.h>

#define DEPTH_LIMIT 32

struct uniter {
    const char *const *flags;
    size_t n_flags;
    struct refrain_text *out;
    struct refrain_list *included;
    size_t directory;               /* length of the directory in the path of the source */
    const char *stack[DEPTH_LIMIT]; /* paths of the files being read */
    size_t depth;
};

/* Appends the path under which the compiler finds "name" from the file `from`. */
static bool find(const struct uniter *uniter, const char *from, const char *name, struct refrain_text *path) {
    return refrain_include_beside(from, name, path) ||
           refrain_include_in(uniter->flags, uniter->n_flags, "-iquote", name, path) ||
           refrain_include_in(uniter->flags, uniter->n_flags, "-I", name, path);
}

/* True if the file is being read already, or cannot be read. */
static bool is_open(const struct uniter *uniter, const char *path) {
    struct stat status, other;
    bool open = stat(path, &status) != 0;
    for (size_t i = 0; i < uniter->depth && !open; i++)
        open = stat(uniter->stack[i], &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino;
    return open;
}

static void append_directive(struct refrain_text *out, unsigned line, const char *path) {
    refrain_text_format(out, "#line %u \"", line);
    for (; *path; path++)
        refrain_text_format(out, "%s%c", *path == '"' || *path == '\\' ? "\\" : "", *path);
    refrain_text_string(out, "\"\n");
}

/* The end of the line that begins at `at`. `comment`: a comment is open at its beginning, and (output) at its end. A
 * string does not extend over lines. */
static const char *line_end(const char *at, bool *comment) {
    char quote = '\0';
    for (; *at && *at != '\n'; at++) {
        if (*comment) {
            if (at[0] == '*' && at[1] == '/') {
                *comment = false;
                at++;
            }
        } else if (quote) {
            if (*at == '\\' && at[1] && at[1] != '\n')
                at++;
            else if (*at == quote)
                quote = '\0';
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (at[0] == '/' && at[1] == '*') {
            *comment = true;
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            return at + strcspn(at, "\n");
        }
    }
    return at;
}

static bool append_file(struct uniter *uniter, const char *path);

/* True if the file can be read, and does not depend on being a file of its own. */
static bool may_be_united(const char *path) {
    struct refrain_text text = {0};
    bool good = refrain_text_read(&text, path) && !strstr(text.bytes, "#pragma once");
    refrain_text_free(&text);
    return good;
}

/* Handles an #include "name". False if the line stays as it is. */
static bool append_included(struct uniter *uniter, const char *from, const char *name, size_t length, unsigned line) {
    struct refrain_text wanted = {0}, path = {0};
    refrain_text_bytes(&wanted, name, length);
    bool code = length > 2 && strcmp(wanted.bytes + length - 2, ".c") == 0, done = false;
    if (code && find(uniter, from, wanted.bytes, &path) && uniter->depth < DEPTH_LIMIT &&
        !is_open(uniter, path.bytes) && may_be_united(path.bytes)) {
        append_directive(uniter->out, 1, path.bytes);
        refrain_list_add(uniter->included, path.bytes);
        append_file(uniter, path.bytes);
        append_directive(uniter->out, line + 1, from);
        done = true;
    } else if (!code && uniter->depth > 1 && refrain_include_beside(from, wanted.bytes, &path) &&
               path.length > uniter->directory && name[0] != '/') {
        /* the path is now relative to the source, no longer to the including file */
        refrain_text_format(uniter->out, "#include \"%s\"\n", path.bytes + uniter->directory);
        done = true;
    }
    refrain_text_free(&wanted);
    refrain_text_free(&path);
    return done;
}

static bool append_file(struct uniter *uniter, const char *path) {
    struct refrain_text text = {0};
    bool comment = false;
    if (!refrain_text_read(&text, path))
        return false;
    uniter->stack[uniter->depth++] = path;
    unsigned line = 1;
    for (const char *at = text.bytes; at && *at; line++) {
        const char *name = NULL;
        size_t length = comment ? 0 : refrain_include_name(at, false, &name);
        const char *end = line_end(at, &comment);
        if (length == 0 || comment || !append_included(uniter, path, name, length, line)) {
            refrain_text_bytes(uniter->out, at, (size_t)(end - at));
            refrain_text_bytes(uniter->out, "\n", *end || uniter->depth > 1);
        }
        at = *end ? end + 1 : end;
    }
    uniter->depth--;
    refrain_text_free(&text);
    return true;
}

bool refrain_unite(const char *path, const char *const *flags, size_t n_flags, struct refrain_text *text,
                   struct refrain_list *included) {
    struct uniter uniter = {.flags = flags,
                            .n_flags = n_flags,
                            .out = text,
                            .included = included,
                            .directory = (size_t)(refrain_text_basename(path) - path)};
    return append_file(&uniter, path);
}
