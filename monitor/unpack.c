/* unpack.c: a unit's nodes and dependencies as the instrumentor packs them (instrumentor/tables.c). */
#include "unpack.h"

#define FIELDS 7u /* of struct refrain_node */
#define BASE 63u  /* of the digits; a byte above 64 is one that others follow */
#define KINDS 32u /* with the kind goes what the probe's byte is at the start */

/* The bytes are behind the strings; zeros are the ends of rows. */
struct reader {
    const unsigned char *at, *end;
};

/* Adds the next number, which is a difference, to the field it is of. False at the end. */
static bool read_field(struct reader *reader, unsigned *field) {
    unsigned value = 0;
    while (reader->at < reader->end) {
        unsigned digit = *reader->at++;
        if (digit == 0)
            continue;
        value = value * BASE + (digit - 1) % (BASE + 1);
        if (digit > BASE + 1)
            continue;
        *field = value % 2 ? *field - value / 2 : *field + value / 2;
        return true;
    }
    return false;
}

static bool read_fields(struct reader *reader, unsigned *fields, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (!read_field(reader, &fields[i]))
            return false;
    return true;
}

static void fill(struct refrain_node *node, unsigned char *base, const unsigned *fields) {
    *node = (struct refrain_node){.kind = fields[0] % KINDS,
                                  .parent = fields[1],
                                  .slot = fields[2] ? fields[2] - 1 : REFRAIN_NO_SLOT,
                                  .line = fields[3],
                                  .column = fields[4],
                                  .name = fields[5],
                                  .file = fields[6]};
    if (fields[2])
        base[node->slot] = (unsigned char)(fields[0] / KINDS);
}

void refrain_unit_unpack(struct refrain_unit *unit) {
    if (unit->packed_bytes == 0)
        return;
    struct refrain_node *nodes =
        (struct refrain_node *)unit->nodes; /* no constants where there is something to unpack */
    struct refrain_dependency *dependencies = (struct refrain_dependency *)(nodes + unit->n_nodes);
    unsigned char *on = (unsigned char *)(dependencies + unit->n_dependencies + 1), *base = on + unit->n_slots + 1;
    const unsigned char *packed = (const unsigned char *)unit->strings + unit->strings_bytes;
    struct reader reader = {packed, packed + unit->packed_bytes};
    unsigned fields[FIELDS] = {0}, pair[2] = {0};
    for (unsigned i = 0; i < unit->n_nodes && read_fields(&reader, fields, FIELDS); i++)
        fill(&nodes[i], base, fields);
    for (unsigned i = 0; i < unit->n_dependencies && read_fields(&reader, pair, 2); i++)
        dependencies[i] = (struct refrain_dependency){.to = pair[0], .from = pair[1]};
    unit->dependencies = dependencies;
    unit->on = on;
    unit->base = base;
}
