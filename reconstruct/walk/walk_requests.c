/* walk_requests.c: the pending requests of a walk, by number and by age (walk_requests.h). */
#include "walk/walk_requests.h"

bool refrain_walk_requests_take(struct refrain_walk_requests *requests, const struct refrain_operation_record *posted,
                                int64_t comm, bool persistent) {
    requests->table.entry_bytes = sizeof(struct refrain_walk_request);
    struct refrain_walk_request *request = refrain_requests_take(&requests->table);
    if (!request)
        return false;
    request->persistent = persistent;
    refrain_walk_requests_set_active(requests, request, !persistent);
    requests->changes += persistent;
    request->posted_as = requests->posted++;
    request->posted = posted;
    request->comm = comm;
    return true;
}

struct refrain_walk_request *refrain_walk_requests_at(const struct refrain_walk_requests *requests, int64_t number) {
    return refrain_requests_at(&requests->table, number);
}

int64_t refrain_walk_requests_number(const struct refrain_walk_requests *requests,
                                     const struct refrain_walk_request *request) {
    return refrain_requests_number(&requests->table, request);
}

struct refrain_walk_request *refrain_walk_requests_oldest(const struct refrain_walk_requests *requests,
                                                          const struct refrain_walk_request *after) {
    struct refrain_walk_request *oldest = NULL;
    for (size_t i = 0; i < requests->table.n; i++) {
        struct refrain_walk_request *request = refrain_walk_requests_at(requests, (int64_t)i);
        if (request && request->active && (!after || request->posted_as > after->posted_as) &&
            (!oldest || request->posted_as < oldest->posted_as))
            oldest = request;
    }
    return oldest;
}

struct refrain_walk_request *refrain_walk_requests_to_begin(const struct refrain_walk_requests *requests,
                                                            const struct refrain_tally_reader *counted) {
    struct refrain_walk_request *next = NULL;
    uint64_t least = 0;
    for (size_t i = 0; i < requests->table.n; i++) {
        struct refrain_walk_request *request = refrain_walk_requests_at(requests, (int64_t)i);
        if (!request || !request->persistent)
            continue;
        uint64_t times = request->guessed + refrain_tally_left(counted, (int64_t)i);
        if (!next || times < least || (times == least && request->posted_as < next->posted_as)) {
            next = request;
            least = times;
        }
    }
    return next;
}

void refrain_walk_requests_set_active(struct refrain_walk_requests *requests, struct refrain_walk_request *request,
                                      uint32_t active) {
    requests->active += active > 0;
    requests->active -= request->active > 0;
    request->active = active;
}

void refrain_walk_requests_give(struct refrain_walk_requests *requests, struct refrain_walk_request *request) {
    refrain_walk_requests_set_active(requests, request, 0);
    requests->changes += request->persistent;
    refrain_requests_give(&requests->table, request);
}

void refrain_walk_requests_close(struct refrain_walk_requests *requests) {
    refrain_requests_close(&requests->table);
}
