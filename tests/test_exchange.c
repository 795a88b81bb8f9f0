/* test_exchange.c: notices that processes tell each other: they come whole and in order, in batches of any size, and
 * nobody waits for ever or runs ahead without bound. An MPI program, for test_exchange.sh; each process prints what
 * failed.
 *
 *     mpiexec -n N test_exchange-<mpi> */
#define _GNU_SOURCE
#define CHECK_WHO() printf("process %d of %d: ", number, n_processes)
#include "check.h"
#include "parallel/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int number, n_processes;

/* So long a process goes on without anybody that takes in. */
#define MOST_UNDER_WAY (REFRAIN_EXCHANGE_BATCHES * REFRAIN_EXCHANGE_NOTICES)
#define MOST_LOCATIONS 32

static uint64_t random_state;

static unsigned any(unsigned below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- a trace of some locations, as far as the exchange looks at it ---- */

static struct refrain_location_info locations[MOST_LOCATIONS];
static int32_t owners[MOST_LOCATIONS];
static struct refrain_trace trace = {.locations = locations};

static struct refrain_exchange *open_exchange(uint32_t n) {
    trace.n_locations = n;
    for (uint32_t i = 0; i < n; i++) {
        locations[i].rank = (int32_t)i;
        owners[i] = (int32_t)i % n_processes;
    }
    return refrain_exchange_open(MPI_COMM_WORLD, owners, (int32_t)n, &trace);
}

static bool is_own(uint32_t location) {
    return owners[location] == number;
}

/* ---- what locations tell: so many numbered notices, and the end ---- */

static void tell(struct refrain_team *team, uint32_t location, uint64_t which) {
    struct refrain_notice notice = {.kind = REFRAIN_NOTICE_EVENT,
                                    .time_ns = (int64_t)which,
                                    .tag = location,
                                    .earliest_ns = (int64_t)(which * 7 + location)};
    refrain_team_tell(team, location, &notice);
}

static void tell_end(struct refrain_team *team, uint32_t location) {
    refrain_team_tell(team, location, &(struct refrain_notice){.kind = REFRAIN_NOTICE_END});
    team->leave(team, location);
}

/* Is the next notice that one, or the end where all `n` have come? */
static bool is_next(struct refrain_team *team, uint32_t location, uint64_t which, uint64_t n) {
    const struct refrain_notice *notice = refrain_team_next(team, location);
    if (!notice)
        return false;
    if (which == n)
        return notice->kind == REFRAIN_NOTICE_END;
    return notice->kind == REFRAIN_NOTICE_EVENT && notice->time_ns == (int64_t)which && notice->tag == location &&
           notice->earliest_ns == (int64_t)(which * 7 + location);
}

static void close_in_order(struct refrain_exchange *exchange, const char *what) {
    struct refrain_team *team = refrain_exchange_team(exchange);
    refrain_exchange_end(exchange);
    CHECK(!team->wrong, "%s: %s", what, team->wrong);
    refrain_exchange_close(exchange);
}

/* The own location tells its notices before that one, and the end as the last. */
static void tell_up_to(struct refrain_team *team, uint32_t location, uint64_t *at, uint64_t until, uint64_t notices) {
    for (; *at < until && *at < notices; ++*at)
        tell(team, location, *at);
    if (*at < until) {
        tell_end(team, location);
        ++*at;
    }
    team->leave(team, location);
}

/* Locations tell their notices and processes read those of others, a few at a time, in any order. Nobody waits for a
 * notice before he has told as many himself: so there is always one who can go on. */
static void by_turns(uint32_t n, uint64_t notices, unsigned at_a_time) {
    struct refrain_exchange *exchange = open_exchange(n);
    struct refrain_team *team = refrain_exchange_team(exchange);
    uint64_t at[MOST_LOCATIONS] = {0}, wrong = 0;
    random_state = (uint64_t)number + n + notices;
    for (uint32_t ended = 0; ended < n;) {
        uint32_t i = any(n);
        uint64_t until = at[i] + 1 + any(at_a_time);
        if (at[i] > notices)
            continue;
        if (until > notices + 1)
            until = notices + 1;
        for (uint32_t own = 0; own < n; own++)
            if (is_own(own) && (own == i || !is_own(i)) && at[own] < until) {
                tell_up_to(team, own, &at[own], until, notices);
                ended += at[own] > notices;
            }
        for (; at[i] < until; at[i]++)
            wrong += !is_next(team, i, at[i], notices);
        ended += !is_own(i) && at[i] > notices;
    }
    CHECK(wrong == 0, "%u locations, %llu notices, %u at a time: %llu are others", n, (unsigned long long)notices,
          at_a_time, (unsigned long long)wrong);
    close_in_order(exchange, "by turns");
}

/* All tell everything before they read anything: more than may be under way, and more than is held for later. */
static void all_at_once(uint64_t notices) {
    uint32_t n = (uint32_t)n_processes;
    struct refrain_exchange *exchange = open_exchange(n);
    struct refrain_team *team = refrain_exchange_team(exchange);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < notices; i++)
        tell(team, (uint32_t)number, i);
    tell_end(team, (uint32_t)number);
    for (uint32_t location = 0; location < n; location++)
        for (uint64_t i = 0; i <= notices && !is_own(location); i++)
            wrong += !is_next(team, location, i, notices);
    CHECK(wrong == 0, "%llu of %llu notices are others", (unsigned long long)wrong, (unsigned long long)notices);
    close_in_order(exchange, "all at once");
}

