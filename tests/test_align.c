/* test_align.c: matching of streams made by hand: order in time, partners, collectives of ranks with several threads,
 * missing ranks, and receives without a known send. */
#include "check.h"
#include "match/align.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const struct refrain_comm_info world = {.index = 0, .name = "", .size = 2};
static const struct refrain_comm_info world_of_three = {.index = 0, .name = "", .size = 3};
static const struct refrain_region_info call = {.kind = REFRAIN_REGION_MPI, .name = "MPI_Recv", .collective = ""};
static const struct refrain_region_info allreduce = {.kind = REFRAIN_REGION_MPI,
                                                     .name = "MPI_Allreduce",
                                                     .collective = "allreduce",
                                                     .role = REFRAIN_COLLECTIVE_ALLREDUCE};

struct made_stream {
    struct refrain_stream stream;
    struct refrain_event *events;
    size_t n, at, capacity;
    uint32_t thread;
    unsigned long repeat; /* the events are given so often, each time `step_ns` later */
    int64_t step_ns;
};

static size_t read_made(struct refrain_stream *stream, struct refrain_event *events, size_t n) {
    struct made_stream *made = (struct made_stream *)stream;
    size_t all = made->n * (made->repeat ? made->repeat : 1), i = 0;
    for (; i < n && made->at < all; i++, made->at++) {
        events[i] = made->events[made->at % made->n];
        events[i].time_ns += (int64_t)(made->at / made->n) * made->step_ns;
    }
    return i;
}

static void add(struct made_stream *made, enum refrain_event_kind kind, int64_t time_ns, int32_t peer,
                const struct refrain_region_info *region) {
    if (made->n == made->capacity) {
        made->capacity = made->capacity ? made->capacity * 2 : 16;
        made->events = realloc(made->events, made->capacity * sizeof *made->events);
        if (!made->events)
            exit(2);
    }
    made->stream.read = read_made;
    made->events[made->n++] = (struct refrain_event){.kind = kind,
                                                     .rank = made->stream.rank,
                                                     .thread = made->thread,
                                                     .time_ns = time_ns,
                                                     .region = region,
                                                     .comm = &world,
                                                     .peer = peer,
                                                     .request = -1};
}

static struct made_stream make(int32_t rank, uint32_t thread) {
    return (struct made_stream){.stream = {.read = read_made, .rank = rank}, .thread = thread};
}

struct result {
    struct refrain_event *events;
    size_t n;
    struct refrain_cursor_report report;
    bool in_order;
};

static struct result merge_as(struct made_stream *made, size_t n, size_t most, enum refrain_align_times times) {
    struct refrain_stream **streams = calloc(n, sizeof *streams);
    struct result result = {.events = calloc(most, sizeof *result.events), .in_order = true};
    if (!streams || !result.events)
        exit(2);
    for (size_t i = 0; i < n; i++)
        streams[i] = &made[i].stream;
    struct refrain_align *align = refrain_align_open(streams, n, times, NULL);
    int64_t last_ns = INT64_MIN;
    size_t stream;
    for (const struct refrain_event *event; (event = refrain_align_next(align, &stream)); result.n++) {
        result.in_order &= made[stream].stream.rank == event->rank;
        result.in_order &= event->time_ns >= last_ns;
        last_ns = event->time_ns;
        if (result.n < most)
            result.events[result.n] = *event;
    }
    refrain_align_report(align, &result.report);
    refrain_align_close(align);
    for (size_t i = 0; i < n; i++)
        free(made[i].events);
    free(streams);
    return result;
}

static struct result merge(struct made_stream *made, size_t n, size_t most) {
    return merge_as(made, n, most, REFRAIN_TIMES_CONSISTENT);
}

static const struct refrain_event *find(const struct result *result, enum refrain_event_kind kind, int32_t rank,
                                        unsigned which) {
    for (size_t i = 0; i < result->n; i++)
        if (result->events[i].kind == kind && result->events[i].rank == rank && which-- == 0)
            return &result->events[i];
    return &(const struct refrain_event){.match = UINT64_MAX};
}

