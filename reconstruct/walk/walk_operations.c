/* walk_operations.c: replays the operations of MPI calls (walk_parts.h). It takes values in the order in which the
 * monitor's call.c appends them. */
#include "common/arena.h"
#include "walk/walk_parts.h"
#include "walk/walk_time.h"

#include <string.h>

/* ---- requests ---- */

static bool take_request(struct refrain_walk *walk, const struct refrain_operation_record *posted, int64_t comm,
                         bool persistent) {
    return refrain_walk_requests_take(&walk->requests, posted, comm, persistent) ||
           refrain_walk_fail(walk, walk->stack[walk->depth - 1].at->slot,
                             "more requests in flight than there is memory for");
}

static bool names_requests(uint32_t operation) {
    return operation == REFRAIN_OP_COMPLETE || operation == REFRAIN_OP_COMPLETE_RUN ||
           operation == REFRAIN_OP_CANCELLED || operation == REFRAIN_OP_FREE;
}

/* True if requests are only likely ones. Then any request that fits the operation will do. */
static bool guesses_requests(const struct refrain_walk *walk) {
    return walk->approximate || walk->requests.guessed;
}

/* The pending request with this number. If requests are only likely ones: else any pending one. */
static struct refrain_walk_request *likely_request(const struct refrain_walk *walk, int64_t number) {
    struct refrain_walk_request *request = refrain_walk_requests_at(&walk->requests, number);
    return !guesses_requests(walk) || (request && request->active > 0)
               ? request
               : refrain_walk_requests_oldest(&walk->requests, NULL);
}

/* True if the number taken last stands for several numbers without counts of their own. */
static bool stands_for_others(const struct refrain_walk_learner *numbers) {
    const struct refrain_tally_reader *rows = &numbers->rows;
    return rows->tally ? rows->gave_other || rows->tally->dropped & 1
                       : numbers->sequence.learner->state == REFRAIN_SUMMARY;
}

/* Starts a persistent request. If the order of starts and completions is approximate, more requests may start than
 * exist. Then a request starts several times, and completes as often. The count of its number says how often. */
static struct refrain_walk_request *begin(struct refrain_walk *walk, const struct refrain_walk_learner *numbers,
                                          int64_t number) {
    struct refrain_walk_request *request = refrain_walk_requests_at(&walk->requests, number);
    bool guesses = guesses_requests(walk);
    if (guesses && (!request || !request->persistent || stands_for_others(numbers)))
        request = refrain_walk_requests_to_begin(&walk->requests, &numbers->rows);
    if (!request)
        return NULL;
    request->guessed += guesses;
    refrain_walk_requests_set_active(&walk->requests, request, guesses ? request->active + 1 : 1);
    return request;
}

static void end(struct refrain_walk *walk, struct refrain_walk_request *request) {
    refrain_walk_requests_set_active(&walk->requests, request, request->active > 1 ? request->active - 1 : 0);
}

/* Completes a request and sets the parameters of the record: source, tag and bytes of a receive, bytes of a file
 * access. False if the operation that posted it has no such values left. */
static bool complete(struct refrain_walk *walk, struct refrain_walk_request *request, struct refrain_record *record) {
    record->parameters[0] = refrain_walk_requests_number(&walk->requests, request);
    if (request->posted) {
        bool moves = request->posted->operation == REFRAIN_OP_IO_REQUEST;
        const struct refrain_learner *learners = &request->posted->parameter[moves ? REFRAIN_PARAMETER_MOVED : 0];
        unsigned n = moves ? 1 : REFRAIN_PARAMETERS - 1;
        int64_t values[REFRAIN_PARAMETERS] = {[REFRAIN_PARAMETERS - 1] = request->comm};
        if (!refrain_walk_take_row(walk, learners, values, n, moves ? n : REFRAIN_PARAMETERS, &record->approximate))
            return false;
        memcpy(&record->parameters[1], values, n * sizeof *values);
        record->n_parameters += n;
    }
    end(walk, request);
    if (!request->persistent)
        refrain_walk_requests_give(&walk->requests, request);
    return true;
}

