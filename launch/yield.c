/* yield.c: librefrain-yield.so, for runs with more ranks than cores. MPICH over UCX polls and never yields the
 * processor, so a waiting rank may keep the awaited rank from running. This library is preloaded and wraps the
 * progress function of UCX. It yields after a number of calls without progress. `refrain record` and refrain-run
 * preload it.
 *
 * REFRAIN_YIELD: on (yield early), off (never), or auto (the default). With auto, a rank yields early, after 50 polls,
 * if its node has more ranks of the job than there are cores that this rank may use, or if the number of ranks is
 * unknown. So a rank that is bound to one core yields early, too: it cannot know whether another rank is bound to this
 * core.
 *
 * With enough cores a rank yields late, after 2000 polls, which take longer than a message. It does yield, since other
 * programs may occupy the core of the awaited rank. If ranks yielded early, the scheduler could move two ranks to one
 * core while another core is idle. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#define POLLS_EARLY 50u
#define POLLS_LATE 2000u /* some tenths of a millisecond */

unsigned ucp_worker_progress(void *worker);

/* Parses at most nine digits. atoi() is not used: newer versions of glibc map it to a function that other C
 * libraries lack, and programs with these must start with this library preloaded. */
static int number(const char *text) {
    int value = 0;
    for (const char *at = text; *at >= '0' && *at <= '9' && at < text + 9; at++)
        value = 10 * value + (*at - '0');
    return value;
}

/* Ranks of the job on this node, from the variables of its launcher; 0: unknown. */
static int ranks_on_node(void) {
    static const char *const variables[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"};
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            return number(value);
    }
    return 0;
}

/* Calls without progress before a yield; 0: never yield. */
static unsigned polls_wanted(void) {
    const char *setting = getenv("REFRAIN_YIELD");
    if (setting && strcasecmp(setting, "off") == 0)
        return 0;
    if (setting && strcasecmp(setting, "on") == 0)
        return POLLS_EARLY;
    cpu_set_t cores;
    int ranks = ranks_on_node();
    bool enough = ranks > 0 && sched_getaffinity(0, sizeof cores, &cores) == 0 && ranks <= CPU_COUNT(&cores);
    return enough ? POLLS_LATE : POLLS_EARLY;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static unsigned polls; /* polls_wanted() */
    static __thread unsigned fruitless;
    if (!progress) {
        polls = polls_wanted();
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    }
    unsigned done = progress ? progress(worker) : 0;
    if (done) {
        fruitless = 0;
    } else if (++fruitless >= polls && polls) {
        fruitless = 0;
        sched_yield();
    }
    return done;
}
