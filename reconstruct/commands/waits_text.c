/* waits_text.c: prints which rank waits for which (waits_text.h). */
#define _GNU_SOURCE
#include "commands/waits_text.h"
#include "commands/command.h"
#include "common/path.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define MOST_NAMED 12u
#define MOST_WAITS 16u
#define MOST_CAUSES 8u

static void print_call(FILE *file, const struct refrain_live_rank *rank) {
    if (!rank->call)
        return;
    fputs(refrain_show_name(rank->call->name), file);
    if (rank->call->file[0]) {
        fputc(' ', file);
        fputs(refrain_show_name(refrain_base_name(rank->call->file)), file);
        fprintf(file, ":%u", rank->call->line);
    }
    if (rank->function[0]) {
        fputs(" in ", file);
        fputs(refrain_show_name(rank->function), file);
    }
}

static void print_comm(FILE *file, const struct refrain_comm_info *comm) {
    if (comm->index == 0)
        fputs("MPI_COMM_WORLD", file);
    else if (comm->name && comm->name[0])
        fputs(refrain_show_name(comm->name), file);
    else
        fprintf(file, "communicator %u of %d ranks", comm->index, comm->size);
}

void refrain_waits_print_rank(FILE *file, const struct refrain_live_rank *rank) {
    static const struct {
        const char *text, *before_call; /* null: the rank's latest call is not printed */
    } states[] = {
        [REFRAIN_LIVE_COMPUTES] = {"computes", ", after "},
        [REFRAIN_LIVE_CALLS] = {"in", " "},
        [REFRAIN_LIVE_FINISHED] = {"has ended", NULL},
        [REFRAIN_LIVE_ABORTED] = {"called", " "},
        [REFRAIN_LIVE_GONE] = {"is gone without having ended", "; last "},
        [REFRAIN_LIVE_MISSING] = {"has no file", NULL},
    };
    fputs(states[rank->state].text, file);
    if (!states[rank->state].before_call || !rank->call)
        return;
    fputs(states[rank->state].before_call, file);
    print_call(file, rank);
}

/* ---- who waits for whom ---- */

/* Prints how long a rank has been in its state; if the job is over, until its end. */
static void print_since(FILE *file, const struct refrain_live *live, const struct refrain_live_rank *rank) {
    const char *before = !live->is_over ? "" : live->end_is_known ? "for " : "for at least ";
    fprintf(file, ", %s%s%s\n", before, refrain_show_ns((long double)rank->since_ns), live->is_over ? "" : " so far");
}

static void print_need(FILE *file, const struct refrain_live *live, const struct refrain_hang_edge *edge) {
    const struct refrain_live_rank *rank = &live->ranks[edge->rank];
    fprintf(file, "  rank %d in ", rank->rank);
    print_call(file, rank);
    if (edge->tag >= 0)
        fprintf(file, " (tag %d)", edge->tag);
    fprintf(file, " %s for rank %d to %s", live->is_over ? "waited" : "waits", edge->awaited,
            edge->collective ? "enter it"
            : edge->sends    ? "receive"
                             : "send");
    print_since(file, live, rank);
}

static const struct refrain_hang_edge *edge_of(const struct refrain_hang *hang, int32_t rank, int32_t awaited) {
    for (size_t i = 0; i < hang->n_edges; i++)
        if (hang->edges[i].rank == rank && hang->edges[i].awaited == awaited)
            return &hang->edges[i];
    return NULL;
}