static void collective(struct made_stream *made, int64_t enter_ns, int64_t leave_ns) {
    add(made, REFRAIN_EVENT_ENTER, enter_ns, -1, &allreduce);
    add(made, REFRAIN_EVENT_COLLECTIVE, enter_ns, -1, &allreduce);
    made->events[made->n - 1].received = 8;
    add(made, REFRAIN_EVENT_LEAVE, leave_ns, -1, &allreduce);
}

static void receive(struct made_stream *made, int64_t enter_ns, int64_t leave_ns, int32_t source) {
    add(made, REFRAIN_EVENT_ENTER, enter_ns, -1, &call);
    add(made, REFRAIN_EVENT_RECV, leave_ns, source, &call);
    add(made, REFRAIN_EVENT_LEAVE, leave_ns, -1, &call);
}

static void send(struct made_stream *made, int64_t time_ns, int32_t dest) {
    add(made, REFRAIN_EVENT_ENTER, time_ns, -1, &call);
    add(made, REFRAIN_EVENT_SEND, time_ns, dest, &call);
    add(made, REFRAIN_EVENT_LEAVE, time_ns, -1, &call);
}

/* omp single { MPI_Allreduce }: whichever thread makes the call, it is the rank's next collective. */
static void hybrid(void) {
    struct made_stream made[] = {make(0, 0), make(0, 1), make(1, 0), make(1, 1)};
    for (int i = 0; i < 40; i++) {
        collective(&made[i % 3 == 0], 100 * i, 100 * i + 10);
        collective(&made[2 + (i % 5 != 0)], 100 * i + 30, 100 * i + 40);
    }
    struct result result = merge(made, 4, 1000);
    for (unsigned i = 0; i < 40; i++) {
        const struct refrain_event *a = find(&result, REFRAIN_EVENT_COLLECTIVE, 0, i);
        const struct refrain_event *b = find(&result, REFRAIN_EVENT_COLLECTIVE, 1, i);
        CHECK(a->match && a->match == b->match, "call %u: matches %llx and %llx", i, (unsigned long long)a->match,
              (unsigned long long)b->match);
    }
    CHECK(result.in_order && result.n == 240 && result.report.unmatched_collectives == 0, "%zu events, %llu unmatched",
          result.n, (unsigned long long)result.report.unmatched_collectives);
    free(result.events);
}

