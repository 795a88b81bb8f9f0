/* packed_program.c: visits translation units: their program trees, and the places of each thread (packer.h). */
#include "packer.h"
#include "slot_flags.h"
#include <refrain/unit.h>

#include <string.h>

static void metrics(struct refrain_packer *packer, struct refrain_slot *slot) {
    if (packer->n_metrics == 0 || !refrain_packer_value(packer, REFRAIN_PACKED_HAS_METRICS, slot->metrics != 0))
        return;
    uint64_t *totals;
    struct refrain_packer_elements elements =
        refrain_packer_bound(packer, packer->n_metrics, sizeof *totals, REFRAIN_MOST_METRICS);
    totals = refrain_packer_follow(packer, &slot->metrics, 0, elements);
    for (uint32_t i = 0; totals && i < packer->n_metrics; i++)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_METRIC, totals[i]);
}

/* Visits a place without its number and flags. */
void refrain_packer_place(struct refrain_packer *packer, struct refrain_slot *slot) {
    refrain_packer_learner(packer, &slot->next);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, slot->count);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TICKS, slot->ticks);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_THROTTLED, slot->throttled_at);
    metrics(packer, slot);
}

static bool was_used(const struct refrain_slot *slot) {
    return slot->next.state != REFRAIN_EMPTY || slot->next.tally || slot->count || slot->ticks || slot->throttled_at ||
           slot->metrics;
}

#define KEPT_FLAGS 255u /* the other bits follow from the program tree (slot_flags.h) */
#define THROTTLED_FLAGS (REFRAIN_SLOT_THROTTLED_NOW | REFRAIN_SLOT_OFF | REFRAIN_SLOT_WAS_THROTTLED)

static void slots(struct refrain_packer *packer, const struct refrain_unit_record *unit, struct refrain_slot *all,
                  uint32_t thread) {
    for (uint32_t i = 0; i < unit->n_slots && !packer->stream->wrong; i++) {
        struct refrain_slot *slot = &all[i];
        uint64_t used = !packer->to && was_used(slot);
        refrain_packer_begin(packer, REFRAIN_PACKER_SLOT, thread, unit->first_slot + i);
        uint64_t flags =
            refrain_packer_value(packer, REFRAIN_PACKED_FLAGS, slot->flags & KEPT_FLAGS & ~THROTTLED_FLAGS);
        uint64_t throttled = refrain_packer_value(packer, REFRAIN_PACKED_THROTTLED, slot->flags & THROTTLED_FLAGS);
        used = refrain_packer_value(packer, REFRAIN_PACKED_USED, used);
        if (packer->to) {
            slot->number = unit->first_slot + i;
            slot->flags = (uint32_t)(flags | throttled);
        }
        if (used)
            refrain_packer_place(packer, slot);
    }
}

/* ---- tables ---- */

/* Codes a number as 0 if it is `none`, else as its difference from the expected number. */
static uint32_t near_or_none(struct refrain_packer *packer, enum refrain_packed_kind kind, uint32_t value,
                             uint32_t none, uint32_t expected) {
    uint64_t coded = value == none ? 0 : 1 + refrain_packer_zigzag((int64_t)value - (int64_t)expected);
    coded = refrain_packer_value(packer, kind, coded);
    return coded == 0 ? none : (uint32_t)((uint64_t)refrain_packer_unzigzag(coded - 1) + expected);
}

/* The names of a program tree lie one after the other, with paths of files between some of them, in the order in which
 * its nodes first use them. */
