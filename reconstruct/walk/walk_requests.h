/* walk_requests.h: requests under way in a walk: which operation posted them, and which of them a completion can be
 * about where that is only likely. */
#ifndef REFRAIN_WALK_REQUESTS_H
#define REFRAIN_WALK_REQUESTS_H

#include "sequence/tally.h"
#include "walk/request_table.h"

#include <refrain/trace.h>

struct refrain_walk_request {
    bool taken, persistent;
    uint32_t active;    /* begun and not completed: more than once only where it is likely that it is this one */
    uint32_t guessed;   /* begun so often where it was only likely that it is this one */
    uint64_t posted_as; /* number in the order of posting */
    const struct refrain_operation_record *posted; /* of one whose completion says more than that; else null */
    int64_t comm;                                  /* of a receive: its communicator */
};

struct refrain_walk_requests {
    struct refrain_request_table table;
    uint64_t posted;  /* so far */
    uint64_t active;  /* of them under way */
    uint64_t changes; /* persistent ones that were made or freed */
    bool guessed;     /* a number of one was only likely: which operations posted those in the table is too */
};

/* A further request; false without memory. `posted`: the operation that posted it, where its completion says
 * more than that; `comm`: of a receive. */
bool refrain_walk_requests_take(struct refrain_walk_requests *requests, const struct refrain_operation_record *posted,
                                int64_t comm, bool persistent);

/* The request of that number; null when there is none. */
struct refrain_walk_request *refrain_walk_requests_at(const struct refrain_walk_requests *requests, int64_t number);

int64_t refrain_walk_requests_number(const struct refrain_walk_requests *requests,
                                     const struct refrain_walk_request *request);

/* The request that was posted first after `after` (null: of all) of those that are under way, null when there
 * is none. */
struct refrain_walk_request *refrain_walk_requests_oldest(const struct refrain_walk_requests *requests,
                                                          const struct refrain_walk_request *after);

/* The persistent request to begin next where any may: the one that has begun the fewest times, with those that are
 * still to come of its number's own count in `counted`; the oldest of these. Null when there is none. */
struct refrain_walk_request *refrain_walk_requests_to_begin(const struct refrain_walk_requests *requests,
                                                            const struct refrain_tally_reader *counted);

/* The request has begun so many times that it has not completed. */
void refrain_walk_requests_set_active(struct refrain_walk_requests *requests, struct refrain_walk_request *request,
                                      uint32_t active);

void refrain_walk_requests_give(struct refrain_walk_requests *requests, struct refrain_walk_request *request);
void refrain_walk_requests_close(struct refrain_walk_requests *requests);

#endif
