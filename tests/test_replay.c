/* test_replay.c: compares the replay of a random program (replay_program.h) with its recorded events, record by record.
 * Usage: test_replay [SEED [STEPS [DIRECTORY [alike]]]]; the trace is left in DIRECTORY, which must be empty ("": a new
 * one). `alike`: most iterations of a loop are equal. test_replay cycles IMAGE: only compares the replay with cycles to
 * that without. */
#define _GNU_SOURCE
#include "read_image.h"
#include "replay_program.h"
#include "times/block_times.h"
#include "walk/walk_parts.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *map(const char *path, size_t *bytes) {
    struct stat status;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &status) != 0)
        return NULL;
    *bytes = (size_t)status.st_size;
    void *p = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

/* True if the times are right. While the timeline has each block, an event is off by a quantum at most, later by the
 * longest entry of several blocks. A timeline that stopped without memory is not checked. */
static bool time_is_right(const unsigned char *image, size_t image_bytes, const struct refrain_thread *thread,
                          uint64_t most_off) {
    const struct refrain_timeline *timeline =
        (const void *)(image + (uint64_t)thread->timeline * REFRAIN_ALIGNMENT_BYTES);
    if (!thread->timeline || timeline->end_block == REFRAIN_TIME_STOPPED)
        return true;
    const struct refrain_time_page *page = (const void *)(image + (uint64_t)timeline->first * REFRAIN_ALIGNMENT_BYTES);
    struct refrain_time_summary summary = {0};
    refrain_time_summary_add(&summary, image, image_bytes, thread);
    uint64_t most = timeline->merges == 0 ? ((uint64_t)1 << page->quantum_shift) - 1
                                          : summary.longest_ticks + summary.quantum_ticks;
    if (most_off <= most)
        return true;
    printf("times are off by more than %llu ticks: %u pages, %llu merges\n", (unsigned long long)most, timeline->pages,
           (unsigned long long)timeline->merges);
    return false;
}

/* An iteration of a cycle; its record `at` is the next one. */
struct iteration {
    struct refrain_walk_cycle *cycle;
    const uint64_t *ticks;
    uint32_t at;
};

/* The next record of a walk that finds cycles. */
static bool next_of_cycles(struct refrain_walk *walk, struct iteration *iteration, unsigned long *given,
                           struct refrain_record *record) {
    while (iteration->at == 0) {
        bool of_cycle = refrain_walk_gives_cycle(walk);
        if (!of_cycle && refrain_walk_read(walk, record, 1) == 1)
            return true;
        if (!of_cycle && !refrain_walk_gives_cycle(walk))
            return false;
        if (of_cycle && (iteration->ticks = refrain_walk_cycle_next(walk, &iteration->cycle)))
            break;
    }
    *record = iteration->cycle->records[iteration->at];
    record->ticks = iteration->ticks[record->read];
    iteration->at = (iteration->at + 1) % iteration->cycle->n_records;
    ++*given;
    return true;
}

/* True if several cycles of a loop have become one. */
static bool has_turns(const struct refrain_walk *walk) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&walk->learners.table, slot));)
        for (const struct refrain_walk_cycle *cycle = ((struct refrain_walk_learner *)slot->object)->cycles; cycle;
             cycle = cycle->next)
            if (cycle->n_parts > 0)
                return true;
    return false;
}

/* True if a walk that finds cycles returns the same records as one without cycles. */
static bool same_with_cycles(const unsigned char *image, size_t image_bytes) {
    const char *what;
    uint64_t offset;
    struct refrain_walk *plain = refrain_walk_open_counted(image, image_bytes, 0, false, &what, &offset);
    struct refrain_walk *cycles = refrain_walk_open(image, image_bytes, 0, &what, &offset);
    struct refrain_record a, b;
    unsigned long n = 0, given = 0;
    struct iteration iteration = {0};
    bool same = plain && cycles, more_a = true;
    if (same)
        refrain_walk_find_cycles(cycles);
    for (; same && more_a; n++) {
        more_a = refrain_walk_next(plain, &a);
        bool more_b = next_of_cycles(cycles, &iteration, &given, &b);
        same = more_a == more_b && (!more_a || (a.ticks == b.ticks && a.operation == b.operation &&
                                                a.approximate == b.approximate && same_record(&a, &b)));
        if (!same)
            printf("record %lu: plain %d kind %d id %llu at %llu, of a cycle %d kind %d id %llu at %llu\n", n, more_a,
                   a.kind, (unsigned long long)a.id, (unsigned long long)a.ticks, more_b, b.kind,
                   (unsigned long long)b.id, (unsigned long long)b.ticks);
    }
    printf("%lu of %lu records in cycles%s\n", given, n,
           cycles && has_turns(cycles) ? ", some of which take turns" : "");
    refrain_walk_close(plain);
    refrain_walk_close(cycles);
    return same;
}

/* Number of each construct, call and operation, in any order. */
#define MOST_KINDS 4096u
static struct count { uint64_t key, replayed, recorded; } counts[MOST_KINDS];