bool refrain_walk_complete_next(struct refrain_walk *walk, struct refrain_record *record) {
    const struct refrain_walk_activation *top = &walk->stack[walk->depth - 1];
    bool guesses = guesses_requests(walk), in_call = top->kind == REFRAIN_RECORD_CALL_ENTER;
    walk->run_left--;
    if (in_call)
        walk->completing_site = top->id;
    bool returned = in_call && top->returned;
    refrain_walk_fill(walk, record, REFRAIN_RECORD_OPERATION, returned ? top->end_ticks : walk->ticks,
                      returned ? top->end_cost : walk->cost, walk->completing_site, in_call ? top->region : NULL);
    if (returned)
        record->read = top->end_read;
    record->operation = REFRAIN_OP_COMPLETE;
    record->n_parameters = 1;
    record->approximate |= guesses;
    record->parameters[0] = walk->run_next++;
    struct refrain_walk_request *request = likely_request(walk, record->parameters[0]);
    if (!guesses)
        return !request || complete(walk, request, record);
    for (bool first = true; request && !complete(walk, request, record); first = false) {
        if (walk->wrong)
            return false;
        walk->ended = false; /* the posting operation has no further values: try the other requests, oldest first */
        request = refrain_walk_requests_oldest(&walk->requests, first ? NULL : request);
    }
    if (request) {
        walk->owed--;
        return true;
    }
    walk->run_left = 0; /* requests still owed complete with the next ones */
    record->kind = REFRAIN_RECORD_NONE;
    return true;
}

/* Completes `n` requests, the first of them with this number. */
static bool complete_run(struct refrain_walk *walk, int64_t first, int64_t n, struct refrain_record *record) {
    walk->run_next = first;
    walk->run_left = n;
    if (guesses_requests(walk)) {
        walk->owed += n > 0 ? (uint64_t)n : 0;
        walk->run_left = walk->owed < INT64_MAX ? (int64_t)walk->owed : INT64_MAX;
        if (walk->run_left == 0) {
            record->kind = REFRAIN_RECORD_NONE;
            return true;
        }
    } else if (n < 1 || n > REFRAIN_RUN_REQUESTS) {
        return refrain_walk_impossible(walk, walk->stack[walk->depth - 1].at->slot,
                                       "more requests complete together than the monitor tells of at once");
    }
    return refrain_walk_complete_next(walk, record);
}

static bool concerns_requests(uint32_t operation) {
    return operation != REFRAIN_OP_SEND && operation != REFRAIN_OP_RECV && operation != REFRAIN_OP_COLLECTIVE;
}

/* Adds and removes the requests of an operation. */
static bool follow_requests(struct refrain_walk *walk, const struct refrain_walk_operation *operation,
                            struct refrain_record *record) {
    const struct refrain_operation_record *from = operation->from;
    struct refrain_walk_request *request;
    switch (record->operation) {
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_ICOLLECTIVE:
    case REFRAIN_OP_NOTHING:
    case REFRAIN_OP_RMA_REQUEST:
        return take_request(walk, NULL, -1, false);
    case REFRAIN_OP_IO_REQUEST:
        return take_request(walk, from, -1, false);
    case REFRAIN_OP_IRECV:
        return take_request(walk, from, record->parameters[0], false);
    case REFRAIN_OP_SEND_INIT:
    case REFRAIN_OP_COLLECTIVE_INIT:
        return take_request(walk, NULL, -1, true);
    case REFRAIN_OP_RECV_INIT:
        return take_request(walk, from, record->parameters[0], true);
    case REFRAIN_OP_COMPLETE:
        return complete_run(walk, record->parameters[0], 1, record);
    case REFRAIN_OP_COMPLETE_RUN:
        return complete_run(walk, record->parameters[0], record->parameters[1], record);
    case REFRAIN_OP_START:
        request = begin(walk, operation->parameter[0], record->parameters[0]);
        break;
    case REFRAIN_OP_CANCELLED:
        request = likely_request(walk, record->parameters[0]);
        break;
    case REFRAIN_OP_FREE:
        request = refrain_walk_requests_at(&walk->requests, record->parameters[0]);
        break;
    default:
        return true;
    }
    if (!request)
        return true;
    record->parameters[0] = refrain_walk_requests_number(&walk->requests, request);
    if (record->operation != REFRAIN_OP_START)
        end(walk, request);
    if (record->operation == REFRAIN_OP_FREE || (record->operation == REFRAIN_OP_CANCELLED && !request->persistent))
        refrain_walk_requests_give(&walk->requests, request);
    return true;
}

