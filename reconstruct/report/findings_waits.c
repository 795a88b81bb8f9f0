/* findings_waits.c: what ranks wait for, by the place where it begins (report.h).
 *
 *     a place that causes waiting --> who is late there: one rank, or now this and now that one
 *                                 --> how it is waited for: kinds of waits --> kind of the finding
 *                                 --> sentence */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define ONE_RANK 0.6    /* share of a place's cost from which on the finding is about one rank */
#define ALONE 0.9       /* share of the time in a place from which on no other rank is mentioned */
#define ALL_WAIT 0.6    /* share of a rank's time alone from which on the others are said to wait meanwhile */
#define CHAIN 0.3       /* share of indirect waiting for messages from which on it is a chain */
#define MUCH_LONGER 2.0 /* times the mean; from this on a sentence gives the factor */
#define MENTIONED 0.1   /* share of waiting from which on a part is mentioned */
#define NEARLY_ALL 0.95 /* share of a place's cost from which on a part counts as all */
#define EVEN 0.005      /* relative difference up to which two times count as equal */
#define ABOUT_EVEN 0.1  /* the same, for a load that moves from rank to rank */
#define BESIDE 0.5      /* share of waiting from which on other threads are said to compute meanwhile */
#define MARGIN 0.2      /* around the incident in a picture, as a share of its length */

struct delay {
    const struct refrain_delays *delays;
    const struct refrain_delay_place *place;
    int32_t rank;                    /* the rank that causes most */
    bool one_rank;                   /* it causes nearly all */
    double mean_ns, spent_ns, alone; /* in the place: mean of the ranks; of `rank`; its share of all ranks' */
    int32_t least_rank, most_rank;
    size_t n_waiting;
    int64_t direct_ns, messages_ns; /* direct waiting; indirect waiting in calls for messages */
    const struct refrain_delay_victim *victim;
};

/* True if the rank waits a good part of an even share. A rank also waits a little for itself, through other ranks. */
static bool waits_much(const struct refrain_delays *delays, const struct refrain_delay_place *place, size_t rank) {
    return (double)place->waited_ns[rank] * (double)delays->n_known > MENTIONED * (double)place->total_caused_ns;
}

static struct delay look_at(const struct refrain_delays *delays, const struct refrain_delay_place *place) {
    struct delay delay = {.delays = delays, .place = place, .least_rank = -1, .most_rank = -1};
    double sum = 0;
    for (size_t i = 0; i < delays->n_ranks; i++) {
        int32_t rank = (int32_t)i;
        if (!delays->ranks[i].known)
            continue;
        sum += (double)place->spent_ns[i];
        delay.n_waiting += waits_much(delays, place, i);
        if (place->caused_ns[i] > place->caused_ns[delay.rank])
            delay.rank = rank;
        if (delay.least_rank < 0 || place->spent_ns[i] < place->spent_ns[delay.least_rank])
            delay.least_rank = rank;
        if (delay.most_rank < 0 || place->spent_ns[i] > place->spent_ns[delay.most_rank])
            delay.most_rank = rank;
    }
    delay.one_rank = (double)place->caused_ns[delay.rank] >= ONE_RANK * (double)place->total_caused_ns;
    delay.spent_ns = (double)place->spent_ns[delay.rank];
    delay.mean_ns = delays->n_known ? sum / (double)delays->n_known : 0;
    delay.alone = sum > 0 ? delay.spent_ns / sum : 0;
    delay.direct_ns = place->total_caused_ns - place->indirect_ns;
    delay.messages_ns = place->indirect_messages_ns;
    delay.victim = &place->victims[0];
    for (unsigned i = 1; i < REFRAIN_DELAY_VICTIMS; i++)
        if (place->victims[i].direct_ns > delay.victim->direct_ns)
            delay.victim = &place->victims[i];
    return delay;
}

/* ---- kinds ---- */

static bool is_serial(const struct delay *delay) {
    double others = (double)delay->delays->n_known - 1;
    return delay->one_rank && delay->delays->n_known > 2 && delay->alone >= ALONE &&
           (double)delay->direct_ns >= ALL_WAIT * others * delay->spent_ns;
}

