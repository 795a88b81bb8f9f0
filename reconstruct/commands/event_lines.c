/* event_lines.c: reads text files by lines, and lets traces be written as text to the same reader (event_lines.h). */
#define _GNU_SOURCE
#include "commands/event_lines.h"
#include "common/array.h"
#include "formats/write_text.h"
#include "match/replay.h"
#include "match/replayable.h"
#include "model/trace_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct lines {
    const char *source;
    refrain_visit_line *visit;
    void *data;
    uint64_t number;
    struct refrain_error *error;
    enum refrain_status status;
    char *partial; /* the beginning of a line of which the rest is still missing */
    size_t n_partial, capacity_partial;
};

/* ---- one line ---- */

/* Reads seconds with up to nine decimals. */
static bool read_seconds(char **at, int64_t *ns) {
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    unsigned long long seconds = strtoull(*at, at, 10);
    int64_t fraction = 0, unit = 100000000;
    if (errno || seconds > INT64_MAX / 1000000000 - 1)
        return false;
    if (**at == '.')
        for ((*at)++; isdigit((unsigned char)**at); (*at)++, unit /= 10)
            fraction += (**at - '0') * unit;
    *ns = (int64_t)seconds * 1000000000 + fraction;
    return true;
}

/* Removes `thread=` and `approximate` from the fields and sets them in the event. */
static void remove_flags(char *fields, struct refrain_event_line *event) {
    char *to = fields;
    for (char *field = fields; field;) {
        char *next = strchr(field, '\t');
        size_t n = next ? (size_t)(next - field) : strlen(field);
        if (strncmp(field, "thread=", 7) == 0) {
            event->thread = (uint32_t)strtoul(field + 7, NULL, 10);
        } else if (n == 11 && strncmp(field, "approximate", n) == 0) {
            event->approximate = true;
        } else {
            if (to != fields)
                *to++ = '\t';
            memmove(to, field, n);
            to += n;
        }
        field = next ? next + 1 : NULL;
    }
    *to = 0;
}

static bool visit_line(struct lines *lines, char *line) {
    struct refrain_event_line event = {0};
    lines->number++;
    char *at = line;
    long rank = strtol(line, &at, 10);
    bool sound = at != line && rank >= 0 && rank <= INT32_MAX && *at == '\t';
    at++;
    if (!sound || !read_seconds(&at, &event.time_ns) || *at != '\t') {
        lines->status = REFRAIN_FAIL(lines->error,
                                     "%s: line %llu is no event (rank, seconds, event, name, tab-separated): neither a "
                                     "trace nor refrain's text",
                                     lines->source, (unsigned long long)lines->number);
        return false;
    }
    event.rank = (int32_t)rank;
    event.fields = at + 1;
    remove_flags(at + 1, &event);
    if (lines->visit(lines->data, &event))
        return true;
    lines->status = REFRAIN_FAIL_MEMORY(lines->error);
    return false;
}

/* ---- traces: what the text writer writes ---- */

static bool keep_partial(struct lines *lines, const char *text, size_t n) {
    if (!REFRAIN_ARRAY_ROOMS(lines->partial, lines->n_partial, n + 1, lines->capacity_partial)) {
        lines->status = REFRAIN_FAIL_MEMORY(lines->error);
        return false;
    }
    memcpy(lines->partial + lines->n_partial, text, n);
    lines->n_partial += n;
    lines->partial[lines->n_partial] = 0;
    return true;
}

static bool write_lines(void *data, const void *bytes, size_t n) {
    struct lines *lines = data;
    const char *text = bytes;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        if (!keep_partial(lines, text + at, length))
            return false;
        at += length + 1;
        if (!end)
            break;
        if (!visit_line(lines, lines->partial))
            return false;
        lines->n_partial = 0;
    }
    return true;
}

enum part { PART_ANY, PART_EVENTS, PART_STAT, PART_UNALIGNED };

static enum refrain_status read_trace(struct lines *lines, const char *path, enum part part) {
    struct refrain_trace *trace;
    enum refrain_status status = refrain_trace_open(path, true, &trace, lines->error);
    if (status)
        return status;
    bool recorded = part == PART_EVENTS || (part == PART_ANY && refrain_replayable(trace, true, NULL) == REFRAIN_OK);
    status = refrain_replayable(trace, recorded, lines->error);
    struct refrain_writer *writer = NULL;
    if (!status) {
        writer = refrain_write_text(refrain_sink_open_function(write_lines, lines), false, false, lines->error);
        status = writer ? REFRAIN_OK : REFRAIN_ERROR;
    }
    if (writer) {
        struct refrain_error error = {0};
        struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
        options.recorded = recorded;
        options.untold = true;
        options.unaligned = part == PART_UNALIGNED;
        status = refrain_write(trace, &options, writer, NULL, &error);
        if (lines->status)
            status = lines->status;
        else if (status)
            status = refrain_error_set(lines->error, status, __FILE__, __LINE__, "%s", error.message);
    }
    refrain_trace_close(trace);
    return status;
}

/* ---- text ---- */

static enum refrain_status read_text(struct lines *lines, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file)
        return REFRAIN_FAIL(lines->error, "%s: %s", path, strerror(errno));
    char *line = NULL;
    size_t bytes = 0;
    ssize_t n;
    while (!lines->status && (n = getline(&line, &bytes, file)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = 0;
        visit_line(lines, line);
    }
    if (!lines->status && ferror(file))
        lines->status = REFRAIN_FAIL(lines->error, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return lines->status;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* True for a file that refrain pack wrote, whatever its name is. */
static bool is_pack(const char *path) {
    char magic[8];
    FILE *file = fopen(path, "re");
    bool is = file && fread(magic, sizeof magic, 1, file) == 1 && refrain_ranks_are_packed(magic, sizeof magic);
    if (file)
        fclose(file);
    return is;
}

enum refrain_status refrain_event_lines(const char *source, refrain_visit_line *visit, void *data,
                                        struct refrain_error *error) {
    struct lines lines = {.source = source, .visit = visit, .data = data, .error = error};
    struct stat file;
    char *path = strdup(source);
    if (!path)
        return REFRAIN_FAIL_MEMORY(error);
    enum part part = PART_ANY;
    if (stat(path, &file) != 0) {
        part = ends_with(path, ":events")      ? PART_EVENTS
               : ends_with(path, ":stat")      ? PART_STAT
               : ends_with(path, ":unaligned") ? PART_UNALIGNED
                                               : PART_ANY;
        if (part != PART_ANY)
            *strrchr(path, ':') = 0;
    }
    enum refrain_status status;
    if (stat(path, &file) != 0)
        status = REFRAIN_FAIL(error, "%s: %s", path, strerror(errno));
    else if (part != PART_ANY || S_ISDIR(file.st_mode) || ends_with(path, ".trace") || is_pack(path))
        status = read_trace(&lines, path, part);
    else
        status = read_text(&lines, path);
    free(lines.partial);
    free(path);
    return status;
}
