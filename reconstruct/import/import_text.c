/* import_text.c: reads lines of the text form as events (import_source.h).
 *
 *     rank, seconds, event, name, key=value ... [approximate], separated by tabs
 *
 * The file is read twice. The first time gives the facts needed before the events: the number of ranks, the ranks
 * that use each communicator, and whether the text has completions. */
#define _GNU_SOURCE
#include "common/array.h"
#include "common/path.h"
#include "common/table.h"
#include "formats/event_names.h"
#include "import/import_source.h"
#include "import/import_trace.h"
#include "model/trace_read.h"
#include <refrain/trace.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COMMS 65536
#define MOST_RANKS (1 << 20)
#define MOST_SECONDS ((int64_t)(REFRAIN_LONGEST_NS / 1000000000))
#define PROGRESS_LINES 65536u

struct line {
    int64_t rank, thread, time_ns;
    enum refrain_event_kind kind;
    char *name, *file, *opened; /* name and source of the region; name of a file */
    int64_t number, peer, tag, bytes, received, comm, object, value,
        request;      /* number: source line; object: window or file; -1 if the line does not have it */
    int64_t role;     /* untold-collectives: enum refrain_collective */
    bool nonblocking; /* these collectives are nonblocking */
};

/* A thread of a rank: the calls that it is in, and its latest line. */
struct location {
    uint32_t *regions;
    size_t n, capacity;
    int64_t last_ns;
};

struct text {
    const char *path;
    FILE *file;
    char *buffer; /* for a line */
    size_t buffer_bytes;
    uint64_t line; /* number of the line */
    struct refrain_error *error;
    int64_t ranks, comms; /* number of them: highest number + 1 */
    bool completions;
    struct refrain_table members; /* keys (communicator, rank), without values */
    struct refrain_import *import;
    struct refrain_table locations; /* (rank, thread) -> struct location */
};

static enum refrain_status wrong(const struct text *text, const char *what) {
    return REFRAIN_FAIL(text->error, "%s: line %" PRIu64 ": %s", text->path, text->line, what);
}

/* ---- fields ---- */

static bool parse_number(const char *value, int64_t *number) {
    char *end;
    errno = 0;
    *number = strtoll(value, &end, 10);
    return end != value && *end == 0 && errno == 0;
}

static bool parse_seconds(const char *value, int64_t *ns) {
    int64_t whole = 0, part = 0, unit = 100000000;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && whole < MOST_SECONDS / 10; at++)
        whole = whole * 10 + (*at - '0');
    if (at == value || (*at && *at != '.'))
        return false;
    if (*at == '.')
        at++;
    for (; *at >= '0' && *at <= '9'; at++, unit /= 10)
        part += unit * (*at - '0');
    *ns = whole * 1000000000 + part;
    return *at == 0;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Removes the escapes of a name, in place. */
static bool unescape(char *name) {
    char *to = name;
    for (const char *at = name; *at; at++) {
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        at++;
        int high = at[0] == 'x' ? digit(at[1]) : -1, low = high >= 0 ? digit(at[2]) : -1;
        if (*at == 't' || *at == 'n' || *at == '\\') {
            *to++ = (char)(*at == 't' ? '\t' : *at == 'n' ? '\n' : '\\');
        } else if (low >= 0 && high * 16 + low > 0) {
            *to++ = (char)(high * 16 + low);
            at += 2;
        } else {
            return false;
        }
    }
    *to = 0;
    return true;
}

/* Parses names separated by commas: the flags of an opened file. */
static bool parse_flags(char *names, int64_t *flags) {
    for (char *name; (name = strsep(&names, ","));) {
        unsigned i = 0;
        while (i < REFRAIN_FILE_MODES && strcmp(name, refrain_file_mode_names[i]) != 0)
            i++;
        if (i == REFRAIN_FILE_MODES)
            return false;
        *flags |= (int64_t)1 << i;
    }
    return true;
}

/* Parses the kind of a collective; an i before it marks a nonblocking one. */
static bool parse_collective(const char *name, struct line *line) {
    line->nonblocking = name[0] == 'i';
    for (line->role = 1; line->role < REFRAIN_COLLECTIVES; line->role++)
        if (strcmp(name + line->nonblocking, refrain_collective_name((enum refrain_collective)line->role)) == 0)
            return true;
    return false;
}