/* Rank 2 has no trace: nobody waits for it, and what is sent to it takes no memory. */
static void missing_rank(void) {
    const unsigned long rounds = 300000;
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    send(&made[0], 10, 2);
    receive(&made[0], 20, 30, 2);
    collective(&made[0], 40, 50);
    send(&made[0], 60, 1);
    receive(&made[1], 35, 36, 2);
    collective(&made[1], 41, 52);
    receive(&made[1], 55, 56, 0);
    for (int m = 0; m < 2; m++) {
        for (size_t i = 0; i < made[m].n; i++)
            made[m].events[i].comm = &world_of_three;
        made[m].repeat = rounds;
        made[m].step_ns = 100;
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    struct result result = merge(made, 2, 1);
    getrusage(RUSAGE_SELF, &after);
    CHECK(result.in_order && result.n == rounds * 21, "%zu events", result.n);
    CHECK(result.report.unmatched_sends == rounds && result.report.unmatched_receives == 2 * rounds &&
              result.report.matched_messages == rounds && result.report.unmatched_collectives == 2 * rounds,
          "%llu sends, %llu receives, %llu collectives unmatched, %llu messages matched",
          (unsigned long long)result.report.unmatched_sends, (unsigned long long)result.report.unmatched_receives,
          (unsigned long long)result.report.unmatched_collectives, (unsigned long long)result.report.matched_messages);
    CHECK(after.ru_maxrss - before.ru_maxrss < 4096, "%ld KiB of memory", after.ru_maxrss - before.ru_maxrss);
    free(result.events);
}

/* Rank 1 ends early, as if it was killed. A rank that waits for it continues at once. */
static void ended_rank(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    collective(&made[0], 10, 20);
    collective(&made[1], 11, 21);
    receive(&made[0], 30, 40, 1);
    collective(&made[0], 50, 60);
    send(&made[0], 70, 1);
    struct result result = merge(made, 2, 100);
    CHECK(result.in_order && result.n == 15, "%zu events", result.n);
    CHECK(result.report.unmatched_receives == 1 && result.report.unmatched_collectives == 1 &&
              result.report.unmatched_sends == 1,
          "unmatched: %llu receives, %llu collectives, %llu sends",
          (unsigned long long)result.report.unmatched_receives, (unsigned long long)result.report.unmatched_collectives,
          (unsigned long long)result.report.unmatched_sends);
    CHECK(find(&result, REFRAIN_EVENT_SEND, 0, 0)->time_ns == 70, "the send came at %lld",
          (long long)find(&result, REFRAIN_EVENT_SEND, 0, 0)->time_ns);
    free(result.events);
}

/* Both ranks wait for each other, which cannot be: one is let through. The message it did not wait for comes later, and
 * those behind it keep their partners; nothing comes out of the order in time. */
static void let_through(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    receive(&made[0], 10, 20, 1);
    send(&made[0], 30, 1);
    receive(&made[1], 10, 25, 0);
    send(&made[1], 40, 0); /* the one that rank 0 did not wait for */
    send(&made[1], 50, 0);
    receive(&made[0], 45, 48, 1);
    made[0].events[made[0].n - 2].bytes = 2;
    made[1].events[made[1].n - 2].bytes = 2;
    struct result result = merge(made, 2, 100);
    const struct refrain_event *second_sent = find(&result, REFRAIN_EVENT_SEND, 1, 1);
    const struct refrain_event *second_received = find(&result, REFRAIN_EVENT_RECV, 0, 1);
    CHECK(result.in_order && result.n == 18, "%zu events, in order: %d", result.n, result.in_order);
    CHECK(find(&result, REFRAIN_EVENT_RECV, 0, 0)->match == 0 && result.report.unmatched_receives == 1,
          "%llu unmatched", (unsigned long long)result.report.unmatched_receives);
    CHECK(second_received->match == second_sent->match && second_received->time_ns > second_sent->time_ns,
          "the second message: sent %llx at %lld, received %llx at %lld", (unsigned long long)second_sent->match,
          (long long)second_sent->time_ns, (unsigned long long)second_received->match,
          (long long)second_received->time_ns);
    free(result.events);
}

/* A collective whose values are only likely is one all the same: those behind it keep their partners. */
static void approximate_collective(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    for (int i = 0; i < 10; i++) {
        collective(&made[0], 100 * i, 100 * i + 10);
        collective(&made[1], 100 * i + 20, 100 * i + 30);
    }
    for (size_t i = 6; i < 15; i++)
        made[0].events[i].approximate = true;
    struct result result = merge(made, 2, 100);
    for (unsigned i = 0; i < 10; i++)
        CHECK(find(&result, REFRAIN_EVENT_COLLECTIVE, 0, i)->match ==
                  find(&result, REFRAIN_EVENT_COLLECTIVE, 1, i)->match,
              "call %u", i);
    CHECK(result.in_order && result.report.unmatched_collectives == 0, "out of order or unmatched");
    free(result.events);
}

/* Sets the time in probes from the event `back` before the last one on. */
static void probes(struct made_stream *made, size_t back, int64_t ns) {
    for (size_t i = made->n - 1 - back; i < made->n; i++)
        made->events[i].probes_ns = ns;
}

/* Rank 0 computes for 1000 and sends. In the run its probes took 500 more, for which rank 1 waited; the message
 * took 20. */
static void wait_of_probes(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    send(&made[0], 1500, 1);
    probes(&made[0], 2, 500);
    receive(&made[1], 900, 1520, 0);
    send(&made[1], 2520, 0); /* 1000 later */
    receive(&made[0], 1600, 2540, 1);
    probes(&made[0], 2, 500);
    struct result result = merge_as(made, 2, 100, REFRAIN_TIMES_WITHOUT_PROBES);
    const struct refrain_event *receives[] = {find(&result, REFRAIN_EVENT_RECV, 1, 0),
                                              find(&result, REFRAIN_EVENT_RECV, 0, 0)};
    CHECK(receives[0]->time_ns == 1020, "received at %lld", (long long)receives[0]->time_ns);
    CHECK(receives[1]->time_ns == 2040, "answered at %lld", (long long)receives[1]->time_ns);
    CHECK(result.in_order && result.n == 12, "%zu events", result.n);
    free(result.events);
}

/* Rank 1's probes took as long as it would have waited for the message of rank 0, which is sent at 1000 and takes 20.
 */
static void wait_hidden_by_probes(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    send(&made[0], 1000, 1);
    receive(&made[1], 1100, 1120, 0);
    probes(&made[1], 2, 700);
    struct result result = merge_as(made, 2, 100, REFRAIN_TIMES_WITHOUT_PROBES);
    const struct refrain_event *enter = find(&result, REFRAIN_EVENT_ENTER, 1, 0);
    const struct refrain_event *leave = find(&result, REFRAIN_EVENT_LEAVE, 1, 0);
    CHECK(enter->time_ns == 400 && leave->time_ns == 1020, "from %lld to %lld", (long long)enter->time_ns,
          (long long)leave->time_ns);
    free(result.events);
}

/* All wait for rank 2, by 600 of which 500 are its probes'; without them rank 1 comes last, at 1050. */
static void collective_of_probes(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0), make(2, 0)};
    static const int64_t enter_ns[] = {900, 1050, 1500}, probes_ns[] = {0, 0, 500};
    for (int i = 0; i < 3; i++) {
        collective(&made[i], enter_ns[i], 1510);
        probes(&made[i], 2, probes_ns[i]);
        for (size_t k = 0; k < made[i].n; k++)
            made[i].events[k].comm = &world_of_three;
    }
    struct result result = merge_as(made, 3, 100, REFRAIN_TIMES_WITHOUT_PROBES);
    for (int i = 0; i < 3; i++) {
        const struct refrain_event *leave = find(&result, REFRAIN_EVENT_LEAVE, i, 0);
        CHECK(leave->time_ns == 1060, "rank %d leaves at %lld", i, (long long)leave->time_ns);
    }
    free(result.events);
}