/* ---- parameters ---- */

static const struct refrain_operation_record *
operation_at(struct refrain_walk *walk, const struct refrain_call_site *call_site, uint32_t operation) {
    uint32_t reference = call_site->operations;
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        const struct refrain_operation_record *record =
            refrain_walk_at(walk, (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES, sizeof *record);
        if (!record)
            return NULL;
        if (record->operation == operation)
            return record;
        reference = record->next;
    }
    refrain_walk_impossible(walk, call_site, "a call site lacks the operation it is said to have done");
    return NULL;
}

/* Number of parameters that an operation has of its own. */
static unsigned parameters_of(uint32_t operation) {
    switch (operation) {
    case REFRAIN_OP_RMA:
    case REFRAIN_OP_RMA_REQUEST:
    case REFRAIN_OP_WINDOW:
        return 3;
    case REFRAIN_OP_IO:
    case REFRAIN_OP_IO_REQUEST:
    case REFRAIN_OP_FILE:
    case REFRAIN_OP_MOVED:
    case REFRAIN_OP_COMPLETE_RUN:
    case REFRAIN_OP_COMPLETE_OTHER:
        return 2;
    case REFRAIN_OP_IRECV:
    case REFRAIN_OP_RECV_INIT:
    case REFRAIN_OP_START:
    case REFRAIN_OP_COMPLETE:
    case REFRAIN_OP_CANCELLED:
    case REFRAIN_OP_FREE:
    case REFRAIN_OP_COMM:
        return 1;
    case REFRAIN_OP_NOTHING:
        return 0;
    default:
        return 4;
    }
}

struct refrain_walk_operation *refrain_walk_operation(struct refrain_walk *walk, uint32_t operation,
                                                      struct refrain_walk_learner **after) {
    const struct refrain_walk_activation *top = &walk->stack[walk->depth - 1];
    const struct refrain_call_site *call_site =
        refrain_walk_at(walk, refrain_numbered_call_site(&walk->numbered, top->id), sizeof(struct refrain_call_site));
    const struct refrain_operation_record *from = call_site ? operation_at(walk, call_site, operation) : NULL;
    struct refrain_walk_learner *place = *after = from ? refrain_walk_meet_slot(walk, &from->after) : NULL;
    if (!place || place->operation)
        return place ? place->operation : NULL;
    struct refrain_walk_operation *made = refrain_calloc(1, sizeof *made);
    if (!made) {
        refrain_walk_fail(walk, NULL, "no memory");
        return NULL;
    }
    bool posts = operation == REFRAIN_OP_IRECV || operation == REFRAIN_OP_RECV_INIT;
    *made = (struct refrain_walk_operation){
        .from = from, .n = parameters_of(operation), .number = operation, .plain = true};
    made->no_request = !concerns_requests(operation);
    made->learners = posts ? &from->parameter[REFRAIN_PARAMETERS - 1] : from->parameter;
    for (unsigned i = 0; i < made->n; i++) {
        made->plain &= !made->learners[i].tally;
        if (!(made->parameter[i] = refrain_walk_meet(walk, &made->learners[i]))) {
            refrain_free(made);
            return NULL;
        }
    }
    return place->operation = made;
}

