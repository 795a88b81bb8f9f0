/* packed_image.c: the walk over everything that a region says (packed_image.h). */
#include "packed_image.h"
#include "slot_flags.h"
#include <refrain/settings.h>
#include <refrain/unit.h>

#include <string.h>

#define MOST_NAMES 64u /* that are found again, so that one name stays one */
#define MOST_PAGES ((uint32_t)1 << 24)

/* Who adds a field that a reader needs adds it here too. */
_Static_assert(sizeof(struct refrain_header) == 696 && sizeof(struct refrain_slot) == 96 &&
                   sizeof(struct refrain_learner) == 64 && sizeof(struct refrain_region_name) == 128 &&
                   sizeof(struct refrain_call_site) == 152 && sizeof(struct refrain_communicator) == 48 &&
                   sizeof(struct refrain_object) == 32 && sizeof(struct refrain_time_page) == 1024,
               "what is packed are these fields");

struct walk {
    struct refrain_packed_stream *stream;
    const unsigned char *from; /* the region that is written; null: reading */
    size_t from_bytes;
    unsigned char *to; /* the image that is read; null: writing */
    size_t to_bytes;
    uint64_t used;                   /* of the image: where the next record goes */
    uint64_t pinned_from, pinned_to; /* records with places of their own lie between: [from, to) */
    uint32_t names[MOST_NAMES];      /* references of the names met so far */
    unsigned n_names;
    const struct refrain_unit_record *unit;
    uint32_t n_metrics; /* behind each profile */
};

/* ---- fields ---- */

static uint64_t value_of(struct walk *walk, enum refrain_packed_kind kind, uint64_t value) {
    if (walk->stream->wrong)
        return walk->to ? 0 : value;
    walk->stream->value(walk->stream, kind, &value);
    return walk->stream->wrong && walk->to ? 0 : value;
}

static uint64_t zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static int64_t unzigzag(uint64_t coded) {
    return (int64_t)(coded >> 1 ^ -(coded & 1));
}

/* A number that is near to what is expected. */
static uint64_t near(struct walk *walk, enum refrain_packed_kind kind, uint64_t value, uint64_t expected) {
    return expected + (uint64_t)unzigzag(value_of(walk, kind, zigzag((int64_t)(value - expected))));
}

/* Fields are written as they are, and set to what is read; reading a region must not write to it. */
#define FIELD(walk, kind, field)                                                                                       \
    do {                                                                                                               \
        uint64_t field_value = value_of(walk, kind, (uint64_t)(field));                                                \
        if ((walk)->to)                                                                                                \
            (field) = (__typeof__(field))field_value;                                                                  \
    } while (0)
#define NEAR(walk, kind, field, expected)                                                                              \
    do {                                                                                                               \
        uint64_t field_value = near(walk, kind, (uint64_t)(field), (uint64_t)(expected));                              \
        if ((walk)->to)                                                                                                \
            (field) = (__typeof__(field))field_value;                                                                  \
    } while (0)
#define SIGNED(walk, kind, field) NEAR(walk, kind, field, 0)

static void bytes_of(struct walk *walk, enum refrain_packed_kind kind, const void *bytes, size_t n) {
    if (!walk->stream->wrong)
        walk->stream->bytes(walk->stream, kind, (void *)(uintptr_t)bytes, n);
}

/* In the order of the walk. */
enum record {
    RECORD_HEADER = 1,
    RECORD_UNIT,
    RECORD_THREAD,
    RECORD_SLOT,
    RECORD_CALL_SITE,
    RECORD_REGION,
    RECORD_COMMUNICATOR,
    RECORD_OBJECT,
};

static void begin_record(const struct walk *walk, enum record record, uint64_t major, uint64_t minor) {
    if (walk->stream->record && !walk->stream->wrong)
        walk->stream->record(walk->stream,
                             (uint64_t)record << 60 | (major & (((uint64_t)1 << 36) - 1)) << 24 | (minor & 0xffffff));
}

/* ---- where records lie ---- */

static void *fail(struct walk *walk, const char *wrong) {
    refrain_packed_fail(walk->stream, wrong);
    return NULL;
}

static void *region_at(struct walk *walk, uint64_t offset, uint64_t bytes) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 4 || offset > walk->from_bytes || bytes > walk->from_bytes - offset)
        return fail(walk, "a record lies outside of the region");
    return (void *)(uintptr_t)(walk->from + offset);
}

/* The record at `offset` of the region; or, reading, room for it: *offset is where. Null when that fails. */
static void *record_of(struct walk *walk, uint64_t *offset, uint64_t bytes) {
    void *record = walk->to ? NULL : region_at(walk, *offset, bytes);
    if (walk->stream->wrong || bytes > UINT32_MAX)
        return fail(walk, "a record is too large");
    uint64_t room = (bytes + REFRAIN_UNIT_BYTES - 1) & ~(uint64_t)(REFRAIN_UNIT_BYTES - 1);
    if (walk->used < walk->pinned_to && walk->used + room > walk->pinned_from)
        walk->used = walk->pinned_to;
    uint64_t at = walk->used;
    walk->used += room;
    if (!walk->to)
        return record;
    if (walk->used > walk->to_bytes || walk->used < at)
        return fail(walk, "there is more than there is said to be");
    *offset = at;
    return walk->to + at;
}

/* The same by a reference, which may be none: whether there is one is a value. Writing, `reference` is only read. */
static void *reference_of(struct walk *walk, uint32_t *reference, uint64_t bytes) {
    if (!value_of(walk, REFRAIN_PACKED_HAS, *reference != 0))
        return NULL;
    uint64_t offset = (uint64_t)*reference * REFRAIN_UNIT_BYTES;
    void *record = record_of(walk, &offset, bytes);
    if (walk->to && record)
        *reference = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
    return record;
}

