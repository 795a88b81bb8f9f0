/* picture_match.h: who sent what was received, and who has entered a collective (events -> messages, collectives). */
#ifndef REFRAIN_PICTURE_MATCH_H
#define REFRAIN_PICTURE_MATCH_H

#include "view/picture.h"

struct refrain_picture_match;

struct refrain_picture_match *refrain_picture_match_open(void);
void refrain_picture_match_close(struct refrain_picture_match *match);

/* A message leaves `location`. */
void refrain_picture_sent(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                          const struct refrain_event *event);

/* A message has come to `location`: when it was sent; -1 where that is not known. */
double refrain_picture_received(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                                const struct refrain_event *event);

/* A collective that a location is in. */
struct refrain_picture_joined;

/* The location of `picture` enters a collective; null where it is alone, or one that does not block. */
struct refrain_picture_joined *refrain_picture_joins(struct refrain_picture *picture,
                                                     struct refrain_picture_match *match, uint32_t location,
                                                     const struct refrain_event *event);

/* The location leaves it at `time_ns`. */
void refrain_picture_leaves(struct refrain_picture *picture, struct refrain_picture_match *match,
                            struct refrain_picture_joined *joined, double time_ns);

/* Adds a message to what went from one rank to another; drops all that was added. */
void refrain_picture_add_pair(struct refrain_picture *picture, struct refrain_picture_match *match, int32_t from,
                              int32_t to, double bytes, double waiting_ns);
void refrain_picture_drop_pairs(struct refrain_picture_match *match);
void refrain_picture_give_pairs(struct refrain_picture *picture, const struct refrain_picture_match *match);

/* Gives what is under way at the window's end: messages, if `ended` also those that never came; collectives. */
void refrain_picture_give_open(struct refrain_picture *picture, const struct refrain_picture_match *match);

/* The first location of a rank; n_locations where it has none. */
uint32_t refrain_picture_of_rank(const struct refrain_picture *picture, int32_t rank);

#endif
