/* report_stretches.c: finds out which rank computes longest in which part of the run (report.h).
 *
 *     rank 0   ========..................     = computes, . waits for the one that does
 *     rank 1   ........========..........
 *     rank 2   ................==========
 *     stretch  |   0  |    1   |    2   |     in each bin of a stretch the same rank computes longest
 *
 * If ranks alternate within a bin, or from bin to bin, there are no stretches. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>

#define UNEVEN 0.1       /* least distance of the mean from the longest computing in a bin, as a share of the longest */
#define LEAST_BINS 3.0   /* least number of bins of a stretch, on average */
#define MOST_STRETCHES 5 /* stretches that are named */

struct stretch {
    int32_t rank;
    int64_t end_ns; /* end of its last bin */
};

struct stretches {
    struct stretch all[REFRAIN_DELAY_BINS];
    size_t n, bins; /* bins: number of bins in which one rank computes longest */
};

/* The rank that computes longest in a bin; -1 if all compute about equally long. */
static int32_t longest_in(const struct refrain_delays *delays, size_t bin) {
    double most = 0, sum = 0;
    int32_t rank = -1;
    for (size_t i = 0; i < delays->n_ranks; i++) {
        double ns = (double)delays->ranks[i].bins_ns[bin][REFRAIN_DOING_COMPUTING];
        sum += ns;
        if (ns > most) {
            most = ns;
            rank = (int32_t)i;
        }
    }
    return delays->n_known && most - sum / (double)delays->n_known > UNEVEN * most ? rank : -1;
}

static void find_stretches(const struct refrain_delays *delays, struct stretches *stretches) {
    for (size_t bin = 0; bin < REFRAIN_DELAY_BINS; bin++) {
        int32_t rank = longest_in(delays, bin);
        if (rank < 0)
            continue;
        stretches->bins++;
        if (stretches->n == 0 || stretches->all[stretches->n - 1].rank != rank)
            stretches->all[stretches->n++].rank = rank;
        stretches->all[stretches->n - 1].end_ns = (int64_t)(bin + 1) * delays->bin_ns;
    }
}

char *refrain_report_moving_load(struct refrain_report *report) {
    struct stretches stretches = {.n = 0};
    find_stretches(report->delays, &stretches);
    if (stretches.n < 2 || (double)stretches.bins < LEAST_BINS * (double)stretches.n)
        return NULL;
    char *text = refrain_report_text(report, "%s", "");
    size_t named = stretches.n <= MOST_STRETCHES ? stretches.n : MOST_STRETCHES - 1;
    for (size_t i = 0; i < named && text; i++) {
        const struct stretch *stretch = &stretches.all[i];
        char *more = i + 1 == stretches.n
                         ? refrain_report_text(report, "%s, then rank %d", text, stretch->rank)
                         : refrain_report_text(report, "%s%srank %d until %s", text, i ? ", then " : "", stretch->rank,
                                               refrain_show_ns((long double)stretch->end_ns));
        free(text);
        text = more;
    }
    if (text && named < stretches.n) {
        char *more = refrain_report_text(report, "%s, and so on with %zu more changes", text, stretches.n - named);
        free(text);
        text = more;
    }
    return text;
}
