/* critical_path.c: keeps the paths of all ranks, which share common parts (critical_path.h).
 *
 *     rank 0  newest spans, listed   [ ][ ][ ][ ]
 *                                     |        ^ parent
 *     older: sums   (sum)<--(sum)<----'        |
 *                      ^                       |
 *     rank 1           '----[ ][ ][ ]         [ ]       the parent of a span is the span before it on its path
 *
 * Nodes are reference-counted. References are those of the list of a rank, of its next span, and of child nodes. */
#include "analysis/critical_path.h"
#include "common/table.h"

#include <stdlib.h>
#include <string.h>

/* Number of spans that are listed: of all ranks together, so that they stay in the processor's caches; and limits for
 * one rank. */
#define SPANS_OF_ALL 16384u
#define LEAST_SPANS 256u
#define MOST_SPANS 2048u
#define LEAST_NODES 4096u /* with fewer nodes, no sums are made of old ones */

struct node {
    struct node *parent, *before, *behind; /* before, behind: list of all nodes; behind: list of free ones */
    struct refrain_delay_place *place;
    int64_t begin_ns, end_ns;
    int32_t rank, first_rank; /* first_rank: rank of the oldest span in the sum, or of the node */
    uint32_t references;
    bool listed;                /* it is in the list of its rank */
    uint64_t changes;           /* changes of rank, in the sums */
    struct refrain_table *sums; /* (bin and rank, address of the place) -> nanoseconds of older nodes; null: none */
};

struct line {
    struct node **spans; /* the newest, in order */
    size_t n;
    struct node *next_parent; /* parent of the next span, after a wait; null: the newest span */
};

struct refrain_critical_path {
    struct line *lines;
    size_t n_ranks, n_nodes, most_nodes;
    size_t n_listed; /* spans of a rank that stay listed; a list has room for twice as many */
    struct node *nodes, *free;
    int64_t from_ns, bin_ns;
    bool no_memory;
};

/* ---- nodes ---- */

static struct node *hold(struct node *node) {
    if (node)
        node->references++;
    return node;
}

static void close_sums(struct refrain_table *sums) {
    if (!sums)
        return;
    refrain_table_close(sums);
    free(sums);
}

/* Releases a reference. With the last reference of a node, releases those that it has. */
static void release(struct refrain_critical_path *path, struct node *node) {
    while (node && --node->references == 0) {
        struct node *parent = node->parent;
        if (node->before)
            node->before->behind = node->behind;
        else
            path->nodes = node->behind;
        if (node->behind)
            node->behind->before = node->before;
        close_sums(node->sums);
        node->behind = path->free;
        path->free = node;
        path->n_nodes--;
        node = parent;
    }
}

/* Makes a node, which takes over the reference of the caller to `parent`. Null without memory; `parent` is then
 * released. */
static struct node *make(struct refrain_critical_path *path, struct node *parent, int32_t rank, int64_t begin_ns,
                         int64_t end_ns, struct refrain_delay_place *place) {
    struct node *node = path->free;
    if (node)
        path->free = node->behind;
    else
        node = malloc(sizeof *node);
    if (!node) {
        path->no_memory = true;
        release(path, parent);
        return NULL;
    }
    *node = (struct node){.parent = parent,
                          .behind = path->nodes,
                          .place = place,
                          .begin_ns = begin_ns,
                          .end_ns = end_ns,
                          .rank = rank,
                          .first_rank = rank,
                          .references = 1};
    if (node->behind)
        node->behind->before = node;
    path->nodes = node;
    path->n_nodes++;
    return node;
}

/* ---- sums of old nodes ---- */

static bool add(struct refrain_table *sum, uint64_t a, uint64_t b, int64_t ns) {
    if (ns <= 0)
        return true;
    return refrain_table_put(sum, a, b, refrain_table_number(sum, a, b) + (uintptr_t)ns);
}

/* Calls `part` for each bin that the span of the node overlaps. */
static void divide(const struct refrain_critical_path *path, const struct node *node, refrain_critical_part *part,
                   void *data) {
    for (int64_t ns = node->begin_ns, end_ns; ns < node->end_ns; ns = end_ns) {
        size_t bin = ns > 0 ? (size_t)(ns / path->bin_ns) : 0;
        end_ns = (int64_t)(bin + 1) * path->bin_ns;
        end_ns = end_ns < node->end_ns ? end_ns : node->end_ns;
        part(data, node->place, node->rank, bin, end_ns - ns);
    }
}

struct sum {
    struct refrain_table *table;
    bool failed;
};

