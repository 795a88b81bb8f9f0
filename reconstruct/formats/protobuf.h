/* protobuf.h: messages in the wire format of Protocol Buffers: tag, then a varint, eight bytes, or a length and so
 * many bytes. A nested message is made first, and then added as bytes. */
#ifndef REFRAIN_PROTOBUF_H
#define REFRAIN_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_protobuf {
    unsigned char *bytes; /* owned; to be freed by the user */
    size_t n, capacity;
    bool no_memory; /* memory ran out, so the message is incomplete */
};

static inline void refrain_protobuf_clear(struct refrain_protobuf *message) {
    message->n = 0;
}

void refrain_protobuf_varint(struct refrain_protobuf *message, unsigned field, uint64_t value);
void refrain_protobuf_fixed64(struct refrain_protobuf *message, unsigned field, uint64_t value);
void refrain_protobuf_bytes(struct refrain_protobuf *message, unsigned field, const void *bytes, size_t n);

/* A string field: the name, with U+FFFD for bytes that are not UTF-8. */
void refrain_protobuf_text(struct refrain_protobuf *message, unsigned field, const char *text);

static inline void refrain_protobuf_message(struct refrain_protobuf *message, unsigned field,
                                            const struct refrain_protobuf *inner) {
    message->no_memory |= inner->no_memory;
    refrain_protobuf_bytes(message, field, inner->bytes, inner->n);
}

#endif