/* Blocks that are shorter than what is taken out of them, as times are rounded: the sum holds. */
static void rounded_blocks(void) {
    struct made_stream made[] = {make(0, 0)};
    for (int i = 1; i <= 1000; i++) {
        send(&made[0], 32 * (i / 2), 0); /* distances of 0, 32, 0, 32 ...: in truth 16, of which probes take 6 */
        probes(&made[0], 2, 6 * i);
    }
    struct result result = merge_as(made, 1, 3000, REFRAIN_TIMES_WITHOUT_PROBES);
    const struct refrain_event *last = &result.events[result.n - 1];
    CHECK(result.in_order && result.n == 3000 && llabs(last->time_ns - 10000) <= 32, "ends at %lld",
          (long long)last->time_ns);
    free(result.events);
}

static void untold(struct made_stream *made, enum refrain_event_kind kind, int64_t time_ns, int32_t peer, int64_t n) {
    add(made, kind, time_ns, peer, &call);
    made->events[made->n - 1].value = n;
    if (kind == REFRAIN_EVENT_UNTOLD_COLLECTIVES)
        made->events[made->n - 1].tag = REFRAIN_COLLECTIVE_ALLREDUCE;
}

/* One rank pauses while messages pass: those behind find their partners, and nobody waits for what has no events. */
static void pauses(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    send(&made[0], 10, 1);
    untold(&made[0], REFRAIN_EVENT_UNTOLD_SENDS, 20, 1, 3); /* a pause from 20 to 1000 */
    send(&made[0], 1000, 1);
    for (int i = 1; i <= 4; i++)
        receive(&made[1], 100 * i, 100 * i + 10, 0);
    receive(&made[1], 1005, 1010, 0);
    /* And the other way: two received in a pause, of which one was sent in one. */
    for (int i = 0; i < 3; i++)
        send(&made[1], 1100 + i, 0);
    untold(&made[1], REFRAIN_EVENT_UNTOLD_SENDS, 1110, 0, 1);
    send(&made[1], 1120, 0);
    receive(&made[0], 1200, 1210, 1);
    receive(&made[0], 1220, 1230, 1);
    untold(&made[0], REFRAIN_EVENT_UNTOLD_RECEIVES, 1240, 1, 2);
    receive(&made[0], 1300, 1310, 1);
    struct result result = merge(made, 2, 100);
    static const unsigned send_to_0[] = {0, 1, 3};
    for (unsigned i = 0; i < 3; i++)
        CHECK(find(&result, REFRAIN_EVENT_RECV, 0, i)->match ==
                  find(&result, REFRAIN_EVENT_SEND, 1, send_to_0[i])->match,
              "receive %u of rank 0", i);
    for (unsigned i = 0; i < 5; i++) {
        const struct refrain_event *receive = find(&result, REFRAIN_EVENT_RECV, 1, i);
        uint64_t match = i == 0 || i == 4 ? find(&result, REFRAIN_EVENT_SEND, 0, i / 4)->match : 0;
        CHECK(receive->match == match && receive->time_ns == (i < 4 ? 110 + 100 * i : 1010),
              "receive %u of rank 1 at %lld", i, (long long)receive->time_ns);
    }
    CHECK(result.report.other_end_untold == 4 && result.report.unmatched_sends == 0 &&
              result.report.unmatched_receives == 0 && result.report.matched_messages == 5 && result.report.moved == 0,
          "%llu in pauses, %llu moved", (unsigned long long)result.report.other_end_untold,
          (unsigned long long)result.report.moved);
    free(result.events);
}

