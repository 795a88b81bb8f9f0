/* yield.c: librefrain-yield.so, for runs with more ranks than cores. MPICH over UCX polls without ever giving up the
 * processor, so that a rank that waits keeps the rank it waits for from running. Preloaded, this wraps UCX's progress
 * function and yields after it has found nothing to do for a while. `refrain record` and refrain-run set it up.
 *
 * REFRAIN_YIELD: on, off, or auto (the default): on where this node has more ranks of the job than cores. Else a rank
 * yields only after it has waited for longer than a message takes: then what it waits for may have no core, since other
 * programs run there. Ranks that yield at once could come to share a core while another one has nothing to do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#define POLLS_BEFORE_YIELD 50u
#define POLLS_WITH_A_CORE_EACH 2000u /* some tenths of a millisecond */

unsigned ucp_worker_progress(void *worker);

/* A number of at most nine digits. Not by atoi(), which newer glibcs make a function of theirs alone: a program with
 * another C library has to start with this preloaded. */
static int number(const char *text) {
    int value = 0;
    for (const char *at = text; *at >= '0' && *at <= '9' && at < text + 9; at++)
        value = 10 * value + (*at - '0');
    return value;
}

/* Ranks of the job on this node, as its launcher tells; 0: unknown. */
static int ranks_on_node(void) {
    static const char *const variables[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"};
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            return number(value);
    }
    return 0;
}

static unsigned polls_wanted(void) {
    const char *setting = getenv("REFRAIN_YIELD");
    if (setting && strcasecmp(setting, "off") == 0)
        return 0;
    if (setting && strcasecmp(setting, "on") == 0)
        return POLLS_BEFORE_YIELD;
    cpu_set_t cores;
    int ranks = ranks_on_node();
    bool enough = ranks > 0 && sched_getaffinity(0, sizeof cores, &cores) == 0 && ranks <= CPU_COUNT(&cores);
    return enough ? POLLS_WITH_A_CORE_EACH : POLLS_BEFORE_YIELD;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static unsigned polls; /* before a yield; 0: never */
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
