/* write_slog2.c: the format "slog2" (format.h): SLOG-2 2.0.6, for Jumpshot-4 (slog2_tree.h).
 *
 *     region             -> category of states, with a colour; collectives tell root, bytes and communicator of each
 *     enter to leave     -> state on the line of the location; one that is never left ends with the run, in a category
 *                           of its own, "NAME (not left)"
 *     message            -> arrow between the lines of its two ends, with tag, bytes and communicator
 *     rank N, thread t   -> line, mapped to both
 *
 * Header; boxes; then categories, lines and the directory of the boxes, to which the header points. */
#include "event_names.h"
#include "format.h"
#include "locations.h"
#include "messages.h"
#include "shortened.h"
#include "slog2_tree.h"
#include "warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION "SLOG 2.0.6"
#define HEADER_BYTES (2 + sizeof VERSION - 1 + 2 + 4 + 2 + 4 + 7 * 12)
#define LEAF_BYTES 65536u
#define MOST_NAME_BYTES 32000u
enum { TOPOLOGY_STATE = 1, TOPOLOGY_ARROW = 2 };

struct frame {
    const struct refrain_region_info *region;
    int64_t enter_ns, inside_ns; /* inside_ns: taken by states in it */
    bool collective;
    struct refrain_event event;
};

struct stack {
    struct frame *frames;
    size_t n, capacity;
};

struct slog2_writer {
    struct refrain_writer writer;
    struct refrain_error *error;
    const struct refrain_trace *trace;
    struct refrain_sink *out, *directory;
    struct refrain_locations locations;
    struct refrain_messages *messages;
    struct refrain_omitted omitted;
    struct refrain_shortened shortened;
    struct refrain_slog2_sum *sums; /* by category */
    struct refrain_slog2_tree *tree;
    struct stack *stacks; /* by location */
    struct refrain_slog2_bytes bytes;
    size_t n_states; /* categories of states that are left; so many again that are not, then arrows */
    int64_t end_ns;
    uint64_t lone; /* ends of messages whose other end has not come */
    bool begun, no_memory;
};

/* ---- begin ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    static const unsigned char header[HEADER_BYTES];
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    slog2->trace = trace;
    slog2->n_states = trace->n_regions + 1;
    slog2->messages = refrain_messages_make(trace);
    slog2->sums = calloc(2 * slog2->n_states + 1, sizeof *slog2->sums);
    if (refrain_locations_make(&slog2->locations, trace))
        slog2->stacks = calloc(slog2->locations.n + 1, sizeof *slog2->stacks);
    if (slog2->stacks && slog2->sums)
        slog2->tree = refrain_slog2_tree_open(slog2->out, slog2->directory, slog2->sums);
    if (!slog2->messages || !slog2->tree) {
        REFRAIN_FAIL_MEMORY(slog2->error);
        return 1;
    }
    refrain_sink_put_bytes(slog2->out, header, sizeof header);
    slog2->begun = true;
    return slog2->out->failed != 0;
}

/* ---- drawables ---- */

static size_t region_of(const struct slog2_writer *slog2, const struct refrain_region_info *region) {
    return region->index < slog2->trace->n_regions ? region->index : slog2->trace->n_regions;
}

static void put_info(struct refrain_slog2_drawable *drawable, int64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        drawable->info[drawable->n_info++] = (unsigned char)((uint64_t)value >> (8 * (bytes - 1 - i)));
}

static void add(struct slog2_writer *slog2, const struct refrain_slog2_drawable *drawable) {
    slog2->no_memory |= !refrain_slog2_tree_add(slog2->tree, drawable);
}

/* Persistent collectives are begun in MPI_Start. */
static bool tells_collective(const struct refrain_region_info *region) {
    return region->kind == REFRAIN_REGION_MPI && (region->collective[0] || strcmp(region->name, "MPI_Start") == 0);
}

static void push(struct slog2_writer *slog2, size_t location, const struct refrain_event *event, int64_t time_ns) {
    struct stack *stack = &slog2->stacks[location];
    if (stack->n == stack->capacity) {
        size_t capacity = stack->capacity ? stack->capacity * 2 : 8;
        struct frame *frames = realloc(stack->frames, capacity * sizeof *frames);
        if (!frames) {
            slog2->no_memory = true;
            return;
        }
        stack->frames = frames;
        stack->capacity = capacity;
    }
    stack->frames[stack->n++] = (struct frame){.region = event->region, .enter_ns = time_ns};
}