/* The receive comes first, or the pause: a message that leaves in a pause and arrives in one leaves nothing behind. */
static void pauses_at_once(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    untold(&made[0], REFRAIN_EVENT_UNTOLD_SENDS, 10, 1, INT64_MAX);
    untold(&made[1], REFRAIN_EVENT_UNTOLD_RECEIVES, 11, 0, INT64_MAX - 1);
    receive(&made[1], 20, 30, 0);
    untold(&made[1], REFRAIN_EVENT_UNTOLD_RECEIVES, 40, 0, 5);
    receive(&made[1], 50, 60, 0);
    untold(&made[0], REFRAIN_EVENT_UNTOLD_SENDS, 70, 1, 2);
    for (int i = 0; i < 4; i++)
        send(&made[0], 80 + i, 1);
    untold(&made[0], REFRAIN_EVENT_UNTOLD_SENDS, 90, 1, -1); /* of a damaged trace */
    struct result result = merge(made, 2, 100);
    const struct refrain_event *receive = find(&result, REFRAIN_EVENT_RECV, 1, 1);
    CHECK(receive->match && receive->match == find(&result, REFRAIN_EVENT_SEND, 0, 3)->match, "the last receive");
    CHECK(result.report.other_end_untold == 4 && result.report.matched_messages == 1, "%llu in pauses",
          (unsigned long long)result.report.other_end_untold);
    free(result.events);
}

/* A rank passes two of four collectives in a pause, before or after the other rank enters them. The other rank waits
 * for nobody. */
static void collectives_in_pauses(void) {
    for (int late = 0; late < 2; late++) {
        struct made_stream made[] = {make(0, 0), make(1, 0)};
        for (int i = 0; i < 4; i++)
            collective(&made[0], 100 * i, 100 * i + 10);
        collective(&made[1], 2, 11);
        untold(&made[1], REFRAIN_EVENT_UNTOLD_COLLECTIVES, late ? 250 : 20, -1, 2);
        collective(&made[1], 305, 311);
        struct result result = merge(made, 2, 100);
        for (unsigned i = 0; i < 2; i++)
            CHECK(find(&result, REFRAIN_EVENT_COLLECTIVE, 1, i)->match ==
                      find(&result, REFRAIN_EVENT_COLLECTIVE, 0, 3 * i)->match,
                  "collective %u", i);
        CHECK(result.report.other_end_untold == 2 && result.report.unmatched_collectives == 0,
              "%llu in pauses, %llu unmatched", (unsigned long long)result.report.other_end_untold,
              (unsigned long long)result.report.unmatched_collectives);
        CHECK(late || find(&result, REFRAIN_EVENT_LEAVE, 0, 1)->time_ns == 110, "leaves at %lld",
              (long long)find(&result, REFRAIN_EVENT_LEAVE, 0, 1)->time_ns);
        free(result.events);
    }
}