static void add_part(void *data, struct refrain_delay_place *place, int32_t rank, size_t bin, int64_t ns) {
    struct sum *sum = data;
    sum->failed |= !add(sum->table, (uint64_t)bin << 32 | (uint32_t)rank, (uintptr_t)place, ns);
}

/* Adds the smaller table to the larger one, and makes it the first. */
static bool join(struct refrain_table *one, struct refrain_table *other) {
    if (other->n > one->n) {
        struct refrain_table smaller = *one;
        *one = *other;
        *other = smaller;
    }
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(other, slot));)
        if (!add(one, slot->a, slot->b, (int64_t)slot->number))
            return false;
    return true;
}

/* Moves the sums of the parent, and the parent itself, into the sums of the node. */
static bool absorb(struct refrain_critical_path *path, struct node *node) {
    struct node *parent = node->parent;
    if (!node->sums) {
        node->sums = parent->sums;
        parent->sums = NULL;
    }
    if (!node->sums && !(node->sums = calloc(1, sizeof *node->sums)))
        return false;
    struct sum sum = {node->sums, parent->sums && !join(node->sums, parent->sums)};
    divide(path, parent, add_part, &sum);
    if (sum.failed)
        return false;
    node->changes += parent->changes + (node->first_rank != parent->rank);
    node->first_rank = parent->first_rank;
    node->parent = hold(parent->parent);
    release(path, parent);
    return true;
}

/* Turns nodes that are in no list, and on a single path, into sums. Besides the lists and their children, at most
 * two nodes per rank remain. */
static void make_sums(struct refrain_critical_path *path) {
    for (struct node *node = path->nodes; node && !path->no_memory; node = node->behind)
        while (!node->listed && node->parent && !node->parent->listed && node->parent->references == 1)
            if (!absorb(path, node)) {
                path->no_memory = true;
                return;
            }
    path->most_nodes = path->n_nodes < LEAST_NODES / 2 ? LEAST_NODES : 2 * path->n_nodes;
}

/* ---- lists ---- */

static void drop_spans(struct refrain_critical_path *path, struct line *line, size_t n) {
    for (size_t i = 0; i < n; i++) {
        line->spans[i]->listed = false;
        release(path, line->spans[i]);
    }
    line->n -= n;
    if (n > 0)
        memmove(line->spans, line->spans + n, line->n * sizeof *line->spans);
}

static bool make_room(struct refrain_critical_path *path, struct line *line) {
    size_t room = 2 * path->n_listed;
    if (!line->spans && !(line->spans = malloc(room * sizeof(struct node *)))) {
        path->no_memory = true;
        return false;
    }
    if (line->n == room)
        drop_spans(path, line, room - path->n_listed);
    if (path->n_nodes >= path->most_nodes)
        make_sums(path);
    return true;
}

static void insert(struct line *line, size_t at, struct node *node) {
    memmove(line->spans + at + 1, line->spans + at, (line->n - at) * sizeof *line->spans);
    line->spans[at] = node;
    line->n++;
    node->listed = true;
}

