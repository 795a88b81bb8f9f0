/* directive.h: an OpenMP pragma, parsed (lex.h -> openmp.c).
 *
 *     #pragma omp parallel for   num_threads(4)  reduction(+ : sum)
 *     ^hash       ^name ^second  ^clause         ^clause            ^end */
#ifndef REFRAIN_DIRECTIVE_H
#define REFRAIN_DIRECTIVE_H

#include "lex.h"

enum refrain_directive_kind {
    REFRAIN_DIRECTIVE_OTHER,        /* not instrumented, and named in the tables of the unit */
    REFRAIN_DIRECTIVE_WITHOUT_WAIT, /* not instrumented, since no thread waits in it (atomic, simd, flush, threadprivate
                                       ...) */
    REFRAIN_DIRECTIVE_PARALLEL,     /* `second`: parallel for, parallel sections */
    REFRAIN_DIRECTIVE_FOR,
    REFRAIN_DIRECTIVE_SECTIONS,
    REFRAIN_DIRECTIVE_SECTION,
    REFRAIN_DIRECTIVE_SINGLE,
    REFRAIN_DIRECTIVE_MASTER, /* also masked */
    REFRAIN_DIRECTIVE_CRITICAL,
    REFRAIN_DIRECTIVE_ORDERED,
    REFRAIN_DIRECTIVE_TASK,
    REFRAIN_DIRECTIVE_TASKWAIT,
    REFRAIN_DIRECTIVE_BARRIER
};

#define REFRAIN_MOST_CLAUSES 32

struct refrain_clause {
    struct refrain_span word;
    struct refrain_span argument; /* text between the parentheses; begin 0: none */
    unsigned end;                 /* of the whole clause */
};

struct refrain_directive {
    enum refrain_directive_kind kind;
    enum refrain_directive_kind second; /* FOR or SECTIONS for parallel for and parallel sections; else OTHER */
    unsigned hash, end;                 /* offsets of the beginning of the pragma and of the end of its line */
    struct refrain_span name;           /* first word of the name */
    struct refrain_span second_name;    /* second word of a combined name */
    struct refrain_span argument;       /* name of a critical construct; begin 0: none */
    struct refrain_clause clauses[REFRAIN_MOST_CLAUSES];
    unsigned n_clauses;
    const char *reason; /* why it is not instrumented; null: no reason */
};

/* Parses the text of a pragma (struct refrain_tokens). False if it is no OpenMP pragma. */
bool refrain_directive_read(struct refrain_directive *directive, const char *bytes, struct refrain_span pragma);

/* True if the pragma has this word outside of parentheses, as the name of a directive or clause. */
bool refrain_directive_has_word(const char *bytes, struct refrain_span pragma, const char *word);

/* The clause with that name, or null. */
const struct refrain_clause *refrain_directive_clause(const struct refrain_directive *directive, const char *bytes,
                                                      const char *name);

/* True if this clause of a combined construct belongs to its `parallel`, false if it belongs to the other construct. */
bool refrain_clause_is_of_parallel(const struct refrain_clause *clause, const char *bytes);

#endif