/* A nonblocking operation of rank 1 with the other rank, of a request. */
static void request(struct made_stream *made, enum refrain_event_kind kind, int64_t time_ns, int64_t number,
                    int64_t tag) {
    bool posts = kind == REFRAIN_EVENT_RECV_POST;
    add(made, REFRAIN_EVENT_ENTER, time_ns, -1, &call);
    add(made, kind, time_ns, posts ? -1 : 0, &call);
    made->events[made->n - 1].request = number;
    made->events[made->n - 1].tag = posts ? 0 : tag;
    add(made, REFRAIN_EVENT_LEAVE, time_ns, -1, &call);
}

static void send_tag(struct made_stream *made, int64_t time_ns, int64_t tag) {
    send(made, time_ns, 1);
    made->events[made->n - 2].tag = tag;
}

/* Two receives of the same messages, completed in the other order: the one that was posted first has the first one, be
 * the messages there before the receives complete or after. */
static void overtaken(void) {
    for (int late = 0; late < 2; late++) {
        struct made_stream made[] = {make(0, 0), make(1, 0)};
        request(&made[1], REFRAIN_EVENT_RECV_POST, 10, 0, 0);
        request(&made[1], REFRAIN_EVENT_RECV_POST, 11, 1, 0);
        request(&made[1], REFRAIN_EVENT_RECV_POST, 12, 2, 7);
        send_tag(&made[0], 20 + 100 * late, 5);
        send_tag(&made[0], 30 + 100 * late, 7);
        send_tag(&made[0], 40 + 100 * late, 5);
        send_tag(&made[0], 50 + 100 * late, 5);
        request(&made[1], REFRAIN_EVENT_RECV, 101, 2, 7);
        request(&made[1], REFRAIN_EVENT_RECV, 102, 1, 5);
        receive(&made[1], 104, 106, 0); /* blocking, and posted last, while the first one is pending */
        made[1].events[made[1].n - 2].tag = 5;
        request(&made[1], REFRAIN_EVENT_RECV, 107, 0, 5);
        struct result result = merge(made, 2, 100);
        static const unsigned sent[] = {1, 2, 3, 0};
        for (unsigned i = 0; i < 4; i++) {
            const struct refrain_event *send = find(&result, REFRAIN_EVENT_SEND, 0, sent[i]);
            const struct refrain_event *receive = find(&result, REFRAIN_EVENT_RECV, 1, i);
            CHECK(receive->match == send->match && receive->match_time_ns == send->time_ns &&
                      receive->time_ns > send->time_ns,
                  "late %d, receive %u of message sent at %lld", late, i, (long long)receive->match_time_ns);
        }
        CHECK(result.in_order && result.report.matched_messages == 4 && result.report.unmatched_sends == 0 &&
                  result.report.unmatched_receives == 0,
              "%llu matched", (unsigned long long)result.report.matched_messages);
        free(result.events);
    }
}

/* A receive of the random run: the message that it gets, and the one that it should get by the rules of MPI. */
struct random_receive {
    int64_t request, tag, post_ns, end_ns; /* tag -1: any */
    bool cancelled;
    unsigned message; /* number of the send, from 0 */
};

static int by_end(const void *a, const void *b) {
    const struct random_receive *x = a, *y = b;
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns ? -1 : 1 : x->request < y->request ? -1 : 1;
}

#define RECEIVES 24u

