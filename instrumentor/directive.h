/* directive.h: what an OpenMP pragma says, as it is spelled (lex.h -> openmp.c).
 *
 *     #pragma omp parallel for   num_threads(4)  reduction(+ : sum)
 *     ^hash       ^name ^second  ^clause         ^clause            ^end
 */
#ifndef REFRAIN_DIRECTIVE_H
#define REFRAIN_DIRECTIVE_H

#include "lex.h"

enum refrain_directive_kind {
    REFRAIN_DIRECTIVE_OTHER,    /* left as it is, and named in the unit's tables */
    REFRAIN_DIRECTIVE_QUIET,    /* left as it is: nobody waits for it (atomic, simd, flush, threadprivate ...) */
    REFRAIN_DIRECTIVE_PARALLEL, /* `second`: parallel for, parallel sections */
    REFRAIN_DIRECTIVE_FOR,
    REFRAIN_DIRECTIVE_SECTIONS,
    REFRAIN_DIRECTIVE_SECTION,
    REFRAIN_DIRECTIVE_SINGLE,
    REFRAIN_DIRECTIVE_MASTER, /* masked, too */
    REFRAIN_DIRECTIVE_CRITICAL,
    REFRAIN_DIRECTIVE_ORDERED,
    REFRAIN_DIRECTIVE_TASK,
    REFRAIN_DIRECTIVE_TASKWAIT,
    REFRAIN_DIRECTIVE_BARRIER
};

#define REFRAIN_MOST_CLAUSES 32

struct refrain_clause {
    struct refrain_span word;
    struct refrain_span argument; /* between the parentheses; begin 0: there are none */
    unsigned end;                 /* of all of it */
};

struct refrain_directive {
    enum refrain_directive_kind kind;
    enum refrain_directive_kind second; /* of parallel for and parallel sections: FOR or SECTIONS; else OTHER */
    unsigned hash, end;                 /* offsets: where the pragma begins and the end of its line */
    struct refrain_span name;           /* the first word of the name ... */
    struct refrain_span second_name;    /* ... and the one that says the other kind */
    struct refrain_span argument;       /* the name of a critical construct; begin 0: it has none */
    struct refrain_clause clauses[REFRAIN_MOST_CLAUSES];
    unsigned n_clauses;
    const char *reason; /* why it is left as it is; null: it need not be */
};

/* Reads the text of a pragma (struct refrain_tokens). False where it is none of OpenMP's. */
bool refrain_directive_read(struct refrain_directive *directive, const char *bytes, struct refrain_span pragma);

/* The clause of that name; null where there is none. */
const struct refrain_clause *refrain_directive_clause(const struct refrain_directive *directive, const char *bytes,
                                                      const char *name);

/* Does this clause of a combined construct belong to its `parallel`? If not, it belongs to what it is combined with. */
bool refrain_clause_is_of_parallel(const struct refrain_clause *clause, const char *bytes);

#endif
