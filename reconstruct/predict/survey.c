/* survey.c: collects what new times need from the whole run (survey.h). */
#include "predict/survey.h"
#include "common/array.h"
#include "common/table.h"
#include "model/mpi_call.h"

#include <stdlib.h>
#include <string.h>

/* A message whose send has not ended, or whose receive is not complete. */
struct message {
    int64_t sent_ns, ended_ns, posted_ns, bytes; /* -1: unknown so far */
    size_t receiver;                             /* its location */
    uint64_t posted_at;                          /* number of the event that posted the receive */
    bool synchronous, buffered;
};

struct posting {
    int64_t ns;
    uint64_t number;
};

struct frame {
    struct refrain_region_frame head;
    uint64_t number; /* of its begin event */
};

/* Activations of a balanced region on a rank. */
struct activations {
    int64_t *ns;
    size_t n, capacity;
    unsigned depth;
};

struct location {
    struct refrain_region_stack stack;
    struct activations *balanced; /* by number of the change; null: no activation has begun */
    uint64_t *sends;              /* matches of blocking sends in the current call */
    size_t n_sends, capacity_sends;
    int64_t was_ns;
    uint64_t n_events;
};

struct refrain_survey {
    const struct refrain_changes *changes;
    struct refrain_location_index index;
    struct location *locations; /* by number; one more for locations that the trace does not list */
    struct refrain_table messages, sends, postings, posts, held;
    int64_t eager_bytes,
        held_bytes; /* size of the largest eager message, and of the smallest that waited for its receiver */
    double **means; /* by number of the change and of the activation */
    size_t *n_means;
    bool no_memory;
};

struct refrain_survey *refrain_survey_open(const struct refrain_trace *trace, const struct refrain_changes *changes) {
    struct refrain_survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return NULL;
    survey->changes = changes;
    survey->eager_bytes = -1;
    survey->held_bytes = INT64_MAX;
    survey->locations = calloc(trace->n_locations + 1, sizeof *survey->locations);
    survey->means = calloc(changes->n + 1, sizeof *survey->means);
    survey->n_means = calloc(changes->n + 1, sizeof *survey->n_means);
    if (survey->locations && survey->means && survey->n_means && refrain_location_index_open(&survey->index, trace))
        return survey;
    refrain_survey_close(survey);
    return NULL;
}

void refrain_survey_close(struct refrain_survey *survey) {
    if (!survey)
        return;
    for (size_t i = 0; survey->locations && i <= survey->index.n; i++) {
        struct location *location = &survey->locations[i];
        for (size_t k = 0; location->balanced && k < survey->changes->n; k++)
            free(location->balanced[k].ns);
        free(location->balanced);
        free(location->sends);
        refrain_region_stack_free(&location->stack);
    }
    for (size_t i = 0; survey->means && i < survey->changes->n; i++)
        free(survey->means[i]);
    refrain_table_free(&survey->messages);
    refrain_table_free(&survey->postings);
    refrain_table_close(&survey->sends);
    refrain_table_close(&survey->posts);
    refrain_table_close(&survey->held);
    refrain_location_index_close(&survey->index);
    free(survey->locations);
    free(survey->means);
    free(survey->n_means);
    free(survey);
}

/* ---- senders that wait ---- */

static void drop(struct refrain_table *table, uint64_t a, uint64_t b) {
    refrain_free(refrain_table_object(table, a, b));
    refrain_table_remove(table, a, b);
}

static void put(struct refrain_survey *survey, struct refrain_table *table, uint64_t a, uint64_t b, uintptr_t number) {
    survey->no_memory |= !refrain_table_put(table, a, b, number);
}

/* Compares the end of the send with the posting of the receive, both of which are known. */
static void judge(struct refrain_survey *survey, uint64_t match, const struct message *message) {
    if (!message->synchronous && !message->buffered) {
        if (message->ended_ns < message->posted_ns && message->bytes > survey->eager_bytes)
            survey->eager_bytes = message->bytes;
        else if (message->ended_ns >= message->posted_ns && message->posted_ns > message->sent_ns &&
                 message->bytes > survey->eager_bytes)
            put(survey, &survey->held, (uint64_t)message->bytes, 0, 1);
    }
    if (message->synchronous || (!message->buffered && message->bytes > survey->eager_bytes))
        put(survey, &survey->posts, message->receiver, message->posted_at, match);
    drop(&survey->messages, match, 0);
}