/* ---- names ---- */

static void name(struct walk *walk, uint32_t *reference) {
    uint64_t which = 0; /* 0 none, 1 a new one, 2 + i: names[i] */
    if (!walk->to && *reference) {
        which = 1;
        for (unsigned i = 0; i < walk->n_names; i++)
            if (walk->names[i] == *reference)
                which = 2 + i;
    }
    which = value_of(walk, REFRAIN_PACKED_HAS, which);
    if (which == 0)
        return;
    if (which > 1) {
        if (which - 2 >= walk->n_names)
            fail(walk, "a name is missing");
        else if (walk->to)
            *reference = walk->names[which - 2];
        return;
    }
    uint64_t offset = (uint64_t)*reference * REFRAIN_UNIT_BYTES, length = 0;
    if (!walk->to) {
        const struct refrain_name *before = region_at(walk, offset, sizeof *before);
        length = before ? before->length : 0;
    }
    length = value_of(walk, REFRAIN_PACKED_NAME_LENGTH, length);
    struct refrain_name *record = record_of(walk, &offset, sizeof *record + length + 1);
    if (!record)
        return;
    if (walk->to) {
        record->length = (uint32_t)length;
        *reference = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
    }
    bytes_of(walk, REFRAIN_PACKED_NAME, record->text, length);
    if (walk->n_names < MOST_NAMES)
        walk->names[walk->n_names++] = *reference;
}

/* ---- learners ---- */

static void items(struct walk *walk, struct refrain_item *all, unsigned n) {
    for (unsigned i = 0; i < n && !walk->stream->wrong; i++) {
        struct refrain_item *item = &all[i];
        bool repeats = item->kind == REFRAIN_ITEM_REPEAT;
        unsigned strides = 0;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            strides |= (unsigned)(item->stride[h] != 0) << h;
        uint64_t head = value_of(walk, REFRAIN_PACKED_ITEM_HEAD,
                                 (uint64_t)item->kind | (uint64_t)item->height << 2 | (uint64_t)strides << 6);
        if (walk->to) {
            item->kind = head & 3;
            item->height = head >> 2 & 15;
            strides = (unsigned)(head >> 6) & ((1u << REFRAIN_LOOP_HEIGHTS) - 1);
            repeats = item->kind == REFRAIN_ITEM_REPEAT;
            item->span = 1;
        }
        if (item->kind == REFRAIN_ITEM_LOOP)
            FIELD(walk, REFRAIN_PACKED_ITEM_SPAN, item->span);
        SIGNED(walk, item->kind == REFRAIN_ITEM_LOOP ? REFRAIN_PACKED_LOOP : REFRAIN_PACKED_BASE, item->base);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (strides >> h & 1)
                SIGNED(walk, repeats ? REFRAIN_PACKED_PLACE : REFRAIN_PACKED_STRIDE, item->stride[h]);
    }
}

/* The chunk at a reference, which keeps its place when `pinned`. */
static struct refrain_archive *chunk_of(struct walk *walk, uint32_t *reference, uint32_t used, bool pinned) {
    uint64_t offset = (uint64_t)*reference * REFRAIN_UNIT_BYTES, bytes = sizeof(struct refrain_archive) + used;
    struct refrain_archive *chunk;
    if (!pinned) {
        chunk = record_of(walk, &offset, bytes);
    } else if (!walk->to) {
        chunk = region_at(walk, offset, bytes);
        value_of(walk, REFRAIN_PACKED_PLACE, *reference);
        if (offset < walk->pinned_from)
            walk->pinned_from = offset;
        if (offset + bytes > walk->pinned_to)
            walk->pinned_to = (offset + bytes + REFRAIN_UNIT_BYTES - 1) & ~(uint64_t)(REFRAIN_UNIT_BYTES - 1);
    } else {
        offset = (uint64_t)value_of(walk, REFRAIN_PACKED_PLACE, 0) * REFRAIN_UNIT_BYTES;
        if (offset < walk->pinned_from || offset + bytes > walk->pinned_to || offset + bytes > walk->to_bytes)
            return fail(walk, "a part of an archive is out of place");
        chunk = (struct refrain_archive *)(walk->to + offset);
    }
    if (chunk && walk->to)
        *reference = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
    return chunk;
}

static void archive(struct walk *walk, struct refrain_formula *formula, bool pinned) {
    uint32_t *link = &formula->archive_first, last = formula->archive_last, reference = *link;
    for (size_t n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t used = 0;
        if (!walk->to) {
            const struct refrain_archive *before =
                region_at(walk, (uint64_t)reference * REFRAIN_UNIT_BYTES, sizeof *before);
            used = before ? before->used : 0;
        }
        used = value_of(walk, REFRAIN_PACKED_CHUNK, used);
        struct refrain_archive *chunk = used <= UINT16_MAX ? chunk_of(walk, &reference, (uint32_t)used, pinned) : NULL;
        if (!chunk || n > walk->from_bytes + walk->to_bytes) {
            fail(walk, "an archive does not end");
            return;
        }
        if (walk->to) {
            chunk->capacity = chunk->used = (uint16_t)used;
            *link = reference;
            formula->archive_last = reference;
        }
        bytes_of(walk, REFRAIN_PACKED_ARCHIVE, chunk->bytes, used);
        link = &chunk->next;
        reference = walk->to || reference == last ? 0 : chunk->next;
    }
}

static void repeat(struct walk *walk, struct refrain_formula *formula) {
    struct refrain_repeat *repeat = reference_of(walk, &formula->repeat, sizeof *repeat);
    if (!repeat)
        return;
    FIELD(walk, REFRAIN_PACKED_PLACE, repeat->first.chunk);
    FIELD(walk, REFRAIN_PACKED_PLACE, repeat->first.at);
    FIELD(walk, REFRAIN_PACKED_PLACE, repeat->end.chunk);
    FIELD(walk, REFRAIN_PACKED_PLACE, repeat->end.at);
}