static void print_deadlock(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang) {
    bool one = hang->n_hanging == 1;
    if (live->is_over)
        fprintf(file, "\ndeadlock at the end%s: %zu rank%s waited for what could not come\n",
                live->end_is_known ? "" : ", as it seems", hang->n_hanging, one ? "" : "s");
    else
        fprintf(file, "\ndeadlock: %zu rank%s wait%s for what cannot come\n", hang->n_hanging, one ? "" : "s",
                one ? "s" : "");
    if (hang->n_cycle > 0) {
        fputs("cycle of waiting:", file);
        for (size_t i = 0; i < hang->n_cycle; i++)
            fprintf(file, " %d ->", hang->cycle[i]);
        fprintf(file, " %d\n", hang->cycle[0]);
        for (size_t i = 0; i < hang->n_cycle; i++)
            print_need(file, live, edge_of(hang, hang->cycle[i], hang->cycle[(i + 1) % hang->n_cycle]));
    }
}

static void print_tag(FILE *file, int64_t tag, const struct refrain_comm_info *comm) {
    if (tag < 0)
        fputs("any tag", file);
    else
        fprintf(file, "tag %lld", (long long)tag);
    if (!comm)
        return;
    fputs(" on ", file);
    print_comm(file, comm);
}

static void print_causes(FILE *file, const struct refrain_hang *hang) {
    for (size_t i = 0; i < hang->n_causes && i < MOST_CAUSES; i++) {
        const struct refrain_hang_cause *cause = &hang->causes[i];
        fprintf(file, "likely cause: rank %d waits for ", cause->sent.destination);
        print_tag(file, cause->tag, cause->comm);
        fprintf(file, ", but what rank %d has sent it and it has not received is %s message%s with ",
                cause->sent.source, refrain_show_count(cause->sent.messages), cause->sent.messages == 1 ? "" : "s");
        print_tag(file, cause->sent.tag, cause->sent.comm);
        fputc('\n', file);
    }
    if (hang->n_causes > MOST_CAUSES)
        fprintf(file, "  %zu more of this kind\n", hang->n_causes - MOST_CAUSES);
    if (hang->causes_unknown)
        fputs("messages that nobody received were not searched, as the run is long: see refrain stats\n", file);
}

static bool is_in_cycle(const struct refrain_hang *hang, const struct refrain_hang_edge *edge) {
    for (size_t i = 0; i < hang->n_cycle; i++)
        if (hang->cycle[i] == edge->rank && hang->cycle[(i + 1) % hang->n_cycle] == edge->awaited)
            return true;
    return false;
}

/* Prints one rank of a list "0, 2, 3 and 5 more": the n-th, if n < MOST_NAMED. print_rest() prints the number of the
 * others. */
static void print_rank(FILE *file, size_t n, int32_t rank) {
    if (n < MOST_NAMED)
        fprintf(file, "%s%d", n ? ", " : " ", rank);
}

static void print_rest(FILE *file, size_t n) {
    if (n > MOST_NAMED)
        fprintf(file, " and %zu more", n - MOST_NAMED);
}

static bool is_same_collective(const struct refrain_live_rank *a, const struct refrain_live_rank *b) {
    return a->state == REFRAIN_LIVE_CALLS && b->state == REFRAIN_LIVE_CALLS && a->in_collective && b->in_collective &&
           a->comm == b->comm && a->ordinal == b->ordinal && a->call && b->call &&
           strcmp(a->call->name, b->call->name) == 0;
}

/* Prints all ranks that are in the same collective as this rank, itself included. */
static void print_entered(FILE *file, const struct refrain_live *live, const struct refrain_live_rank *rank) {
    size_t n = 0;
    for (size_t i = 0; i < live->n_ranks; i++)
        if (is_same_collective(&live->ranks[i], rank))
            print_rank(file, n++, (int32_t)i);
    print_rest(file, n);
}

static bool is_lowest_in_collective(const struct refrain_live *live, const struct refrain_live_rank *rank) {
    for (int32_t i = 0; i < rank->rank; i++)
        if (is_same_collective(&live->ranks[i], rank))
            return false;
    return true;
}

/* Prints pairs of collectives that are each the n-th of a communicator, but different functions. A pair is printed
 * once, for the lowest ranks in both. */
