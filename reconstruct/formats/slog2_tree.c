/* slog2_tree.c: writes the boxes and shadows of a SLOG-2 file (slog2_tree.h). */
#include "formats/slog2_tree.h"
#include "common/array.h"
#include "common/table.h"

#include <stdlib.h>

#define LEAF_BYTES 65536u
#define MOST_DEPTH 48u
enum { BOX_HEAD_BYTES = 16 + 6 + 12, BOX_BYTES = BOX_HEAD_BYTES + 4 + 4 + 4, POINTER_AT = 16 + 6 };

/* ---- bytes ---- */

static bool reserve(struct refrain_slog2_bytes *bytes, size_t n) {
    bool room = REFRAIN_ARRAY_ROOMS(bytes->bytes, bytes->n, n, bytes->capacity);
    bytes->no_memory |= !room;
    return room;
}

void refrain_slog2_put(struct refrain_slog2_bytes *bytes, uint64_t value, unsigned n) {
    if (!reserve(bytes, n))
        return;
    for (unsigned i = 0; i < n; i++)
        bytes->bytes[bytes->n++] = (unsigned char)(value >> (8 * (n - 1 - i)));
}

void refrain_slog2_put_double(struct refrain_slog2_bytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    refrain_slog2_put(bytes, bits, 8);
}

static void put_float(struct refrain_slog2_bytes *bytes, double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    refrain_slog2_put(bytes, bits, 4);
}

static void put_raw(struct refrain_slog2_bytes *bytes, const void *from, size_t n) {
    if (!reserve(bytes, n))
        return;
    memcpy(bytes->bytes + bytes->n, from, n);
    bytes->n += n;
}

void refrain_slog2_put_text(struct refrain_slog2_bytes *bytes, const char *text, size_t n) {
    refrain_slog2_put(bytes, n, 2);
    put_raw(bytes, text, n);
}

/* ---- shadows ---- */

struct weight {
    int32_t category;
    double seconds, own;
    uint64_t n;
};

struct shadow {
    enum refrain_slog2_topology topology;
    uint32_t lines[2];
    double earliest, latest;
    double starts, ends; /* sums; the shadow is drawn at their means */
    uint64_t n;
    struct weight *weights;
    size_t capacity;
    uint32_t n_weights;
};

/* Shadows of a box and of all boxes below it. */
struct shadows {
    struct shadow *all;
    size_t n, capacity;
    struct refrain_table numbers; /* (lines, topology) -> number + 1 */
    double earliest, latest;
    uint16_t depth;
    uint32_t position;
    uint64_t at; /* position of its box in the file */
    uint32_t bytes;
};

static void clear_shadows(struct shadows *shadows) {
    for (size_t i = 0; i < shadows->n; i++)
        free(shadows->all[i].weights);
    free(shadows->all);
    refrain_table_close(&shadows->numbers);
    memset(shadows, 0, sizeof *shadows);
}

static struct shadow *find_shadow(struct shadows *shadows, enum refrain_slog2_topology topology,
                                  const uint32_t lines[2]) {
    uint64_t between = (uint64_t)lines[0] << 32 | lines[1];
    size_t number = refrain_table_number(&shadows->numbers, between, topology);
    if (number)
        return &shadows->all[number - 1];
    if (!REFRAIN_ARRAY_ROOM(shadows->all, shadows->n, shadows->capacity) ||
        !refrain_table_put(&shadows->numbers, between, topology, shadows->n + 1))
        return NULL;
    shadows->all[shadows->n] = (struct shadow){.topology = topology, .lines = {lines[0], lines[1]}};
    return &shadows->all[shadows->n++];
}

static bool add_weight(struct shadow *shadow, const struct weight *more) {
    for (uint32_t i = 0; i < shadow->n_weights; i++)
        if (shadow->weights[i].category == more->category) {
            shadow->weights[i].seconds += more->seconds;
            shadow->weights[i].own += more->own;
            shadow->weights[i].n += more->n;
            return true;
        }
    if (!REFRAIN_ARRAY_ROOM(shadow->weights, shadow->n_weights, shadow->capacity))
        return false;
    shadow->weights[shadow->n_weights++] = *more;
    return true;
}

