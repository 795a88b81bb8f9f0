/* construct.h: the constructs of a file's functions, in source order (walk.h -> choose.c -> emit.c).
 *
 *     function  [block [if [call] [block ...]] [return]]   one array, a construct before what it contains;
 *     ^first    `after` of each is the index past the last construct inside it
 */
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
    struct refrain_span at;          /* placed: the condition, the call, or the place to insert at */
    bool placed;                     /* a probe may stand there */
    bool constant;                   /* the condition is absent or decided by the compiler */
    bool shared;                     /* several threads may be in it in one activation of its function */
    bool few;                        /* loop: over a small constant number of iterations */
    unsigned first_token, end_token; /* what it is spelled with, for weigh.c; both 0: not asked for, or not known */

    /* CALL, MPI_CALL */
    bool ends;       /* calls MPI_Abort, or is the macro statement around that */
    bool outside;    /* may reach an event through code that is not in this file */
    bool elsewhere;  /* calls by name a function that another file defines */
    unsigned callee; /* function of this file, or REFRAIN_NO_INDEX */

    /* choose.c */
    bool interesting; /* may reach an event */
    bool certain;     /* ... whatever other files hold: its probe is always on */
    bool holds;       /* something inside is interesting */
    bool left_out;    /* too little to pay for a probe (weigh.c) */
    bool wanted;      /* gets a probe */
    bool counted;     /* a loop that counts for itself: nothing in it has a probe */
    bool kept;        /* gets a node */
    unsigned slot;    /* of the unit; REFRAIN_NO_SLOT */
    unsigned node;    /* of the unit, when kept */
};

/* When an activation begins, for the trace (weigh.c). */
enum refrain_entry_kind {
    REFRAIN_ENTERED,      /* when the function is called */
    REFRAIN_ENTERED_LATE, /* when the first of its own MPI calls is made */
    REFRAIN_NEVER_ENTERED /* what it calls tells of itself */
};

struct refrain_function {
    CXCursor canonical;
    char *name;                /* owned */
    unsigned construct;        /* index of its FUNCTION construct, REFRAIN_NO_INDEX while it has none */
    unsigned line;             /* for messages */
    struct refrain_span whole; /* where it stands */
    const char *left_alone;    /* why it is not instrumented; null: it can be */
    bool misunderstood;        /* ... since libclang sees errors in it, and perhaps not all that it holds */
    unsigned frame_offset;     /* where the frame is declared */
    unsigned head_offset;      /* where an attribute may be written, REFRAIN_NO_INDEX: nowhere */
    unsigned n_tokens;         /* of its body */
    bool excluded;             /* by the filter */
    bool is_inline;
    bool is_main;
    bool has_loop;
    bool address_taken;
    bool is_static;
    bool reaches;                  /* may reach an event through what it calls */
    bool certain;                  /* ... whatever other files hold */
    bool traced;                   /* its node has slots */
    bool small;                    /* no loop, few tokens */
    bool each_time;                /* it comes to an event whenever it is called */
    enum refrain_entry_kind entry; /* traced: when it gets a frame */
};

/* What the instrumentor leaves as it is though a user may expect a region of it. */
struct refrain_left {
    unsigned file; /* index in refrain_constructs.files */
    unsigned line;
    char *text; /* owned */
};

#define REFRAIN_MOST_LEFT 16u /* that a unit names: its tables take the trace's memory */

struct refrain_openmp;

struct refrain_constructs {
    struct refrain_construct *items;
    size_t count, capacity;
    struct refrain_function *functions;
    size_t n_functions, function_capacity;
    unsigned *table; /* hash of canonical cursor -> function index + 1 */
    size_t table_size;
    struct refrain_list files;
    unsigned n_small_functions, n_light; /* functions, decisions and loops without a probe: too little to pay for it */
    bool calls_setjmp;
    struct refrain_openmp *openmp;             /* openmp.h */
    struct refrain_left *left;                 /* what stays as it is (REFRAIN_LEFT) */
    size_t n_left, left_capacity, n_more_left; /* more: they are only counted */
    bool speaks_of_events;                     /* it declares an MPI function or a user region, or defines main */
};

/* Finds all constructs of the file, and those of OpenMP, `openmp`, which was empty (walk_file.c). */
void refrain_walk(struct refrain_constructs *constructs, struct refrain_openmp *openmp,
                  const struct refrain_source *source, const struct refrain_instrument_options *options);

static inline bool refrain_is_loop(const struct refrain_construct *construct) {
    return construct->kind >= REFRAIN_WHILE && construct->kind <= REFRAIN_DO;
}

/* The macro statement around a construct; REFRAIN_NO_INDEX where there is none (construct.c). */
unsigned refrain_macro_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct);

/* The innermost loop around a construct; REFRAIN_NO_INDEX where there is none (construct.c). */
unsigned refrain_loop_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct);

/* Finds the functions that are small (weigh.c). */
void refrain_find_small(struct refrain_constructs *constructs);

/* Finds those that are small since they reach no event, once it is known which do: they may be larger (weigh.c). */
void refrain_find_leaves(struct refrain_constructs *constructs);

/* Decides when traced functions are entered, once it is known what is interesting (weigh.c). */
void refrain_weigh(struct refrain_constructs *constructs);

/* Decides which decisions and loops are too little for a probe, once it is known when functions are entered (weigh.c).
 */
void refrain_find_light(struct refrain_constructs *constructs);

/* Decides what gets a probe and numbers the slots; returns how many there are (choose.c). */
unsigned refrain_choose(struct refrain_constructs *constructs, const struct refrain_instrument_options *options);

/* Writes the unit's tables, after the declarations of their types (tables.c). */
void refrain_tables_write(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                          unsigned n_slots, struct refrain_text *out);

/* Writes the instrumented file (emit.c). */
void refrain_emit(struct refrain_constructs *constructs, const struct refrain_source *source,
                  const struct refrain_instrument_options *options, unsigned n_slots, struct refrain_text *out);

/* Notes what stays as it is, and why (construct.c). Beyond REFRAIN_MOST_LEFT places of a unit it only counts. */
void refrain_constructs_leave(struct refrain_constructs *constructs, const char *file, unsigned line, const char *text);

/* The index of a file in refrain_constructs.files (construct.c). */
unsigned refrain_constructs_file(struct refrain_constructs *constructs, const char *name);

/* Frees what they hold (construct.c). */
void refrain_constructs_free(struct refrain_constructs *constructs);

#endif