static void formula(struct walk *walk, struct refrain_learner *learner) {
    uint64_t n = 0;
    if (!walk->to && learner->body) {
        const struct refrain_formula *before =
            region_at(walk, (uint64_t)learner->body * REFRAIN_UNIT_BYTES, sizeof *before);
        n = before ? before->n_items : 0;
    }
    n = value_of(walk, REFRAIN_PACKED_ITEMS, n);
    struct refrain_formula *formula =
        n > UINT16_MAX ? NULL : reference_of(walk, &learner->body, sizeof *formula + n * sizeof(struct refrain_item));
    if (!formula)
        return;
    if (walk->to)
        formula->n_items = formula->capacity = (uint16_t)n;
    items(walk, (struct refrain_item *)(formula + 1), (unsigned)n);
    FIELD(walk, REFRAIN_PACKED_HAS, formula->repeats);
    FIELD(walk, REFRAIN_PACKED_CHUNK, formula->archived_terms);
    archive(walk, formula, formula->repeats || learner->state == REFRAIN_REPEAT);
    if (learner->state == REFRAIN_REPEAT)
        repeat(walk, formula);
}

static void tally(struct walk *walk, uint32_t *reference) {
    struct refrain_tally shape = {0};
    if (!walk->to && *reference) {
        const struct refrain_tally *before = region_at(walk, (uint64_t)*reference * REFRAIN_UNIT_BYTES, sizeof shape);
        if (before)
            shape = *before;
    }
    uint64_t width = value_of(walk, REFRAIN_PACKED_TALLY, shape.width);
    uint64_t capacity = value_of(walk, REFRAIN_PACKED_TALLY, shape.capacity);
    if (width > REFRAIN_TALLY_WIDTH || capacity > (1u << 20)) {
        fail(walk, "counts make no sense");
        return;
    }
    struct refrain_tally *tally =
        reference_of(walk, reference, refrain_tally_bytes((unsigned)width, (uint32_t)capacity));
    if (!tally)
        return;
    if (walk->to) {
        tally->width = (uint8_t)width;
        tally->capacity = (uint32_t)capacity;
    }
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->used);
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->joint);
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->amounts);
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->drop[0]);
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->drop[1]);
    FIELD(walk, REFRAIN_PACKED_TALLY, tally->dropped);
    FIELD(walk, REFRAIN_PACKED_TALLY_WORD, tally->count);
    SIGNED(walk, REFRAIN_PACKED_TALLY_WORD, tally->last);
    for (uint64_t i = 0; i <= capacity && !walk->stream->wrong; i++) {
        uint64_t *words = tally->words + i * (1 + width);
        FIELD(walk, REFRAIN_PACKED_TALLY_WORD, words[0]);
        for (unsigned k = 1; words[0] && k <= width; k++)
            SIGNED(walk, REFRAIN_PACKED_TALLY_WORD, words[k]);
    }
}

static void learner(struct walk *walk, struct refrain_learner *learner);

static void by_key(struct walk *walk, struct refrain_learner *learner_of_parameter) {
    struct refrain_by_key *by = reference_of(walk, &learner_of_parameter->by_key, sizeof *by);
    if (!by)
        return;
    FIELD(walk, REFRAIN_PACKED_KEY, by->used);
    FIELD(walk, REFRAIN_PACKED_KEY, by->parameter);
    learner(walk, &by->others);
    for (unsigned i = 0; i < REFRAIN_KEYS && !walk->stream->wrong; i++)
        if (by->used >> i & 1) {
            SIGNED(walk, REFRAIN_PACKED_KEY, by->key[i]);
            learner(walk, &by->learner[i]);
        }
}

/* `expect` and `until` beyond what is written here are derived from the rest, for the monitor. */
static void learner(struct walk *walk, struct refrain_learner *learner) {
    static unsigned const known_kinds = 4;
    uint64_t state =
        value_of(walk, REFRAIN_PACKED_STATE, (uint64_t)learner->state * known_kinds + learner->kind % known_kinds);
    if (walk->to) {
        learner->state = (uint8_t)(state / known_kinds);
        learner->kind = (uint8_t)(state % known_kinds);
    }
    bool joint = learner->tally != 0; /* of an operation's first parameter: it may be there whatever the state */
    if (learner->state >= REFRAIN_LEARNER_STATES)
        fail(walk, "a learner of unknown state");
    if (learner->state > REFRAIN_IDENTITY)
        formula(walk, learner);
    bool has_value = learner->state == REFRAIN_SUMMARY || !learner->body;
    if (learner->state != REFRAIN_EMPTY && has_value)
        SIGNED(walk, REFRAIN_PACKED_EXPECT, learner->expect);
    if (learner->state != REFRAIN_EMPTY)
        FIELD(walk, REFRAIN_PACKED_CONFIRMED, learner->confirmed);
    if (learner->state == REFRAIN_SUMMARY)
        FIELD(walk, REFRAIN_PACKED_CONFIRMED, learner->stride);
    if (value_of(walk, REFRAIN_PACKED_HAS, joint))
        tally(walk, &learner->tally);
    if (learner->state == REFRAIN_BY_KEY)
        by_key(walk, learner);
}

/* ---- places ---- */

