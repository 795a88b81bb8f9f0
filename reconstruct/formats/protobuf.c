/* protobuf.c: writes the wire format of Protocol Buffers (protobuf.h). */
#include "formats/protobuf.h"
#include "common/array.h"
#include "formats/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static bool reserve(struct refrain_protobuf *message, size_t n) {
    bool room = REFRAIN_ARRAY_ROOMS(message->bytes, message->n, n, message->capacity);
    message->no_memory |= !room;
    return room;
}

/* Precondition: there is room. */
static void put_varint(struct refrain_protobuf *message, uint64_t value) {
    for (; value >= 128; value >>= 7)
        message->bytes[message->n++] = (unsigned char)(value | 128);
    message->bytes[message->n++] = (unsigned char)value;
}

#define MOST_VARINT_BYTES 10u

void refrain_protobuf_varint(struct refrain_protobuf *message, unsigned field, uint64_t value) {
    if (!reserve(message, 2 * MOST_VARINT_BYTES))
        return;
    put_varint(message, field << 3 | WIRE_VARINT);
    put_varint(message, value);
}

void refrain_protobuf_fixed64(struct refrain_protobuf *message, unsigned field, uint64_t value) {
    if (!reserve(message, MOST_VARINT_BYTES + 8))
        return;
    put_varint(message, field << 3 | WIRE_FIXED64);
    for (unsigned shift = 0; shift < 64; shift += 8)
        message->bytes[message->n++] = (unsigned char)(value >> shift);
}

void refrain_protobuf_bytes(struct refrain_protobuf *message, unsigned field, const void *bytes, size_t n) {
    if (!reserve(message, 2 * MOST_VARINT_BYTES + n))
        return;
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, n);
    if (n > 0)
        memcpy(message->bytes + message->n, bytes, n);
    message->n += n;
}

void refrain_protobuf_text(struct refrain_protobuf *message, unsigned field, const char *text) {
    char *name = malloc(3 * strlen(text) + 1);
    if (!name) {
        message->no_memory = true;
        return;
    }
    refrain_protobuf_bytes(message, field, name, refrain_utf8_name(name, text));
    free(name);
}
