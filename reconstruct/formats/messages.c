/* messages.c: stores messages in transit by their match number (messages.h). */
#include "formats/messages.h"
#include "common/arena.h"
#include "common/table.h"
#include "model/trace_read.h"

#include <stdlib.h>

struct refrain_messages {
    const struct refrain_trace *trace;
    struct refrain_table table; /* of struct refrain_message */
    bool no_memory;
};

void refrain_messages_send(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *message) {
    if (!event->match || !refrain_trace_process(messages->trace, event->peer))
        return;
    struct refrain_message *own = refrain_table_make(&messages->table, event->match, 0, sizeof *own);
    if (own)
        *own = *message;
    messages->no_memory |= !own;
}

bool refrain_messages_receive(struct refrain_messages *messages, const struct refrain_event *event,
                              struct refrain_message *message) {
    struct refrain_message *found = refrain_messages_find(messages, event->match);
    if (!found)
        return false;
    *message = *found;
    refrain_table_remove(&messages->table, event->match, 0);
    refrain_free(found);
    return true;
}

struct refrain_message *refrain_messages_find(struct refrain_messages *messages, uint64_t match) {
    return refrain_table_object(&messages->table, match, 0);
}

void refrain_messages_visit(const struct refrain_messages *messages,
                            void (*visit)(void *data, const struct refrain_message *message), void *data) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&messages->table, slot));)
        visit(data, slot->object);
}

struct refrain_messages *refrain_messages_make(const struct refrain_trace *trace) {
    struct refrain_messages *messages = calloc(1, sizeof *messages);
    if (messages)
        messages->trace = trace;
    return messages;
}

void refrain_messages_free(struct refrain_messages *messages) {
    if (!messages)
        return;
    refrain_table_free(&messages->table);
    free(messages);
}

bool refrain_messages_no_memory(const struct refrain_messages *messages) {
    return messages->no_memory;
}