static void print_mismatches(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang) {
    for (size_t i = 0; i < hang->n_edges; i++) {
        const struct refrain_hang_edge *edge = &hang->edges[i];
        const struct refrain_live_rank *rank = &live->ranks[edge->rank], *other = &live->ranks[edge->awaited];
        if (!edge->mismatch || edge->rank > edge->awaited || !is_lowest_in_collective(live, rank) ||
            !is_lowest_in_collective(live, other))
            continue;
        fprintf(file, "likely cause: collective %u on ", rank->ordinal);
        print_comm(file, rank->comm);
        fprintf(file, " is %s on rank", refrain_show_name(rank->call->name));
        print_entered(file, live, rank);
        fprintf(file, " and %s on rank", refrain_show_name(other->call->name));
        print_entered(file, live, other);
        fputc('\n', file);
    }
}

/* Prints the collective that the rank is in, and the ranks that have not entered it. A collective is printed once, for
 * the lowest rank in it. */
static void print_collective(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang,
                             const struct refrain_live_rank *rank) {
    size_t missing = 0;
    if (!is_lowest_in_collective(live, rank))
        return;
    fputs("\n", file);
    print_call(file, rank);
    fprintf(file, ", collective %u on ", rank->ordinal);
    print_comm(file, rank->comm);
    fputs(": entered by rank", file);
    print_entered(file, live, rank);
    fprintf(file, "; not entered by\n");
    for (size_t i = 0; i < hang->n_edges; i++) {
        const struct refrain_hang_edge *edge = &hang->edges[i];
        if (edge->rank != rank->rank || !edge->collective)
            continue;
        const struct refrain_live_rank *late = &live->ranks[edge->awaited];
        if (missing++ >= MOST_NAMED)
            continue;
        fprintf(file, "  rank %d, which ", late->rank);
        fputs(late->state == REFRAIN_LIVE_CALLS ? "is " : "", file);
        refrain_waits_print_rank(file, late);
        if (late->state == REFRAIN_LIVE_COMPUTES || late->state == REFRAIN_LIVE_CALLS)
            print_since(file, live, late);
        else
            fputc('\n', file);
    }
    if (missing > MOST_NAMED)
        fprintf(file, "  %zu more\n", missing - MOST_NAMED);
}

void refrain_waits_print(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang) {
    size_t shown = 0;
    if (hang->n_hanging > 0)
        print_deadlock(file, live, hang);
    print_causes(file, hang);
    print_mismatches(file, live, hang);
    for (size_t i = 0; i < hang->n_edges; i++) {
        const struct refrain_hang_edge *edge = &hang->edges[i];
        bool first = i == 0 || hang->edges[i - 1].rank != edge->rank || !hang->edges[i - 1].collective;
        if (edge->collective && first)
            print_collective(file, live, hang, &live->ranks[edge->rank]);
    }
    for (size_t i = 0; i < hang->n_edges; i++)
        if (!hang->edges[i].collective && !is_in_cycle(hang, &hang->edges[i]) && shown++ < MOST_WAITS) {
            if (shown == 1)
                fprintf(file, "\nwaiting%s:\n", live->is_over ? " at the end" : "");
            print_need(file, live, &hang->edges[i]);
        }
    if (shown > MOST_WAITS)
        fprintf(file, "  %zu more\n", shown - MOST_WAITS);
}

/* ---- a job that is over ---- */

static size_t count(const struct refrain_live *live, enum refrain_live_state state) {
    size_t n = 0;
    for (size_t i = 0; i < live->n_ranks; i++)
        n += live->ranks[i].state == state;
    return n;
}

