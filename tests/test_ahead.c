/* test_ahead.c: what is replayed before for the page (reconstruct/view/view_ahead.c), with an engine whose memory is
 * made by hand: however much of it changes from state to state, there are no more of these than there is room for, and
 * each is told by a key that was kept. */
#define REFRAIN_HAVE_MACHINE
#include "view/view_ahead.c" /* it tells nothing else of its states */

#include "check.h"

#define WORDS 4096u
#define STEPS 3000u

/* Which words change from one state to the next. */
enum changes { ALL, NONE, IN_TURNS };

static struct refrain_machine {
    uint32_t words[WORDS];
    uint32_t steps;
    enum changes changes;
} machine;

bool refrain_warn_quiet = true;

const char *refrain_show_count(uint64_t n) {
    (void)n;
    return "";
}

const unsigned char *refrain_machine_memory(const struct refrain_machine *of, size_t *bytes) {
    *bytes = sizeof of->words;
    return (const unsigned char *)of->words;
}

void refrain_machine_unchanged(const struct refrain_machine *of, size_t *from, size_t *to) {
    (void)of;
    *from = *to = 0;
}

enum refrain_machine_step refrain_machine_step(struct refrain_machine *of, uint32_t n_events) {
    (void)n_events;
    uint32_t n = of->changes == NONE || (of->changes == IN_TURNS && of->steps % 2) ? 1 : WORDS;
    for (uint32_t i = 0; i < n; i++)
        of->words[i] = of->steps * WORDS + i + 1;
    return ++of->steps < STEPS ? REFRAIN_MACHINE_MORE : REFRAIN_MACHINE_ENDED;
}

double refrain_machine_events(struct refrain_machine *of) {
    return of->steps * FIRST_INTERVAL;
}

double refrain_machine_unseen(struct refrain_machine *of) {
    (void)of;
    return 0;
}

double refrain_machine_last_ns(struct refrain_machine *of) {
    return of->steps;
}

double refrain_machine_end_ns(struct refrain_machine *of) {
    (void)of;
    return STEPS;
}

void refrain_machine_window(struct refrain_machine *of, double from_ns, double to_ns, uint32_t n_bins) {
    (void)of, (void)from_ns, (void)to_ns, (void)n_bins;
}

void refrain_machine_mark(struct refrain_machine *of) {
    (void)of;
}

void refrain_machine_finish(struct refrain_machine *of) {
    (void)of;
}

const void *refrain_machine_items(struct refrain_machine *of, enum refrain_machine_list list, size_t record_bytes,
                                  size_t *n) {
    (void)of, (void)list, (void)record_bytes;
    *n = 0;
    return NULL;
}

void refrain_machine_take(struct refrain_machine *of, enum refrain_machine_list list) {
    (void)of, (void)list;
}

/* Not called here. */
struct refrain_machine *refrain_machine_open(const struct refrain_machine_image *images, size_t n, const char *symbols,
                                             size_t symbols_bytes) {
    (void)images, (void)n, (void)symbols, (void)symbols_bytes;
    return NULL;
}

void refrain_machine_close(struct refrain_machine *of) {
    (void)of;
}

uint32_t refrain_machine_n_locations(struct refrain_machine *of) {
    (void)of;
    return 1;
}

uint32_t refrain_machine_n_regions(struct refrain_machine *of) {
    (void)of;
    return 0;
}

const void *refrain_machine_totals(struct refrain_machine *of, size_t record_bytes) {
    (void)of, (void)record_bytes;
    return NULL;
}

const void *refrain_machine_waits(struct refrain_machine *of, size_t record_bytes, size_t *n) {
    (void)of, (void)record_bytes, (void)n;
    return NULL;
}

static void apply(uint32_t *words, const struct checkpoint *checkpoint) {
    const uint32_t *gaps = (const void *)checkpoint->gaps.at, *values = (const void *)checkpoint->words.at;
    for (size_t i = 0, at = 0; i < checkpoint->words.n / sizeof *values; i++)
        words[at += gaps[i]] = values[i];
}

/* Is each state what the memory was then, as the page puts it together? */
static bool states_hold(const struct ahead *ahead, enum changes changes) {
    static uint32_t key[WORDS], words[WORDS];
    for (size_t i = 0; i < ahead->n_checkpoints; i++) {
        const struct checkpoint *checkpoint = &ahead->checkpoints[i];
        memcpy(words, checkpoint->is_key ? ahead->base.words : key, sizeof words);
        apply(words, checkpoint);
        if (checkpoint->is_key)
            memcpy(key, words, sizeof key);
        memset(&machine, 0, sizeof machine);
        machine.changes = changes;
        while (machine.steps < (uint32_t)checkpoint->at_ns)
            refrain_machine_step(&machine, 0);
        if (memcmp(words, machine.words, sizeof words) != 0)
            return false;
    }
    return true;
}

int main(void) {
    static const char *const names[] = {"all changes", "nothing changes", "all changes every second time"};
    for (enum changes changes = ALL; changes <= IN_TURNS; changes++) {
        struct ahead ahead = {.machine = &machine, .interval = FIRST_INTERVAL, .n_bins = LEAST_INTERVALS};
        memset(&machine, 0, sizeof machine);
        machine.changes = changes;
        /* Room for all of them, so that too many are seen and not written behind the end. */
        ahead.checkpoints = calloc(STEPS, sizeof *ahead.checkpoints);
        bool made = ahead.checkpoints && take_image(&ahead, &ahead.base) && replay(&ahead);
        CHECK(made, "%s: not replayed", names[changes]);
        CHECK(ahead.n_checkpoints <= MOST_CHECKPOINTS, "%s: %zu states", names[changes], ahead.n_checkpoints);
        CHECK(ahead.n_checkpoints >= MOST_CHECKPOINTS / 4, "%s: only %zu states", names[changes], ahead.n_checkpoints);
        CHECK(states_hold(&ahead, changes), "%s: a state is not what it was", names[changes]);
        release(&ahead);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