static void nodes(struct refrain_packer *packer, struct refrain_node *all, uint32_t n, const char *strings,
                  uint32_t strings_bytes) {
    struct refrain_node before = {0};
    uint32_t next_name = 1, next_slot = 0;
    for (uint32_t i = 0; i < n && !packer->stream->wrong; i++) {
        struct refrain_node *node = &all[i];
        REFRAIN_FIELD(packer, REFRAIN_PACKED_NODE_KIND, node->kind);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_PARENT, node->parent, i);
        uint32_t slot = near_or_none(packer, REFRAIN_PACKED_NODE_SLOT, node->slot, REFRAIN_NO_SLOT, next_slot);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_LINE, node->line, before.line);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_COLUMN, node->column, before.column);
        uint32_t text = near_or_none(packer, REFRAIN_PACKED_NODE_NAME, node->name, 0, next_name);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_FILE, node->file, before.file);
        if (packer->to) {
            node->slot = slot;
            node->name = text;
        }
        before = *node;
        if (slot != REFRAIN_NO_SLOT)
            next_slot = slot + refrain_slots_of_node(node->kind);
        if (text >= next_name && text < strings_bytes)
            next_name = text + (uint32_t)strlen(strings + text) + 1;
    }
}

static struct refrain_unit_record *unit_of(struct refrain_packer *packer, uint64_t *offset, uint32_t n_threads) {
    struct refrain_unit_record *unit = refrain_packer_record(packer, offset, sizeof *unit, REFRAIN_PACKER_NONE);
    struct refrain_node *all;
    if (!unit)
        return NULL;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, unit->n_nodes);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, unit->n_slots);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, unit->strings_bytes);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, unit->first_slot);
    uint64_t at_nodes = unit->nodes, at_strings = unit->strings, at_slots = unit->slots;
    struct refrain_packer_elements tree = refrain_packer_bound(packer, unit->n_nodes, sizeof *all, UINT32_MAX);
    struct refrain_packer_elements text = refrain_packer_bound(packer, unit->strings_bytes, 1, UINT32_MAX);
    struct refrain_packer_elements places =
        refrain_packer_bound(packer, unit->n_slots, n_threads * sizeof(struct refrain_slot), UINT32_MAX);
    all = refrain_packer_record(packer, &at_nodes, 0, tree);
    char *strings = refrain_packer_record(packer, &at_strings, 0, text);
    if (!all || !strings || (places.n > 0 && !refrain_packer_record(packer, &at_slots, 0, places)))
        return NULL;
    if (packer->to) {
        unit->nodes = at_nodes;
        unit->strings = at_strings;
        unit->slots = at_slots;
    }
    refrain_packer_bytes(packer, REFRAIN_PACKED_TEXT, strings, text);
    if (unit->strings_bytes == 0 || strings[unit->strings_bytes - 1] != 0)
        return refrain_packer_fail(packer, "the names of a unit do not end");
    nodes(packer, all, unit->n_nodes, strings, unit->strings_bytes);
    return unit;
}

void refrain_packer_units(struct refrain_packer *packer, struct refrain_header *header) {
    uint64_t *link = &header->units, offset = *link, before = 0;
    for (unsigned n = 0; refrain_packer_value(packer, REFRAIN_PACKED_HAS, offset != 0) && !packer->stream->wrong; n++) {
        refrain_packer_begin(packer, REFRAIN_PACKER_UNIT, n, 0);
        if (!packer->to && offset <= before) {
            refrain_packer_fail(packer, "unit records run backwards");
            return;
        }
        before = offset;
        struct refrain_unit_record *unit = unit_of(packer, &offset, header->n_threads);
        if (!unit)
            return;
        if (packer->to)
            *link = offset;
        link = &unit->next;
        offset = packer->to ? 0 : unit->next;
    }
}

void refrain_packer_slots(struct refrain_packer *packer, const struct refrain_header *header, uint32_t thread) {
    unsigned char *base = packer->to ? packer->to : (unsigned char *)(uintptr_t)packer->from;
    for (uint64_t offset = header->units; offset && !packer->stream->wrong;) {
        const struct refrain_unit_record *unit = (const void *)(base + offset); /* checked by refrain_packer_units() */
        struct refrain_slot *all = (struct refrain_slot *)(void *)(base + unit->slots) + (size_t)thread * unit->n_slots;
        slots(packer, unit, all, thread);
        if (packer->to)
            refrain_slot_flags(all, unit->n_slots, (const void *)(base + unit->nodes), unit->n_nodes);
        offset = unit->next;
    }
}
