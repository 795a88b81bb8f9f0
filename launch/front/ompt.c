/* ompt.c: lets the monitor record the constructs of OpenMP, in any language, if the runtime has the tools interface
 * OMPT (clang's libomp; chapter 19 of the OpenMP specification 5.2).
 *
 *     libomp                    this file                           monitor/thread_calls.c
 *     ompt_start_tool  ----->   wants the callbacks below
 *     parallel_begin   ----->   begin(PARALLEL, place) ---------->  region "!$omp parallel" begins
 *     implicit_task    ----->   begin(PARALLEL, block, place) --->  region "!$omp parallel sblock" begins
 *
 * The regions are those that the instrumentor writes into C code (refrain/construct_names.h), and their place is the
 * return address of the call of the runtime. They differ in this:
 *
 *     - The barrier at the end of a loop or of a single construct comes after its region, not in it.
 *     - A thread that waits for the end of its team learns of it when the next team begins. So its block ends when it
 *       begins to wait, and has no barrier there. The thread that made the team has one.
 *     - Critical sections and locks have a number instead of a name.
 *
 * Programs that refrain-cc built have their constructs from the instrumentor; their runtime is left alone. */
#define _GNU_SOURCE
#include "front.h"
#include <refrain/thread_calls.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

/* ---- the interface: what is used of omp-tools.h, which comes with libomp only ---- */

union ompt_data {
    uint64_t value;
    void *pointer;
};

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum {
    CALLBACK_PARALLEL_BEGIN = 3,
    CALLBACK_PARALLEL_END = 4,
    CALLBACK_TASK_CREATE = 5,
    CALLBACK_TASK_SCHEDULE = 6,
    CALLBACK_IMPLICIT_TASK = 7,
    CALLBACK_MUTEX_RELEASED = 17,
    CALLBACK_WORK = 20,
    CALLBACK_MASKED = 21,
    CALLBACK_SYNC_REGION = 23,
    CALLBACK_MUTEX_ACQUIRE = 26,
    CALLBACK_MUTEX_ACQUIRED = 27,
    CALLBACK_NEST_LOCK = 28
};
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4 };                                                  /* flags of tasks */
enum { TASK_COMPLETE = 1, TASK_YIELD = 2, TASK_CANCEL = 3, TASK_DETACH = 4, TASK_SWITCH = 7 }; /* status */
enum { PARALLEL_TEAM = (int)0x80000000 }; /* flags of parallel regions */
enum { WORK_LOOP = 1, WORK_SECTIONS = 2, WORK_SINGLE = 3, WORK_LOOP_STATIC = 10, WORK_LOOP_OTHER = 13 };
enum {
    SYNC_BARRIER = 1,
    SYNC_IMPLICIT = 2,
    SYNC_EXPLICIT = 3,
    SYNC_IMPLEMENTATION = 4, /* in a reduction */
    SYNC_TASKWAIT = 5,
    SYNC_IMPLICIT_OF_WORK = 8,
    SYNC_IMPLICIT_OF_PARALLEL = 9
};
enum { MUTEX_LOCK = 1, MUTEX_NEST_LOCK = 3, MUTEX_CRITICAL = 5, MUTEX_ORDERED = 7 };

typedef void (*callback)(void);
typedef callback look_up_function(const char *name);
typedef int set_callback_function(int which, callback function);

struct start_tool_result {
    int (*initialize)(look_up_function *look_up, int device, union ompt_data *tool);
    void (*finalize)(union ompt_data *tool);
    union ompt_data tool;
};

/* ---- open constructs of a thread ---- */

static const struct refrain_thread_calls *calls; /* null: nothing is recorded */
EXPORTED refrain_threads_attach_function refrain_openmp_attach;

void refrain_openmp_attach(const struct refrain_thread_calls *with) {
    __atomic_store_n(&calls, with, __ATOMIC_RELEASE);
}