static bool is_synchronous(enum refrain_mpi_kind kind) {
    return kind == REFRAIN_MPI_SSEND || kind == REFRAIN_MPI_ISSEND;
}

static void send(struct refrain_survey *survey, size_t number, const struct refrain_event *event) {
    struct location *location = &survey->locations[number];
    const enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    struct message *message =
        event->match ? refrain_table_make(&survey->messages, event->match, 0, sizeof *message) : NULL;
    survey->no_memory |= event->match && !message;
    if (!message)
        return;
    *message = (struct message){.sent_ns = event->time_ns,
                                .ended_ns = -1,
                                .posted_ns = -1,
                                .bytes = event->bytes,
                                .synchronous = is_synchronous(kind),
                                .buffered = kind == REFRAIN_MPI_BSEND || kind == REFRAIN_MPI_IBSEND};
    if (event->request >= 0)
        put(survey, &survey->sends, number, (uint64_t)event->request, event->match);
    else if (REFRAIN_ARRAY_ROOM(location->sends, location->n_sends, location->capacity_sends))
        location->sends[location->n_sends++] = event->match;
    else
        survey->no_memory = true;
}

static void end_send(struct refrain_survey *survey, uint64_t match, int64_t ns) {
    struct message *message = refrain_table_object(&survey->messages, match, 0);
    if (!message)
        return;
    message->ended_ns = ns;
    if (message->posted_ns >= 0)
        judge(survey, match, message);
}

static void complete_send(struct refrain_survey *survey, size_t number, const struct refrain_event *event) {
    uint64_t match = refrain_table_number(&survey->sends, number, (uint64_t)event->request);
    refrain_table_remove(&survey->sends, number, (uint64_t)event->request);
    if (match)
        end_send(survey, match, event->time_ns);
}

static void post(struct refrain_survey *survey, size_t number, const struct refrain_event *event) {
    struct posting *posting = refrain_table_make(&survey->postings, number, (uint64_t)event->request, sizeof *posting);
    survey->no_memory |= !posting;
    if (posting)
        *posting = (struct posting){event->time_ns, survey->locations[number].n_events};
}

static void receive(struct refrain_survey *survey, size_t number, const struct refrain_event *event) {
    const struct frame *frame = refrain_region_stack_top(&survey->locations[number].stack);
    struct message *message = event->match ? refrain_table_object(&survey->messages, event->match, 0) : NULL;
    const struct posting *posting =
        event->request >= 0 ? refrain_table_object(&survey->postings, number, (uint64_t)event->request) : NULL;
    if (message && (posting || (event->request < 0 && frame))) {
        message->posted_ns = posting ? posting->ns : frame->head.enter_ns;
        message->posted_at = posting ? posting->number : frame->number;
        message->receiver = number;
        if (message->ended_ns >= 0)
            judge(survey, event->match, message);
    }
    if (posting)
        drop(&survey->postings, number, (uint64_t)event->request);
}

static void end_call(struct refrain_survey *survey, struct location *location, int64_t ns) {
    for (size_t i = 0; i < location->n_sends; i++)
        end_send(survey, location->sends[i], ns);
    location->n_sends = 0;
}

bool refrain_survey_sender_waits(const struct refrain_survey *survey, const struct refrain_event *send) {
    return is_synchronous(refrain_mpi_kind(send->region)) ||
           (send->bytes > survey->eager_bytes && send->bytes >= survey->held_bytes);
}

uint64_t refrain_survey_posts(const struct refrain_survey *survey, size_t location, uint64_t number) {
    return refrain_table_number(&survey->posts, location, number);
}

/* ---- balance ---- */

static struct activations *activations_of(struct refrain_survey *survey, struct location *location,
                                          const struct refrain_event *event) {
    size_t balance = refrain_changes_of(survey->changes, event->region)->balance;
    if (balance == 0 || event->thread > 0)
        return NULL;
    if (!location->balanced && !(location->balanced = calloc(survey->changes->n, sizeof *location->balanced)))
        survey->no_memory = true;
    return location->balanced ? &location->balanced[balance - 1] : NULL;
}

