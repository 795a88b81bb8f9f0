/* messages.c: messages under way, by the number that both their ends have (messages.h). */
#include "formats/messages.h"
#include "common/pair_table.h"
#include "model/trace_read.h"

#include <stdlib.h>

struct under_way {
    struct refrain_pair_node node;
    struct refrain_message message;
};

struct refrain_messages {
    const struct refrain_trace *trace;
    struct refrain_pair_table table;
    bool no_memory;
};

void refrain_messages_send(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *message) {
    if (!event->match || !refrain_trace_process(messages->trace, event->peer))
        return;
    struct under_way *new = malloc(sizeof *new);
    if (new)
        *new = (struct under_way){.node.key = {event->match, 0}, .message = *message};
    if (new &&refrain_pair_table_add(&messages->table, &new->node))
        return;
    free(new);
    messages->no_memory = true;
}

bool refrain_messages_receive(struct refrain_messages *messages, const struct refrain_event *event,
                              struct refrain_message *message) {
    struct refrain_pair_node *node =
        event->match ? refrain_pair_table_find(&messages->table, (struct refrain_pair){event->match, 0}) : NULL;
    if (!node)
        return false;
    struct under_way *found = (struct under_way *)node;
    *message = found->message;
    refrain_pair_table_remove(&messages->table, node);
    free(found);
    return true;
}

struct refrain_message *refrain_messages_find(struct refrain_messages *messages, uint64_t match) {
    struct refrain_pair_node *node = refrain_pair_table_find(&messages->table, (struct refrain_pair){match, 0});
    return node ? &((struct under_way *)node)->message : NULL;
}

void refrain_messages_visit(const struct refrain_messages *messages,
                            void (*visit)(void *data, const struct refrain_message *message), void *data) {
    for (size_t i = 0; i < messages->table.capacity; i++)
        for (const struct refrain_pair_node *node = messages->table.buckets[i]; node; node = node->next)
            visit(data, &((const struct under_way *)node)->message);
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
    for (size_t i = 0; i < messages->table.capacity; i++)
        for (struct refrain_pair_node *node = messages->table.buckets[i], *next; node; node = next) {
            next = node->next;
            free(node);
        }
    free(messages->table.buckets);
    free(messages);
}

bool refrain_messages_no_memory(const struct refrain_messages *messages) {
    return messages->no_memory;
}