/* Posts as many receives as there are messages, wildcards among them, and completes them in any order. Receives in the
 * order of posting have the first message each that fits and no other one has; `ns`: when completions begin. */
static void random_order(unsigned seed, int64_t ns, enum refrain_align_times times) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    struct random_receive receives[RECEIVES];
    int64_t tags[RECEIVES];
    bool taken[RECEIVES] = {false};
    srand(seed);
    for (unsigned i = 0; i < RECEIVES; i++) {
        tags[i] = rand() % 3;
        send_tag(&made[0], 1000 + 10 * i, tags[i]);
    }
    for (unsigned i = 0; i < RECEIVES; i++) {
        struct random_receive *receive = &receives[i];
        unsigned m = 0;
        *receive = (struct random_receive){.request = i, .post_ns = 10 * i, .end_ns = ns + rand() % 300};
        receive->cancelled = rand() % 8 == 0;
        receive->tag = rand() % 2 ? -1 : rand() % 3;
        request(&made[1], REFRAIN_EVENT_RECV_POST, receive->post_ns, i, 0);
        for (; m < RECEIVES && (taken[m] || (receive->tag >= 0 && receive->tag != tags[m])); m++)
            ;
        receive->cancelled |= m == RECEIVES; /* nothing is left for it */
        receive->message = m;
        if (!receive->cancelled)
            taken[m] = true;
    }
    qsort(receives, RECEIVES, sizeof *receives, by_end);
    for (unsigned i = 0; i < RECEIVES; i++)
        request(&made[1], receives[i].cancelled ? REFRAIN_EVENT_CANCEL : REFRAIN_EVENT_RECV, receives[i].end_ns,
                receives[i].request, receives[i].cancelled ? 0 : tags[receives[i].message]);
    struct result result = merge_as(made, 2, 1000, times);
    for (unsigned i = 0, n = 0; i < RECEIVES; i++) {
        const struct refrain_event *receive = receives[i].cancelled ? NULL : find(&result, REFRAIN_EVENT_RECV, 1, n++);
        const struct refrain_event *send = receive ? find(&result, REFRAIN_EVENT_SEND, 0, receives[i].message) : NULL;
        CHECK(!receive || receive->match == send->match, "seed %u: the %uth to end has the message of %lld, not %lld",
              seed, i, (long long)receive->match_time_ns, (long long)send->time_ns);
    }
    CHECK(result.in_order && result.report.unmatched_receives == 0, "seed %u: %llu receives without a message", seed,
          (unsigned long long)result.report.unmatched_receives);
    free(result.events);
}

/* One receive is pending all the time. Receives of other channels complete, and it gets its own message in the end. */
static void one_under_way(void) {
    struct made_stream made[] = {make(0, 0), make(1, 0)};
    request(&made[1], REFRAIN_EVENT_RECV_POST, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        send_tag(&made[0], 10 * i, 1);
        request(&made[1], REFRAIN_EVENT_RECV_POST, 10 * i + 1, i + 1, 0);
        request(&made[1], REFRAIN_EVENT_RECV, 10 * i + 2, i + 1, 1);
    }
    send_tag(&made[0], 20001, 2);
    request(&made[1], REFRAIN_EVENT_RECV, 20002, 0, 2);
    struct result result = merge(made, 2, 20000);
    for (unsigned i = 0; i < 2001; i += 100)
        CHECK(find(&result, REFRAIN_EVENT_RECV, 1, i)->match == find(&result, REFRAIN_EVENT_SEND, 0, i)->match,
              "receive %u", i);
    CHECK(result.report.matched_messages == 2001 && result.n == 9 * 2001, "%zu events", result.n);
    free(result.events);
}

