/* messages.h: what writers of formats keep of a message from its sending to its receipt (writers of formats that write
 * one record for both ends).
 *
 * Which send belongs to which receive the events say (refrain_event.match). Held in memory: messages that were sent and
 * not received; none for a rank without a file, which never receives. */
#ifndef REFRAIN_MESSAGES_H
#define REFRAIN_MESSAGES_H

#include "match/event.h"
#include <stddef.h>

struct refrain_message {
    size_t location; /* it was sent from */
    int64_t time_ns;
    int64_t bytes;
    uint64_t at[2]; /* the writer's own */
};

struct refrain_messages;

/* Null without memory. */
struct refrain_messages *refrain_messages_make(const struct refrain_trace *trace);
void refrain_messages_free(struct refrain_messages *messages);

/* A SEND comes. */
void refrain_messages_send(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *message);

/* A RECV comes. True, with *message set to what was kept of its message; false where no SEND of it came before. */
bool refrain_messages_receive(struct refrain_messages *messages, const struct refrain_event *event,
                              struct refrain_message *message);

/* What was kept of a message that is under way, by its number; null when it is not. Valid until it is received. */
struct refrain_message *refrain_messages_find(struct refrain_messages *messages, uint64_t match);

/* Calls `visit` for each message that is under way, in any order. */
void refrain_messages_visit(const struct refrain_messages *messages,
                            void (*visit)(void *data, const struct refrain_message *message), void *data);

/* Whether memory ran out, so that some messages were not kept. */
bool refrain_messages_no_memory(const struct refrain_messages *messages);

#endif