static enum refrain_finding_kind kind_of(const struct delay *delay) {
    static const enum refrain_finding_kind kinds[REFRAIN_WAIT_KINDS] = {
        [REFRAIN_WAIT_LATE_SENDER] = REFRAIN_FINDING_LATE_SENDER,
        [REFRAIN_WAIT_LATE_RECEIVER] = REFRAIN_FINDING_LATE_RECEIVER,
        [REFRAIN_WAIT_BARRIER] = REFRAIN_FINDING_IMBALANCE,
        [REFRAIN_WAIT_N_TO_N] = REFRAIN_FINDING_IMBALANCE,
        [REFRAIN_WAIT_EARLY_REDUCE] = REFRAIN_FINDING_EARLY_REDUCE,
        [REFRAIN_WAIT_LATE_BROADCAST] = REFRAIN_FINDING_LATE_ROOT,
        [REFRAIN_WAIT_COMPLETION_SEND] = REFRAIN_FINDING_LATE_RECEIVER,
        [REFRAIN_WAIT_COMPLETION_RECEIVE] = REFRAIN_FINDING_LATE_SENDER,
        [REFRAIN_WAIT_COMPLETION_COLLECTIVE] = REFRAIN_FINDING_IMBALANCE};
    if (delay->place->doing != REFRAIN_DOING_COMPUTING)
        return REFRAIN_FINDING_SLOW_CALL;
    if (is_serial(delay))
        return REFRAIN_FINDING_SERIAL_PHASE;
    if ((double)delay->messages_ns >= CHAIN * (double)delay->place->total_caused_ns)
        return REFRAIN_FINDING_DELAY_CHAIN;
    return kinds[delay->victim->kind];
}

/* ---- parts of sentences ---- */

/* "rank 1 waits", "the others wait", "3 ranks wait" */
static char *who_waits(struct refrain_report *report, const struct delay *delay) {
    size_t others = delay->delays->n_known - 1;
    if (delay->n_waiting == 1)
        for (size_t i = 0; i < delay->delays->n_ranks; i++)
            if (waits_much(delay->delays, delay->place, i))
                return refrain_report_text(report, "rank %zu waits", i);
    if (delay->n_waiting == others && delay->one_rank && !waits_much(delay->delays, delay->place, (size_t)delay->rank))
        return refrain_report_text(report, "the others wait");
    return refrain_report_text(report, "%zu ranks wait", delay->n_waiting);
}

/* "60 ms for it", "60 ms, 45 ms of it for this one" */
static char *how_much(struct refrain_report *report, const struct delay *delay) {
    int64_t all_ns = delay->place->total_caused_ns, its_ns = delay->place->caused_ns[delay->rank];
    const char *all = refrain_show_ns((long double)all_ns);
    if (!delay->one_rank)
        return refrain_report_text(report, "%s for each other", all);
    if ((double)its_ns >= NEARLY_ALL * (double)all_ns)
        return refrain_report_text(report, "%s for it", all);
    return refrain_report_text(report, "%s, %s of it for this one", all, refrain_show_ns((long double)its_ns));
}

/* "28 % longer than the mean" */
static char *how_long(struct refrain_report *report, const struct delay *delay) {
    if (delay->alone >= ALONE)
        return refrain_report_text(report, "for %s, as %s", refrain_show_ns((long double)delay->spent_ns),
                                   delay->delays->n_known == 2 ? "the other rank hardly does"
                                                               : "hardly any other rank does");
    if (delay->mean_ns > 0 && delay->spent_ns >= MUCH_LONGER * delay->mean_ns)
        return refrain_report_text(report, "%.1f times as long as the mean", delay->spent_ns / delay->mean_ns);
    if (delay->mean_ns > 0 && delay->spent_ns > (1 + EVEN) * delay->mean_ns)
        return refrain_report_text(report, "%s longer than the mean",
                                   refrain_report_percent(delay->spent_ns / delay->mean_ns - 1));
    return refrain_report_text(report, "longer at times, though not in all");
}

/* "in MPI_Allreduce step.c:21", "most in ...", "the largest part in ...". */
static char *where_waited(struct refrain_report *report, const struct delay *delay) {
    double share = (double)delay->victim->ns / (double)delay->place->total_caused_ns;
    return refrain_report_text(report, "%sin %s",
                               share >= 0.99  ? ""
                               : share >= 0.5 ? "most "
                                              : "the largest part ",
                               refrain_show_region(delay->victim->region));
}

/* ---- sentences ---- */

/* The parts of the sentences; freed by describe(). */
struct words {
    char *place, *waits, *longer, *much, *in;
};