static void profile(struct walk *walk, struct refrain_slot *slot) {
    struct refrain_profile *profile;
    uint64_t has = value_of(walk, REFRAIN_PACKED_PROFILE_SHIFT, slot->profile != 0);
    uint64_t offset = (uint64_t)slot->profile * REFRAIN_UNIT_BYTES;
    if (!has || !(profile = record_of(walk, &offset, sizeof *profile + walk->n_metrics * sizeof profile->metrics[0])))
        return;
    if (walk->to)
        slot->profile = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
    FIELD(walk, REFRAIN_PACKED_PROFILE_SHIFT, profile->shift);
    uint64_t buckets = 0;
    for (unsigned i = 0; !walk->to && i < REFRAIN_PROFILE_BUCKETS; i++)
        buckets = profile->ticks[i] ? i + 1 : buckets;
    buckets = value_of(walk, REFRAIN_PACKED_PROFILE_SHIFT, buckets);
    for (unsigned i = 0; i < REFRAIN_PROFILE_BUCKETS && i < buckets; i++)
        FIELD(walk, REFRAIN_PACKED_PROFILE, profile->ticks[i]);
    for (uint32_t i = 0; i < walk->n_metrics; i++)
        FIELD(walk, REFRAIN_PACKED_METRIC, profile->metrics[i]);
}

/* All of a place but its number and flags. */
static void place(struct walk *walk, struct refrain_slot *slot) {
    learner(walk, &slot->next);
    FIELD(walk, REFRAIN_PACKED_COUNT, slot->count);
    FIELD(walk, REFRAIN_PACKED_TICKS, slot->ticks);
    FIELD(walk, REFRAIN_PACKED_DORMANT, slot->throttled_at);
    profile(walk, slot);
}

static bool was_used(const struct refrain_slot *slot) {
    return slot->next.state != REFRAIN_EMPTY || slot->next.tally || slot->count || slot->ticks || slot->throttled_at ||
           slot->profile;
}

#define KEPT_FLAGS 255u /* the rest follows from the program tree (slot_flags.h) */
#define DORMANT_FLAGS (REFRAIN_SLOT_DORMANT | REFRAIN_SLOT_OFF | REFRAIN_SLOT_THROTTLED)

static void slots(struct walk *walk, const struct refrain_unit_record *unit, struct refrain_slot *all,
                  uint32_t thread) {
    for (uint32_t i = 0; i < unit->n_slots && !walk->stream->wrong; i++) {
        struct refrain_slot *slot = &all[i];
        uint64_t used = !walk->to && was_used(slot);
        begin_record(walk, RECORD_SLOT, thread, unit->first_slot + i);
        uint64_t flags = value_of(walk, REFRAIN_PACKED_FLAGS, slot->flags & KEPT_FLAGS & ~DORMANT_FLAGS);
        uint64_t dormant = value_of(walk, REFRAIN_PACKED_DORMANT, slot->flags & DORMANT_FLAGS);
        used = value_of(walk, REFRAIN_PACKED_USED, used);
        if (walk->to) {
            slot->number = unit->first_slot + i;
            slot->flags = (uint32_t)(flags | dormant);
        }
        if (used)
            place(walk, slot);
    }
}

/* ---- tables ---- */

/* A number that is none, or near to what is expected. */
static uint32_t near_or_none(struct walk *walk, enum refrain_packed_kind kind, uint32_t value, uint32_t none,
                             uint32_t expected) {
    uint64_t coded = value == none ? 0 : 1 + zigzag((int64_t)value - (int64_t)expected);
    coded = value_of(walk, kind, coded);
    return coded == 0 ? none : (uint32_t)(unzigzag(coded - 1) + (int64_t)expected);
}

/* The names of a program tree lie one after the other, in the order in which its nodes first use them. */
static void nodes(struct walk *walk, struct refrain_node *all, uint32_t n, const char *strings,
                  uint32_t strings_bytes) {
    struct refrain_node before = {0};
    uint32_t next_name = 1, next_slot = 0;
    for (uint32_t i = 0; i < n && !walk->stream->wrong; i++) {
        struct refrain_node *node = &all[i];
        FIELD(walk, REFRAIN_PACKED_NODE_KIND, node->kind);
        NEAR(walk, REFRAIN_PACKED_NODE_PARENT, node->parent, i);
        uint32_t slot = near_or_none(walk, REFRAIN_PACKED_NODE_SLOT, node->slot, REFRAIN_NO_SLOT, next_slot);
        NEAR(walk, REFRAIN_PACKED_NODE_LINE, node->line, before.line);
        NEAR(walk, REFRAIN_PACKED_NODE_COLUMN, node->column, before.column);
        uint32_t text = near_or_none(walk, REFRAIN_PACKED_NODE_NAME, node->name, 0, next_name);
        NEAR(walk, REFRAIN_PACKED_NODE_FILE, node->file, before.file);
        if (walk->to) {
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

static struct refrain_unit_record *unit_of(struct walk *walk, uint64_t *offset, uint32_t n_threads) {
    struct refrain_unit_record *unit = record_of(walk, offset, sizeof *unit);
    if (!unit)
        return NULL;
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, unit->n_nodes);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, unit->n_slots);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, unit->strings_bytes);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, unit->first_slot);
    uint64_t at_nodes = unit->nodes, at_strings = unit->strings, at_slots = unit->slots;
    uint64_t slots_bytes = (uint64_t)unit->n_slots * n_threads * sizeof(struct refrain_slot);
    struct refrain_node *all = record_of(walk, &at_nodes, (uint64_t)unit->n_nodes * sizeof *all);
    char *strings = record_of(walk, &at_strings, unit->strings_bytes);
    if (!all || !strings || (slots_bytes && !record_of(walk, &at_slots, slots_bytes)))
        return NULL;
    if (walk->to) {
        unit->nodes = at_nodes;
        unit->strings = at_strings;
        unit->slots = at_slots;
    }
    bytes_of(walk, REFRAIN_PACKED_TEXT, strings, unit->strings_bytes);
    if (unit->strings_bytes == 0 || strings[unit->strings_bytes - 1] != 0)
        return fail(walk, "the names of a unit do not end");
    nodes(walk, all, unit->n_nodes, strings, unit->strings_bytes);
    return unit;
}

