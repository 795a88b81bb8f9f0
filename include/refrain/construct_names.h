/* construct_names.h: names of the regions of OpenMP's constructs (instrumentor/openmp.c -> reconstruct/) and of calls
 * of the thread library (monitor/thread_calls.c -> reconstruct/).
 *
 *     !$omp parallel @solve.c:12              the construct, on the thread that reaches it
 *     !$omp parallel sblock @solve.c:12       its block, on each thread of the team
 *     !$omp implicit barrier @solve.c:12      waiting for the others at its end
 *     !$omp critical(name) @solve.c:30        waiting, and in it "!$omp critical(name) sblock @solve.c:30": inside
 *
 *     !$pthread mutex_lock(2) @queue.c:40     waiting for the mutex that was the second one to be used
 *     !$pthread thread @queue.c:12            all that a thread does; the place is the call that created it
 *
 * A trace has the names of calls of the thread library without their place, which the reader appends. OPARI2 gives the
 * same names for OpenMP, which users of Score-P know. Only the name shows that a region is a construct: the monitor and
 * the trace file treat it as any user region. */
#ifndef REFRAIN_CONSTRUCT_NAMES_H
#define REFRAIN_CONSTRUCT_NAMES_H

#include <stdbool.h>
#include <string.h>

#define REFRAIN_OPENMP_PREFIX "!$omp "
#define REFRAIN_PTHREAD_PREFIX "!$pthread "
#define REFRAIN_CONSTRUCT_BLOCK "sblock"

enum refrain_construct_class {
    REFRAIN_CONSTRUCT_NONE, /* no construct */
    REFRAIN_CONSTRUCT_PARALLEL,
    REFRAIN_CONSTRUCT_FOR,
    REFRAIN_CONSTRUCT_SECTIONS,
    REFRAIN_CONSTRUCT_SECTION,
    REFRAIN_CONSTRUCT_SINGLE,
    REFRAIN_CONSTRUCT_MASTER,
    REFRAIN_CONSTRUCT_CRITICAL,
    REFRAIN_CONSTRUCT_ORDERED,
    REFRAIN_CONSTRUCT_TASK,
    REFRAIN_CONSTRUCT_TASKWAIT,
    REFRAIN_CONSTRUCT_BARRIER,
    REFRAIN_CONSTRUCT_IMPLICIT_BARRIER,
    REFRAIN_CONSTRUCT_SET_LOCK,
    REFRAIN_CONSTRUCT_CREATE, /* from here on, of the thread library */
    REFRAIN_CONSTRUCT_THREAD,
    REFRAIN_CONSTRUCT_JOIN,
    REFRAIN_CONSTRUCT_MUTEX_LOCK,
    REFRAIN_CONSTRUCT_MUTEX_TRYLOCK,
    REFRAIN_CONSTRUCT_MUTEX_TIMEDLOCK,
    REFRAIN_CONSTRUCT_MUTEX_UNLOCK,
    REFRAIN_CONSTRUCT_COND_WAIT,
    REFRAIN_CONSTRUCT_COND_TIMEDWAIT,
    REFRAIN_CONSTRUCT_COND_SIGNAL,
    REFRAIN_CONSTRUCT_COND_BROADCAST,
    REFRAIN_CONSTRUCT_BARRIER_WAIT,
    REFRAIN_CONSTRUCT_CLASSES
};

struct refrain_construct_name {
    enum refrain_construct_class class;
    bool block;           /* region of the block of the construct */
    const char *argument; /* name of a critical construct, or number of a lock; not terminated; null: none */
    unsigned argument_length;
    const char *place; /* file:line; "" if the name has none */
};

/* The words for the classes in names. */
static inline const char *refrain_construct_word(enum refrain_construct_class class) {
    static const char *const words[REFRAIN_CONSTRUCT_CLASSES] = {"",
                                                                 "parallel",
                                                                 "for",
                                                                 "sections",
                                                                 "section",
                                                                 "single",
                                                                 "master",
                                                                 "critical",
                                                                 "ordered",
                                                                 "task",
                                                                 "taskwait",
                                                                 "barrier",
                                                                 "implicit barrier",
                                                                 "set_lock",
                                                                 "create",
                                                                 "thread",
                                                                 "join",
                                                                 "mutex_lock",
                                                                 "mutex_trylock",
                                                                 "mutex_timedlock",
                                                                 "mutex_unlock",
                                                                 "cond_wait",
                                                                 "cond_timedwait",
                                                                 "cond_signal",
                                                                 "cond_broadcast",
                                                                 "barrier_wait"};
    return words[class];
}

static inline bool refrain_construct_is_pthread(enum refrain_construct_class class) {
    return class >= REFRAIN_CONSTRUCT_CREATE;
}

/* Parses the name of a region. */
static inline struct refrain_construct_name refrain_construct_name(const char *name) {
    struct refrain_construct_name parts = {.place = ""};
    bool is_pthread = strncmp(name, REFRAIN_PTHREAD_PREFIX, sizeof REFRAIN_PTHREAD_PREFIX - 1) == 0;
    if (!is_pthread && strncmp(name, REFRAIN_OPENMP_PREFIX, sizeof REFRAIN_OPENMP_PREFIX - 1) != 0)
        return parts;
    name += is_pthread ? sizeof REFRAIN_PTHREAD_PREFIX - 1 : sizeof REFRAIN_OPENMP_PREFIX - 1;
    for (unsigned c = is_pthread ? REFRAIN_CONSTRUCT_CREATE : REFRAIN_CONSTRUCT_PARALLEL;
         c < (is_pthread ? REFRAIN_CONSTRUCT_CLASSES : REFRAIN_CONSTRUCT_CREATE); c++) {
        const char *word = refrain_construct_word((enum refrain_construct_class)c);
        size_t n = strlen(word);
        if (strncmp(name, word, n) != 0 || (name[n] != ' ' && name[n] != '(' && name[n] != 0))
            continue;
        parts.class = (enum refrain_construct_class)c;
        name += n;
        break;
    }
    if (*name == '(') {
        parts.argument = name + 1;
        parts.argument_length = (unsigned)strcspn(name + 1, ")");
        name += strcspn(name, ")");
    }
    parts.block = strstr(name, " " REFRAIN_CONSTRUCT_BLOCK " ") != NULL;
    const char *at = strchr(name, '@');
    parts.place = at ? at + 1 : "";
    return parts;
}

#endif
