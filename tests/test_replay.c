/* test_replay.c: the monitor against the walker: a random program makes probes, calls, operations, regions and jumps
 * out of several frames; what is replayed from the formulas must equal what was recorded, record by record. Usage:
 * test_replay [SEED [STEPS]]; run in an empty directory. */
#define _GNU_SOURCE
#include "../monitor/monitor.h"
#include "../reconstruct/walk_rank.h"
#include <refrain/refrain.h>

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS 4u
#define SLOTS_EACH 15u
/* Each function: [0] entry, [2] if, [5] loop, [8] call, [10] MPI call, [12] switch, [13] macro */

static struct refrain_node nodes[1 + FUNCTIONS * 7];
static const char strings[] = "\0test_replay.c";
static struct refrain_unit unit = {.version = REFRAIN_UNIT_VERSION,
                                   .n_nodes = 1 + FUNCTIONS * 7,
                                   .n_slots = FUNCTIONS * SLOTS_EACH,
                                   .strings_bytes = sizeof strings,
                                   .nodes = nodes,
                                   .strings = strings};

static void make_tables(void) {
    static const unsigned kinds[] = {REFRAIN_FUNCTION, REFRAIN_IF,     REFRAIN_FOR,  REFRAIN_CALL,
                                     REFRAIN_MPI_CALL, REFRAIN_SWITCH, REFRAIN_MACRO};
    static const unsigned slots[] = {0, 2, 5, 8, 10, 12, 13};
    for (unsigned f = 0; f < FUNCTIONS; f++)
        for (unsigned k = 0; k < 7; k++)
            nodes[1 + f * 7 + k] =
                (struct refrain_node){.kind = kinds[k], .slot = f * SLOTS_EACH + slots[k], .line = f + 1};
}

static uint64_t state;
static unsigned steps_left;

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static jmp_buf landing;
static unsigned landing_depth;

static void mpi_call(unsigned depth);

static __attribute__((noinline)) void function(unsigned f, unsigned depth) {
    struct refrain_frame frame __attribute__((cleanup(refrain_leave))) =
        refrain_enter(&unit, f * SLOTS_EACH, __builtin_frame_address(0));
    unsigned base = f * SLOTS_EACH, actions = 1 + chance(6);
    for (unsigned i = 0; i < actions && steps_left; i++) {
        steps_left--;
        switch (chance(depth < 12 ? 12 : 6)) {
        case 0:
            refrain_if(&frame, base + 2, (int)chance(2));
            break;
        case 1: {
            unsigned n = chance(5);
            for (unsigned j = 0; refrain_loop(&frame, base + 5, j < n); j++)
                if (depth < 12 && chance(4) == 0)
                    function(chance(FUNCTIONS), depth + 1);
            break;
        }
        case 2:
            refrain_at(&frame, base + 12);
            break;
        case 3:
            refrain_at(&frame, base + 10);
            mpi_call(depth);
            break;
        case 4:
            mpi_call(depth);
            break;
        case 5:
            if (landing_depth && landing_depth < depth && chance(20) == 0)
                longjmp(landing, 1);
            break;
        case 6:
            refrain_region_begin("region");
            if (chance(2))
                refrain_if(&frame, base + 2, 1);
            function(chance(FUNCTIONS), depth + 1);
            refrain_region_end();
            break;
        case 7:
            if (landing_depth == 0) {
                landing_depth = depth;
                if (setjmp(landing) == 0)
                    function(chance(FUNCTIONS), depth + 1);
                landing_depth = 0;
                if (chance(2))
                    refrain_at(&frame, base + 12);
            }
            break;
        case 8:
            function(chance(FUNCTIONS), depth + 1);
            break;
        case 9:
            refrain_at(&frame, base + 13);
            function(chance(FUNCTIONS), depth + 1);
            function(chance(FUNCTIONS), depth + 1);
            break;
        default:
            refrain_at(&frame, base + 8);
            function(chance(FUNCTIONS), depth + 1);
        }
    }
}

/* Requests as a wrapper would keep them. */
static struct {
    bool taken;
    struct refrain_operation_record *posted;
} requests[16];

static void mpi_call(unsigned depth) {
    struct refrain_call call;
    unsigned function_number = chance(3), index = 0;
    refrain_call_begin(&call, function_number, __builtin_return_address(0), __builtin_frame_address(0));
    while (index < 16 && requests[index].taken)
        index++;
    int64_t parameters[] = {chance(4), chance(3), chance(2) * 100, 0};
    switch (function_number) {
    case 0:
        refrain_call_operation(&call, REFRAIN_OP_SEND, parameters, 4);
        if (depth < 12 && chance(8) == 0)
            function(chance(FUNCTIONS), depth + 1); /* as an MPI user operation */
        break;
    case 1:
        if (index < 16) {
            requests[index].posted = refrain_call_operation(&call, REFRAIN_OP_IRECV, &parameters[3], 1);
            requests[index].taken = true;
        }
        break;
    default:
        refrain_call_returned(&call);
        for (unsigned i = 0; i < 16; i++)
            if (requests[i].taken && chance(2)) {
                struct refrain_completion completions[2] = {
                    {requests[i].posted, parameters[0], parameters[1], parameters[2]},
                    {requests[(i + 1) % 16].posted, parameters[1], parameters[0], parameters[2]}};
                unsigned n = i + 1 < 16 && requests[i + 1].taken && chance(2) ? 2 : 1;
                refrain_call_complete(&call, i, completions, n);
                for (unsigned k = 0; k < n; k++)
                    requests[i + k].taken = false;
            }
    }
    refrain_call_end(&call);
}

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