struct open {
    enum refrain_construct_class class;
    bool block, is_worker; /* is_worker: block of a thread that did not make the team */
    const void *id;        /* of a task; else null */
    const void *place;
    void *begun; /* null: it is not recorded */
};

#define MOST_OPEN 96u
static __thread struct open stack[MOST_OPEN];
static __thread unsigned n_open; /* may be more than the stack has */

static struct open *find(enum refrain_construct_class class, bool block, const void *id) {
    for (unsigned i = n_open < MOST_OPEN ? n_open : MOST_OPEN; i > 0; i--)
        if (stack[i - 1].class == class && stack[i - 1].block == block && (!id || stack[i - 1].id == id))
            return &stack[i - 1];
    return NULL;
}

/* Begins a construct. `object`: its lock, or null. Null if the stack is full. */
static struct open *begin(enum refrain_construct_class class, bool block, const void *object, const void *place,
                          void *frame_address) {
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    if (n_open++ >= MOST_OPEN) {
        if (with && place)
            with->lose();
        return NULL;
    }
    struct open *open = &stack[n_open - 1];
    *open = (struct open){.class = class, .block = block, .place = place};
    if (with && place)
        open->begun = with->begin(&(struct refrain_thread_call){.class = class,
                                                                .block = block,
                                                                .object = object,
                                                                .return_address = (void *)(uintptr_t)place,
                                                                .frame_address = frame_address});
    return open;
}

/* Ends the construct, and those in it that a cancellation left open. */
static void end(const struct open *open) {
    if (n_open > MOST_OPEN) {
        n_open--;
        return;
    }
    while (open && n_open > (unsigned)(open - stack)) {
        void *begun = stack[--n_open].begun;
        if (begun)
            calls->end(begun, 0);
    }
}

/* ---- callbacks ---- */

static void on_parallel_begin(union ompt_data *task, const void *task_frame, union ompt_data *parallel,
                              unsigned requested, int flags, const void *place) {
    (void)task, (void)task_frame, (void)requested;
    parallel->value = flags & PARALLEL_TEAM ? (uintptr_t)place : 0;
    begin(REFRAIN_CONSTRUCT_PARALLEL, false, NULL, parallel->pointer, __builtin_frame_address(0));
}

static void on_parallel_end(union ompt_data *parallel, union ompt_data *task, int flags, const void *place) {
    (void)parallel, (void)task, (void)flags, (void)place;
    end(find(REFRAIN_CONSTRUCT_PARALLEL, false, NULL));
}

static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned team_size,
                             unsigned index, int flags) {
    (void)task, (void)team_size;
    if (flags & TASK_INITIAL)
        return;
    if (endpoint == SCOPE_BEGIN && parallel) {
        struct open *open =
            begin(REFRAIN_CONSTRUCT_PARALLEL, true, NULL, parallel->pointer, __builtin_frame_address(0));
        if (open)
            open->is_worker = index != 0;
    } else if (endpoint == SCOPE_END && index == 0) { /* that of other threads has ended at the barrier */
        end(find(REFRAIN_CONSTRUCT_PARALLEL, true, NULL));
    }
}

static enum refrain_construct_class class_of_work(int type) {
    return type == WORK_LOOP || (type >= WORK_LOOP_STATIC && type <= WORK_LOOP_OTHER) ? REFRAIN_CONSTRUCT_FOR
           : type == WORK_SECTIONS                                                    ? REFRAIN_CONSTRUCT_SECTIONS
           : type == WORK_SINGLE /* of the thread that executes it */                 ? REFRAIN_CONSTRUCT_SINGLE
                                                                                      : REFRAIN_CONSTRUCT_NONE;
}