/* Adds bounds, sums and number of `more` to the shadow. */
static void widen(struct shadow *shadow, const struct shadow *more) {
    shadow->earliest = shadow->n && shadow->earliest < more->earliest ? shadow->earliest : more->earliest;
    shadow->latest = shadow->n && shadow->latest > more->latest ? shadow->latest : more->latest;
    shadow->starts += more->starts;
    shadow->ends += more->ends;
    shadow->n += more->n;
}

static bool shade(struct shadows *shadows, const struct refrain_slog2_drawable *drawable) {
    struct shadow *shadow = find_shadow(shadows, drawable->topology, drawable->lines);
    if (!shadow)
        return false;
    double first = drawable->start < drawable->end ? drawable->start : drawable->end;
    double last = drawable->start < drawable->end ? drawable->end : drawable->start;
    widen(shadow, &(struct shadow){
                      .earliest = first, .latest = last, .starts = drawable->start, .ends = drawable->end, .n = 1});
    return add_weight(shadow, &(struct weight){drawable->category, last - first, drawable->own, 1});
}

static bool merge(struct shadows *shadows, const struct shadows *from) {
    for (size_t i = 0; i < from->n; i++) {
        struct shadow *shadow = find_shadow(shadows, from->all[i].topology, from->all[i].lines);
        if (!shadow)
            return false;
        widen(shadow, &from->all[i]);
        for (uint32_t w = 0; w < from->all[i].n_weights; w++)
            if (!add_weight(shadow, &from->all[i].weights[w]))
                return false;
    }
    return true;
}

static int by_seconds(const void *a, const void *b) {
    double x = ((const struct weight *)a)->seconds, y = ((const struct weight *)b)->seconds;
    return x < y ? -1 : x > y;
}

static int by_start(const void *a, const void *b) {
    const struct shadow *x = a, *y = b;
    return x->earliest != y->earliest ? (x->earliest < y->earliest ? -1 : 1) : x->latest > y->latest ? -1 : 1;
}

static unsigned vertices_of(enum refrain_slog2_topology topology) {
    return topology == REFRAIN_SLOG2_EVENT ? 1 : 2;
}

static void put_vertices(struct refrain_slog2_bytes *bytes, enum refrain_slog2_topology topology, const double times[2],
                         const uint32_t lines[2]) {
    unsigned n = vertices_of(topology);
    refrain_slog2_put(bytes, n, 2);
    for (unsigned i = 0; i < n; i++) {
        refrain_slog2_put_double(bytes, times[i]);
        refrain_slog2_put(bytes, lines[i], 4);
    }
}

static void put_shadow(struct refrain_slog2_bytes *bytes, struct shadow *shadow) {
    double duration = shadow->latest - shadow->earliest;
    const double n = (double)shadow->n, means[2] = {shadow->starts / n, shadow->ends / n};
    refrain_slog2_put(bytes, (uint32_t)refrain_slog2_preview(shadow->topology), 4);
    refrain_slog2_put(bytes, 0, 2);
    put_vertices(bytes, shadow->topology, means, shadow->lines);
    refrain_slog2_put_double(bytes, shadow->earliest);
    refrain_slog2_put_double(bytes, shadow->latest);
    refrain_slog2_put(bytes, shadow->n, 8);
    refrain_slog2_put(bytes, shadow->n_weights, 4);
    qsort(shadow->weights, shadow->n_weights, sizeof *shadow->weights, by_seconds);
    for (uint32_t i = 0; i < shadow->n_weights; i++) {
        refrain_slog2_put(bytes, (uint32_t)shadow->weights[i].category, 4);
        put_float(bytes, duration > 0 ? shadow->weights[i].seconds / duration : 0);
        put_float(bytes, duration > 0 ? shadow->weights[i].own / duration : 0);
        refrain_slog2_put(bytes, shadow->weights[i].n, 8);
    }
}

static void put_head(struct refrain_slog2_bytes *bytes, double earliest, double latest, uint16_t depth,
                     uint32_t position, uint64_t at, uint32_t size) {
    refrain_slog2_put_double(bytes, earliest);
    refrain_slog2_put_double(bytes, latest);
    refrain_slog2_put(bytes, depth, 2);
    refrain_slog2_put(bytes, position, 4);
    refrain_slog2_put(bytes, at, 8);
    refrain_slog2_put(bytes, size, 4);
}