static char *sentence_of_rank(struct refrain_report *report, enum refrain_finding_kind kind, const struct delay *delay,
                              const struct words *words) {
    switch (kind) {
    case REFRAIN_FINDING_SERIAL_PHASE:
        return refrain_report_text(report, "only rank %d computes %s, for %s; meanwhile %s %s, %s", delay->rank,
                                   words->place, refrain_show_ns((long double)delay->spent_ns), words->waits,
                                   words->much, words->in);
    case REFRAIN_FINDING_LATE_SENDER:
    case REFRAIN_FINDING_LATE_RECEIVER:
        return refrain_report_text(report, "rank %d %s late in %s: it computes %s, %s; %s %s, %s", delay->rank,
                                   kind == REFRAIN_FINDING_LATE_SENDER ? "sends" : "receives",
                                   refrain_show_region(delay->victim->cause), words->place, words->longer, words->waits,
                                   words->much, words->in);
    case REFRAIN_FINDING_DELAY_CHAIN:
        return refrain_report_text(report,
                                   "rank %d computes %s, %s; the delay goes on from rank to rank with messages: %s %s, "
                                   "%s",
                                   delay->rank, words->place, words->longer, words->waits, words->much, words->in);
    case REFRAIN_FINDING_SLOW_CALL:
        return refrain_report_text(report, "rank %d is late: it is %s, %s; %s %s, %s", delay->rank, words->place,
                                   words->longer, words->waits, words->much, words->in);
    default:
        return refrain_report_text(report, "rank %d computes %s, %s; %s %s, %s", delay->rank, words->place,
                                   words->longer, words->waits, words->much, words->in);
    }
}

static char *sentence_of_ranks(struct refrain_report *report, const struct delay *delay, const struct words *words) {
    const struct refrain_delay_place *at = delay->place;
    double least = (double)at->spent_ns[delay->least_rank], most = (double)at->spent_ns[delay->most_rank];
    const char *uneven = at->doing == REFRAIN_DOING_COMPUTING ? "compute unevenly" : "take uneven times";
    if (most <= (1 + EVEN) * least)
        return refrain_report_text(
            report,
            "the ranks %s %s, now this one longer and now another, though as long in all; %s %s, "
            "%s",
            uneven, words->place, words->waits, words->much, words->in);
    return refrain_report_text(report, "the ranks %s %s, from %s on rank %d to %s on rank %d; %s %s, %s", uneven,
                               words->place, refrain_show_ns((long double)least), delay->least_rank,
                               refrain_show_ns((long double)most), delay->most_rank, words->waits, words->much,
                               words->in);
}

/* "rank 0 -> 1 -> 2" */
static void print_path(const struct refrain_delay_incident *incident, char *text, size_t bytes) {
    size_t n = (size_t)snprintf(text, bytes, "rank %d", incident->rank);
    for (uint32_t i = 0; i < incident->n_path && n < bytes; i++)
        n += (size_t)snprintf(text + n, bytes - n, " -> %d", incident->path[i]);
    if (n < bytes)
        snprintf(text + n, bytes - n, " -> %d", incident->waiter);
}

/* The sentence for a load that moves from rank to rank. Null: it does not move, or no memory. */
static char *sentence_of_moving(struct refrain_report *report, const struct delay *delay, const struct words *words) {
    const struct refrain_delay_place *at = delay->place;
    double least = (double)at->spent_ns[delay->least_rank], most = (double)at->spent_ns[delay->most_rank];
    if (delay->one_rank || at->doing != REFRAIN_DOING_COMPUTING || least < (1 - ABOUT_EVEN) * most)
        return NULL;
    char *stretches = refrain_report_moving_load(report);
    if (!stretches)
        return NULL;
    char *text = refrain_report_text(report,
                                     "the load moves from rank to rank %s: %s; over the run each computes about as "
                                     "long there (%s to %s), but %s %s, %s",
                                     words->place, stretches, refrain_show_ns((long double)least),
                                     refrain_show_ns((long double)most), words->waits, words->much, words->in);
    free(stretches);
    return text;
}

/* Adds to a finding about waiting that other threads of the waiting ranks compute meanwhile. The sentence so far
 * becomes the cause. */
