/* slog2_tree.h: the binary tree of a SLOG-2 file: drawables in boxes of time, with previews of lower boxes
 * (write_slog2.c; A. I. Margaris, "Log File Formats for Parallel Applications: A Review", section 6; layout of
 * version 2.0.6 as its Java classes write it, big-endian).
 *
 *     root    [======================================]   drawables that fit into no box below; shadows of both children
 *     ...     [==================][==================]
 *     leaves  [====][====][====][====][====][====] ...   64 KB each
 *
 * Drawables come in the order of their ends. Each goes to the lowest box of the current branch that begins before
 * it. When the leaf is full, the boxes that end with it are written, and the branch moves to the next leaf. Held in
 * memory: the boxes of one branch. A shadow stands for all drawables of one kind between the same lines in a box:
 * the number of each category, and their share of its time. In each box, events and arrows are one list, before that
 * of the states; the same holds for their shadows. */
#ifndef REFRAIN_SLOG2_TREE_H
#define REFRAIN_SLOG2_TREE_H

#include "formats/sink.h"

#define REFRAIN_SLOG2_INFO_BYTES 28u

/* Numbers in the file. */
enum refrain_slog2_topology { REFRAIN_SLOG2_EVENT = 0, REFRAIN_SLOG2_STATE = 1, REFRAIN_SLOG2_ARROW = 2 };

/* The category of the shadows of a topology. */
static inline int32_t refrain_slog2_preview(enum refrain_slog2_topology topology) {
    return topology == REFRAIN_SLOG2_EVENT ? -1 : topology == REFRAIN_SLOG2_ARROW ? -2 : -3;
}

struct refrain_slog2_drawable {
    enum refrain_slog2_topology topology;
    int32_t category;
    double start, end; /* seconds; equal for an event */
    uint32_t lines[2]; /* of start and end */
    double own;        /* seconds of a state outside of nested states */
    unsigned n_info;
    unsigned char info[REFRAIN_SLOG2_INFO_BYTES]; /* values for the keys of its category */
};

/* Bytes in the order of the file. */
struct refrain_slog2_bytes {
    unsigned char *bytes; /* owned */
    size_t n, capacity;
    bool no_memory;
};
/* Appends the lowest n bytes of the value. */
void refrain_slog2_put(struct refrain_slog2_bytes *bytes, uint64_t value, unsigned n);
void refrain_slog2_put_double(struct refrain_slog2_bytes *bytes, double value);
void refrain_slog2_put_text(struct refrain_slog2_bytes *bytes, const char *text, size_t n);

/* Sums over all drawables of a category. */
struct refrain_slog2_sum {
    uint64_t n;
    double seconds, own;
};

struct refrain_slog2_tree;

/* Null without memory. `out`: target of the boxes. `directory`: a spool for the directory, which follows them.
 * `sums`: by category, one for each. All belong to the caller. */
struct refrain_slog2_tree *refrain_slog2_tree_open(struct refrain_sink *out, struct refrain_sink *directory,
                                                   struct refrain_slog2_sum *sums);

/* Adds a drawable that ends no earlier than the one before. False without memory. */
bool refrain_slog2_tree_add(struct refrain_slog2_tree *tree, const struct refrain_slog2_drawable *drawable);

struct refrain_slog2_root {
    uint64_t at;    /* position of the root in the file */
    uint32_t bytes; /* of the root */
    uint16_t depth;
    uint32_t boxes;      /* in the directory */
    uint32_t most_bytes; /* of one box */
    double duration;
};

/* Writes the remaining boxes, up to the root. False without memory. */
bool refrain_slog2_tree_finish(struct refrain_slog2_tree *tree, struct refrain_slog2_root *root);
void refrain_slog2_tree_close(struct refrain_slog2_tree *tree);

#endif