static void pop(struct slog2_writer *slog2, size_t location, int64_t time_ns, bool left) {
    struct stack *stack = &slog2->stacks[location];
    if (stack->n == 0)
        return;
    const struct frame *frame = &stack->frames[--stack->n];
    int64_t ns = time_ns - frame->enter_ns;
    struct refrain_slog2_drawable state = {
        .category = (int32_t)(region_of(slog2, frame->region) + (left ? 0 : slog2->n_states)),
        .start = (double)frame->enter_ns / 1e9,
        .end = (double)time_ns / 1e9,
        .lines = {(uint32_t)location, (uint32_t)location},
        .own = (double)(ns - frame->inside_ns) / 1e9};
    if (left && tells_collective(frame->region)) {
        const struct refrain_event *event = &frame->event;
        bool known = frame->collective;
        put_info(&state, known ? event->peer : -1, 4);
        put_info(&state, known ? event->bytes : -1, 8);
        put_info(&state, known ? event->received : -1, 8);
        put_info(&state, known && event->comm ? (int64_t)event->comm->index : -1, 4);
    }
    if (stack->n > 0)
        stack->frames[stack->n - 1].inside_ns += ns;
    add(slog2, &state);
}

static void message(struct slog2_writer *slog2, size_t location, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_message sent = {.location = location, .time_ns = time_ns, .bytes = event->bytes};
    if (event->kind == REFRAIN_EVENT_SEND)
        refrain_messages_send(slog2->messages, event, &sent);
    if (event->kind == REFRAIN_EVENT_SEND || !refrain_messages_receive(slog2->messages, event, &sent)) {
        slog2->lone++;
        return;
    }
    slog2->lone--;
    struct refrain_slog2_drawable arrow = {.arrow = true,
                                           .category = (int32_t)(2 * slog2->n_states),
                                           .start = (double)sent.time_ns / 1e9,
                                           .end = (double)time_ns / 1e9,
                                           .lines = {(uint32_t)sent.location, (uint32_t)location}};
    put_info(&arrow, event->tag, 8);
    put_info(&arrow, sent.bytes, 8);
    put_info(&arrow, event->bytes, 8);
    put_info(&arrow, event->comm ? (int64_t)event->comm->index : -1, 4);
    add(slog2, &arrow);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    size_t location = refrain_locations_of(&slog2->locations, event);
    struct stack *stack = &slog2->stacks[location];
    int64_t time_ns = event->time_ns < slog2->end_ns ? slog2->end_ns : event->time_ns;
    slog2->end_ns = time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        push(slog2, location, event, time_ns);
        break;
    case REFRAIN_EVENT_LEAVE:
        pop(slog2, location, time_ns, true);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        message(slog2, location, event, time_ns);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        if (stack->n > 0 && tells_collective(stack->frames[stack->n - 1].region) &&
            !stack->frames[stack->n - 1].collective) {
            stack->frames[stack->n - 1].collective = true;
            stack->frames[stack->n - 1].event = *event;
            break;
        }
        slog2->omitted.kinds[event->kind]++;
        break;
    default:
        slog2->omitted.kinds[event->kind]++;
        break;
    }
    return slog2->no_memory || slog2->out->failed || slog2->directory->failed;
}

/* ---- end ---- */

static uint32_t colour(size_t i) {
    static const uint32_t colours[] = {0xff0000, 0x0000ff, 0x00a000, 0xffa500, 0xb0b000, 0x800080, 0x00b0b0, 0xa52a2a,
                                       0xff69b4, 0x4682b4, 0x6b8e23, 0x800000, 0xff7f50, 0xd4af37, 0xdda0dd, 0x2e8b57};
    return 0xff000000u | colours[i % (sizeof colours / sizeof *colours)];
}

