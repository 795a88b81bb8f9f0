/* test_team_stream.c: random runs, aligned by one process and by several, each of which reads some of the ranks and
 * the notices of the others. What each gives of its own ranks is what the one gives. No MPI: the notices of all
 * locations are collected before, and come in batches of any size. And aligned by one process by turns: what that gives
 * of each location is the same.
 *
 *     test_team_stream [RUNS] */
#include "check.h"
#include "match/align.h"
#include "match/team_stream.h"
#include "model/trace_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 6
#define MOST_LOCATIONS (2 * MOST_RANKS)

static unsigned shared, in_turns;

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

/* Locations of all ranks; a rank with two threads has two. */
struct run {
    struct made_stream made[MOST_LOCATIONS];
    struct refrain_location_info locations[MOST_LOCATIONS];
    struct refrain_comm_info world;
    struct refrain_trace trace;
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

/* Of `steps` things that ranks do; the later ones in as many ranks as are left, so that others end earlier. */
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
    run->trace = (struct refrain_trace){.locations = run->locations,
                                        .n_locations = run->n,
                                        .regions = regions,
                                        .n_regions = N_REGIONS,
                                        .comms = &run->world,
                                        .n_comms = 1};
}

/* ---- a process's part of it ---- */

#define ROOM 3

struct told {
    struct refrain_notice *notices;
    size_t n, capacity, given;
};

struct fake {
    struct refrain_team team;
    struct refrain_notice room[ROOM];
    struct refrain_notices come[MOST_LOCATIONS];
    struct told *told; /* by location */
    bool keeps;        /* what is told; else it is passed over, as those who are told have it */
    unsigned n_processes, process;
    size_t stops; /* after so many batches none comes; 0 never */
};

static bool owns(const struct refrain_team *team, int32_t rank) {
    const struct fake *fake = (const struct fake *)team;
    return (unsigned)rank * 7 % fake->n_processes == fake->process;
}

static void take(struct refrain_team *team, uint32_t location) {
    struct fake *fake = (struct fake *)team;
    struct told *told = &fake->told[location];
    for (const struct refrain_notice *notice = fake->room; fake->keeps && notice < team->room; notice++) {
        if (told->n == told->capacity) {
            told->capacity = told->capacity ? told->capacity * 2 : 64;
            told->notices = room(told->notices, told->capacity * sizeof *told->notices);
        }
        told->notices[told->n++] = *notice;
    }
    team->room = fake->room;
}

static const struct refrain_notice *give(struct refrain_team *team, uint32_t location) {
    struct fake *fake = (struct fake *)team;
    struct told *told = &fake->told[location];
    size_t n = 1 + any(5);
    if (fake->stops > 0 && --fake->stops == 0) {
        team->wrong = "another process has stopped";
        fake->stops = 1;
    }
    if (told->given == told->n || team->wrong)
        return NULL;
    if (n > told->n - told->given)
        n = told->n - told->given;
    team->come[location].next = told->notices + told->given;
    told->given += n;
    team->come[location].end = told->notices + told->given;
    return team->come[location].next++;
}

static void open_fake(struct fake *fake, struct run *run, struct told *told, unsigned processes, unsigned process) {
    *fake = (struct fake){.team = {.trace = &run->trace, .owns = owns, .leave = take, .wait = give},
                          .told = told,
                          .n_processes = processes,
                          .process = process};
    fake->team.room = fake->room;
    fake->team.room_end = fake->room + ROOM;
    fake->team.come = fake->come;
    for (size_t i = 0; i < run->n; i++) {
        told[i].given = 0;
        run->made[i].at = 0;
        run->made[i].stream.next = run->made[i].stream.n = 0;
    }
}

/* What is read through a stream of a location: as it was, but with `overtook`; and all that is told of it. */
static void tell_all(struct run *run, struct told *told, bool each) {
    struct fake fake;
    open_fake(&fake, run, told, 1, 0);
    fake.keeps = true;
    for (uint32_t i = 0; i < run->n; i++) {
        struct refrain_team_stream stream;
        size_t capacity = (size_t)2 << any(8), n = 0;
        if (!refrain_team_stream_open(&stream, &run->made[i].stream, &fake.team, i, capacity, each))
            exit(2);
        refrain_team_stream_fill(&stream);
        const struct refrain_event *event;
        for (; (event = refrain_stream_next(&stream.stream)); n++) {
            struct refrain_event plain = *event;
            plain.overtook = 0;
            CHECK(n < run->made[i].n && memcmp(&plain, &run->made[i].events[n], sizeof plain) == 0,
                  "event %zu of location %u is another one", n, i);
        }
        CHECK(n == run->made[i].n, "location %u: %zu of %zu events", i, n, run->made[i].n);
        CHECK(told[i].n > 0 && told[i].notices[told[i].n - 1].kind == REFRAIN_NOTICE_END, "location %u does not end",
              i);
        refrain_team_stream_close(&stream);
    }
}

/* ---- all of it ---- */

struct result {
    struct refrain_event *events;
    size_t n, capacity;
    struct refrain_cursor_report report;
};