/* Takes the parameters of an operation if each of them has a next value of its own. */
static bool take_plain_row(struct refrain_walk *walk, const struct refrain_walk_operation *operation, int64_t *values,
                           bool *approximate) {
    for (unsigned i = 0; i < operation->n; i++) {
        struct refrain_sequence *sequence = &operation->parameter[i]->sequence;
        if (sequence->run == 0 && !refrain_sequence_advance(sequence))
            return false;
    }
    for (unsigned i = 0; i < operation->n; i++) {
        struct refrain_walk_learner *place = operation->parameter[i];
        refrain_sequence_next(&place->sequence, &values[i]);
        place->taken++;
        *approximate |= place->sequence.approximate;
        refrain_walk_note(walk, place, values[i]);
    }
    if (operation->n > 0) {
        operation->parameter[0]->rows_taken++;
        if (walk->recorder)
            refrain_walk_note_row(walk, operation->parameter[0]);
    }
    return true;
}

/* Takes the parameters from the rows of an overflow site. With `any`, rows of any other overflow site of the same
 * host will do. */
static bool take_row_of_overflow_site(struct refrain_walk *walk, uint64_t number, bool any,
                                      const struct refrain_walk_operation *operation, struct refrain_record *record) {
    struct refrain_numbered *numbered = &walk->numbered;
    if (__builtin_expect(numbered->n_rows == 0, 1))
        return false;
    bool is_overflow_site = refrain_numbered_is_overflow_site(numbered, number), sure;
    record->approximate |= refrain_numbered_is_mixed(numbered, number);
    if (!is_overflow_site && !any)
        return false;
    int64_t values[REFRAIN_PARAMETERS];
    if (!refrain_numbered_take_row(numbered, refrain_numbered_call_site(numbered, number),
                                   is_overflow_site ? number : UINT64_MAX, any, operation->number, values, &sure))
        return false;
    for (unsigned i = 0; i < operation->n; i++)
        record->parameters[i] = values[i];
    record->approximate |= any || !sure;
    walk->ended = false;
    return true;
}

bool refrain_walk_operate(struct refrain_walk *walk, const struct refrain_walk_link *link,
                          struct refrain_record *record) {
    struct refrain_walk_activation *top = &walk->stack[walk->depth - 1];
    struct refrain_walk_operation *operation = link->operation;
    const struct refrain_operation_record *from = operation->from;
    if (from->after_return && !top->returned) {
        refrain_walk_probe_begins(walk, REFRAIN_PROBE_CALL_RETURN);
        refrain_walk_pass_block(walk, top->at);
        top->end_ticks = walk->ticks;
        top->end_cost = walk->cost;
        top->end_read = walk->reads;
        top->returned = true;
        refrain_walk_probe_ends(walk, REFRAIN_PROBE_CALL_RETURN);
    }
    top->at = link->to;
    refrain_walk_fill(walk, record, REFRAIN_RECORD_OPERATION, top->returned ? top->end_ticks : top->begin_ticks,
                      top->returned ? top->end_cost : top->begin_cost, top->id, top->region);
    record->read = top->returned ? top->end_read : top->begin_read;
    refrain_walk_probe_begins(walk, REFRAIN_PROBE_OPERATION);
    record->operation = operation->number;
    record->n_parameters = operation->n;
    bool taken = take_row_of_overflow_site(walk, top->id, false, operation, record) ||
                 (operation->plain && take_plain_row(walk, operation, record->parameters, &record->approximate)) ||
                 refrain_walk_take_row(walk, operation->learners, record->parameters, operation->n, operation->n,
                                       &record->approximate) ||
                 (!walk->wrong && take_row_of_overflow_site(walk, top->id, true, operation, record));
    if (!taken)
        return false;
    if (operation->no_request)
        return true;
    walk->requests.guessed |= record->approximate && names_requests(operation->number);
    return follow_requests(walk, operation, record);
}
