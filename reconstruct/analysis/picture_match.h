/* picture_match.h: finds the send of each received message, and the locations in a collective (events -> messages,
 * collectives). */
#ifndef REFRAIN_PICTURE_MATCH_H
#define REFRAIN_PICTURE_MATCH_H

#include "analysis/picture.h"

struct refrain_picture_match;

struct refrain_picture_match *refrain_picture_match_open(void);
void refrain_picture_match_close(struct refrain_picture_match *match);

/* `location` sends a message. */
void refrain_picture_sent(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                          const struct refrain_event *event);

/* `location` receives a message. Returns when it was sent; -1 if that is unknown. */
double refrain_picture_received(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                                const struct refrain_event *event);

/* A collective that a location is in. */
struct refrain_picture_joined;

/* The location enters a collective. Null if it is the only member, or if the collective does not block. */
struct refrain_picture_joined *refrain_picture_joins(struct refrain_picture *picture,
                                                     struct refrain_picture_match *match, uint32_t location,
                                                     const struct refrain_event *event);

/* The location leaves the collective at `time_ns`. */
void refrain_picture_leaves(struct refrain_picture *picture, struct refrain_picture_match *match,
                            struct refrain_picture_joined *joined, double time_ns);

/* Adds a message to the sums of its pair of ranks; removes all sums; appends the sums to picture->pairs. */
void refrain_picture_add_pair(struct refrain_picture *picture, struct refrain_picture_match *match, int32_t from,
                              int32_t to, double bytes, double waiting_ns);
void refrain_picture_drop_pairs(struct refrain_picture_match *match);
void refrain_picture_append_pairs(struct refrain_picture *picture, const struct refrain_picture_match *match);

/* Appends the messages and collectives that are pending at the end of the window. */
void refrain_picture_append_pending(struct refrain_picture *picture, const struct refrain_picture_match *match);

/* The index of the first location of a rank; n_locations if it has none. */
uint32_t refrain_picture_of_rank(const struct refrain_picture *picture, int32_t rank);

#endif