/* `keys`: pairs of text and type, up to a null; `sum` null: of no drawables of its own. */
static void put_category(struct slog2_writer *slog2, int32_t index, const char *name, const char *suffix, int topology,
                         uint32_t argb, const char *const *keys, const struct refrain_slog2_sum *sum, double duration) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    char text[MOST_NAME_BYTES + 32];
    size_t n = refrain_shorten(&slog2->shortened, name, MOST_NAME_BYTES), keys_n = 0;
    memcpy(text, name, n);
    n += (size_t)sprintf(text + n, "%s", suffix);
    while (keys[2 * keys_n])
        keys_n++;
    refrain_slog2_put(bytes, (uint32_t)index, 4);
    refrain_slog2_put_text(bytes, text, n);
    refrain_slog2_put(bytes, (unsigned)topology, 1);
    refrain_slog2_put(bytes, argb, 4);
    refrain_slog2_put(bytes, 1, 1); /* the colour may be changed */
    refrain_slog2_put(bytes, index < 0 ? 5 : topology == TOPOLOGY_ARROW ? 3 : 1, 1);
    refrain_slog2_put(bytes, keys_n, 2);
    for (size_t i = 0; i < keys_n; i++)
        refrain_slog2_put_text(bytes, keys[2 * i], strlen(keys[2 * i]));
    refrain_slog2_put(bytes, keys_n, 2);
    for (size_t i = 0; i < keys_n; i++)
        refrain_slog2_put(bytes, (unsigned char)keys[2 * i + 1][0], 1);
    refrain_slog2_put(bytes, 0, 2); /* no methods */
    double shares[2] = {sum && duration > 0 ? sum->seconds / duration : 0,
                        sum && duration > 0 ? sum->own / duration : 0};
    for (int i = 0; i < 2; i++) {
        float single = (float)shares[i];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        refrain_slog2_put(bytes, bits, 4);
    }
    refrain_slog2_put(bytes, sum ? sum->n : 0, 8);
}

static void put_categories(struct slog2_writer *slog2, double duration) {
    static const char *const none[] = {NULL}, *const of_collective[] = {"root=",       "d", ", sent=",         "l",
                                                                        ", received=", "l", ", communicator=", "d",
                                                                        NULL},
                             *const of_message[] = {
                                 "tag=", "l", ", bytes=", "l", ", received=", "l", ", communicator=", "d", NULL};
    const struct refrain_trace *trace = slog2->trace;
    uint32_t n = 2;
    for (size_t i = 0; i <= 2 * slog2->n_states; i++)
        n += slog2->sums[i].n > 0;
    refrain_slog2_put(&slog2->bytes, n, 4);
    put_category(slog2, -3, "Preview_State", "", TOPOLOGY_STATE, 0xbfffffffu, none, NULL, 0);
    put_category(slog2, -2, "Preview_Arrow", "", TOPOLOGY_ARROW, 0xffffff00u, none, NULL, 0);
    for (size_t i = 0; i < 2 * slog2->n_states; i++) {
        size_t region = i % slog2->n_states;
        bool left = i < slog2->n_states,
             tells = left && region < trace->n_regions && tells_collective(&trace->regions[region]);
        if (slog2->sums[i].n > 0)
            put_category(slog2, (int32_t)i, region < trace->n_regions ? trace->regions[region].name : "unknown",
                         left ? "" : " (not left)", TOPOLOGY_STATE, colour(region), tells ? of_collective : none,
                         &slog2->sums[i], duration);
    }
    if (slog2->sums[2 * slog2->n_states].n > 0)
        put_category(slog2, (int32_t)(2 * slog2->n_states), "message", "", TOPOLOGY_ARROW, 0xffffffffu, of_message,
                     &slog2->sums[2 * slog2->n_states], duration);
}

/* The lines: one map of each to its rank and thread. */
static void put_lines(struct slog2_writer *slog2) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    refrain_slog2_put(bytes, 1, 4);
    refrain_slog2_put_text(bytes, "Rank and thread", 15);
    refrain_slog2_put(bytes, 2, 4);
    refrain_slog2_put_text(bytes, "rank", 4);
    refrain_slog2_put_text(bytes, "thread", 6);
    refrain_slog2_put(bytes, slog2->locations.n, 4);
    for (size_t i = 0; i < slog2->locations.n; i++) {
        refrain_slog2_put(bytes, i, 4);
        refrain_slog2_put(bytes, (uint32_t)slog2->locations.all[i].rank, 4);
        refrain_slog2_put(bytes, slog2->locations.all[i].thread, 4);
    }
    refrain_slog2_put(bytes, 0, 2); /* no methods */
}

struct part {
    uint64_t at;
    uint32_t bytes;
};

static struct part write_part(struct slog2_writer *slog2) {
    struct part part = {refrain_sink_position(slog2->out), (uint32_t)slog2->bytes.n};
    refrain_sink_put_bytes(slog2->out, slog2->bytes.bytes, slog2->bytes.n);
    slog2->bytes.n = 0;
    return part;
}