enum refrain_status refrain_waits_print_end(struct refrain_trace *trace, uint64_t most_calls,
                                            struct refrain_error *error) {
    struct refrain_live *live;
    struct refrain_hang hang;
    enum refrain_status status = refrain_hang_at_end(trace, most_calls, &live, &hang, error);
    if (status || !live)
        return status;
    size_t aborted = count(live, REFRAIN_LIVE_ABORTED), finished = count(live, REFRAIN_LIVE_FINISHED);
    printf("\nhow it ended: of %zu ranks %zu were in MPI, %zu computed", live->n_ranks, count(live, REFRAIN_LIVE_CALLS),
           count(live, REFRAIN_LIVE_COMPUTES));
    if (finished)
        printf(", %zu had finished", finished);
    if (aborted)
        printf(", %zu called MPI_Abort", aborted);
    if (!live->end_is_known)
        fputs("; the time of the end is unknown without refrain record: times are lower bounds", stdout);
    putchar('\n');
    refrain_waits_print(stdout, live, &hang);
    refrain_hang_close(&hang);
    refrain_live_close(live);
    return REFRAIN_OK;
}

static json_t *edge_json(const struct refrain_live *live, const struct refrain_hang_edge *edge) {
    const struct refrain_live_rank *rank = &live->ranks[edge->rank];
    json_t *object = json_object();
    json_object_set_new(object, "rank", json_integer(edge->rank));
    json_object_set_new(object, "for_rank", json_integer(edge->awaited));
    json_object_set_new(object, "to", json_string(edge->collective ? "enter" : edge->sends ? "receive" : "send"));
    json_object_set_new(object, "tag", json_integer(edge->tag));
    json_object_set_new(object, "in_another_collective", json_boolean(edge->mismatch));
    json_object_set_new(object, "ns", json_integer(rank->since_ns));
    if (rank->call) {
        json_object_set_new(object, "call", refrain_json_text(rank->call->name));
        json_object_set_new(object, "file", refrain_json_text(rank->call->file));
        json_object_set_new(object, "line", json_integer(rank->call->line));
    }
    return object;
}

static json_t *cause_json(const struct refrain_hang_cause *cause) {
    json_t *object = json_object();
    json_object_set_new(object, "rank", json_integer(cause->sent.destination));
    json_object_set_new(object, "waits_for_tag", json_integer(cause->tag));
    json_object_set_new(object, "waits_on_comm", json_integer(cause->comm ? (json_int_t)cause->comm->index : -1));
    json_object_set_new(object, "sender", json_integer(cause->sent.source));
    json_object_set_new(object, "messages", json_integer((json_int_t)cause->sent.messages));
    json_object_set_new(object, "sent_with_tag", json_integer(cause->sent.tag));
    json_object_set_new(object, "sent_on_comm",
                        json_integer(cause->sent.comm ? (json_int_t)cause->sent.comm->index : -1));
    return object;
}

enum refrain_status refrain_waits_add_end(struct refrain_trace *trace, uint64_t most_calls, json_t *object,
                                          struct refrain_error *error) {
    struct refrain_live *live;
    struct refrain_hang hang;
    enum refrain_status status = refrain_hang_at_end(trace, most_calls, &live, &hang, error);
    if (status || !live)
        return status;
    json_t *end = json_object(), *waits = json_array(), *causes = json_array(), *hanging = json_array();
    for (size_t i = 0; i < hang.n_edges; i++)
        json_array_append_new(waits, edge_json(live, &hang.edges[i]));
    for (size_t i = 0; i < hang.n_causes; i++)
        json_array_append_new(causes, cause_json(&hang.causes[i]));
    for (size_t i = 0; i < live->n_ranks; i++)
        if (hang.hangs[i])
            json_array_append_new(hanging, json_integer((json_int_t)i));
    json_object_set_new(end, "time_is_known", json_boolean(live->end_is_known));
    json_object_set_new(end, "hanging_ranks", hanging);
    json_object_set_new(end, "waits", waits);
    json_object_set_new(end, "likely_causes", causes);
    json_object_set_new(object, "end", end);
    refrain_hang_close(&hang);
    refrain_live_close(live);
    return REFRAIN_OK;
}