static void put_shadows(struct refrain_slog2_bytes *bytes, struct shadows *shadows) {
    put_head(bytes, shadows->earliest, shadows->latest, shadows->depth, shadows->position, shadows->at, shadows->bytes);
    qsort(shadows->all, shadows->n, sizeof *shadows->all, by_start);
    for (int states = 0; states < 2; states++) {
        uint32_t n = 0;
        for (size_t i = 0; i < shadows->n; i++)
            n += (shadows->all[i].topology == REFRAIN_SLOG2_STATE) == states;
        refrain_slog2_put(bytes, n, 4);
        for (size_t i = 0; i < shadows->n; i++)
            if ((shadows->all[i].topology == REFRAIN_SLOG2_STATE) == states)
                put_shadow(bytes, &shadows->all[i]);
    }
}

/* ---- boxes ---- */

struct box {
    uint32_t position; /* in its row; its depth is its index in the branch */
    double earliest;
    struct refrain_slog2_drawable *drawables;
    size_t n, capacity, bytes;
    struct shadows own;         /* of its drawables */
    struct shadows finished[2]; /* of written boxes of its row whose parent is not written */
    unsigned n_finished;
};

struct refrain_slog2_tree {
    struct refrain_sink *out, *directory;
    struct refrain_slog2_sum *sums;
    struct box branch[MOST_DEPTH]; /* [0] is the leaf */
    unsigned depth;                /* of the root */
    double latest;
    bool any;
    struct refrain_slog2_bytes bytes;
    struct refrain_slog2_root root;
};

static size_t drawable_bytes(const struct refrain_slog2_drawable *drawable) {
    return 4 + 2 + drawable->n_info + 2 + vertices_of(drawable->topology) * 12;
}

static int in_order(const void *a, const void *b) {
    const struct refrain_slog2_drawable *x = a, *y = b;
    double start_x = x->start < x->end ? x->start : x->end, start_y = y->start < y->end ? y->start : y->end;
    double end_x = x->start < x->end ? x->end : x->start, end_y = y->start < y->end ? y->end : y->start;
    return start_x != start_y ? (start_x < start_y ? -1 : 1) : end_x > end_y ? -1 : end_x < end_y;
}

static void put_drawable(struct refrain_slog2_bytes *bytes, const struct refrain_slog2_drawable *drawable) {
    refrain_slog2_put(bytes, 0, 1); /* a primitive drawable */
    refrain_slog2_put(bytes, (uint32_t)drawable->category, 4);
    refrain_slog2_put(bytes, drawable->n_info, 2);
    put_raw(bytes, drawable->info, drawable->n_info);
    put_vertices(bytes, drawable->topology, (const double[]){drawable->start, drawable->end}, drawable->lines);
}

/* Writes the box at this depth, with the shadows of its children, and computes its own for its parent. */
static bool write_box(struct refrain_slog2_tree *tree, unsigned depth) {
    struct box *box = &tree->branch[depth], *child = depth > 0 ? &tree->branch[depth - 1] : NULL;
    struct refrain_slog2_bytes *bytes = &tree->bytes;
    uint64_t at = refrain_sink_position(tree->out);
    bytes->n = 0;
    put_head(bytes, box->earliest, tree->latest, (uint16_t)depth, box->position, at, 0);
    qsort(box->drawables, box->n, sizeof *box->drawables, in_order);
    for (int states = 0; states < 2; states++) {
        uint32_t n = 0;
        for (size_t i = 0; i < box->n; i++)
            n += (box->drawables[i].topology == REFRAIN_SLOG2_STATE) == states;
        refrain_slog2_put(bytes, n, 4);
        for (size_t i = 0; i < box->n; i++)
            if ((box->drawables[i].topology == REFRAIN_SLOG2_STATE) == states)
                put_drawable(bytes, &box->drawables[i]);
    }
    refrain_slog2_put(bytes, child ? child->n_finished : 0, 4);
    bool sound = true;
    for (unsigned i = 0; child && i < child->n_finished; i++) {
        put_shadows(bytes, &child->finished[i]);
        sound = sound && merge(&box->own, &child->finished[i]);
        clear_shadows(&child->finished[i]);
    }
    if (child)
        child->n_finished = 0;
    if (bytes->no_memory || !sound || box->n_finished == 2)
        return false;
    uint32_t size = (uint32_t)bytes->n;
    for (unsigned i = 0; i < 4; i++)
        bytes->bytes[POINTER_AT + 8 + i] = (unsigned char)(size >> (24 - 8 * i));
    refrain_sink_put_bytes(tree->out, bytes->bytes, size);
    bytes->n = 0;
    refrain_slog2_put(bytes, depth, 2);
    refrain_slog2_put(bytes, box->position, 4);
    refrain_slog2_put_double(bytes, box->earliest);
    refrain_slog2_put_double(bytes, tree->latest);
    refrain_slog2_put(bytes, at, 8);
    refrain_slog2_put(bytes, size, 4);
    if (bytes->no_memory)
        return false;
    refrain_sink_put_bytes(tree->directory, bytes->bytes, bytes->n);
    box->own.earliest = box->earliest;
    box->own.latest = tree->latest;
    box->own.depth = (uint16_t)depth;
    box->own.position = box->position;
    box->own.at = at;
    box->own.bytes = size;
    box->finished[box->n_finished++] = box->own;
    memset(&box->own, 0, sizeof box->own);
    box->n = 0;
    box->bytes = BOX_BYTES;
    tree->root = (struct refrain_slog2_root){.at = at,
                                             .bytes = size,
                                             .depth = (uint16_t)depth,
                                             .boxes = tree->root.boxes + 1,
                                             .most_bytes = size > tree->root.most_bytes ? size : tree->root.most_bytes,
                                             .duration = tree->latest - box->earliest};
    return true;
}