/* Process 0 says that it has come so far; the others wait for that, for a minute at most. */
static void say(MPI_Comm comm) {
    for (int i = 1; i < n_processes; i++)
        MPI_Send(NULL, 0, MPI_BYTE, i, 0, comm);
}

static void wait_for_say(MPI_Comm comm) {
    int said = 0;
    for (double since = now(); !said && now() - since < 60;) {
        MPI_Iprobe(0, 0, comm, &said, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* for it to come further, if it does */
    CHECK(said, "process 0 waited for others before it had to");
}

/* Process 0 tells while the others do something else: it goes on as long as its batches can be under way, no further,
 * and then as others take in. */
static void not_without_bound(void) {
    uint64_t notices = 3 * MOST_UNDER_WAY, wrong = 0;
    struct refrain_exchange *exchange = open_exchange(1);
    struct refrain_team *team = refrain_exchange_team(exchange);
    double beyond = 0, began = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (number == 0) {
        for (uint64_t i = 0; i < notices; i++) {
            if (i == MOST_UNDER_WAY - REFRAIN_EXCHANGE_NOTICES)
                say(comm);
            tell(team, 0, i);
            if (i == MOST_UNDER_WAY)
                beyond = now();
        }
        tell_end(team, 0);
    } else {
        wait_for_say(comm);
        began = now();
        for (uint64_t i = 0; i <= notices; i++)
            wrong += !is_next(team, 0, i, notices);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    CHECK(wrong == 0, "%llu notices are others", (unsigned long long)wrong);
    close_in_order(exchange, "bound");
    double first = number == 0 ? 1e300 : began;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    CHECK(number > 0 || n_processes == 1 || beyond > first, "it ran ahead by more than may be under way");
}

/* Process 0 gives up half way: the others hear of it, whether they wait for it or read what it told before, and no
 * notice is another one. */
static void one_gives_up(uint64_t notices) {
    uint32_t n = (uint32_t)n_processes + 1; /* the last one is process 0's too */
    struct refrain_exchange *exchange = open_exchange(n);
    struct refrain_team *team = refrain_exchange_team(exchange);
    uint64_t came = 0;
    if (number == 0) {
        for (uint64_t i = 0; i < notices; i++)
            tell(team, 0, i);
        team->leave(team, 0);
    } else {
        while (is_next(team, 0, came, UINT64_MAX))
            came++;
        CHECK(team->wrong && came <= notices, "%llu of %llu notices came: %s", (unsigned long long)came,
              (unsigned long long)notices, team->wrong ? team->wrong : "");
        CHECK(!refrain_team_next(team, 0), "more come after the end");
        for (uint64_t i = 0; i < 2 * MOST_UNDER_WAY; i++) /* what is told now reaches nobody */
            tell(team, (uint32_t)number, i);
        tell_end(team, (uint32_t)number);
    }
    refrain_exchange_end(exchange);
    refrain_exchange_end(exchange);
    CHECK(team->wrong, "%llu notices: nothing is wrong", (unsigned long long)notices);
    refrain_exchange_close(exchange);
}

/* One finds that the run cannot be shared out while the others are through. */
static void one_finds_fault(void) {
    struct refrain_exchange *exchange = open_exchange((uint32_t)n_processes);
    struct refrain_team *team = refrain_exchange_team(exchange);
    tell_end(team, (uint32_t)number);
    for (uint32_t location = 0; location < (uint32_t)n_processes; location++)
        CHECK(is_own(location) || is_next(team, location, 0, 0), "location %u does not end", location);
    if (number == n_processes - 1)
        team->wrong = "a test";
    refrain_exchange_end(exchange);
    CHECK(team->wrong, "process %d does not know", number);
    refrain_exchange_close(exchange);
}

int main(int argc, char **argv) {
    static const uint64_t sizes[] = {0,
                                     1,
                                     2,
                                     REFRAIN_EXCHANGE_NOTICES - 1,
                                     REFRAIN_EXCHANGE_NOTICES,
                                     REFRAIN_EXCHANGE_NOTICES + 1,
                                     20 * REFRAIN_EXCHANGE_NOTICES};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        by_turns(1, sizes[i], 1); /* some processes have no location */
        by_turns((uint32_t)n_processes, sizes[i], 3);
        by_turns(4 * (uint32_t)n_processes, sizes[i], 700);
        all_at_once(sizes[i]);
        one_gives_up(sizes[i]);
    }
    all_at_once(200000);
    not_without_bound();
    one_finds_fault();
    unsigned long long sums[] = {passed, failed};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (number == 0)
        printf("%llu passed, %llu failed\n", sums[0], sums[1]);
    MPI_Finalize();
    return sums[1] != 0;
}
