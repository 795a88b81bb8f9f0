/* walk_requests.h: the pending requests of a walk: which operation posted each, and which of them can complete next
 * if only likely ones are known. */
#ifndef REFRAIN_WALK_REQUESTS_H
#define REFRAIN_WALK_REQUESTS_H

#include "sequence/tally.h"
#include "walk/request_table.h"

#include <refrain/trace.h>

struct refrain_walk_request {
    bool taken, persistent;
    uint32_t active;    /* starts without completion; above 1 only if requests are approximate */
    uint32_t guessed;   /* starts that were approximate: this request was only a likely one */
    uint64_t posted_as; /* number in the order of posting */
    const struct refrain_operation_record
        *posted;  /* the operation that posted it, if a completion takes values from it; else null */
    int64_t comm; /* of a receive: its communicator */
};

struct refrain_walk_requests {
    struct refrain_request_table table;
    uint64_t posted;  /* requests posted so far */
    uint64_t active;  /* pending requests */
    uint64_t changes; /* persistent requests made or freed so far */
    bool guessed;     /* a request number was approximate, so the operations of the requests in the table are, too */
};

/* Adds a request. `posted`: the operation that posted it, if a completion takes values from it; else null. `comm`:
 * communicator of a receive. False without memory. */
bool refrain_walk_requests_take(struct refrain_walk_requests *requests, const struct refrain_operation_record *posted,
                                int64_t comm, bool persistent);

/* The request with this number, or null. */
struct refrain_walk_request *refrain_walk_requests_at(const struct refrain_walk_requests *requests, int64_t number);

int64_t refrain_walk_requests_number(const struct refrain_walk_requests *requests,
                                     const struct refrain_walk_request *request);

/* The pending request that was posted first, after `after` if that is not null. Null if there is none. */
struct refrain_walk_request *refrain_walk_requests_oldest(const struct refrain_walk_requests *requests,
                                                          const struct refrain_walk_request *after);

/* The persistent request to start next if any may start: the one with the fewest starts, where the starts still to
 * come of its number in `counted` count as well; the oldest of these. Null if there is none. */
struct refrain_walk_request *refrain_walk_requests_to_begin(const struct refrain_walk_requests *requests,
                                                            const struct refrain_tally_reader *counted);

/* Sets how many starts of the request have no completion yet. */
void refrain_walk_requests_set_active(struct refrain_walk_requests *requests, struct refrain_walk_request *request,
                                      uint32_t active);

void refrain_walk_requests_give(struct refrain_walk_requests *requests, struct refrain_walk_request *request);
void refrain_walk_requests_close(struct refrain_walk_requests *requests);

#endif
