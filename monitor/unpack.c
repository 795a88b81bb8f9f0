/* unpack.c: a unit's nodes as the instrumentor packs them (instrumentor/tables.c). */
#include "monitor.h"

#define FIELDS 7u /* of struct refrain_node */
#define BASE 63u  /* of the digits; a byte above 64 is one that others follow */
#define KINDS 32u /* with the kind goes what the probe's byte is at the start */

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

void refrain_unpack(struct refrain_node *nodes, unsigned char *base, const unsigned char *packed, unsigned long bytes) {
    unsigned fields[FIELDS] = {0}, value = 0, field = 0;
    for (unsigned long i = 0; i < bytes; i++) {
        unsigned digit = packed[i];
        if (digit == 0) /* the end of a row */
            continue;
        value = value * BASE + (digit - 1) % (BASE + 1);
        if (digit > BASE + 1)
            continue;
        fields[field] = value % 2 ? fields[field] - value / 2 : fields[field] + value / 2;
        value = 0;
        if (++field == FIELDS) {
            fill(nodes++, base, fields);
            field = 0;
        }
    }
}