static void mention_threads(struct refrain_report *report, struct refrain_finding *finding, const struct delay *delay,
                            const struct words *words) {
    int32_t waiter = delay->place->worst.waiter;
    const struct refrain_region_info *in = refrain_team_load_rank(report->delays->team, waiter)->works_in;
    char *cause = finding->sentence, *detail = finding->detail;
    finding->kind = REFRAIN_FINDING_WAITS_BESIDE_THREADS;
    finding->at_most = true;
    finding->sentence = refrain_report_text(report, "%s %s, %s, while threads of their own compute for %s of that%s%s",
                                            words->waits, refrain_show_ns((long double)delay->place->total_caused_ns),
                                            words->in, refrain_show_ns((long double)delay->place->beside_ns),
                                            in ? ", most in " : "", in ? refrain_show_region(in) : "");
    finding->detail =
        refrain_report_text(report, "The first threads could take part in that work. They wait since %s. %s",
                            cause ? cause : "", detail ? detail : "");
    free(cause);
    free(detail);
}

static char *detail_of(struct refrain_report *report, const struct delay *delay) {
    const struct refrain_delay_place *place = delay->place;
    const struct refrain_delay_incident *worst = &place->worst;
    char path[160] = "", indirect[320] = "";
    print_path(worst, path, sizeof path);
    if ((double)place->indirect_ns >= MENTIONED * (double)place->total_caused_ns)
        snprintf(indirect, sizeof indirect, " %s of it is passed on by ranks that are late since they waited%s%s%s.",
                 refrain_show_ns((long double)place->indirect_ns), worst->n_path ? " (" : "", worst->n_path ? path : "",
                 worst->n_path ? ")" : "");
    return refrain_report_text(report, "The worst moment is at %s, where others wait %s for rank %d.%s",
                               refrain_show_ns((long double)worst->end_ns), refrain_show_ns((long double)worst->ns),
                               worst->rank, indirect);
}

static void set_window(const struct refrain_report *report, struct refrain_finding *finding,
                       const struct refrain_delay_incident *incident) {
    int64_t waited_ns = incident->end_ns - incident->begin_ns, before_ns = incident->begin_ns - incident->met_ns;
    before_ns = before_ns > 3 * waited_ns ? 3 * waited_ns : before_ns;
    finding->from_ns = incident->begin_ns - before_ns;
    finding->to_ns = incident->end_ns + (int64_t)(MARGIN * (double)(incident->end_ns - finding->from_ns)) + 1;
    if (finding->to_ns > report->delays->to_ns)
        finding->to_ns = report->delays->to_ns + 1;
}

static char *command_of(struct refrain_report *report, const struct refrain_finding *finding) {
    char window[96];
    snprintf(window, sizeof window, " --from %.6f --to %.6f -o worst.svg", (double)finding->from_ns / 1e9,
             (double)finding->to_ns / 1e9);
    return refrain_report_command(report, "refrain view ", window);
}

static void describe(struct refrain_report *report, struct refrain_finding *finding, const struct delay *delay) {
    struct words words = {refrain_report_place(report, delay->place), who_waits(report, delay), how_long(report, delay),
                          how_much(report, delay), where_waited(report, delay)};
    finding->rank = delay->one_rank ? delay->rank : -1;
    finding->function = delay->place->function;
    finding->call = delay->place->call;
    finding->waits_in = delay->victim->region;
    finding->place = delay->place;
    char *moving = sentence_of_moving(report, delay, &words);
    if (moving) {
        finding->kind = REFRAIN_FINDING_MOVING_LOAD;
        finding->sentence = moving;
    } else if (!report->no_memory)
        finding->sentence = delay->one_rank ? sentence_of_rank(report, finding->kind, delay, &words)
                                            : sentence_of_ranks(report, delay, &words);
    set_window(report, finding, &delay->place->worst);
    finding->detail = detail_of(report, delay);
    if (!report->no_memory && (double)delay->place->beside_ns >= BESIDE * (double)delay->place->total_caused_ns)
        mention_threads(report, finding, delay, &words);
    finding->command = command_of(report, finding);
    free(words.place);
    free(words.waits);
    free(words.longer);
    free(words.much);
    free(words.in);
}

void refrain_findings_waits(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    for (size_t i = 0; i < delays->n_places; i++) {
        const struct refrain_delay_place *place = delays->places[i];
        if (place->total_caused_ns == 0)
            break; /* sorted: the others cause less */
        struct delay delay = look_at(delays, place);
        enum refrain_finding_kind kind = kind_of(&delay);
        if (!delay.one_rank && kind != REFRAIN_FINDING_SLOW_CALL)
            kind = kind == REFRAIN_FINDING_DELAY_CHAIN ? kind : REFRAIN_FINDING_IMBALANCE;
        struct refrain_finding *finding = refrain_report_add(report, kind, (double)place->total_caused_ns);
        if (finding)
            describe(report, finding, &delay);
    }
}
