/* unpack.c: decodes the tables of a unit, which the instrumentor has encoded (refrain/unit_tables.h). */
#include "run/unpack.h"
#include "arch/arch.h"
#include "run/loaded_units.h"

#define FIELDS 7u /* of struct refrain_node */

static bool read_fields(struct refrain_tables_reader *reader, unsigned *fields, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (!refrain_tables_read(reader, &fields[i]))
            return false;
    return true;
}

static bool read_node(struct refrain_tables_reader *reader, unsigned *fields) {
    return read_fields(reader, fields, FIELDS - 1) &&
           (!(fields[0] & REFRAIN_TABLES_FILE) || read_fields(reader, fields + FIELDS - 1, 1));
}

static void fill(struct refrain_node *node, unsigned char *base, const unsigned *fields) {
    *node = (struct refrain_node){.kind = fields[0] % REFRAIN_TABLES_KINDS,
                                  .parent = fields[1],
                                  .slot = fields[2] ? fields[2] - 1 : REFRAIN_NO_SLOT,
                                  .line = fields[3],
                                  .column = fields[4],
                                  .name = fields[5],
                                  .file = fields[6]};
    if (fields[2])
        base[node->slot] = fields[0] & REFRAIN_TABLES_ON ? 1 : 0;
}

void refrain_unit_unpack(struct refrain_unit *unit, const char *tables) {
    unsigned sizes[REFRAIN_TABLES_SIZES] = {0}, fields[FIELDS] = {0}, pair[2] = {0}, name = 0;
    size_t strings_bytes = refrain_tables_strings_bytes(tables, SIZE_MAX);
    struct refrain_tables_reader reader = {(const unsigned char *)tables + strings_bytes,
                                           (const unsigned char *)UINTPTR_MAX};
    refrain_tables_read_sizes(&reader, sizes);
    struct refrain_speaker *speakers = (struct refrain_speaker *)(unit + 1);
    struct refrain_node *nodes = (struct refrain_node *)(speakers + sizes[REFRAIN_TABLES_SPEAKERS]);
    struct refrain_dependency *dependencies = (struct refrain_dependency *)(nodes + sizes[REFRAIN_TABLES_NODES]);
    unsigned char *on = (unsigned char *)((unsigned long *)unit + refrain_unit_words(sizes));
    unsigned char *base = on + sizes[REFRAIN_TABLES_SLOTS] + 1;
    for (unsigned i = 0; i < sizes[REFRAIN_TABLES_NODES] && read_node(&reader, fields); i++)
        fill(&nodes[i], base, fields);
    for (unsigned i = 0; i < sizes[REFRAIN_TABLES_DEPENDENCIES] && read_fields(&reader, pair, 2); i++)
        dependencies[i] = (struct refrain_dependency){.to = pair[0], .from = pair[1]};
    for (unsigned i = 0; i < sizes[REFRAIN_TABLES_SPEAKERS] && refrain_tables_read(&reader, &name); i++)
        speakers[i] = (struct refrain_speaker){.name = tables + name};
    *unit = (struct refrain_unit){.n_nodes = sizes[REFRAIN_TABLES_NODES],
                                  .n_slots = sizes[REFRAIN_TABLES_SLOTS],
                                  .strings_bytes = (unsigned)strings_bytes,
                                  .n_dependencies = sizes[REFRAIN_TABLES_DEPENDENCIES],
                                  .n_speakers = sizes[REFRAIN_TABLES_SPEAKERS],
                                  .nodes = nodes,
                                  .strings = tables,
                                  .speakers = speakers,
                                  .dependencies = dependencies,
                                  .on = on,
                                  .base = base,
                                  .place = refrain_arch_place_distance()};
}