/* A receive is pending during a pause in which others of its channel complete. */
static void overtaken_in_pause(void) {
    for (int late = 0; late < 2; late++) {
        struct made_stream made[] = {make(0, 0), make(1, 0)};
        request(&made[1], REFRAIN_EVENT_RECV_POST, 0, 0, 0);
        for (int i = 0; i < 4; i++)
            send_tag(&made[0], late ? 100 + i : i, 0);
        untold(&made[1], REFRAIN_EVENT_UNTOLD_RECEIVES, 10, 0, 2);
        request(&made[1], REFRAIN_EVENT_RECV, 20, 0, 0);
        receive(&made[1], 30, 40, 0);
        struct result result = merge(made, 2, 100);
        for (unsigned i = 0; i < 2; i++)
            CHECK(find(&result, REFRAIN_EVENT_RECV, 1, i)->match == find(&result, REFRAIN_EVENT_SEND, 0, 3 * i)->match,
                  "late %d, receive %u", late, i);
        CHECK(result.report.other_end_untold == 2 && result.report.unmatched_sends == 0, "%llu in pauses",
              (unsigned long long)result.report.other_end_untold);
        free(result.events);
    }
}

/* A receive is overtaken by another one of its channel, and is freed or completed after that: it has the first message.
 * If it is not known which message it took, or if its end is too late to be found ahead, the receives that may have had
 * this message are unsure. */
static void overtaken_and_given_up(void) {
    enum { KNOWN, ANY, COMPLETED };
    for (int end = KNOWN; end <= COMPLETED; end++)
        for (int late = 0; late < 2; late++) {
            struct made_stream made[] = {make(0, 0), make(1, 0)};
            request(&made[1], REFRAIN_EVENT_RECV_POST, 5, 0, 0);
            for (int i = 0; i < 3; i++)
                send_tag(&made[0], i, 0);
            request(&made[1], REFRAIN_EVENT_RECV_POST, 6, 1, 0);
            request(&made[1], REFRAIN_EVENT_RECV, 7, 1, 0);
            for (int i = 0; late && i < 1000; i++)
                add(&made[1], i % 2 ? REFRAIN_EVENT_LEAVE : REFRAIN_EVENT_ENTER, 10 + i, -1, &call);
            if (end == COMPLETED) {
                request(&made[1], REFRAIN_EVENT_RECV, 2000, 0, 0);
            } else {
                untold(&made[1], REFRAIN_EVENT_UNTOLD_RECEIVES, 2000, end == ANY ? -1 : 0, 1);
                made[1].events[made[1].n - 1].tag = end == ANY ? -1 : 0;
                made[1].events[made[1].n - 1].request = 0;
            }
            receive(&made[1], 3000, 3010, 0);
            struct result result = merge(made, 2, 2000);
            const struct refrain_event *first = find(&result, REFRAIN_EVENT_RECV, 1, 0),
                                       *second = find(&result, REFRAIN_EVENT_RECV, 1, 1);
            unsigned long long unsure = result.report.unsure_receives, wanted = end == ANY ? 2 : late;
            CHECK(unsure == wanted, "end %d, late %d: %llu unsure", end, late, unsure);
            CHECK(first->approximate == (end == ANY && !late) &&
                      second->approximate == (end == ANY || (end == COMPLETED && late)),
                  "end %d, late %d: approximate %d %d", end, late, first->approximate, second->approximate);
            CHECK(unsure || (first->match == find(&result, REFRAIN_EVENT_SEND, 0, 1)->match),
                  "end %d, late %d: another message", end, late);
            free(result.events);
        }
}

int main(void) {
    hybrid();
    overtaken_and_given_up();
    overtaken_in_pause();
    overtaken();
    for (unsigned seed = 0; seed < 200; seed++) {
        random_order(seed, 300, REFRAIN_TIMES_CONSISTENT);  /* waited for */
        random_order(seed, 1000, REFRAIN_TIMES_CONSISTENT); /* while messages are sent */
        random_order(seed, 2000, REFRAIN_TIMES_CONSISTENT);
        random_order(seed, 2000, REFRAIN_TIMES_AS_THEY_ARE);
        random_order(seed, 300, REFRAIN_TIMES_WITHOUT_PROBES);
    }
    one_under_way();
    pauses();
    pauses_at_once();
    collectives_in_pauses();
    missing_rank();
    ended_rank();
    let_through();
    approximate_collective();
    wait_of_probes();
    wait_hidden_by_probes();
    collective_of_probes();
    rounded_blocks();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
