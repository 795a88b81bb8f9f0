/* openmp.h: OpenMP's constructs as regions of the trace (walk.c -> openmp.c -> emit.c).
 *
 * A construct is a user region whose name has its class, file and line (refrain/openmp_names.h). The thread that comes
 * to it enters the region; each thread that executes its block enters a region of the block. So that the time that a
 * thread waits is a region as well, the barrier that a construct ends with is spelled out: the construct gets a nowait
 * clause, and a barrier behind it.
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
 * The inserted text names no variable of the program's, so that no data-sharing clause has to know of it. What cannot
 * be taken apart safely stays as it is: constructs that may be cancelled, with all that is in them; those on devices;
 * statements that a macro makes. They are named in the unit's tables (REFRAIN_LEFT).
 */
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
    unsigned next, end; /* the statement it stands before, with the pragmas between; end 0: there is none */
    const char *reason; /* why it is left as it is; null: it is not, or is none of a kind with a region */
};

/* A call that waits for a lock. */
struct refrain_lock_call {
    struct refrain_span at;
    bool nest; /* omp_set_nest_lock */
};

struct refrain_openmp {
    struct refrain_pragma *pragmas; /* all pragmas of the file, in their order; null: compiled without OpenMP */
    size_t n_pragmas;
    struct refrain_lock_call *locks;
    size_t n_locks, lock_capacity;
};

/* Reads the pragmas of a file that is compiled with OpenMP; of others there are none. */
void refrain_openmp_open(struct refrain_openmp *openmp, const struct refrain_source *source,
                         const struct refrain_instrument_options *options);

/* Notes the statement that the pragmas before it belong to. */
void refrain_openmp_note_statement(struct refrain_walker *walker, CXCursor statement, struct refrain_span span);

/* Notes a call of omp_set_lock or omp_set_nest_lock, which a probe may stand around. */
void refrain_openmp_note_lock(struct refrain_walker *walker, const char *function, struct refrain_span call);

/* Decides which constructs become regions, once all functions have been walked. */
void refrain_openmp_decide(struct refrain_constructs *constructs, const struct refrain_source *source);

/* Adds the insertions. True where there are any. */
bool refrain_openmp_edit(const struct refrain_openmp *openmp, const struct refrain_source *source,
                         struct refrain_edits *edits);

void refrain_openmp_free(struct refrain_openmp *openmp);

#endif