static struct count *count_of(const struct refrain_record *record) {
    /* It is uncertain which call completes a request once the order is given up. */
    uint64_t id = record->operation == REFRAIN_OP_COMPLETE ? 0 : record->id;
    uint64_t key = 1 + (id << 16 | (uint64_t)record->operation << 8 | record->kind);
    unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 40) % MOST_KINDS;
    while (counts[at].key && counts[at].key != key)
        at = (at + 1) % MOST_KINDS;
    counts[at].key = key;
    return &counts[at];
}

static bool same_counts(void) {
    bool same = true;
    for (unsigned i = 0; i < MOST_KINDS; i++)
        if (counts[i].replayed != counts[i].recorded) {
            printf("kind %llu operation %llu id %llu: replayed %llu times, recorded %llu times\n",
                   (unsigned long long)((counts[i].key - 1) & 255),
                   (unsigned long long)((counts[i].key - 1) >> 8 & 255),
                   (unsigned long long)((counts[i].key - 1) >> 16), (unsigned long long)counts[i].replayed,
                   (unsigned long long)counts[i].recorded);
            same = false;
        }
    return same;
}

static int compare(void) {
    glob_t found;
    size_t image_bytes, file_bytes = 0;
    if (glob("*.refrain/rank-0.trace", 0, NULL, &found) != 0)
        return puts("no trace"), 1;
    const unsigned char *image = read_image(found.gl_pathv[0], &image_bytes);
    if (!image)
        return 1;
    if (glob("*.refrain/rank-0.events", 0, NULL, &found) != 0)
        return puts("no events"), 1;
    const unsigned char *file = map(found.gl_pathv[0], &file_bytes);
    const char *what;
    uint64_t offset, at = REFRAIN_EVENTS_HEADER_BYTES;
    struct refrain_walk *walk = refrain_walk_open(image, image_bytes, 0, &what, &offset);
    if (!walk)
        return printf("%s at %llu\n", what, (unsigned long long)offset), 1;
    struct refrain_record a, b;
    bool compared = true;
    uint64_t most_off = 0;
    for (unsigned long n = 0;; n++) {
        bool more_a = refrain_walk_next(walk, &a), more_b = next_recorded(file, file_bytes, &at, &b);
        if (more_a)
            count_of(&a)->replayed++;
        if (more_b)
            count_of(&b)->recorded++;
        if (!more_a && !more_b) {
            const struct refrain_header *header = (const void *)image;
            const struct refrain_thread *thread = (const void *)(image + header->threads);
            uint64_t total = thread->last_ticks - thread->start_ticks;
            uint64_t replayed = refrain_walk_ticks(walk) - thread->start_ticks;
            what = refrain_walk_wrong(walk, &offset);
            printf("%lu records%s, at most %llu ticks off, %llu of %llu ticks, %s\n", n, compared ? " equal" : "",
                   (unsigned long long)most_off, (unsigned long long)replayed, (unsigned long long)total,
                   what ? what : "sound");
            if (!what && !time_is_right(image, image_bytes, thread, most_off))
                return 1;
            if (!same_counts())
                return 1;
            if (header->losses[REFRAIN_LOSS_REGIONS]) { /* they end in the activation that they began in */
                printf("%llu regions ended without a beginning\n",
                       (unsigned long long)header->losses[REFRAIN_LOSS_REGIONS]);
                return 1;
            }
            refrain_walk_close(walk);
            if (!same_with_cycles(image, image_bytes))
                return 1;
            return what || n == 0 || replayed > total;
        }
        if (more_a && a.approximate &&
            (!more_b || !same_record(&a, &b))) /* the order of control flow was given up: only the end is compared */
            compared = false;
        uint64_t off = a.ticks > b.ticks ? a.ticks - b.ticks : b.ticks - a.ticks;
        if (compared && !a.approximate && off > most_off)
            most_off = off;
        if (compared && (more_a != more_b || !same_record(&a, &b))) {
            printf(
                "record %lu: replayed %d kind %d operation %u id %llu, recorded %d kind %d operation %u id %llu (%s)\n",
                n, more_a, a.kind, a.operation, (unsigned long long)a.id, more_b, b.kind, b.operation,
                (unsigned long long)b.id,
                refrain_walk_wrong(walk, &offset) ? refrain_walk_wrong(walk, &offset) : "sound");
            return 1;
        }
    }
}

/* The same of a given image. */
static int compare_cycles(const char *path) {
    size_t image_bytes;
    const unsigned char *image = read_image(path, &image_bytes);
    return !image || !same_with_cycles(image, image_bytes);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "cycles") == 0)
        return compare_cycles(argv[2]);
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u | 1;
    steps_left = argc > 2 ? (unsigned)atoi(argv[2]) : 20000;
    char made[] = "/tmp/test_replay.XXXXXX";
    const char *directory = argc > 3 && *argv[3] ? argv[3] : mkdtemp(made);
    alike = argc > 4;
    if (!directory || chdir(directory) != 0)
        return perror(directory ? directory : made), 1;
    pid_t child = fork();
    if (child == 0) {
        run_program(directory);
        exit(0);
    }
    int status = -1;
    int result = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        printf("the program ended with %d\n", status);
    else
        result = compare();
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (directory == made && system(command) != 0)
        return 1;
    printf("%d passed, %d failed\n", result == 0, result != 0);
    return result;
}