static struct result align(struct run *run, enum refrain_align_times times, struct refrain_team *team) {
    struct refrain_stream *streams[MOST_LOCATIONS];
    struct result result = {0};
    for (size_t i = 0; i < run->n; i++)
        streams[i] = &run->made[i].stream;
    struct refrain_align *align = refrain_align_open(streams, run->n, times, team);
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

/* The events of the process's ranks among those of the whole run: how many, up to `most`, are as it has them. */
static size_t count_alike(const struct result *whole, const struct result *part, const struct fake *fake, size_t most,
                          size_t *of) {
    size_t alike = 0;
    *of = 0;
    for (size_t i = 0; i < whole->n && *of < most; i++)
        if (owns(&fake->team, whole->events[i].rank)) {
            alike += *of < part->n && memcmp(&whole->events[i], &part->events[*of], sizeof *part->events) == 0;
            ++*of;
        }
    return alike;
}

/* The location's events in a result, one after the other: the next one from `*at` on; null behind the last. */
static const struct refrain_event *next_of(const struct result *result, size_t *at, int32_t rank, uint32_t thread) {
    for (; *at < result->n; ++*at)
        if (result->events[*at].rank == rank && result->events[*at].thread == thread)
            return &result->events[(*at)++];
    return NULL;
}

/* By turns each location has the events that it has by time, up to where that cannot be. */
static void go_by_turns(struct run *run, struct told *told, const struct result *whole, unsigned seed) {
    struct fake fake;
    open_fake(&fake, run, told, 1, 0);
    fake.team.by_turns = true;
    struct result turns = align(run, REFRAIN_TIMES_CONSISTENT, &fake.team);
    for (size_t i = 0; !fake.team.wrong && i < run->n; i++) {
        const struct refrain_event *one, *other;
        size_t at = 0, n = 0, of_turns = 0;
        do {
            one = next_of(whole, &at, run->locations[i].rank, run->locations[i].thread);
            other = next_of(&turns, &of_turns, run->locations[i].rank, run->locations[i].thread);
            n++;
        } while (one && other && memcmp(one, other, sizeof *one) == 0);
        CHECK(!one && !other, "seed %u, location %zu: event %zu by turns is another one than by time", seed, i, n);
    }
    struct refrain_cursor_report a = whole->report, b = turns.report;
    a.moved = b.moved =
        0; /* a group that several messages move is counted for each that is later than the one before */
    a.largest_move_ns = b.largest_move_ns = 0;
    CHECK(fake.team.wrong || memcmp(&a, &b, sizeof a) == 0, "seed %u: the report of turns is another one", seed);
    in_turns += !fake.team.wrong;
    free(turns.events);
}

static void share_out(unsigned seed, unsigned steps, enum refrain_align_times times, bool threads) {
    static struct run run;
    struct told told[MOST_LOCATIONS] = {{0}};
    struct fake fake;
    random_state = seed;
    make(&run, steps, threads);
    open_fake(&fake, &run, told, 1, 0);
    struct result whole = align(&run, times, NULL);
    tell_all(&run, told, times == REFRAIN_TIMES_WITHOUT_PROBES);
    const char *why = NULL; /* that it cannot be shared out, as the first one finds */
    for (unsigned processes = 1; processes <= 3; processes++)
        for (unsigned process = 0; process < processes; process++) {
            open_fake(&fake, &run, told, processes, process);
            struct result part = align(&run, times, &fake.team);
            if (processes == 1)
                why = fake.team.wrong;
            size_t of, alike = count_alike(&whole, &part, &fake, why ? part.n : whole.n, &of);
            CHECK(fake.team.wrong == why && alike == of && of == part.n,
                  "seed %u, %u steps, times %d, process %u of %u: %zu of %zu events are alike: %s", seed, steps,
                  (int)times, process, processes, alike, of, fake.team.wrong ? fake.team.wrong : "");
            free(part.events);
        }
    CHECK(!why || (!run.orderly && strstr(why, "waits for each other")), "seed %u: %s", seed, why);
    shared += !why;
    if (times == REFRAIN_TIMES_CONSISTENT)
        go_by_turns(&run, told, &whole, seed);
    /* Another process stops: then the events end, and before they were the same. */
    open_fake(&fake, &run, told, 2, 0);
    fake.stops = 1 + any(20);
    struct result part = align(&run, times, &fake.team);
    size_t of, alike = count_alike(&whole, &part, &fake, part.n, &of);
    CHECK(alike == part.n && of == part.n, "seed %u: %zu of %zu before the stop", seed, alike, part.n);
    free(part.events);
    free(whole.events);
    for (size_t i = 0; i < run.n; i++) {
        free(run.made[i].events);
        free(told[i].notices);
    }
}

/* Approximate receives cannot be shared out, and that is said. */
static void approximate(void) {
    static struct run run;
    struct told told[MOST_LOCATIONS] = {{0}};
    struct fake fake;
    random_state = 1;
    do
        make(&run, 0, false);
    while (run.n_ranks < 2);
    send(&run, 0, &run.made[1], 7);
    receive(&run, 0, &run.made[1], 7);
    for (size_t i = 0; i < run.made[1].n; i++)
        run.made[1].events[i].approximate = run.made[1].events[i].kind == REFRAIN_EVENT_RECV;
    tell_all(&run, told, false);
    open_fake(&fake, &run, told, 3, 1); /* the sender's is another process, and the receiver's is */
    struct result part = align(&run, REFRAIN_TIMES_CONSISTENT, &fake.team);
    CHECK(fake.team.wrong && strstr(fake.team.wrong, "approximate"), "%s", fake.team.wrong);
    free(part.events);
    for (size_t i = 0; i < run.n; i++) {
        free(run.made[i].events);
        free(told[i].notices);
    }
}

int main(int argc, char **argv) {
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    static const unsigned steps[] = {0, 1, 2, 20, 300};
    for (unsigned seed = 1; seed <= runs; seed++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            share_out(seed, steps[i], REFRAIN_TIMES_CONSISTENT, false);
            share_out(seed, steps[i], REFRAIN_TIMES_CONSISTENT, true);
            share_out(seed, steps[i], REFRAIN_TIMES_WITHOUT_PROBES, false);
        }
    approximate();
    CHECK(shared > runs * 12, "only %u runs could be shared out", shared);
    CHECK(in_turns > runs * 4, "only %u runs could go by turns", in_turns);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