static void on_work(int type, int endpoint, union ompt_data *parallel, union ompt_data *task, uint64_t count,
                    const void *place) {
    enum refrain_construct_class class = class_of_work(type);
    (void)parallel, (void)task, (void)count;
    if (class == REFRAIN_CONSTRUCT_NONE)
        return;
    if (endpoint == SCOPE_BEGIN) {
        begin(class, false, NULL, place, __builtin_frame_address(0));
        if (class == REFRAIN_CONSTRUCT_SINGLE)
            begin(class, true, NULL, place, __builtin_frame_address(0));
    } else if (endpoint == SCOPE_END) {
        if (class == REFRAIN_CONSTRUCT_SINGLE)
            end(find(class, true, NULL));
        end(find(class, false, NULL));
    }
}

static void on_masked(int endpoint, union ompt_data *parallel, union ompt_data *task, const void *place) {
    (void)parallel, (void)task;
    if (endpoint == SCOPE_BEGIN)
        begin(REFRAIN_CONSTRUCT_MASTER, false, NULL, place, __builtin_frame_address(0));
    else if (endpoint == SCOPE_END)
        end(find(REFRAIN_CONSTRUCT_MASTER, false, NULL));
}

/* At the end of a parallel construct. Older runtimes have no kind for it. */
static bool ends_team(int kind, const void *place) {
    return kind == SYNC_IMPLICIT_OF_PARALLEL || (kind == SYNC_IMPLICIT && !place);
}

static enum refrain_construct_class class_of_sync(int kind) {
    switch (kind) {
    case SYNC_BARRIER:
    case SYNC_EXPLICIT:
        return REFRAIN_CONSTRUCT_BARRIER;
    case SYNC_IMPLICIT:
    case SYNC_IMPLEMENTATION:
    case SYNC_IMPLICIT_OF_WORK:
    case SYNC_IMPLICIT_OF_PARALLEL:
        return REFRAIN_CONSTRUCT_IMPLICIT_BARRIER;
    case SYNC_TASKWAIT:
        return REFRAIN_CONSTRUCT_TASKWAIT;
    default: /* a taskgroup, a barrier of a league */
        return REFRAIN_CONSTRUCT_NONE;
    }
}

static void on_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                           const void *place) {
    enum refrain_construct_class class = class_of_sync(kind);
    (void)parallel, (void)task;
    if (class == REFRAIN_CONSTRUCT_NONE)
        return;
    if (endpoint == SCOPE_END) {
        end(find(class, false, NULL));
        return;
    }
    const struct open *block = find(REFRAIN_CONSTRUCT_PARALLEL, true, NULL);
    if (endpoint == SCOPE_BEGIN && block && block->is_worker && ends_team(kind, place))
        end(block);
    else if (endpoint == SCOPE_BEGIN)
        begin(class, false, NULL, ends_team(kind, place) && block ? block->place : place, __builtin_frame_address(0));
}

/* ---- critical and ordered sections, locks ---- */

static enum refrain_construct_class class_of_mutex(int kind) {
    return kind == MUTEX_CRITICAL                          ? REFRAIN_CONSTRUCT_CRITICAL
           : kind == MUTEX_ORDERED                         ? REFRAIN_CONSTRUCT_ORDERED
           : kind == MUTEX_LOCK || kind == MUTEX_NEST_LOCK ? REFRAIN_CONSTRUCT_SET_LOCK
                                                           : REFRAIN_CONSTRUCT_NONE;
}

static const void *object_of(enum refrain_construct_class class, uint64_t id) {
    return class == REFRAIN_CONSTRUCT_ORDERED ? NULL : (const void *)(uintptr_t)id;
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id, const void *place) {
    enum refrain_construct_class class = class_of_mutex(kind);
    (void)hint, (void)implementation;
    if (class != REFRAIN_CONSTRUCT_NONE)
        begin(class, false, object_of(class, id), place, __builtin_frame_address(0));
}

static void on_mutex_acquired(int kind, uint64_t id, const void *place) {
    enum refrain_construct_class class = class_of_mutex(kind);
    if (class == REFRAIN_CONSTRUCT_NONE)
        return;
    const struct open *waits = find(class, false, NULL);
    if (class == REFRAIN_CONSTRUCT_SET_LOCK)
        end(waits);
    else
        begin(class, true, object_of(class, id), waits ? waits->place : place, __builtin_frame_address(0));
}

