/* picl_requests.c: the table of pending requests (picl_requests.h). */
#include "formats/picl_requests.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

struct refrain_picl_request {
    int64_t request;
    uint64_t match; /* of the message that it sends; 0 unknown, or a receive */
    bool sends;
    int64_t arrived_ns; /* -1 not yet */
};

void refrain_picl_requests_free(struct refrain_picl_requests *requests) {
    free(requests->all);
    *requests = (struct refrain_picl_requests){.all = NULL};
}

void refrain_picl_requests_begin(struct refrain_picl_requests *requests, const struct refrain_event *event) {
    bool sends = event->kind == REFRAIN_EVENT_SEND;
    if (!REFRAIN_ARRAY_ROOM(requests->all, requests->n, requests->capacity)) {
        requests->no_memory = true;
        return;
    }
    requests->all[requests->n++] = (struct refrain_picl_request){event->request, sends ? event->match : 0, sends, -1};
    requests->n_sends += sends;
}

void refrain_picl_requests_arrive(struct refrain_picl_requests *requests, uint64_t match, int64_t time_ns) {
    for (size_t i = 0; match && i < requests->n; i++)
        if (requests->all[i].match == match) {
            requests->all[i].arrived_ns = time_ns;
            return;
        }
}

int64_t refrain_picl_requests_end(struct refrain_picl_requests *requests, int64_t request) {
    size_t i = 0;
    while (i < requests->n && requests->all[i].request != request)
        i++;
    if (i == requests->n)
        return INT64_MAX;
    const struct refrain_picl_request ended = requests->all[i];
    requests->n--;
    memmove(requests->all + i, requests->all + i + 1, (requests->n - i) * sizeof *requests->all);
    requests->n_sends -= ended.sends;
    return ended.match ? ended.arrived_ns : INT64_MAX;
}
