/* openmp.h: makes regions of OpenMP constructs (walk.c -> openmp.c -> emit.c).
 *
 * A construct becomes a user region, whose name has its class, file and line (refrain/construct_names.h). The thread
 * that reaches it enters the region. Each thread that executes its block enters a region of the block. The waiting
 * time of a thread becomes a region, too: the implicit barrier at the end of a construct is written explicitly. For
 * this, the construct gets a nowait clause, and a barrier follows it.
 *
 *     #pragma omp parallel for if(a)     { begin("!$omp parallel @f.c:1");
 *     for (...)                          #pragma omp parallel if(a)
 *         work();                        { begin("!$omp parallel sblock @f.c:1"); begin("!$omp for @f.c:1");
 *                                        #pragma omp for nowait
 *                                        for (...)
 *                                            work();
 *                                        begin("!$omp implicit barrier @f.c:1");
 *                                        #pragma omp barrier
 *                                        end(); end(); end(); } end(); }
 *
 * The inserted text names no variable of the program, so data-sharing clauses need not change. Some constructs
 * cannot be transformed safely and stay unchanged: constructs that may be cancelled, with all that they contain;
 * constructs on devices; statements made by a macro. They are named in the tables of the unit (REFRAIN_LEFT). */
#ifndef REFRAIN_OPENMP_H
#define REFRAIN_OPENMP_H

#include "directive.h"
#include "edit.h"
#include "text.h"
#include "walk.h"

struct refrain_pragma {
    struct refrain_directive directive;
    bool is_openmp;
    bool is_for;        /* its statement is a for loop */
    unsigned next, end; /* the statement after it and after further pragmas; end 0: there is none */
    const char *reason; /* why it is not instrumented; null: it is, or its kind has no region */
};

/* A call that waits for a lock. */
struct refrain_lock_call {
    struct refrain_span at;
    bool nest; /* omp_set_nest_lock */
};

struct refrain_openmp {
    struct refrain_pragma *pragmas; /* all pragmas of the file, in order; null: compiled without OpenMP */
    size_t n_pragmas;
    struct refrain_lock_call *locks;
    size_t n_locks, lock_capacity;
};

/* Reads the pragmas of a file that is compiled with OpenMP; other files have none. */
void refrain_openmp_open(struct refrain_openmp *openmp, const struct refrain_source *source,
                         const struct refrain_instrument_options *options);

/* Notes the statement that the pragmas before it belong to. */
void refrain_openmp_note_statement(struct refrain_walker *walker, CXCursor statement, struct refrain_span span);

/* Notes a call of omp_set_lock or omp_set_nest_lock, around which a probe may be inserted. */
void refrain_openmp_note_lock(struct refrain_walker *walker, const char *function, struct refrain_span call);

/* Decides which constructs become regions. After all functions have been walked. */
void refrain_openmp_decide(struct refrain_constructs *constructs, const struct refrain_source *source);

/* Adds the insertions. True if there are any. */
bool refrain_openmp_edit(const struct refrain_openmp *openmp, const struct refrain_source *source,
                         struct refrain_edits *edits);

void refrain_openmp_free(struct refrain_openmp *openmp);

#endif