/* Parses key=value. Unknown keys are ignored. */
static bool parse_field(struct line *line, char *field) {
    struct {
        const char *key;
        int64_t *number;
    } numbers[] = {{"line=", &line->number},       {"dest=", &line->peer},     {"source=", &line->peer},
                   {"root=", &line->peer},         {"target=", &line->peer},   {"tag=", &line->tag},
                   {"bytes=", &line->bytes},       {"sent=", &line->bytes},    {"received=", &line->received},
                   {"request=", &line->request},   {"thread=", &line->thread}, {"comm=", &line->comm},
                   {"window=", &line->object},     {"handle=", &line->object}, {"offset=", &line->bytes},
                   {"position=", &line->received}, {"value=", &line->value}};
    if (strncmp(field, "file=", 5) == 0) {
        line->file = field + 5;
        return unescape(line->file);
    }
    if (strncmp(field, "mode=", 5) == 0)
        return parse_flags(field + 5, &line->value);
    if (strncmp(field, "lock=", 5) == 0) {
        line->value = strcmp(field + 5, "exclusive") == 0 ? REFRAIN_LOCK_EXCLUSIVE : REFRAIN_LOCK_SHARED;
        return true;
    }
    if (strncmp(field, "whence=", 7) == 0) {
        for (line->value = 0; line->value < REFRAIN_WHENCES; line->value++)
            if (strcmp(field + 7, refrain_whence_names[line->value]) == 0)
                return true;
        return false;
    }
    if (strncmp(field, "kind=", 5) == 0)
        return parse_collective(field + 5, line);
    if (strncmp(field, "name=", 5) == 0) {
        line->opened = field + 5;
        return unescape(line->opened);
    }
    if (strcmp(field, "comm=unknown") == 0)
        return true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t n = strlen(numbers[i].key);
        if (strncmp(field, numbers[i].key, n) == 0)
            return parse_number(field + n, numbers[i].number);
    }
    return true;
}

static enum refrain_status parse_line(struct text *text, struct line *line) {
    static char none[1];
    char *at = text->buffer, *field;
    *line = (struct line){.peer = -1, .comm = -1, .object = -1, .request = -1, .file = none};
    if (!(field = strsep(&at, "\t")) || !at || !parse_number(field, &line->rank) || line->rank < 0 ||
        line->rank >= MOST_RANKS)
        return wrong(text, "does not begin with a rank and a tab: is this the text that refrain reconstruct writes?");
    if (!(field = strsep(&at, "\t")) || !at || !parse_seconds(field, &line->time_ns))
        return wrong(text, "the second field is no time in seconds, of which there can be 1,000,000,000");
    if (!(field = strsep(&at, "\t")) || !at || !refrain_event_kind_named(field, &line->kind))
        return wrong(text, "the third field is no event that refrain knows");
    if (line->kind == REFRAIN_EVENT_ACCESS_COMPLETE)
        line->bytes = -1; /* unless the line has the number */
    line->name = strsep(&at, "\t");
    if (!unescape(line->name))
        return wrong(text, "the name has a backslash that escapes nothing");
    while ((field = strsep(&at, "\t")))
        if (!parse_field(line, field))
            return wrong(text, "a field has a value that makes no sense");
    if (line->thread < 0 || line->thread >= 65536 || line->comm >= MOST_COMMS || line->peer >= MOST_RANKS ||
        line->tag > INT32_MAX)
        return wrong(text, "a thread, communicator, rank or tag beyond any that there can be");
    return REFRAIN_OK;
}

/* Reads the next line. False at the end, and after an error, which sets *status. */
static bool next_line(struct text *text, struct line *line, enum refrain_status *status) {
    ssize_t n;
    do {
        n = getline(&text->buffer, &text->buffer_bytes, text->file);
        if (n < 0) {
            if (ferror(text->file))
                *status = REFRAIN_FAIL(text->error, "%s: cannot be read: %s", text->path, strerror(errno));
            return false;
        }
        text->line++;
        if (strlen(text->buffer) != (size_t)n) {
            *status = wrong(text, "has a zero byte in it");
            return false;
        }
        if (text->buffer[n - 1] != '\n') {
            *status = wrong(text, "does not end: the text is cut short");
            return false;
        }
        text->buffer[--n] = 0;
    } while (n == 0 || text->buffer[0] == '#');
    *status = parse_line(text, line);
    return !*status;
}

/* ---- first reading ---- */