static void units(struct walk *walk, struct refrain_header *header) {
    uint64_t *link = &header->units, offset = *link, before = 0;
    for (unsigned n = 0; value_of(walk, REFRAIN_PACKED_HAS, offset != 0) && !walk->stream->wrong; n++) {
        begin_record(walk, RECORD_UNIT, n, 0);
        if (!walk->to && offset <= before) {
            fail(walk, "unit records run backwards");
            return;
        }
        before = offset;
        struct refrain_unit_record *unit = unit_of(walk, &offset, header->n_threads);
        if (!unit)
            return;
        if (walk->to)
            *link = offset;
        link = &unit->next;
        offset = walk->to ? 0 : unit->next;
    }
}

static void slots_of_units(struct walk *walk, const struct refrain_header *header, uint32_t thread) {
    unsigned char *base = walk->to ? walk->to : (unsigned char *)(uintptr_t)walk->from;
    for (uint64_t offset = header->units; offset && !walk->stream->wrong;) {
        const struct refrain_unit_record *unit = (const void *)(base + offset); /* units() has checked it */
        struct refrain_slot *all = (struct refrain_slot *)(void *)(base + unit->slots) + (size_t)thread * unit->n_slots;
        slots(walk, unit, all, thread);
        if (walk->to)
            refrain_slot_flags(all, unit->n_slots, (const void *)(base + unit->nodes), unit->n_nodes);
        offset = unit->next;
    }
}

/* ---- timelines ---- */

static struct refrain_time_page *page_of(struct walk *walk, uint64_t *offset, const struct refrain_time_page *before,
                                         uint64_t start_ticks) {
    struct refrain_time_page *page = record_of(walk, offset, sizeof *page);
    uint64_t used = 0;
    if (!page)
        return NULL;
    NEAR(walk, REFRAIN_PACKED_PAGE, page->first_block, before ? before->first_block : 0);
    NEAR(walk, REFRAIN_PACKED_CLOCK, page->first_ticks, before ? before->first_ticks : start_ticks);
    FIELD(walk, REFRAIN_PACKED_PAGE, page->span_shift);
    FIELD(walk, REFRAIN_PACKED_PAGE, page->quantum_shift);
    for (unsigned i = 0; !walk->to && i < REFRAIN_TIME_ITEMS_BYTES; i++)
        used = page->items[i] ? i + 1 : used;
    used = value_of(walk, REFRAIN_PACKED_PAGE_BYTES, used);
    if (used > REFRAIN_TIME_ITEMS_BYTES)
        return fail(walk, "a page of times is too long");
    bytes_of(walk, REFRAIN_PACKED_TIMELINE, page->items, used);
    return page;
}

static void timeline(struct walk *walk, struct refrain_thread *thread) {
    struct refrain_timeline *timeline;
    uint64_t offset = (uint64_t)thread->timeline * REFRAIN_UNIT_BYTES;
    if (!value_of(walk, REFRAIN_PACKED_PAGE, offset != 0) || !(timeline = record_of(walk, &offset, sizeof *timeline)))
        return;
    if (walk->to)
        thread->timeline = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
    FIELD(walk, REFRAIN_PACKED_PAGE, timeline->pages);
    FIELD(walk, REFRAIN_PACKED_PAGE, timeline->most_pages);
    FIELD(walk, REFRAIN_PACKED_PAGE, timeline->stopped);
    FIELD(walk, REFRAIN_PACKED_PAGE, timeline->merges);
    FIELD(walk, REFRAIN_PACKED_PAGE, timeline->backwards);
    uint32_t *link = &timeline->first, n = 0;
    const struct refrain_time_page *before = NULL;
    for (uint32_t reference = *link; value_of(walk, REFRAIN_PACKED_PAGE, reference != 0) && !walk->stream->wrong;) {
        uint64_t at = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_time_page *page = page_of(walk, &at, before, thread->start_ticks);
        if (!page || ++n > MOST_PAGES) {
            fail(walk, "a timeline does not end");
            return;
        }
        if (walk->to)
            *link = (uint32_t)(at / REFRAIN_UNIT_BYTES);
        link = &page->next;
        reference = walk->to ? 0 : page->next;
        before = page;
    }
}

/* ---- threads ---- */

static void thread(struct walk *walk, const struct refrain_header *header, struct refrain_thread *thread,
                   uint32_t number) {
    begin_record(walk, RECORD_THREAD, number, 0);
    FIELD(walk, REFRAIN_PACKED_USED, thread->started);
    if (walk->to)
        thread->root.number = UINT32_MAX;
    if (!thread->started)
        return;
    FIELD(walk, REFRAIN_PACKED_RUN, thread->ended);
    NEAR(walk, REFRAIN_PACKED_CLOCK, thread->start_ticks, header->start.ticks);
    NEAR(walk, REFRAIN_PACKED_CLOCK, thread->last_ticks, thread->start_ticks);
    place(walk, &thread->root);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->paused);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->untold_calls);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->left_out_calls);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->metrics_ns);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->metrics_counted_ns);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->now.call);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->now.inside);
    SIGNED(walk, REFRAIN_PACKED_RUN, thread->now.sends_to);
    SIGNED(walk, REFRAIN_PACKED_RUN, thread->now.receives_from);
    FIELD(walk, REFRAIN_PACKED_RUN, thread->now.comm);
    SIGNED(walk, REFRAIN_PACKED_RUN, thread->now.tag);
    timeline(walk, thread);
}

/* ---- call sites, user regions ---- */

