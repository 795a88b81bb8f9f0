/* stats_balance.c: prints how evenly the ranks are loaded (stats_balance.h). */
#define _GNU_SOURCE
#include "commands/stats_balance.h"
#include "commands/command.h"

#include <jansson.h>
#include <stdio.h>

static int64_t computing(const struct refrain_activity_rank *rank) {
    return rank->times.own_ns[REFRAIN_OWN_TIME_COMPUTING];
}

static int64_t transmission(const struct refrain_activity_rank *rank) {
    return rank->times.own_ns[REFRAIN_OWN_TIME_TRANSMISSION];
}

static int64_t management(const struct refrain_activity_rank *rank) {
    return rank->times.own_ns[REFRAIN_OWN_TIME_MANAGEMENT];
}

static int64_t waiting(const struct refrain_activity_rank *rank) {
    return rank->times.waiting_ns;
}

static int64_t paused(const struct refrain_activity_rank *rank) {
    return rank->times.own_ns[REFRAIN_OWN_TIME_PAUSED];
}

static int64_t caused(const struct refrain_activity_rank *rank) {
    return rank->caused_ns;
}

/* The rows of the table and the members of the JSON. The table has no row for pauses if there were none. */
static const struct {
    const char *title, *key;
    int64_t (*of)(const struct refrain_activity_rank *rank);
} balances[] = {{"computing", "computing", computing},
                {"transmission", "transmission", transmission},
                {"management", "management", management},
                {"waiting", "waiting", waiting},
                {"paused", "paused", paused},
                {"others waited for it", "caused_waiting", caused}};
#define BALANCES (sizeof balances / sizeof *balances)

struct balance {
    int64_t least, most;
    int32_t least_rank, most_rank;
    double mean;
};

/* The least, greatest and mean time of the ranks that the user asked for. */
static struct balance balance_of(const struct refrain_activity *activity,
                                 int64_t (*of)(const struct refrain_activity_rank *rank)) {
    struct balance balance = {INT64_MAX, INT64_MIN, -1, -1, 0};
    for (size_t i = 0; i < activity->n_ranks; i++) {
        if (!activity->ranks[i].counts)
            continue;
        int64_t ns = of(&activity->ranks[i]);
        balance.mean += (double)ns / (double)activity->n_counted;
        if (ns < balance.least) {
            balance.least = ns;
            balance.least_rank = activity->ranks[i].rank;
        }
        if (ns > balance.most) {
            balance.most = ns;
            balance.most_rank = activity->ranks[i].rank;
        }
    }
    return balance;
}

static double imbalance_percent(const struct balance *balance) {
    return balance->mean > 0 ? 100 * ((double)balance->most - balance->mean) / balance->mean : 0;
}

void refrain_stats_balance_print(const struct refrain_activity *activity) {
    if (activity->n_ranks < 2)
        return;
    printf("\n%s%-20s %11s %6s %11s %11s %6s %10s%s\n", refrain_style(REFRAIN_BOLD), "ranks", "least", "rank", "mean",
           "most", "rank", "imbalance", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < BALANCES; i++) {
        struct balance balance = balance_of(activity, balances[i].of);
        if (balances[i].of == paused && balance.most == 0)
            continue;
        printf("%-20s %11s %6d %11s %11s %6d %8.1f %%\n", balances[i].title,
               refrain_show_ns((long double)balance.least), balance.least_rank,
               refrain_show_ns((long double)balance.mean), refrain_show_ns((long double)balance.most),
               balance.most_rank, imbalance_percent(&balance));
    }
}

json_t *refrain_stats_balance_json(const struct refrain_activity *activity) {
    json_t *object = json_object();
    for (size_t i = 0; i < BALANCES; i++) {
        struct balance balance = balance_of(activity, balances[i].of);
        json_object_set_new(object, balances[i].key,
                            json_pack("{sIsisfsIsisf}", "least_ns", (json_int_t)balance.least, "least_rank",
                                      (int)balance.least_rank, "mean_ns", balance.mean, "most_ns",
                                      (json_int_t)balance.most, "most_rank", (int)balance.most_rank,
                                      "imbalance_percent", imbalance_percent(&balance)));
    }
    return object;
}
