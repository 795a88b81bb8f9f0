/* post.h: small messages to other ranks, gathered in a buffer for each until it is full. */
#ifndef POST_H
#define POST_H

/* Called with each pair that arrives, also while others are posted. */
typedef void post_handler(long first, long second);

/* Collective. `handler` stays in place until post_end(). */
void post_begin(int rank, int ranks, post_handler *handler);

/* Sends a pair to a rank, perhaps later; to the own one at once. */
void post(int rank, long first, long second);

/* Sends what is left, and takes what arrives until every rank has come here. Collective. */
void post_drain(void);

void post_end(void);

#endif