static bool note_member(struct text *text, int64_t comm, int64_t rank) {
    return comm < 2 || rank < 0 || refrain_table_put(&text->members, (uint64_t)comm, (uint64_t)rank, 1);
}

static enum refrain_status read_definitions(struct text *text) {
    struct line line;
    enum refrain_status status = REFRAIN_OK;
    while (next_line(text, &line, &status)) {
        bool message = line.kind == REFRAIN_EVENT_SEND || line.kind == REFRAIN_EVENT_RECV ||
                       refrain_event_names_window(line.kind) || line.kind == REFRAIN_EVENT_UNTOLD_SENDS ||
                       line.kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
        int64_t highest = line.peer > line.rank ? line.peer : line.rank;
        text->ranks = highest >= text->ranks ? highest + 1 : text->ranks;
        text->comms = line.comm >= text->comms ? line.comm + 1 : text->comms;
        text->completions |= line.kind == REFRAIN_EVENT_SEND_COMPLETE || line.kind == REFRAIN_EVENT_RECV_POST ||
                             line.kind == REFRAIN_EVENT_COLLECTIVE_COMPLETE ||
                             line.kind == REFRAIN_EVENT_ACCESS_COMPLETE;
        if (!note_member(text, line.comm, line.rank) || (message && !note_member(text, line.comm, line.peer)))
            return REFRAIN_FAIL_MEMORY(text->error);
    }
    if (!status && text->ranks == 0)
        status = REFRAIN_FAIL(text->error, "%s: there are no events in it", text->path);
    return status;
}