static void operations(struct walk *walk, struct refrain_call_site *site) {
    uint32_t *link = &site->operations, reference = *link;
    for (unsigned n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_operation_record *record = record_of(walk, &offset, sizeof *record);
        if (!record || n >= REFRAIN_OPERATIONS) {
            fail(walk, "one operation twice");
            return;
        }
        if (walk->to) {
            *link = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
            record->after.number = UINT32_MAX;
        }
        begin_record(walk, RECORD_CALL_SITE, UINT32_MAX - site->number, n + 1);
        FIELD(walk, REFRAIN_PACKED_OPERATION, record->operation);
        FIELD(walk, REFRAIN_PACKED_OPERATION, record->after_return);
        place(walk, &record->after);
        for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
            learner(walk, &record->parameter[i]);
        link = &record->next;
        reference = walk->to ? 0 : record->next;
    }
}

/* Newest first, as they are listed. */
static void call_sites(struct walk *walk, struct refrain_header *header) {
    uint32_t reference = (uint32_t)header->call_sites, *link = NULL, before = header->n_call_sites;
    for (uint32_t n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_call_site *site = record_of(walk, &offset, sizeof *site);
        if (!site || n > REFRAIN_MOST_CALL_SITES) {
            fail(walk, "a list of call sites runs in circles");
            return;
        }
        NEAR(walk, REFRAIN_PACKED_SITE, site->number, before - 1);
        before = site->number;
        begin_record(walk, RECORD_CALL_SITE, UINT32_MAX - site->number, 0);
        FIELD(walk, REFRAIN_PACKED_SITE, site->function);
        FIELD(walk, REFRAIN_PACKED_SITE, site->slot);
        FIELD(walk, REFRAIN_PACKED_SITE, site->thread);
        FIELD(walk, REFRAIN_PACKED_SITE, site->shared);
        FIELD(walk, REFRAIN_PACKED_RETURN_ADDRESS, site->return_address);
        FIELD(walk, REFRAIN_PACKED_SITE, site->line);
        name(walk, &site->object);
        name(walk, &site->within);
        place(walk, &site->inside);
        operations(walk, site);
        uint32_t at = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
        if (walk->to) {
            site->inside.number = UINT32_MAX;
            if (link)
                *link = at;
            else
                header->call_sites = at;
        }
        link = &site->next;
        reference = walk->to ? 0 : site->next;
    }
}

static void regions(struct walk *walk, struct refrain_header *header) {
    uint32_t reference = (uint32_t)header->regions, *link = NULL, before = header->n_regions;
    for (uint32_t n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_region_name *region = record_of(walk, &offset, sizeof *region);
        if (!region || n == UINT32_MAX) {
            fail(walk, "a list of user regions runs in circles");
            return;
        }
        NEAR(walk, REFRAIN_PACKED_SITE, region->number, before - 1);
        before = region->number;
        begin_record(walk, RECORD_REGION, UINT32_MAX - region->number, 0);
        FIELD(walk, REFRAIN_PACKED_SITE, region->thread);
        FIELD(walk, REFRAIN_PACKED_SITE, region->use);
        FIELD(walk, REFRAIN_PACKED_RETURN_ADDRESS, region->address);
        name(walk, &region->name);
        name(walk, &region->object);
        place(walk, &region->inside);
        uint32_t at = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
        if (walk->to) {
            region->inside.number = UINT32_MAX;
            if (link)
                *link = at;
            else
                header->regions = at;
        }
        link = &region->next;
        reference = walk->to ? 0 : region->next;
    }
}

/* ---- communicators ---- */

static void members(struct walk *walk, struct refrain_communicator *comm) {
    uint64_t n = (uint64_t)(uint32_t)comm->size + (uint32_t)comm->remote_size;
    int32_t *all = reference_of(walk, &comm->members, n * sizeof *all), before = -1;
    for (uint64_t i = 0; all && i < n && !walk->stream->wrong; i++) {
        NEAR(walk, REFRAIN_PACKED_MEMBER, all[i], (int64_t)before + 1);
        before = all[i];
    }
}

static void topology(struct walk *walk, struct refrain_communicator *comm) {
    uint64_t n = 0;
    if (!walk->to && comm->topology) {
        const struct refrain_topology *before =
            region_at(walk, (uint64_t)comm->topology * REFRAIN_UNIT_BYTES, sizeof *before);
        n = before ? before->n_dimensions : 0;
    }
    n = value_of(walk, REFRAIN_PACKED_TOPOLOGY, n);
    struct refrain_topology *topology =
        n > 4096 ? fail(walk, "a topology of too many dimensions")
                 : reference_of(walk, &comm->topology, sizeof *topology + 3 * n * sizeof(int32_t));
    if (!topology)
        return;
    if (walk->to)
        topology->n_dimensions = (uint32_t)n;
    for (uint64_t i = 0; i < 3 * n; i++)
        SIGNED(walk, REFRAIN_PACKED_TOPOLOGY, topology->values[i]);
}

static void communicators(struct walk *walk, struct refrain_header *header) {
    uint32_t reference = (uint32_t)header->communicators, *link = NULL;
    for (uint32_t n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_communicator *comm = record_of(walk, &offset, sizeof *comm);
        if (!comm || n == UINT32_MAX) {
            fail(walk, "a list of communicators runs in circles");
            return;
        }
        begin_record(walk, RECORD_COMMUNICATOR, n, 0);
        NEAR(walk, REFRAIN_PACKED_COMM, comm->index, n);
        SIGNED(walk, REFRAIN_PACKED_COMM, comm->leader);
        FIELD(walk, REFRAIN_PACKED_COMM, comm->ordinal);
        SIGNED(walk, REFRAIN_PACKED_COMM, comm->size);
        SIGNED(walk, REFRAIN_PACKED_COMM, comm->my_rank);
        SIGNED(walk, REFRAIN_PACKED_COMM, comm->remote_size);
        FIELD(walk, REFRAIN_PACKED_COMM, comm->parent);
        FIELD(walk, REFRAIN_PACKED_COMM, comm->collectives);
        name(walk, &comm->name);
        members(walk, comm);
        topology(walk, comm);
        uint32_t at = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
        if (walk->to) {
            if (link)
                *link = at;
            else
                header->communicators = at;
        }
        link = &comm->next;
        reference = walk->to ? 0 : comm->next;
    }
}