static void on_mutex_released(int kind, uint64_t id, const void *place) {
    enum refrain_construct_class class = class_of_mutex(kind);
    (void)id, (void)place;
    if (class != REFRAIN_CONSTRUCT_CRITICAL && class != REFRAIN_CONSTRUCT_ORDERED)
        return;
    end(find(class, true, NULL));
    end(find(class, false, NULL));
}

/* The thread has the lock already, and gets it once more. */
static void on_nest_lock(int endpoint, uint64_t id, const void *place) {
    (void)id, (void)place;
    if (endpoint == SCOPE_BEGIN)
        end(find(REFRAIN_CONSTRUCT_SET_LOCK, false, NULL));
}

/* ---- explicit tasks ---- */

static void on_task_create(union ompt_data *task, const void *task_frame, union ompt_data *made, int flags,
                           int has_dependences, const void *place) {
    (void)task, (void)task_frame, (void)has_dependences;
    made->value = flags & TASK_EXPLICIT ? (uintptr_t)place : 0;
}

/* The thread turns from `prior` to `next`. A tied task that waits for others stays open below them. */
static void on_task_schedule(union ompt_data *prior, int status, union ompt_data *next) {
    const struct open *below = next ? find(REFRAIN_CONSTRUCT_TASK, false, next) : NULL;
    bool returns = status == TASK_COMPLETE || status == TASK_CANCEL || status == TASK_DETACH;
    if (!next) /* a task that was detached earlier is complete */
        return;
    if (returns || below || next->value == 0)
        end(find(REFRAIN_CONSTRUCT_TASK, false, prior));
    if (!below && next->value != 0) {
        struct open *open = begin(REFRAIN_CONSTRUCT_TASK, false, NULL, next->pointer, __builtin_frame_address(0));
        if (open)
            open->id = next;
    }
}

/* ---- start ---- */

static int initialize(look_up_function *look_up, int device, union ompt_data *tool) {
    static const struct {
        int which;
        callback function;
    } wanted[] = {{CALLBACK_PARALLEL_BEGIN, (callback)on_parallel_begin},
                  {CALLBACK_PARALLEL_END, (callback)on_parallel_end},
                  {CALLBACK_TASK_CREATE, (callback)on_task_create},
                  {CALLBACK_TASK_SCHEDULE, (callback)on_task_schedule},
                  {CALLBACK_IMPLICIT_TASK, (callback)on_implicit_task},
                  {CALLBACK_MUTEX_RELEASED, (callback)on_mutex_released},
                  {CALLBACK_WORK, (callback)on_work},
                  {CALLBACK_MASKED, (callback)on_masked},
                  {CALLBACK_SYNC_REGION, (callback)on_sync_region},
                  {CALLBACK_MUTEX_ACQUIRE, (callback)on_mutex_acquire},
                  {CALLBACK_MUTEX_ACQUIRED, (callback)on_mutex_acquired},
                  {CALLBACK_NEST_LOCK, (callback)on_nest_lock}};
    set_callback_function *set = (set_callback_function *)look_up("ompt_set_callback");
    (void)device, (void)tool;
    for (unsigned i = 0; set && i < sizeof wanted / sizeof *wanted; i++)
        set(wanted[i].which, wanted[i].function);
    return set != NULL; /* 0: no tool */
}

/* At the end of the process, after the trace. */
static void finalize(union ompt_data *tool) {
    (void)tool;
}

/* libomp calls this at its start. Null: no tool. Another tool of the process goes first. */
EXPORTED struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime) {
    static struct start_tool_result result = {initialize, finalize, {0}};
    struct start_tool_result *(*next)(unsigned, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    struct start_tool_result *other = next ? next(version, runtime) : NULL;
    if (other)
        return other;
    return refrain_front_records() && !refrain_front_is_off("REFRAIN_OMPT") ? &result : NULL;
}
