/* test_waiting_stream.c: tests the waiting times of calls (analysis/waiting.h) with streams of events written by hand,
 * without trace, replay or MPI. Each case is a stream, and the waits that it must have, in their order. */
#include "analysis/waiting.h"
#include "check.h"

#include <string.h>

#define RANKS 3
#define MOST_EVENTS 24u
#define MOST_WAITS 4u

enum call { SEND, RECV, ISEND, IRECV, WAIT, BARRIER, BCAST, REDUCE, ALLREDUCE, IBARRIER, WORK, CALLS };

static struct refrain_region_info regions[CALLS] = {
    [SEND] = {.name = "MPI_Send"},
    [RECV] = {.name = "MPI_Recv"},
    [ISEND] = {.name = "MPI_Isend"},
    [IRECV] = {.name = "MPI_Irecv"},
    [WAIT] = {.name = "MPI_Waitall"},
    [BARRIER] = {.name = "MPI_Barrier", .role = REFRAIN_COLLECTIVE_BARRIER},
    [BCAST] = {.name = "MPI_Bcast", .role = REFRAIN_COLLECTIVE_BCAST},
    [REDUCE] = {.name = "MPI_Reduce", .role = REFRAIN_COLLECTIVE_REDUCE},
    [ALLREDUCE] = {.name = "MPI_Allreduce", .role = REFRAIN_COLLECTIVE_ALLREDUCE},
    [IBARRIER] = {.name = "MPI_Ibarrier", .role = REFRAIN_COLLECTIVE_BARRIER},
    [WORK] = {.name = "work"}};

/* An event. Peer, match and request are set only for kinds that have them. */
struct told {
    int64_t ns;
    int32_t rank;
    enum call call;
    enum refrain_event_kind kind;
    int32_t peer;
    uint64_t match;
    int64_t request; /* from 1; 0: none */
};

struct wanted {
    enum refrain_wait_kind kind;
    int32_t rank;
    int64_t begin_ns, until_ns;
    int32_t cause_rank;
    enum call call, cause;
};

struct test {
    const char *name;
    struct told told[MOST_EVENTS]; /* up to the first one at 0 */
    struct wanted wanted[MOST_WAITS];
    size_t n;
};

#define IN(ns, rank, call)                                                                                             \
    { ns, rank, call, REFRAIN_EVENT_ENTER, -1, 0, 0 }
#define OUT(ns, rank, call)                                                                                            \
    { ns, rank, call, REFRAIN_EVENT_LEAVE, -1, 0, 0 }
#define SENT(ns, rank, call, to, match, request)                                                                       \
    { ns, rank, call, REFRAIN_EVENT_SEND, to, match, request }
#define GOT(ns, rank, call, from, match, request)                                                                      \
    { ns, rank, call, REFRAIN_EVENT_RECV, from, match, request }
#define POST(ns, rank, request)                                                                                        \
    { ns, rank, IRECV, REFRAIN_EVENT_RECV_POST, -1, 0, request }
#define DONE(ns, rank, request)                                                                                        \
    { ns, rank, WAIT, REFRAIN_EVENT_SEND_COMPLETE, -1, 0, request }
#define ALL(ns, rank, call, root)                                                                                      \
    { ns, rank, call, REFRAIN_EVENT_COLLECTIVE, root, 77, 0 }
#define BEGUN(ns, rank)                                                                                                \
    { ns, rank, IBARRIER, REFRAIN_EVENT_COLLECTIVE, -1, 77, 1 }
#define ENDED(ns, rank)                                                                                                \
    { ns, rank, WAIT, REFRAIN_EVENT_COLLECTIVE_COMPLETE, -1, 77, 1 }