static int by_communicator(const void *a, const void *b) {
    const struct refrain_table_slot *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static enum refrain_status define_comms(struct text *text) {
    size_t n_pairs = 0, at = 0;
    struct refrain_table_slot *pairs = calloc(text->members.n + 1, sizeof *pairs);
    int32_t *members = calloc(text->members.n + 1, sizeof *members);
    for (const struct refrain_table_slot *slot = NULL; pairs && (slot = refrain_table_next(&text->members, slot));)
        pairs[n_pairs++] = *slot;
    if (pairs)
        qsort(pairs, n_pairs, sizeof *pairs, by_communicator);
    for (int64_t comm = 2; pairs && members && comm < text->comms; comm++) {
        char name[64];
        int32_t n = 0;
        while (at < n_pairs && pairs[at].a == (uint64_t)comm)
            members[n++] = (int32_t)pairs[at++].b;
        snprintf(name, sizeof name, "communicator %" PRId64, comm);
        refrain_import_comm(text->import, name, members, n, NULL, 0);
    }
    bool done = pairs && members;
    free(pairs);
    free(members);
    return done ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(text->error);
}

/* ---- second reading ---- */

/* The location of a line; null without memory. */
static struct location *location_of(struct text *text, const struct line *line) {
    return refrain_table_make(&text->locations, (uint64_t)line->rank, (uint64_t)line->thread, sizeof(struct location));
}

static bool push(struct location *location, uint32_t region) {
    if (!REFRAIN_ARRAY_ROOM(location->regions, location->n, location->capacity))
        return false;
    location->regions[location->n++] = region;
    return true;
}

/* Finds the region of a line that is no enter or leave of its own region, such as a marker. False for other lines. */
static bool find_value(struct text *text, const struct line *line, uint32_t *region) {
    enum refrain_region_use use;
    switch (line->kind) {
    case REFRAIN_EVENT_MARKER:
        use = REFRAIN_USE_MARKER;
        break;
    case REFRAIN_EVENT_COUNTER:
        use = REFRAIN_USE_COUNTER;
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        use = REFRAIN_USE_UNTOLD;
        break;
    default:
        return false;
    }
    *region = refrain_import_value(text->import, use, line->name);
    return true;
}

/* Finds the region of a line: the one entered or left, that of a value, or the call that the line belongs to. */
static enum refrain_status find_region(struct text *text, const struct line *line, struct location *location,
                                       uint32_t *region) {
    if (line->kind == REFRAIN_EVENT_ENTER) {
        *region =
            refrain_import_region_named(text->import, line->file[0] ? REFRAIN_REGION_FUNCTION : REFRAIN_REGION_USER,
                                        line->name, line->file, (uint32_t)line->number);
        return push(location, *region) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(text->error);
    }
    if (find_value(text, line, region))
        return REFRAIN_OK;
    bool inside = location->n > 0 &&
                  strcmp(refrain_import_region_name(text->import, location->regions[location->n - 1]), line->name) == 0;
    if (line->kind == REFRAIN_EVENT_LEAVE) {
        if (!inside)
            return wrong(text, "leaves a region that is not the one entered last");
        *region = location->regions[--location->n];
        return REFRAIN_OK;
    }
    *region = inside ? location->regions[location->n - 1]
                     : refrain_import_region(text->import, REFRAIN_REGION_MPI, line->name, "", 0);
    return refrain_import_is_call(text->import, *region)
               ? REFRAIN_OK
               : wrong(text, "has an MPI event in a region that is no MPI call");
}

/* Converts a line to an event. It is an error if the file got ranks after its first reading. */
static enum refrain_status convert_line(struct text *text, const struct line *line) {
    if (line->rank >= text->ranks)
        return wrong(text, "names a rank that the file did not have when it was read first: convert the file again "
                           "when it is complete");
    struct location *location = location_of(text, line);
    if (!location)
        return REFRAIN_FAIL_MEMORY(text->error);
    struct refrain_import_event event = {.kind = line->kind,
                                         .rank = (int32_t)line->rank,
                                         .thread = (uint32_t)line->thread,
                                         .time_ns = line->time_ns,
                                         .comm = line->comm < 0 ? REFRAIN_IMPORT_NO_COMM : (uint32_t)line->comm,
                                         .peer = (int32_t)line->peer,
                                         .tag = line->tag,
                                         .bytes = line->bytes,
                                         .received = line->received,
                                         .request = text->completions ? line->request : -1,
                                         .value = line->value,
                                         .name = line->opened};
    if (line->kind == REFRAIN_EVENT_UNTOLD_COLLECTIVES) {
        event.tag = line->role;
        event.request = line->nonblocking ? 0 : -1;
    }
    if (refrain_event_names_window(line->kind) || refrain_event_names_file(line->kind))
        event.tag = line->object;
    if (line->time_ns < location->last_ns)
        return wrong(text, "is earlier than the line before of the same rank and thread");
    location->last_ns = line->time_ns;
    enum refrain_status status = find_region(text, line, location, &event.region);
    return status                                     ? status
           : refrain_import_add(text->import, &event) ? REFRAIN_ERROR /* refrain_import_finish() has the error */
                                                      : REFRAIN_OK;
}

static enum refrain_status convert_lines(struct text *text, const struct refrain_import_request *request) {
    struct line line;
    enum refrain_status status = REFRAIN_OK;
    rewind(text->file);
    text->line = 0;
    while (next_line(text, &line, &status)) {
        status = convert_line(text, &line);
        if (status)
            return status;
        if (request->progress && text->line % PROGRESS_LINES == 0)
            request->progress(request->data, refrain_import_events(text->import), line.time_ns);
    }
    return status;
}

static enum refrain_status convert(struct text *text, const struct refrain_import_request *request) {
    char *source;
    if (asprintf(&source, "converted from text, %s", request->path) < 0)
        return REFRAIN_FAIL_MEMORY(text->error);
    enum refrain_status status =
        refrain_import_open(request->directory, (int32_t)text->ranks, refrain_base_name(request->path), source, 0,
                            &text->import, text->error);
    free(source);
    if (!status)
        status = define_comms(text);
    if (!status)
        status = convert_lines(text, request);
    return status;
}

enum refrain_status refrain_import_text(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error) {
    struct text text = {.path = request->path, .error = error, .file = fopen(request->path, "r")};
    if (!text.file)
        return REFRAIN_FAIL(error, "%s: cannot be read: %s", request->path, strerror(errno));
    enum refrain_status status = fseek(text.file, 0, SEEK_SET) == 0
                                     ? read_definitions(&text)
                                     : REFRAIN_FAIL(error, "%s: is read twice, so it has to be a file", request->path);
    if (!status)
        status = convert(&text, request);
    if (text.import) {
        *result = (struct refrain_import_result){(int32_t)text.ranks, refrain_import_events(text.import),
                                                 refrain_import_left_out(text.import)};
        enum refrain_status finished = refrain_import_finish(text.import, !status);
        status = status ? status : finished;
    }
    fclose(text.file);
    free(text.buffer);
    refrain_table_close(&text.members);
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&text.locations, slot));)
        free(((struct location *)slot->object)->regions);
    refrain_table_free(&text.locations);
    return status;
}