/* The first span that ends at this time or later. */
static size_t first_behind(const struct line *line, int64_t ns) {
    size_t from = 0, to = line->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (line->spans[middle]->end_ns >= ns)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* The newest node of the path of the rank, with a reference; null: none. */
static struct node *newest(const struct line *line) {
    return hold(line->next_parent ? line->next_parent : line->n ? line->spans[line->n - 1] : NULL);
}

/* The path of the rank up to this time, with a reference; null if it is unknown. */
static struct node *path_until(struct refrain_critical_path *path, int32_t rank, int64_t ns) {
    const struct line *line = &path->lines[rank];
    size_t at = first_behind(line, ns);
    if (at < line->n && line->spans[at]->begin_ns < ns) {
        struct node *span = line->spans[at];
        return span->end_ns == ns ? hold(span) : make(path, hold(span->parent), rank, span->begin_ns, ns, span->place);
    }
    struct node *last = at < line->n ? at > 0 ? hold(line->spans[at - 1]) : NULL : newest(line);
    int64_t end_ns = last ? last->end_ns : path->from_ns;
    return end_ns < ns ? make(path, last, rank, end_ns, ns, NULL) : last;
}

/* ---- input ---- */

void refrain_critical_path_span(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                struct refrain_delay_place *place) {
    struct line *line = &path->lines[rank];
    begin_ns = begin_ns > path->from_ns ? begin_ns : path->from_ns;
    if (end_ns <= begin_ns || !make_room(path, line))
        return;
    struct node *last = line->n && !line->next_parent ? line->spans[line->n - 1] : NULL;
    if (last && last->place == place && last->end_ns == begin_ns && last->references == 1) {
        last->end_ns = end_ns;
        return;
    }
    struct node *before = newest(line);
    if (!before || before->end_ns != begin_ns) {
        release(path, before);
        before = path_until(path, rank, begin_ns);
    }
    struct node *node = make(path, before, rank, begin_ns, end_ns, place);
    if (node)
        insert(line, line->n, node);
    release(path, line->next_parent);
    line->next_parent = NULL;
}

/* The spans of the rank before the wait stay in its list, for ranks that waited for it until then. */
static void cut(struct refrain_critical_path *path, struct line *line, size_t at, int64_t begin_ns, int64_t end_ns,
                struct node *before) {
    struct node *span = line->spans[at];
    struct node *first = NULL;
    if (span->begin_ns < begin_ns)
        first = make(path, hold(span->parent), span->rank, span->begin_ns, begin_ns, span->place);
    release(path, span->parent);
    span->parent = before;
    span->begin_ns = end_ns;
    if (first)
        insert(line, at, first);
}

void refrain_critical_path_wait(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                int32_t cause) {
    struct line *line = &path->lines[rank];
    begin_ns = begin_ns > path->from_ns ? begin_ns : path->from_ns;
    if (end_ns <= begin_ns || !make_room(path, line))
        return;
    struct node *before = path_until(path, cause, end_ns);
    if (path->no_memory) {
        release(path, before);
        return;
    }
    size_t at = first_behind(line, end_ns + 1);
    if (at == line->n) {
        release(path, line->next_parent);
        line->next_parent = before;
    } else if (line->spans[at]->begin_ns < end_ns) {
        cut(path, line, at, begin_ns, end_ns, before);
    } else if (line->spans[at]->begin_ns == end_ns) {
        release(path, line->spans[at]->parent);
        line->spans[at]->parent = before;
    } else {
        release(path, before); /* what the rank did next is unknown, and so is the path before */
    }
}

/* ---- output ---- */

static void give_sums(const struct refrain_table *sums, refrain_critical_part *part, void *data) {
    for (const struct refrain_table_slot *slot = NULL; sums && (slot = refrain_table_next(sums, slot));)
        part(data, (struct refrain_delay_place *)(uintptr_t)slot->b, (int32_t)(uint32_t)slot->a,
             (size_t)(slot->a >> 32), (int64_t)slot->number);
}

uint64_t refrain_critical_path_parts(struct refrain_critical_path *path, int32_t rank, int64_t end_ns,
                                     refrain_critical_part *part, void *data) {
    struct node *last = path_until(path, rank, end_ns);
    uint64_t changes = 0;
    for (const struct node *node = last; node; node = node->parent) {
        divide(path, node, part, data);
        give_sums(node->sums, part, data);
        changes += node->changes + (node->parent && node->parent->rank != node->first_rank);
    }
    release(path, last);
    return changes;
}

/* ---- open, reset, close ---- */

static size_t listed_of(size_t n_ranks) {
    size_t n = n_ranks ? SPANS_OF_ALL / n_ranks : MOST_SPANS;
    return n < LEAST_SPANS ? LEAST_SPANS : n > MOST_SPANS ? MOST_SPANS : n;
}

static void drop_all(struct refrain_critical_path *path) {
    for (size_t i = 0; i < path->n_ranks; i++) {
        struct line *line = &path->lines[i];
        drop_spans(path, line, line->n);
        release(path, line->next_parent);
        line->next_parent = NULL;
    }
}

void refrain_critical_path_reset(struct refrain_critical_path *path, int64_t now_ns) {
    drop_all(path);
    path->from_ns = now_ns;
}

struct refrain_critical_path *refrain_critical_path_open(size_t n_ranks, int64_t bin_ns) {
    struct refrain_critical_path *path = calloc(1, sizeof *path);
    if (!path || !(path->lines = calloc(n_ranks + 1, sizeof *path->lines))) {
        free(path);
        return NULL;
    }
    path->n_ranks = n_ranks;
    path->n_listed = listed_of(n_ranks);
    path->bin_ns = bin_ns;
    path->most_nodes = LEAST_NODES;
    return path;
}

void refrain_critical_path_close(struct refrain_critical_path *path) {
    if (!path)
        return;
    drop_all(path);
    for (size_t i = 0; i < path->n_ranks; i++)
        free(path->lines[i].spans);
    for (struct node *next; path->free; path->free = next) {
        next = path->free->behind;
        free(path->free);
    }
    free(path->lines);
    free(path);
}

bool refrain_critical_path_failed(const struct refrain_critical_path *path) {
    return path->no_memory;
}