static const struct test tests[] = {
    {"late sender",
     {IN(10, 0, RECV), IN(50, 1, SEND), SENT(50, 1, SEND, 0, 1, 0), OUT(51, 1, SEND), GOT(55, 0, RECV, 1, 1, 0),
      OUT(56, 0, RECV)},
     {{REFRAIN_WAIT_LATE_SENDER, 0, 10, 50, 1, RECV, SEND}},
     1},
    {"the message was there",
     {IN(10, 1, SEND), SENT(10, 1, SEND, 0, 1, 0), OUT(11, 1, SEND), IN(50, 0, RECV), GOT(55, 0, RECV, 1, 1, 0),
      OUT(56, 0, RECV)},
     {{0}},
     0},
    {"late receiver",
     {IN(10, 1, SEND), SENT(10, 1, SEND, 0, 1, 0), IN(50, 0, RECV), GOT(55, 0, RECV, 1, 1, 0), OUT(56, 0, RECV),
      OUT(57, 1, SEND)},
     {{REFRAIN_WAIT_LATE_RECEIVER, 1, 10, 50, 0, SEND, RECV}},
     1},
    {"a send that was left before the receive was posted did not wait for it",
     {IN(10, 1, SEND), SENT(10, 1, SEND, 0, 1, 0), OUT(20, 1, SEND), IN(50, 0, RECV), GOT(55, 0, RECV, 1, 1, 0)},
     {{0}},
     0},
    {"completion of a receive",
     {IN(5, 0, IRECV), POST(5, 0, 1), OUT(6, 0, IRECV), IN(10, 0, WAIT), IN(50, 1, SEND), SENT(50, 1, SEND, 0, 1, 0),
      GOT(55, 0, WAIT, 1, 1, 1), OUT(56, 0, WAIT)},
     {{REFRAIN_WAIT_COMPLETION_RECEIVE, 0, 10, 50, 1, WAIT, SEND}},
     1},
    {"completion of a send, received before it completes",
     {IN(5, 0, ISEND), SENT(5, 0, ISEND, 1, 1, 1), OUT(6, 0, ISEND), IN(10, 0, WAIT), IN(40, 1, RECV),
      GOT(42, 1, RECV, 0, 1, 0), OUT(43, 1, RECV), DONE(44, 0, 1), OUT(45, 0, WAIT)},
     {{REFRAIN_WAIT_COMPLETION_SEND, 0, 10, 40, 1, WAIT, RECV}},
     1},
    {"completion of a send, received after it completed",
     {IN(5, 0, ISEND), SENT(5, 0, ISEND, 1, 1, 1), OUT(6, 0, ISEND), IN(10, 0, WAIT), IN(40, 1, RECV), DONE(44, 0, 1),
      OUT(45, 0, WAIT), GOT(46, 1, RECV, 0, 1, 0), OUT(47, 1, RECV)},
     {{REFRAIN_WAIT_COMPLETION_SEND, 0, 10, 40, 1, WAIT, RECV}},
     1},
    {"what an earlier wait of the call covers does not count again",
     {IN(5, 0, IRECV), POST(5, 0, 1), POST(5, 0, 2), OUT(6, 0, IRECV), IN(10, 0, WAIT), IN(30, 2, SEND),
      SENT(30, 2, SEND, 0, 2, 0), IN(50, 1, SEND), SENT(50, 1, SEND, 0, 1, 0), GOT(55, 0, WAIT, 1, 1, 1),
      GOT(56, 0, WAIT, 2, 2, 2), OUT(57, 0, WAIT)},
     {{REFRAIN_WAIT_COMPLETION_RECEIVE, 0, 10, 50, 1, WAIT, SEND}},
     1},
    {"... and what it leaves counts from its end on",
     {IN(5, 0, IRECV), POST(5, 0, 1), POST(5, 0, 2), OUT(6, 0, IRECV), IN(10, 0, WAIT), IN(30, 2, SEND),
      SENT(30, 2, SEND, 0, 2, 0), IN(50, 1, SEND), SENT(50, 1, SEND, 0, 1, 0), GOT(55, 0, WAIT, 2, 2, 2),
      GOT(56, 0, WAIT, 1, 1, 1), OUT(57, 0, WAIT)},
     {{REFRAIN_WAIT_COMPLETION_RECEIVE, 0, 10, 30, 2, WAIT, SEND},
      {REFRAIN_WAIT_COMPLETION_RECEIVE, 0, 30, 50, 1, WAIT, SEND}},
     2},
    {"barrier: all but the last",
     {IN(10, 0, BARRIER), ALL(10, 0, BARRIER, -1), IN(20, 1, BARRIER), ALL(20, 1, BARRIER, -1), IN(40, 2, BARRIER),
      ALL(40, 2, BARRIER, -1), OUT(41, 0, BARRIER), OUT(42, 2, BARRIER), OUT(43, 1, BARRIER)},
     {{REFRAIN_WAIT_BARRIER, 0, 10, 40, 2, BARRIER, BARRIER}, {REFRAIN_WAIT_BARRIER, 1, 20, 40, 2, BARRIER, BARRIER}},
     2},
    {"broadcast: only for the root",
     {IN(10, 0, BCAST), ALL(10, 0, BCAST, 1), IN(20, 1, BCAST), ALL(20, 1, BCAST, 1), OUT(21, 1, BCAST),
      OUT(22, 0, BCAST), IN(40, 2, BCAST), ALL(40, 2, BCAST, 1), OUT(41, 2, BCAST)},
     {{REFRAIN_WAIT_LATE_BROADCAST, 0, 10, 20, 1, BCAST, BCAST}},
     1},
    {"reduction: only the root, for the last of the others",
     {IN(10, 0, REDUCE), ALL(10, 0, REDUCE, 0), IN(20, 1, REDUCE), ALL(20, 1, REDUCE, 0), IN(40, 2, REDUCE),
      ALL(40, 2, REDUCE, 0), OUT(41, 2, REDUCE), OUT(44, 1, REDUCE), OUT(45, 0, REDUCE)},
     {{REFRAIN_WAIT_EARLY_REDUCE, 0, 10, 40, 2, REDUCE, REDUCE}},
     1},
    {"all to all",
     {IN(10, 0, ALLREDUCE), ALL(10, 0, ALLREDUCE, -1), IN(20, 1, ALLREDUCE), ALL(20, 1, ALLREDUCE, -1),
      IN(20, 2, ALLREDUCE), ALL(20, 2, ALLREDUCE, -1), OUT(25, 0, ALLREDUCE), OUT(25, 1, ALLREDUCE),
      OUT(25, 2, ALLREDUCE)},
     {{REFRAIN_WAIT_N_TO_N, 0, 10, 20, 1, ALLREDUCE, ALLREDUCE}},
     1},
    {"completion of a collective: whoever began it last",
     {IN(10, 0, IBARRIER), BEGUN(10, 0), OUT(11, 0, IBARRIER), IN(12, 0, WAIT), IN(20, 1, IBARRIER), BEGUN(20, 1),
      OUT(21, 1, IBARRIER), IN(40, 2, IBARRIER), BEGUN(40, 2), OUT(41, 2, IBARRIER), ENDED(42, 0), OUT(43, 0, WAIT),
      IN(44, 1, WAIT), ENDED(45, 1), OUT(46, 1, WAIT)},
     {{REFRAIN_WAIT_COMPLETION_COLLECTIVE, 0, 12, 40, 2, WAIT, IBARRIER}},
     1},
    {"a collective that not all have entered",
     {IN(10, 0, BARRIER), ALL(10, 0, BARRIER, -1), IN(20, 1, BARRIER), ALL(20, 1, BARRIER, -1), OUT(25, 0, BARRIER)},
     {{0}},
     0},
    {"a receive without its send", {IN(10, 0, RECV), GOT(55, 0, RECV, 1, 9, 0), OUT(56, 0, RECV)}, {{0}}, 0},
    {"events of a call that was not entered",
     {SENT(5, 1, SEND, 0, 1, 0), OUT(6, 1, SEND), GOT(7, 0, RECV, 1, 1, 0), OUT(8, 0, RECV)},
     {{0}},
     0},
};

