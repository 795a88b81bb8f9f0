/* construct_names.h: names of the regions of OpenMP's constructs (instrumentor/openmp.c -> reconstruct/) and of calls
 * of the thread library (monitor/thread_calls.c -> reconstruct/).
 *
 *     !$omp parallel @solve.c:12              the construct, on the thread that reaches it
 *     !$omp parallel sblock @solve.c:12       its block, on each thread of the team
 *     !$omp implicit barrier @solve.c:12      waiting for the others at its end
 *     !$omp critical(name) @solve.c:30        waiting, and in it "!$omp critical(name) sblock @solve.c:30": inside
 *
 *     !$pthread mutex_lock(2) @queue.c:40     waiting for the mutex that was the second one to be used
 *     !$pthread cond_wait(3,2) @queue.c:43    waiting for the third condition, which gives back the second mutex
 *     !$pthread thread @queue.c:12            all that a thread does; the place is the call that created it
 *     !$pthread number                        a counter: in create, the number of the new thread; before thread, its
 * own number; at the end of join, that of the thread it has waited for
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
#define REFRAIN_PTHREAD_NUMBER REFRAIN_PTHREAD_PREFIX "number"

/* ROW(class, word, waits): calls of the thread library, and THREAD. `waits`: the time of the call is a wait for another
 * thread. */
#define REFRAIN_THREAD_CLASSES(ROW)                                                                                    \
    ROW(CREATE, "create", false)                                                                                       \
    ROW(THREAD, "thread", false)                                                                                       \
    ROW(JOIN, "join", true)                                                                                            \
    ROW(TRYJOIN, "tryjoin_np", false)                                                                                  \
    ROW(TIMEDJOIN, "timedjoin_np", true)                                                                               \
    ROW(CLOCKJOIN, "clockjoin_np", true)                                                                               \
    ROW(MUTEX_LOCK, "mutex_lock", true)                                                                                \
    ROW(MUTEX_TRYLOCK, "mutex_trylock", false)                                                                         \
    ROW(MUTEX_TIMEDLOCK, "mutex_timedlock", true)                                                                      \
    ROW(MUTEX_CLOCKLOCK, "mutex_clocklock", true)                                                                      \
    ROW(MUTEX_UNLOCK, "mutex_unlock", false)                                                                           \
    ROW(COND_WAIT, "cond_wait", true)                                                                                  \
    ROW(COND_TIMEDWAIT, "cond_timedwait", true)                                                                        \
    ROW(COND_CLOCKWAIT, "cond_clockwait", true)                                                                        \
    ROW(COND_SIGNAL, "cond_signal", false)                                                                             \
    ROW(COND_BROADCAST, "cond_broadcast", false)                                                                       \
    ROW(BARRIER_WAIT, "barrier_wait", true)                                                                            \
    ROW(RWLOCK_RDLOCK, "rwlock_rdlock", true)                                                                          \
    ROW(RWLOCK_WRLOCK, "rwlock_wrlock", true)                                                                          \
    ROW(RWLOCK_TRYRDLOCK, "rwlock_tryrdlock", false)                                                                   \
    ROW(RWLOCK_TRYWRLOCK, "rwlock_trywrlock", false)                                                                   \
    ROW(RWLOCK_TIMEDRDLOCK, "rwlock_timedrdlock", true)                                                                \
    ROW(RWLOCK_TIMEDWRLOCK, "rwlock_timedwrlock", true)                                                                \
    ROW(RWLOCK_CLOCKRDLOCK, "rwlock_clockrdlock", true)                                                                \
    ROW(RWLOCK_CLOCKWRLOCK, "rwlock_clockwrlock", true)                                                                \
    ROW(RWLOCK_UNLOCK, "rwlock_unlock", false)                                                                         \
    ROW(SPIN_LOCK, "spin_lock", true)                                                                                  \
    ROW(SPIN_TRYLOCK, "spin_trylock", false)                                                                           \
    ROW(SPIN_UNLOCK, "spin_unlock", false)

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
    REFRAIN_CONSTRUCT_SET_LOCK, /* the last one of OpenMP */
#define ROW(class, word, waits) REFRAIN_CONSTRUCT_##class,
    REFRAIN_THREAD_CLASSES(ROW)
#undef ROW
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
#define ROW(class, word, waits) word,
                                                                 REFRAIN_THREAD_CLASSES(ROW)
#undef ROW
    };
    return words[class];
}

static inline bool refrain_construct_is_pthread(enum refrain_construct_class class) {
    return class >= REFRAIN_CONSTRUCT_CREATE;
}

/* True for calls that wait for the end of a thread. */
static inline bool refrain_construct_joins(enum refrain_construct_class class) {
    return class >= REFRAIN_CONSTRUCT_JOIN && class <= REFRAIN_CONSTRUCT_CLOCKJOIN;
}

/* True if the time of a call of the thread library is a wait for another thread. */
static inline bool refrain_construct_waits(enum refrain_construct_class class) {
    static const bool waits[REFRAIN_CONSTRUCT_CLASSES] = {
#define ROW(class, word, waits) [REFRAIN_CONSTRUCT_##class] = waits,
        REFRAIN_THREAD_CLASSES(ROW)
#undef ROW
    };
    return waits[class];
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
