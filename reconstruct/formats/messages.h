/* messages.h: stores data of a message between its send and its receive (for formats that write one record for
 * both).
 *
 * The events say which send matches which receive (refrain_event.match). Held in memory: messages that were sent and
 * not received, except those to ranks without a file. */
#ifndef REFRAIN_MESSAGES_H
#define REFRAIN_MESSAGES_H

#include "match/event.h"
#include <stddef.h>

struct refrain_message {
    size_t location; /* of the sender */
    int64_t time_ns;
    int64_t bytes;
    uint64_t at[2]; /* for use by the writer */
};

struct refrain_messages;

/* Null without memory. */
struct refrain_messages *refrain_messages_make(const struct refrain_trace *trace);
void refrain_messages_free(struct refrain_messages *messages);

/* Processes a SEND. */
void refrain_messages_send(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *message);

/* Processes a RECV. True if its SEND came before; *message is then the stored data. */
bool refrain_messages_receive(struct refrain_messages *messages, const struct refrain_event *event,
                              struct refrain_message *message);

/* The stored data of a message in transit; null if it is not in transit. Valid until it is received. */
struct refrain_message *refrain_messages_find(struct refrain_messages *messages, uint64_t match);

/* Calls `visit` for each message in transit, in any order. */
void refrain_messages_visit(const struct refrain_messages *messages,
                            void (*visit)(void *data, const struct refrain_message *message), void *data);

/* True if memory ran out, so that messages are missing. */
bool refrain_messages_no_memory(const struct refrain_messages *messages);

#endif
