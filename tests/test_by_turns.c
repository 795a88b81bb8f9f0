/* test_by_turns.c: random runs, aligned by time and by turns (match/turns.h). What each gives of a location is the
 * same.
 *
 *     test_by_turns [RUNS] */
#include "check.h"
#include "match/align.h"
#include "model/trace_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 6
#define MOST_LOCATIONS (2 * MOST_RANKS)

static unsigned in_turns;

static void *room(void *array, size_t bytes) {
    void *more = realloc(array, bytes);
    if (!more)
        exit(2);
    return more;
}

static uint64_t random_state;

static unsigned any(unsigned below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

/* ---- a run ---- */

enum { WORK, SEND, RECV, IRECV, WAIT, ALLREDUCE, BCAST, REDUCE, N_REGIONS };

static struct refrain_region_info regions[N_REGIONS] = {
    {.index = WORK, .kind = REFRAIN_REGION_FUNCTION, .name = "work", .collective = ""},
    {.index = SEND, .kind = REFRAIN_REGION_MPI, .name = "MPI_Send", .collective = ""},
    {.index = RECV, .kind = REFRAIN_REGION_MPI, .name = "MPI_Recv", .collective = ""},
    {.index = IRECV, .kind = REFRAIN_REGION_MPI, .name = "MPI_Irecv", .collective = ""},
    {.index = WAIT, .kind = REFRAIN_REGION_MPI, .name = "MPI_Waitall", .collective = ""},
    {ALLREDUCE, REFRAIN_REGION_MPI, "MPI_Allreduce", "", 0, 0, "", "allreduce", REFRAIN_COLLECTIVE_ALLREDUCE,
     REFRAIN_OWN_TIME_TRANSMISSION},
    {BCAST, REFRAIN_REGION_MPI, "MPI_Bcast", "", 0, 0, "", "bcast", REFRAIN_COLLECTIVE_BCAST,
     REFRAIN_OWN_TIME_TRANSMISSION},
    {REDUCE, REFRAIN_REGION_MPI, "MPI_Reduce", "", 0, 0, "", "reduce", REFRAIN_COLLECTIVE_REDUCE,
     REFRAIN_OWN_TIME_TRANSMISSION},
};

struct made_stream {
    struct refrain_stream stream;
    struct refrain_event *events;
    size_t n, at, capacity;
    uint32_t thread;
    int64_t now_ns, probes_ns, requests;
};

/* The locations of all ranks. A rank with two threads has two. */
struct run {
    struct made_stream made[MOST_LOCATIONS];
    struct refrain_location_info locations[MOST_LOCATIONS];
    struct refrain_comm_info world;
    int n_ranks;
    bool orderly; /* it is certain which thread receives a message, and which collective a thread is in */
    size_t n, first[MOST_RANKS + 1]; /* location of a rank */
};

static size_t read_made(struct refrain_stream *stream, struct refrain_event *events, size_t n) {
    struct made_stream *made = (struct made_stream *)stream;
    size_t i = 0, most = 1 + any(9); /* as much as is there at a time */
    for (; i < n && i < most && made->at < made->n; i++)
        events[i] = made->events[made->at++];
    return i;
}

static struct refrain_event *add(struct run *run, struct made_stream *made, enum refrain_event_kind kind, int region) {
    if (made->n == made->capacity) {
        made->capacity = made->capacity ? made->capacity * 2 : 64;
        made->events = room(made->events, made->capacity * sizeof *made->events);
    }
    struct refrain_event *event = &made->events[made->n++];
    *event = (struct refrain_event){.kind = kind,
                                    .rank = made->stream.rank,
                                    .thread = made->thread,
                                    .time_ns = made->now_ns,
                                    .probes_ns = made->probes_ns,
                                    .region = &regions[region],
                                    .comm = &run->world,
                                    .peer = -1,
                                    .request = -1};
    return event;
}

static void spend(struct made_stream *made) {
    made->now_ns += any(4) ? any(50) : 0;
    made->probes_ns += any(3);
}

static struct made_stream *any_thread(struct run *run, int rank) {
    size_t first = run->first[rank], n = run->first[rank + 1] - first;
    return &run->made[first + any((unsigned)n)];
}

static void enter(struct run *run, struct made_stream *made, int region) {
    spend(made);
    add(run, made, REFRAIN_EVENT_ENTER, region);
}

static void leave(struct run *run, struct made_stream *made, int region) {
    if (any(2))
        spend(made);
    add(run, made, REFRAIN_EVENT_LEAVE, region);
}

static void work(struct run *run, struct made_stream *made) {
    for (unsigned i = any(4); i > 0; i--) {
        enter(run, made, WORK);
        spend(made);
        if (any(5) == 0)
            add(run, made, REFRAIN_EVENT_MARKER, WORK);
        add(run, made, REFRAIN_EVENT_LEAVE, WORK);
    }
}

static int64_t tag_of(const struct run *run, const struct made_stream *dest, int64_t tag) {
    return tag + (run->orderly ? 10 * (int64_t)dest->thread : 0);
}

static void send(struct run *run, int from, const struct made_stream *dest, int64_t tag) {
    struct made_stream *made = run->orderly ? &run->made[run->first[from]] : any_thread(run, from);
    int to = dest->stream.rank;
    tag = tag_of(run, dest, tag);
    if (any(20) == 0) { /* in a pause */
        struct refrain_event *untold = add(run, made, REFRAIN_EVENT_UNTOLD_SENDS, WORK);
        untold->peer = to;
        untold->tag = tag;
        untold->value = 1;
        return;
    }
    enter(run, made, SEND);
    struct refrain_event *sent = add(run, made, REFRAIN_EVENT_SEND, SEND);
    sent->peer = to;
    sent->tag = tag;
    sent->bytes = 8;
    leave(run, made, SEND);
}

static void receive(struct run *run, int from, struct made_stream *made, int64_t tag) {
    enter(run, made, RECV);
    spend(made);
    struct refrain_event *came = add(run, made, REFRAIN_EVENT_RECV, RECV);
    came->peer = from;
    came->tag = tag_of(run, made, tag);
    if (any(10))
        add(run, made, REFRAIN_EVENT_LEAVE, RECV);
    else
        leave(run, made, RECV);
}

/* Several receives that are posted in one order and complete in another, at one time. */
static void receive_several(struct run *run, int to) {
    struct made_stream *made = any_thread(run, to);
    int64_t requests[8];
    int sources[8];
    unsigned n = 1 + any(8);
    for (unsigned i = 0; i < n; i++) {
        sources[i] = (int)any((unsigned)run->n_ranks);
        requests[i] = made->requests++;
        enter(run, made, IRECV);
        add(run, made, REFRAIN_EVENT_RECV_POST, IRECV)->request = requests[i];
        add(run, made, REFRAIN_EVENT_LEAVE, IRECV);
        if (sources[i] != to)
            send(run, sources[i], made, 5);
    }
    enter(run, made, WAIT);
    spend(made);
    for (unsigned i = 0, first = any(n); i < n; i++) {
        unsigned k = (first + i) % n;
        bool comes = sources[k] != to;
        struct refrain_event *event = add(run, made, comes ? REFRAIN_EVENT_RECV : REFRAIN_EVENT_CANCEL, WAIT);
        event->request = requests[k];
        event->peer = comes ? sources[k] : -1;
        event->tag = tag_of(run, made, 5);
    }
    if (any(10)) /* else something of the call is missing */
        add(run, made, REFRAIN_EVENT_LEAVE, WAIT);
}

static void collective(struct run *run) {
    int region = ALLREDUCE + (int)any(3), root = (int)any((unsigned)run->n_ranks);
    for (int rank = 0; rank < run->n_ranks; rank++) {
        struct made_stream *made = run->orderly ? &run->made[run->first[rank]] : any_thread(run, rank);
        enter(run, made, region);
        struct refrain_event *event = add(run, made, REFRAIN_EVENT_COLLECTIVE, region);
        event->peer = region == ALLREDUCE ? -1 : root;
        event->bytes = 8;
        event->received = 8;
        leave(run, made, region);
    }
}

/* Makes a run of `steps` actions. Later actions are on fewer ranks, so that the other ranks end earlier. */
static void make(struct run *run, unsigned steps, bool threads) {
    memset(run, 0, sizeof *run);
    run->orderly = !threads || any(2);
    run->n_ranks = 1 + (int)any(MOST_RANKS);
    run->world = (struct refrain_comm_info){.index = 0, .name = "", .size = run->n_ranks};
    for (int rank = 0; rank < run->n_ranks; rank++) {
        run->first[rank] = run->n;
        for (uint32_t thread = 0; thread <= (threads && any(2)); thread++, run->n++) {
            run->made[run->n].stream = (struct refrain_stream){.read = read_made, .rank = rank};
            run->made[run->n].thread = thread;
            run->locations[run->n] = (struct refrain_location_info){.rank = rank, .thread = thread};
        }
    }
    run->first[run->n_ranks] = run->n;
    int n_ranks = run->n_ranks;
    for (unsigned i = 0; i < steps; i++) {
        if (i > steps / 2 && any(8) == 0 && run->n_ranks > 2)
            run->n_ranks--;
        unsigned n = (unsigned)run->n_ranks;
        int from = (int)any(n), to = (int)any(n);
        work(run, any_thread(run, from));
        unsigned what = any(10);
        if (what == 0 && run->n_ranks == n_ranks) {
            collective(run);
        } else if (what < 3) {
            receive_several(run, to);
        } else if (from != to) {
            struct made_stream *dest = any_thread(run, to);
            send(run, from, dest, 7);
            receive(run, from, dest, 7);
        }
    }
    run->n_ranks = n_ranks;
}

/* ---- aligned ---- */

static void close_run(struct run *run) {
    for (size_t i = 0; i < run->n; i++)
        free(run->made[i].events);
}

struct result {
    struct refrain_event *events;
    size_t n, capacity;
    struct refrain_cursor_report report;
};

static struct result align(struct run *run, struct refrain_turns *turns) {
    struct refrain_stream *streams[MOST_LOCATIONS];
    struct result result = {0};
    for (size_t i = 0; i < run->n; i++) {
        run->made[i].at = 0;
        run->made[i].stream.next = run->made[i].stream.n = 0;
        streams[i] = &run->made[i].stream;
    }
    struct refrain_align *align = refrain_align_open(streams, run->n, REFRAIN_TIMES_CONSISTENT, turns);
    const struct refrain_event *event;
    for (size_t stream; (event = refrain_align_next(align, &stream));) {
        if (result.n == result.capacity) {
            result.capacity = result.capacity ? result.capacity * 2 : 256;
            result.events = room(result.events, result.capacity * sizeof *result.events);
        }
        result.events[result.n++] = *event;
    }
    CHECK(!refrain_align_failed(align), "no memory");
    refrain_align_report(align, &result.report);
    refrain_align_close(align);
    return result;
}

/* The location's events in a result, one after the other: the next one from `*at` on; null behind the last. */
static const struct refrain_event *next_of(const struct result *result, size_t *at, int32_t rank, uint32_t thread) {
    for (; *at < result->n; ++*at)
        if (result->events[*at].rank == rank && result->events[*at].thread == thread)
            return &result->events[(*at)++];
    return NULL;
}

/* With turns, each location must have the same events as in time order, up to the reason for which turns are
 * impossible. */
static void go_by_turns(unsigned seed, unsigned steps, bool threads) {
    static struct run run;
    struct refrain_turns turns = {0};
    random_state = seed;
    make(&run, steps, threads);
    struct result whole = align(&run, NULL), by_turns = align(&run, &turns);
    for (size_t i = 0; !turns.wrong && i < run.n; i++) {
        const struct refrain_event *one, *other;
        size_t at = 0, n = 0, of_turns = 0;
        do {
            one = next_of(&whole, &at, run.locations[i].rank, run.locations[i].thread);
            other = next_of(&by_turns, &of_turns, run.locations[i].rank, run.locations[i].thread);
            n++;
        } while (one && other && memcmp(one, other, sizeof *one) == 0);
        CHECK(!one && !other, "seed %u, %u steps, location %zu: event %zu by turns is another one than by time", seed,
              steps, i, n);
    }
    struct refrain_cursor_report a = whole.report, b = by_turns.report;
    /* A group that several messages move is counted for each that is later than the one before. */
    a.moved = b.moved = 0;
    a.largest_move_ns = b.largest_move_ns = 0;
    CHECK(turns.wrong || memcmp(&a, &b, sizeof a) == 0, "seed %u: the report of turns is another one", seed);
    in_turns += !turns.wrong;
    free(by_turns.events);
    free(whole.events);
    close_run(&run);
}

/* With approximate receives, the order of locations matters, and this must be reported. */
static void approximate(void) {
    static struct run run;
    struct refrain_turns turns = {0};
    random_state = 1;
    do
        make(&run, 0, false);
    while (run.n_ranks < 2);
    send(&run, 0, &run.made[1], 7);
    receive(&run, 0, &run.made[1], 7);
    for (size_t i = 0; i < run.made[1].n; i++)
        run.made[1].events[i].approximate = run.made[1].events[i].kind == REFRAIN_EVENT_RECV;
    struct result result = align(&run, &turns);
    CHECK(turns.wrong && strstr(turns.wrong, "approximate"), "%s", turns.wrong ? turns.wrong : "nothing is wrong");
    free(result.events);
    close_run(&run);
}

int main(int argc, char **argv) {
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    static const unsigned steps[] = {0, 1, 2, 20, 300};
    for (unsigned seed = 1; seed <= runs; seed++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            go_by_turns(seed, steps[i], false);
            go_by_turns(seed, steps[i], true);
        }
    approximate();
    CHECK(in_turns > runs * 4, "only %u runs could go by turns", in_turns);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