/* The next recorded one; false at the end. */
static bool next_recorded(const unsigned char *file, uint64_t *at, struct refrain_record *record) {
    const struct refrain_events_header *header = (const void *)file;
    while (*at < header->bytes_used) {
        const uint64_t *words = (const void *)(file + *at);
        if (words[0] == 0) {
            *at = (*at / REFRAIN_EVENTS_WINDOW_BYTES + 1) * REFRAIN_EVENTS_WINDOW_BYTES;
            continue;
        }
        unsigned n = words[0] >> 24 & 255;
        memset(record, 0, sizeof *record);
        record->kind = (uint8_t)words[0];
        record->operation = (uint32_t)(words[0] >> 32);
        record->n_parameters = n - 3;
        record->ticks = words[1];
        record->id = words[2];
        memcpy(record->parameters, words + 3, (n - 3) * 8);
        *at += n * 8;
        return true;
    }
    return false;
}

static int compare(void) {
    glob_t found;
    size_t region_bytes, file_bytes;
    if (glob("*.refrain/rank-0.trace", 0, NULL, &found) != 0)
        return puts("no trace"), 1;
    const unsigned char *region = map(found.gl_pathv[0], &region_bytes);
    if (glob("*.refrain/rank-0.events", 0, NULL, &found) != 0)
        return puts("no events"), 1;
    const unsigned char *file = map(found.gl_pathv[0], &file_bytes);
    const char *what;
    uint64_t offset, at = REFRAIN_EVENTS_HEADER_BYTES;
    struct refrain_walk *walk = refrain_walk_open(region, region_bytes, 0, &what, &offset);
    if (!walk)
        return printf("%s at %llu\n", what, (unsigned long long)offset), 1;
    struct refrain_record a, b;
    for (unsigned long n = 0;; n++) {
        bool more_a = refrain_walk_next(walk, &a), more_b = next_recorded(file, &at, &b);
        if (!more_a && !more_b) {
            const struct refrain_header *header = (const void *)region;
            const struct refrain_thread *thread = (const void *)(region + header->threads);
            uint64_t total = thread->last_ticks - thread->start_ticks;
            uint64_t replayed = refrain_walk_ticks(walk) - thread->start_ticks;
            what = refrain_walk_wrong(walk, &offset);
            printf("%lu records equal, %llu of %llu ticks, %s\n", n, (unsigned long long)replayed,
                   (unsigned long long)total, what ? what : "sound");
            refrain_walk_close(walk);
            return what || n == 0 || replayed > total;
        }
        if (more_a != more_b || a.kind != b.kind || a.operation != b.operation || a.id != b.id ||
            a.n_parameters != b.n_parameters ||
            (!a.approximate && memcmp(a.parameters, b.parameters, sizeof a.parameters) != 0)) {
            printf(
                "record %lu: replayed %d kind %d operation %u id %llu, recorded %d kind %d operation %u id %llu (%s)\n",
                n, more_a, a.kind, a.operation, (unsigned long long)a.id, more_b, b.kind, b.operation,
                (unsigned long long)b.id,
                refrain_walk_wrong(walk, &offset) ? refrain_walk_wrong(walk, &offset) : "sound");
            return 1;
        }
    }
}

int main(int argc, char **argv) {
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u | 1;
    steps_left = argc > 2 ? (unsigned)atoi(argv[2]) : 20000;
    char made[] = "/tmp/test_replay.XXXXXX";
    const char *directory = argc > 3 ? argv[3] : mkdtemp(made);
    if (!directory || chdir(directory) != 0)
        return perror(directory ? directory : made), 1;
    pid_t child = fork();
    if (child == 0) {
        setenv("REFRAIN_MODE", "both", 1);
        setenv("REFRAIN_DIRECTORY", directory, 1);
        make_tables();
        refrain_register(&unit);
        for (int i = 0; i < 8; i++)
            chance(2);
        while (steps_left)
            function(chance(FUNCTIONS), 1);
        exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return printf("the program ended with %d\n", status), 1;
    int result = compare();
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (argc <= 3 && result == 0 && system(command) != 0)
        return 1;
    printf("%d passed, %d failed\n", result == 0, result != 0);
    return result;
}