/* ---- windows and files ---- */

static void objects(struct walk *walk, struct refrain_header *header) {
    uint32_t *link = &header->objects, reference = *link;
    for (uint32_t n = 0; value_of(walk, REFRAIN_PACKED_HAS, reference != 0) && !walk->stream->wrong; n++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_UNIT_BYTES;
        struct refrain_object *object = record_of(walk, &offset, sizeof *object);
        if (!object || n == UINT32_MAX) {
            fail(walk, "a list of windows and files runs in circles");
            return;
        }
        if (walk->to)
            *link = (uint32_t)(offset / REFRAIN_UNIT_BYTES);
        begin_record(walk, RECORD_OBJECT, n, 0);
        FIELD(walk, REFRAIN_PACKED_OBJECT, object->kind);
        NEAR(walk, REFRAIN_PACKED_OBJECT, object->number, n);
        FIELD(walk, REFRAIN_PACKED_OBJECT, object->comm);
        FIELD(walk, REFRAIN_PACKED_OBJECT, object->slot);
        FIELD(walk, REFRAIN_PACKED_OBJECT, object->open);
        name(walk, &object->name);
        link = &object->next;
        reference = walk->to ? 0 : object->next;
    }
}

/* ---- the process ---- */

static void clock_pair(struct walk *walk, struct refrain_clock_pair *pair, const struct refrain_clock_pair *before) {
    NEAR(walk, REFRAIN_PACKED_CLOCK, pair->ticks, before ? before->ticks : 0);
    NEAR(walk, REFRAIN_PACKED_CLOCK, pair->realtime_ns, before ? before->realtime_ns : 0);
    NEAR(walk, REFRAIN_PACKED_CLOCK, pair->monotonic_ns, before ? before->monotonic_ns : 0);
}

static void clocks(struct walk *walk, struct refrain_header *header) {
    clock_pair(walk, &header->start, NULL);
    clock_pair(walk, &header->last, &header->start);
    struct refrain_clock_sync *sync = &header->clock_sync;
    FIELD(walk, REFRAIN_PACKED_RUN, sync->n);
    SIGNED(walk, REFRAIN_PACKED_RUN, sync->parent);
    for (unsigned i = 0; i < 2 && i < sync->n; i++) {
        FIELD(walk, REFRAIN_PACKED_CLOCK, sync->meeting[i].own_ticks);
        FIELD(walk, REFRAIN_PACKED_CLOCK, sync->meeting[i].parent_ticks);
        FIELD(walk, REFRAIN_PACKED_CLOCK, sync->meeting[i].round_trip_ticks);
    }
}

/* What the run was: of each process, and of all that were started alike. */
static void about(struct walk *walk, struct refrain_header *header) {
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->mode);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->formula_length);
    SIGNED(walk, REFRAIN_PACKED_COUNT_OF, header->rank);
    SIGNED(walk, REFRAIN_PACKED_COUNT_OF, header->size);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->clock);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_threads);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_slots);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_communicators);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_call_sites);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_regions);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->n_objects);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->call_slots);
    FIELD(walk, REFRAIN_PACKED_COUNT_OF, header->mpi_thread_level);
    FIELD(walk, REFRAIN_PACKED_RUN, header->pid);
    FIELD(walk, REFRAIN_PACKED_RUN, header->finished);
    FIELD(walk, REFRAIN_PACKED_RUN, header->request_high_water);
    FIELD(walk, REFRAIN_PACKED_RUN, header->pause);
    FIELD(walk, REFRAIN_PACKED_RUN, header->n_dormant);
    FIELD(walk, REFRAIN_PACKED_RUN, header->setup_ticks);
    FIELD(walk, REFRAIN_PACKED_RUN, header->init_ticks);
    FIELD(walk, REFRAIN_PACKED_RUN, header->order.state);
    FIELD(walk, REFRAIN_PACKED_RUN, header->order.receives);
    FIELD(walk, REFRAIN_PACKED_RUN, header->order.held);
    FIELD(walk, REFRAIN_PACKED_RUN, header->order.given_up);
    FIELD(walk, REFRAIN_PACKED_RUN, header->code_is_kept);
    FIELD(walk, REFRAIN_PACKED_RUN, header->boot_id[0]);
    FIELD(walk, REFRAIN_PACKED_RUN, header->boot_id[1]);
    FIELD(walk, REFRAIN_PACKED_RUN, header->outside_bytes);
    uint64_t region_bytes =
        value_of(walk, REFRAIN_PACKED_RUN, header->region_bytes ? header->region_bytes : header->bytes);
    uint64_t region_used =
        value_of(walk, REFRAIN_PACKED_RUN, header->region_used ? header->region_used : header->pool_used);
    if (walk->to) {
        header->region_bytes = region_bytes;
        header->region_used = region_used;
    }
    FIELD(walk, REFRAIN_PACKED_RUN, header->pool_control);
    FIELD(walk, REFRAIN_PACKED_RUN, header->pool_counts);
    FIELD(walk, REFRAIN_PACKED_RUN, header->pool_places);
    FIELD(walk, REFRAIN_PACKED_RUN, header->pool_last);
    FIELD(walk, REFRAIN_PACKED_RUN, header->time_bytes);
    FIELD(walk, REFRAIN_PACKED_RUN, header->tree_bytes);
    FIELD(walk, REFRAIN_PACKED_RUN, header->slot_bytes);
    for (unsigned i = 0; i < REFRAIN_PROBE_KINDS; i++) {
        FIELD(walk, REFRAIN_PACKED_RUN, header->probe_costs[i].before);
        FIELD(walk, REFRAIN_PACKED_RUN, header->probe_costs[i].after);
    }
    for (unsigned i = 0; i < REFRAIN_LOSSES; i++)
        FIELD(walk, REFRAIN_PACKED_LOSS, header->losses[i]);
    name(walk, &header->executable);
    name(walk, &header->environment);
    name(walk, &header->host);
    name(walk, &header->mpi_library);
    name(walk, &header->start_directory);
}