static struct part write_directory(struct slog2_writer *slog2, const struct refrain_slog2_root *root) {
    unsigned char buffer[4096];
    uint64_t n = refrain_sink_position(slog2->directory);
    refrain_slog2_put(&slog2->bytes, root->boxes, 4);
    struct part part = write_part(slog2);
    for (uint64_t at = 0; at < n;) {
        size_t bytes = n - at < sizeof buffer ? (size_t)(n - at) : sizeof buffer;
        if (!refrain_sink_read(slog2->directory, at, buffer, bytes))
            break;
        refrain_sink_put_bytes(slog2->out, buffer, bytes);
        at += bytes;
    }
    part.bytes += (uint32_t)n;
    return part;
}

static void fill_header(struct slog2_writer *slog2, const struct refrain_slog2_root *root, const struct part *parts) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    refrain_slog2_put_text(bytes, VERSION, sizeof VERSION - 1);
    refrain_slog2_put(bytes, 2, 2); /* children of a box */
    refrain_slog2_put(bytes, LEAF_BYTES, 4);
    refrain_slog2_put(bytes, root->depth, 2);
    refrain_slog2_put(bytes, root->most_bytes, 4);
    for (size_t i = 0; i < 7; i++) {
        refrain_slog2_put(bytes, parts[i].at, 8);
        refrain_slog2_put(bytes, parts[i].bytes, 4);
    }
    if (!bytes->no_memory)
        refrain_sink_patch(slog2->out, 0, bytes->bytes, bytes->n);
}

static bool finish(struct slog2_writer *slog2) {
    struct refrain_slog2_root root;
    enum { CATEGORIES, METHODS, LINES, ROOT, DIRECTORY, ANNOTATIONS, POSTAMBLE, PARTS };
    struct part parts[PARTS] = {{0, 0}};
    for (size_t i = 0; i < slog2->locations.n; i++)
        while (slog2->stacks[i].n > 0)
            pop(slog2, i, slog2->end_ns, false);
    if (slog2->no_memory || !refrain_slog2_tree_finish(slog2->tree, &root))
        return false;
    put_categories(slog2, root.duration);
    parts[CATEGORIES] = write_part(slog2);
    put_lines(slog2);
    parts[LINES] = write_part(slog2);
    parts[ROOT] = (struct part){root.at, root.bytes};
    parts[DIRECTORY] = write_directory(slog2, &root);
    fill_header(slog2, &root, parts);
    return !slog2->bytes.no_memory && !refrain_messages_no_memory(slog2->messages);
}

static void say(const struct slog2_writer *slog2) {
    refrain_omitted_say(&slog2->omitted);
    if (slog2->lone)
        refrain_warn("slog2 draws messages between two ends: %" PRIu64 " ends without another are left out",
                     slog2->lone);
    refrain_shortened_say(&slog2->shortened, "slog2");
}

static int end(struct refrain_writer *writer) {
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    enum refrain_status status = REFRAIN_OK;
    bool whole = slog2->begun;
    if (whole && !finish(slog2)) {
        status = REFRAIN_FAIL_MEMORY(slog2->error);
        whole = false;
    }
    enum refrain_status spooled = refrain_sink_close(slog2->directory, whole, slog2->error);
    enum refrain_status closed = refrain_sink_close(slog2->out, whole && !spooled, slog2->error);
    status = status ? status : spooled ? spooled : closed;
    if (!status && whole)
        say(slog2);
    for (size_t i = 0; slog2->stacks && i < slog2->locations.n; i++)
        free(slog2->stacks[i].frames);
    refrain_slog2_tree_close(slog2->tree);
    refrain_messages_free(slog2->messages);
    refrain_locations_free(&slog2->locations);
    free(slog2->stacks);
    free(slog2->sums);
    free(slog2->bytes.bytes);
    free(slog2);
    return status != REFRAIN_OK;
}

static enum refrain_status open_slog2(const struct refrain_format_request *request, struct refrain_writer **writer,
                                      struct refrain_error *error) {
    struct slog2_writer *slog2 = calloc(1, sizeof *slog2);
    *writer = NULL;
    if (!slog2)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_sink_open_patchable(request->path, request->force, &slog2->out, error);
    if (!status && (status = refrain_sink_open_spool(request->path, &slog2->directory, error)) != REFRAIN_OK)
        refrain_sink_close(slog2->out, false, NULL);
    if (status) {
        free(slog2);
        return status;
    }
    slog2->writer = (struct refrain_writer){begin, write_event, end};
    slog2->omitted.format = "slog2";
    slog2->error = error;
    *writer = &slog2->writer;
    return REFRAIN_OK;
}

const struct refrain_format refrain_format_slog2 = {
    .name = "slog2", .suffix = ".slog2", .summary = "SLOG-2, for Jumpshot-4", .open = open_slog2};