/* The leaf is full: writes the boxes that end with it, and moves the branch to the next leaf. */
static bool next_leaf(struct refrain_slog2_tree *tree) {
    uint32_t position = tree->branch[0].position + 1;
    for (unsigned depth = 0; depth <= tree->depth && tree->branch[depth].position != position; depth++) {
        struct box *box = &tree->branch[depth];
        double earliest = box->earliest;
        if (!write_box(tree, depth))
            return false;
        box->earliest = tree->latest;
        box->position = position;
        position /= 2;
        if (depth == tree->depth) {
            if (++tree->depth == MOST_DEPTH)
                return false;
            tree->branch[tree->depth] = (struct box){.earliest = earliest, .position = position, .bytes = BOX_BYTES};
            break;
        }
    }
    return true;
}

struct refrain_slog2_tree *refrain_slog2_tree_open(struct refrain_sink *out, struct refrain_sink *directory,
                                                   struct refrain_slog2_sum *sums) {
    struct refrain_slog2_tree *tree = calloc(1, sizeof *tree);
    if (tree) {
        tree->out = out;
        tree->directory = directory;
        tree->sums = sums;
        tree->branch[0].bytes = BOX_BYTES;
    }
    return tree;
}

bool refrain_slog2_tree_add(struct refrain_slog2_tree *tree, const struct refrain_slog2_drawable *drawable) {
    double start = drawable->start < drawable->end ? drawable->start : drawable->end;
    double end = drawable->start < drawable->end ? drawable->end : drawable->start;
    struct refrain_slog2_sum *sum = &tree->sums[drawable->category];
    if (tree->branch[0].bytes + 1 + drawable_bytes(drawable) > LEAF_BYTES && tree->any && !next_leaf(tree))
        return false;
    unsigned depth = 0;
    while (depth < tree->depth && tree->branch[depth].earliest > start)
        depth++;
    struct box *box = &tree->branch[depth];
    if (box->earliest > start || !tree->any)
        box->earliest = start;
    tree->any = true;
    tree->latest = end > tree->latest ? end : tree->latest;
    if (!REFRAIN_ARRAY_ROOM(box->drawables, box->n, box->capacity))
        return false;
    box->drawables[box->n++] = *drawable;
    box->bytes += 1 + drawable_bytes(drawable);
    sum->n++;
    sum->seconds += end - start;
    sum->own += drawable->own;
    return shade(&box->own, drawable);
}

bool refrain_slog2_tree_finish(struct refrain_slog2_tree *tree, struct refrain_slog2_root *root) {
    for (unsigned depth = 0; depth <= tree->depth; depth++)
        if (!write_box(tree, depth))
            return false;
    *root = tree->root;
    return true;
}

void refrain_slog2_tree_close(struct refrain_slog2_tree *tree) {
    for (unsigned depth = 0; tree && depth < MOST_DEPTH; depth++) {
        struct box *box = &tree->branch[depth];
        free(box->drawables);
        clear_shadows(&box->own);
        for (unsigned i = 0; i < box->n_finished; i++)
            clear_shadows(&box->finished[i]);
    }
    if (tree)
        free(tree->bytes.bytes);
    free(tree);
}