static void metrics(struct walk *walk, struct refrain_header *header) {
    FIELD(walk, REFRAIN_PACKED_RUN, header->n_metrics);
    if (header->n_metrics > REFRAIN_MOST_METRICS) {
        fail(walk, "there are more metrics than there can be");
        return;
    }
    struct refrain_metrics *metrics = reference_of(walk, &header->metrics, sizeof *metrics);
    if (!metrics)
        return;
    FIELD(walk, REFRAIN_PACKED_RUN, metrics->n);
    for (uint32_t i = 0; i < metrics->n && i < REFRAIN_MOST_METRICS; i++) {
        FIELD(walk, REFRAIN_PACKED_RUN, metrics->metric[i].state);
        name(walk, &metrics->metric[i].name);
    }
    walk->n_metrics = header->n_metrics;
}

static void process(struct walk *walk, struct refrain_header *header) {
    begin_record(walk, RECORD_HEADER, 0, 0);
    about(walk, header);
    clocks(walk, header);
    metrics(walk, header);
    uint64_t threads_bytes = (uint64_t)header->n_threads * sizeof(struct refrain_thread), offset = header->threads;
    struct refrain_thread *threads =
        header->n_threads > REFRAIN_MAXIMUM_THREADS ? NULL : record_of(walk, &offset, threads_bytes);
    if (!threads) {
        fail(walk, "the table of threads is out of place");
        return;
    }
    if (walk->to)
        header->threads = offset;
    units(walk, header);
    for (uint32_t t = 0; t < header->n_threads && !walk->stream->wrong; t++)
        thread(walk, header, &threads[t], t);
    for (uint32_t t = 0; t < header->n_threads && !walk->stream->wrong; t++)
        if (threads[t].started)
            slots_of_units(walk, header, t);
    call_sites(walk, header);
    regions(walk, header);
    communicators(walk, header);
    objects(walk, header);
}

/* ---- both directions ---- */

static void ignore_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    (void)stream;
    (void)kind;
    (void)value;
}

static void ignore_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    (void)stream;
    (void)kind;
    (void)bytes;
    (void)n;
}

static uint64_t end_of(const struct walk *walk) {
    return walk->used < walk->pinned_to ? walk->pinned_to : walk->used;
}

uint64_t refrain_packed_write(const void *region, size_t region_bytes, struct refrain_packed_stream *stream) {
    /* Once to see which records have places of their own. */
    struct refrain_packed_stream nowhere = {.value = ignore_value, .bytes = ignore_bytes};
    struct walk look = {.stream = &nowhere, .from = region, .from_bytes = region_bytes, .used = REFRAIN_HEADER_BYTES};
    look.pinned_from = UINT64_MAX;
    struct refrain_header *header = (struct refrain_header *)(uintptr_t)region;
    process(&look, header);
    struct walk walk = {.stream = stream, .from = region, .from_bytes = region_bytes, .used = REFRAIN_HEADER_BYTES};
    walk.pinned_from = look.pinned_to ? look.pinned_from : 0;
    walk.pinned_to = look.pinned_to;
    if (nowhere.wrong)
        refrain_packed_fail(stream, nowhere.wrong);
    value_of(&walk, REFRAIN_PACKED_PLACE, walk.pinned_from / REFRAIN_UNIT_BYTES);
    value_of(&walk, REFRAIN_PACKED_PLACE, walk.pinned_to / REFRAIN_UNIT_BYTES);
    process(&walk, header);
    return stream->wrong ? 0 : end_of(&walk);
}

bool refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream) {
    struct walk walk = {.stream = stream, .to = image, .to_bytes = bytes, .used = REFRAIN_HEADER_BYTES};
    struct refrain_header *header = image;
    if (bytes < REFRAIN_HEADER_BYTES)
        return false;
    walk.pinned_from = value_of(&walk, REFRAIN_PACKED_PLACE, 0) * REFRAIN_UNIT_BYTES;
    walk.pinned_to = value_of(&walk, REFRAIN_PACKED_PLACE, 0) * REFRAIN_UNIT_BYTES;
    if (walk.pinned_from > walk.pinned_to || walk.pinned_to > bytes)
        fail(&walk, "parts of an archive are out of place");
    process(&walk, header);
    if (!stream->wrong && end_of(&walk) > bytes)
        fail(&walk, "there is more than there is said to be");
    memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = REFRAIN_HEADER_BYTES;
    header->bytes = header->pool_used = bytes;
    return !stream->wrong;
}

/* ---- one learner ---- */

uint64_t refrain_packed_write_learner(const void *region, size_t region_bytes, const struct refrain_learner *of,
                                      uint64_t used, struct refrain_packed_stream *stream) {
    struct walk walk = {.stream = stream, .from = region, .from_bytes = region_bytes, .used = used};
    learner(&walk, (struct refrain_learner *)(uintptr_t)of);
    return walk.used;
}

bool refrain_packed_read_learner(void *image, size_t bytes, uint64_t *used, struct refrain_learner *of,
                                 struct refrain_packed_stream *stream) {
    struct walk walk = {.stream = stream, .to = image, .to_bytes = bytes, .used = *used};
    learner(&walk, of);
    *used = walk.used;
    return !stream->wrong;
}
