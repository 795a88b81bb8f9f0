/* construct.h: the constructs of a file's functions, in source order (walk.h -> choose.c -> emit.c).
 *
 *     function  [block [if [call] [block ...]] [return]]   one array, a construct before those that it contains;
 *     ^first    `after` of each is the index past the last construct inside it */
#ifndef REFRAIN_CONSTRUCT_H
#define REFRAIN_CONSTRUCT_H

#include "instrument.h"
#include "source.h"
#include <refrain/unit.h>

#define REFRAIN_NO_INDEX 0xffffffffu

struct refrain_construct {
    enum refrain_node_kind kind;
    unsigned parent; /* index; REFRAIN_NO_INDEX for functions */
    unsigned after;  /* index past its last descendant */
    unsigned right;  /* AND, OR: index of the first construct in the right operand */
    unsigned line, column;
    unsigned file;                   /* index in refrain_constructs.files */
    unsigned function;               /* index of the function it is in */
    char *name;                      /* owned; null is "" */
    struct refrain_span at;          /* placed: the condition, the call, or the position where a probe is inserted */
    bool placed;                     /* a probe can be inserted there */
    bool constant;                   /* there is no condition, or the compiler decides it */
    bool shared;                     /* several threads may be in it during one activation of its function */
    bool few;                        /* loop: over a small constant number of iterations */
    unsigned first_token, end_token; /* its tokens, for weigh.c; both 0: not needed or not known */

    /* CALL, MPI_CALL */
    bool ends;       /* calls MPI_Abort, or is the macro statement around such a call */
    bool outside;    /* may lead to an event through code in another file */
    bool elsewhere;  /* calls by name a function of another file */
    unsigned callee; /* function of this file, or REFRAIN_NO_INDEX */

    /* set by choose.c */
    bool follows;     /* its probe is enabled if that of the construct around it is */
    bool interesting; /* may lead to an event */
    bool certain;     /* leads to an event whatever other files contain: its probe is always enabled */
    bool holds;       /* contains an interesting construct */
    bool left_out;    /* too little work to pay for a probe (weigh.c) */
    bool wanted;      /* gets a probe */
    bool counted;     /* a loop with a counter instead of a probe per iteration: it contains no other probe */
    bool kept;        /* gets a node */
    unsigned slot;    /* slot of the unit; REFRAIN_NO_SLOT */
    unsigned node;    /* node of the unit, if it is kept */
};

/* When an activation begins in the trace (weigh.c). */
enum refrain_entry_kind {
    REFRAIN_ENTERED,      /* when the function is called */
    REFRAIN_ENTERED_LATE, /* when it makes the first of its own MPI calls */
    REFRAIN_NEVER_ENTERED /* never: the functions that it calls have probes of their own */
};

struct refrain_function {
    CXCursor canonical;
    char *name;                /* owned */
    unsigned construct;        /* index of its FUNCTION construct; REFRAIN_NO_INDEX until it has one */
    unsigned line;             /* for messages */
    struct refrain_span whole; /* its extent */
    const char *left_alone;    /* why it is not instrumented; null: it can be */
    bool misunderstood;        /* libclang reports errors in it, and may not show all of it */
    unsigned frame_offset;     /* offset where the frame is declared */
    unsigned head_offset;      /* offset where an attribute may be written; REFRAIN_NO_INDEX: nowhere */
    unsigned n_tokens;         /* in its body */
    bool excluded;             /* by the filter */
    bool is_inline;
    bool is_main;
    bool has_loop;
    bool address_taken;
    bool is_static;
    bool reaches;   /* may lead to an event through the functions that it calls */
    bool certain;   /* leads to one whatever other files contain */
    bool traced;    /* its node has slots */
    bool passes;    /* it has no probe, and leads to an event if the call at `construct` does (hooks.c) */
    bool small;     /* no loop, few tokens */
    bool each_time; /* each call leads to an event */
    enum refrain_entry_kind entry; /* traced: when an activation gets a frame */
};

/* A construct that is not instrumented although a user may expect a region for it. */
struct refrain_left {
    unsigned file; /* index in refrain_constructs.files */
    unsigned line;
    char *text; /* owned */
};

#define REFRAIN_MOST_LEFT 16u /* most of them in the tables of a unit, as the tables take memory of the trace */

struct refrain_openmp;

struct refrain_constructs {
    struct refrain_construct *items;
    size_t count, capacity;
    struct refrain_function *functions;
    size_t n_functions, function_capacity;
    unsigned *table; /* hash of canonical cursor -> function index + 1 */
    size_t table_size;
    struct refrain_list files;
    unsigned n_small_functions,
        n_light; /* functions, decisions and loops without a probe, as they have too little work */
    bool calls_setjmp;
    struct refrain_openmp *openmp;             /* openmp.h */
    struct refrain_left *left;                 /* constructs that are not instrumented (REFRAIN_LEFT) */
    size_t n_left, left_capacity, n_more_left; /* n_more_left: further ones, only counted */
    bool speaks_of_events;                     /* the file declares an MPI function or a user region, or defines main */
};

/* Finds all constructs of the file, and its OpenMP constructs in `openmp`, which must be empty (walk_file.c). */
void refrain_walk(struct refrain_constructs *constructs, struct refrain_openmp *openmp,
                  const struct refrain_source *source, const struct refrain_instrument_options *options);

static inline bool refrain_is_loop(const struct refrain_construct *construct) {
    return refrain_kind_is_loop(construct->kind);
}

/* The macro statement around a construct, or REFRAIN_NO_INDEX (construct.c). */
unsigned refrain_macro_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct);

/* The innermost loop around a construct, or REFRAIN_NO_INDEX (construct.c). */
unsigned refrain_loop_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct);

/* Finds the small functions (weigh.c). */
void refrain_find_small(struct refrain_constructs *constructs);

/* Finds functions that are small because they lead to no event; these may be larger. After the functions with events
 * are known (weigh.c). */
void refrain_find_leaves(struct refrain_constructs *constructs);

/* Decides when traced functions are entered. After interesting constructs are known (weigh.c). */
void refrain_weigh(struct refrain_constructs *constructs);

/* Finds decisions and loops with too little work for a probe. After refrain_weigh() (weigh.c). */
void refrain_find_light(struct refrain_constructs *constructs);

/* Decides which constructs get a probe, and numbers the slots. Returns their number (choose.c). */
unsigned refrain_choose(struct refrain_constructs *constructs, const struct refrain_instrument_options *options);

/* Writes the unit's tables, after the declarations of their types (tables.c). */
void refrain_tables_write(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                          unsigned n_slots, struct refrain_text *out);

/* Writes the instrumented file (emit.c). */
void refrain_emit(struct refrain_constructs *constructs, const struct refrain_source *source,
                  const struct refrain_instrument_options *options, unsigned n_slots, struct refrain_text *out);

/* Notes a construct that is not instrumented, and why (construct.c). After REFRAIN_MOST_LEFT of a unit, only counts. */
void refrain_constructs_leave(struct refrain_constructs *constructs, const char *file, unsigned line, const char *text);

/* The index of a file in refrain_constructs.files (construct.c). */
unsigned refrain_constructs_file(struct refrain_constructs *constructs, const char *name);

/* Frees the memory of the constructs (construct.c). */
void refrain_constructs_free(struct refrain_constructs *constructs);

#endif
