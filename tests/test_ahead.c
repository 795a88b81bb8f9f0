/* test_ahead.c: the checkpoints that refrain view stores for the page (reconstruct/view/view_ahead.c), with an engine
 * that is made by hand. However large its checkpoints are, no more are stored than there is room for; those beyond are
 * dropped, and each copy of memory is written once, after its base. */
#define REFRAIN_HAVE_MACHINE
#include "view/view_ahead.c" /* its state is visible only here */

#include "check.h"

#define STEPS 3000u
#define COPY_BYTES 64u

/* The copies of memory that have a base: none, all except the first, every second one. */
enum bases { NONE, ALL, IN_TURNS };

static struct refrain_machine {
    uint32_t steps;
    enum bases bases;
    bool kept[STEPS + 1]; /* by address */
    uint32_t n_kept;
    double bytes; /* of a checkpoint */
    unsigned char copy[COPY_BYTES];
} machine;

bool refrain_warn_quiet = true;

const char *refrain_show_count(uint64_t n) {
    (void)n;
    return "";
}

enum refrain_machine_step refrain_machine_step(struct refrain_machine *of, uint32_t n_events) {
    (void)n_events;
    return ++of->steps < STEPS ? REFRAIN_MACHINE_MORE : REFRAIN_MACHINE_ENDED;
}

/* The address of a checkpoint, and of its copy, is the step after which it was taken. */
uint32_t refrain_machine_keep(struct refrain_machine *of) {
    of->kept[of->steps] = true;
    of->n_kept++;
    return of->steps;
}

void refrain_machine_drop(struct refrain_machine *of, uint32_t checkpoint) {
    CHECK(of->kept[checkpoint], "%u is dropped and not there", (unsigned)checkpoint);
    of->kept[checkpoint] = false;
    of->n_kept--;
}

double refrain_machine_kept_bytes(struct refrain_machine *of) {
    return of->n_kept * of->bytes;
}

uint32_t refrain_machine_opened(struct refrain_machine *of) {
    (void)of;
    return 1;
}

uint32_t refrain_machine_chunk(struct refrain_machine *of, uint32_t i, uint32_t *bytes) {
    (void)of;
    *bytes = COPY_BYTES;
    return i < 2 ? (i + 1) * COPY_BYTES : 0;
}

const void *refrain_machine_checkpoint(struct refrain_machine *of, uint32_t checkpoint, size_t *n, uint32_t *copy) {
    *n = sizeof of->steps;
    *copy = checkpoint;
    return of->kept[checkpoint] ? &of->steps : NULL;
}

const void *refrain_machine_copy(struct refrain_machine *of, uint32_t copy, size_t *n, uint32_t *base) {
    *n = COPY_BYTES;
    *base = copy > 1 && (of->bases == ALL || (of->bases == IN_TURNS && copy % 2 == 0)) ? 1 : 0;
    return of->copy;
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

void refrain_machine_clear(struct refrain_machine *of, enum refrain_machine_list list) {
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

static uint32_t word_at(const struct bytes *bytes, size_t *at) {
    uint32_t word;
    memcpy(&word, bytes->at + *at, sizeof word);
    *at += sizeof word;
    return word;
}

/* True if each copy is written once, and after its base. */
static bool copies_hold(struct ahead *ahead) {
    struct bytes out = {0};
    static bool written[STEPS + 1];
    size_t at = 0;
    memset(written, 0, sizeof written);
    written[0] = true; /* no base */
    put_checkpoints(ahead, &out);
    uint32_t n = word_at(&out, &at);
    bool holds = n >= ahead->n_checkpoints && !ahead->no_memory;
    for (uint32_t i = 0; holds && i < n; i++) {
        uint32_t copy = word_at(&out, &at), base = word_at(&out, &at);
        holds = copy <= STEPS && !written[copy] && written[base] && word_at(&out, &at) == COPY_BYTES;
        written[copy] = true;
        at += COPY_BYTES;
    }
    holds = holds && word_at(&out, &at) == ahead->n_checkpoints;
    for (size_t i = 0; holds && i < ahead->n_checkpoints; i++)
        holds = written[ahead->checkpoints[i].address];
    free(out.at);
    return holds;
}

int main(void) {
    static const char *const names[] = {"no bases", "one base", "every second one has a base"};
    for (enum bases bases = NONE; bases <= IN_TURNS; bases++)
        for (double bytes = 1; bytes <= MOST_CHECKPOINT_BYTES / 16; bytes *= MOST_CHECKPOINT_BYTES / 16) {
            struct ahead ahead = {.machine = &machine, .interval = FIRST_INTERVAL, .n_bins = LEAST_INTERVALS};
            uint32_t most = bytes > 1 ? 16 : MOST_CHECKPOINTS;
            memset(&machine, 0, sizeof machine);
            machine.bases = bases;
            machine.bytes = bytes;
            /* Room for all of them, so that too many are seen and not written behind the end. */
            ahead.checkpoints = calloc(STEPS, sizeof *ahead.checkpoints);
            CHECK(ahead.checkpoints && replay(&ahead), "%s: not replayed", names[bases]);
            CHECK(ahead.n_checkpoints <= most, "%s: %zu checkpoints", names[bases], ahead.n_checkpoints);
            CHECK(ahead.n_checkpoints >= most / 4, "%s: only %zu checkpoints", names[bases], ahead.n_checkpoints);
            CHECK(ahead.n_checkpoints == machine.n_kept, "%s: %u checkpoints are not dropped", names[bases],
                  (unsigned)machine.n_kept);
            CHECK(copies_hold(&ahead), "%s: copies are not as they should be", names[bases]);
            release(&ahead);
        }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