/* The outermost activation of a region begins, unless one is open. */
static void begin_activation(struct refrain_survey *survey, struct activations *activations) {
    if (activations->depth++ > 0)
        return;
    if (REFRAIN_ARRAY_ROOM(activations->ns, activations->n, activations->capacity))
        activations->ns[activations->n++] = 0;
    else
        survey->no_memory = true;
}

static void add_computing(const struct refrain_survey *survey, struct location *location, int64_t ns) {
    for (size_t i = 0; location->balanced && i < survey->changes->n; i++)
        if (location->balanced[i].depth > 0)
            location->balanced[i].ns[location->balanced[i].n - 1] += ns;
}

static bool mean(struct refrain_survey *survey, size_t balance) {
    size_t most = 0;
    for (size_t i = 0; i < survey->index.n; i++)
        if (survey->locations[i].balanced && survey->locations[i].balanced[balance].n > most)
            most = survey->locations[i].balanced[balance].n;
    double *means = survey->means[balance] = calloc(most + 1, sizeof *means);
    survey->n_means[balance] = most;
    for (size_t n = 0; means && n < most; n++) {
        size_t ranks = 0;
        for (size_t i = 0; i < survey->index.n; i++)
            if (survey->locations[i].balanced && survey->locations[i].balanced[balance].n > n) {
                means[n] += (double)survey->locations[i].balanced[balance].ns[n];
                ranks++;
            }
        means[n] /= (double)ranks;
    }
    return means;
}

double refrain_survey_mean_ns(const struct refrain_survey *survey, size_t balance, int32_t rank, size_t n,
                              int64_t *own_ns) {
    struct refrain_event event = {.rank = rank};
    const struct location *location = &survey->locations[refrain_location_index_of(&survey->index, &event)];
    *own_ns = location->balanced && n < location->balanced[balance].n ? location->balanced[balance].ns[n] : 0;
    return n < survey->n_means[balance] ? survey->means[balance][n] : 0;
}

/* ---- events ---- */

static void enter(struct refrain_survey *survey, struct location *location, const struct refrain_event *event) {
    struct frame *frame = refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, event->time_ns);
    survey->no_memory |= !frame;
    if (frame)
        frame->number = location->n_events;
    struct activations *activations = activations_of(survey, location, event);
    if (activations)
        begin_activation(survey, activations);
}

static void leave(struct refrain_survey *survey, struct location *location, const struct refrain_event *event) {
    refrain_region_stack_leave(&location->stack, 0);
    if (event->region->kind == REFRAIN_REGION_MPI)
        end_call(survey, location, event->time_ns);
    struct activations *activations = activations_of(survey, location, event);
    if (activations && activations->depth > 0)
        activations->depth--;
}

bool refrain_survey_event(struct refrain_survey *survey, const struct refrain_event *event) {
    const size_t number = refrain_location_index_of(&survey->index, event);
    struct location *location = &survey->locations[number];
    const struct frame *top = refrain_region_stack_top(&location->stack);
    if (top && top->head.region->kind != REFRAIN_REGION_MPI)
        add_computing(survey, location, event->time_ns - location->was_ns);
    location->was_ns = event->time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        enter(survey, location, event);
        break;
    case REFRAIN_EVENT_LEAVE:
        leave(survey, location, event);
        break;
    case REFRAIN_EVENT_SEND:
        send(survey, number, event);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
        complete_send(survey, number, event);
        break;
    case REFRAIN_EVENT_RECV_POST:
        post(survey, number, event);
        break;
    case REFRAIN_EVENT_RECV:
        receive(survey, number, event);
        break;
    default:
        break;
    }
    location->n_events++;
    return !survey->no_memory;
}

bool refrain_survey_finish(struct refrain_survey *survey) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&survey->held, slot));)
        if ((int64_t)slot->a > survey->eager_bytes && (int64_t)slot->a < survey->held_bytes)
            survey->held_bytes = (int64_t)slot->a;
    for (size_t i = 0; i < survey->changes->n; i++)
        if (survey->changes->changes[i].kind == REFRAIN_CHANGE_BALANCE)
            survey->no_memory |= !mean(survey, i);
    return !survey->no_memory;
}