static void compare(const struct test *test, size_t at, const struct refrain_wait *wait) {
    const struct wanted *wanted = &test->wanted[at];
    if (at >= test->n) {
        CHECK(false, "%s: a further wait, of rank %d", test->name, wait->rank);
        return;
    }
    CHECK(wait->kind == wanted->kind, "%s: %s", test->name, refrain_wait_kind_name(wait->kind));
    CHECK(wait->rank == wanted->rank && wait->cause_rank == wanted->cause_rank, "%s: rank %d for %d", test->name,
          wait->rank, wait->cause_rank);
    CHECK(wait->begin_ns == wanted->begin_ns && wait->ns == wanted->until_ns - wanted->begin_ns,
          "%s: from %lld, %lld ns", test->name, (long long)wait->begin_ns, (long long)wait->ns);
    CHECK(wait->region == &regions[wanted->call] && wait->cause == &regions[wanted->cause], "%s: %s for %s", test->name,
          wait->region->name, wait->cause->name);
}

static void run(const struct test *test, const struct refrain_trace *trace) {
    struct refrain_waiting *waiting = refrain_waiting_open(trace);
    size_t n = 0;
    for (const struct told *told = test->told; told < test->told + MOST_EVENTS && told->ns; told++) {
        struct refrain_event event = {.kind = told->kind,
                                      .rank = told->rank,
                                      .time_ns = told->ns,
                                      .region = &regions[told->call],
                                      .comm = &trace->comms[0],
                                      .peer = told->peer,
                                      .request = told->request - 1,
                                      .match = told->match};
        CHECK(refrain_waiting_event(waiting, &event), "%s: no memory", test->name);
        if (event.wait)
            compare(test, n++, event.wait);
        if (event.peer_wait)
            compare(test, n++, event.peer_wait);
    }
    CHECK(n == test->n, "%s: %zu waits, not %zu", test->name, n, test->n);
    refrain_waiting_close(waiting);
}

int main(void) {
    struct refrain_process processes[RANKS] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
    struct refrain_location_info locations[RANKS] = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
    struct refrain_comm_info world = {.name = "MPI_COMM_WORLD", .size = RANKS};
    struct refrain_trace trace = {.processes = processes,
                                  .n_processes = RANKS,
                                  .locations = locations,
                                  .n_locations = RANKS,
                                  .regions = regions,
                                  .n_regions = CALLS,
                                  .comms = &world,
                                  .n_comms = 1};
    for (unsigned i = 0; i < CALLS; i++) {
        regions[i].index = i;
        regions[i].kind = i == WORK ? REFRAIN_REGION_FUNCTION : REFRAIN_REGION_MPI;
        regions[i].file = regions[i].function = "";
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        run(&tests[i], &trace);
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
