/* trace_live.c: makes the copy of a running process's trace file consistent (trace_files.h).
 *
 * The copy was made while the process ran, so each learner holds a beginning of its sequence, some a little more
 * than others. Replay ends at the first learner without a next value, so learners need not be copied at the same
 * time. But a learner and its formula have to match: `changes` shows that (formula.h). Memory that was allocated
 * meanwhile is copied afterwards. The target of each link is copied again after the link, since the first copy may
 * be older than its contents. */
#define _GNU_SOURCE
#include "files/live_timeline.h"

#include <refrain/amounts.h>
#include <time.h>

#define TRIES_IN_A_ROW 20

/* Copies the chunks of an archive. Bytes that are already copied are skipped, as archives only grow. */
static void copy_archive(const struct refrain_settling *live, const struct refrain_formula *formula) {
    uint32_t chunk = formula->archive_first;
    for (size_t n = 0; chunk && n < live->bytes / 64; n++) {
        uint64_t at = (uint64_t)chunk * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_archive *archive = (const struct refrain_archive *)(live->image + at);
        if (!refrain_settling_has(live, at, sizeof *archive))
            return;
        unsigned used = archive->used;
        refrain_settling_copy(live, at, sizeof *archive);
        if (archive->used != used)
            refrain_settling_copy(live, at, sizeof *archive + archive->capacity);
        if (chunk == formula->archive_last || archive->next <= chunk)
            return;
        chunk = archive->next;
    }
}

static void copy_name(const struct refrain_settling *live, uint32_t reference) {
    uint64_t at = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    if (!reference || !refrain_settling_has(live, at, sizeof(struct refrain_name)))
        return;
    refrain_settling_copy(live, at, sizeof(struct refrain_name));
    refrain_settling_copy(live, at,
                          sizeof(struct refrain_name) + ((const struct refrain_name *)(live->image + at))->length + 1);
}

/* Copies a slot without its learner. */
static void copy_counters(const struct refrain_settling *live, uint64_t offset) {
    uint64_t learner = sizeof(struct refrain_learner);
    refrain_settling_copy(live, offset + learner, sizeof(struct refrain_slot) - learner);
}

/* Copies all that a learner refers to: formula, items, repetition, archive. */
static void copy_formula(const struct refrain_settling *live, const struct refrain_learner *learner) {
    uint64_t at = (uint64_t)learner->body * REFRAIN_ALIGNMENT_BYTES;
    struct refrain_formula *formula = (struct refrain_formula *)(live->image + at);
    if (!learner->body || !refrain_settling_has(live, at, sizeof *formula))
        return;
    refrain_settling_copy(live, at, sizeof *formula);
    refrain_settling_copy(live, at + sizeof *formula, (uint64_t)formula->n_items * sizeof(struct refrain_item));
    refrain_settling_copy(live, at + sizeof *formula, (uint64_t)formula->n_values * sizeof(int64_t));
    if (formula->repeat)
        refrain_settling_copy(live, (uint64_t)formula->repeat * REFRAIN_ALIGNMENT_BYTES, sizeof(struct refrain_repeat));
    copy_archive(live, formula);
}

/* Copies the tally of a learner. */
static void copy_tally(const struct refrain_settling *live, const struct refrain_learner *learner) {
    uint64_t at = (uint64_t)learner->tally * REFRAIN_ALIGNMENT_BYTES;
    const struct refrain_tally *tally = (const struct refrain_tally *)(live->image + at);
    if (!learner->tally || !refrain_settling_has(live, at, sizeof *tally))
        return;
    refrain_settling_copy(live, at, sizeof *tally);
    refrain_settling_copy(live, at, refrain_tally_bytes(tally->width, tally->capacity));
}

/* Copies the journals as they are now. Returns the journal about the learner at `offset`, or null. */
static const struct refrain_journal *copy_journals(const struct refrain_settling *live, uint64_t offset) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    const struct refrain_journal *found = NULL;
    for (uint32_t t = 0; t < header->n_threads; t++) {
        uint64_t thread = header->threads + t * sizeof(struct refrain_thread);
        if (!refrain_settling_has(live, thread, sizeof(struct refrain_thread)))
            return NULL;
        uint64_t at =
            (uint64_t)((const struct refrain_thread *)(live->image + thread))->journal * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_journal *journal = (const struct refrain_journal *)(live->image + at);
        if (!at || !refrain_settling_has(live, at, sizeof *journal))
            continue;
        refrain_settling_copy(live, at, sizeof *journal);
        refrain_settling_copy(live, at, sizeof *journal + (uint64_t)journal->formula_bytes);
        if (journal->tally_bytes)
            refrain_settling_copy(live, at + sizeof *journal + journal->tally_at, journal->tally_bytes);
        if (journal->learner == offset)
            found = journal;
    }
    return found;
}

/* Undoes the change that the process is in the middle of. The journal must be used at once, as it will soon be about
 * another learner. It lacks those parts of the formula that the change does not touch. They are taken from the copy,
 * and may be newer. */
static bool undo_change(const struct refrain_settling *live, uint64_t offset, uint32_t changes) {
    const volatile struct refrain_learner *original = (const volatile void *)(live->file + offset);
    struct refrain_error error;
    const struct refrain_journal *journal = copy_journals(live, offset);
    if (!journal)
        return false;
    copy_formula(live, &journal->before);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return original->changes == changes && !refrain_image_undo(live->process, journal, &error);
}

/* For a learner that changes all the time: keeps only its archive, which is valid at any time, since bytes are only
 * appended. */
static void copy_beginning(const struct refrain_settling *live, uint64_t offset) {
    struct refrain_learner *learner = (struct refrain_learner *)(live->image + offset);
    const volatile struct refrain_learner *original = (const volatile void *)(live->file + offset);
    *learner = (struct refrain_learner){.kind = learner->kind};
    uint32_t body = original->body;
    uint64_t at = (uint64_t)body * REFRAIN_ALIGNMENT_BYTES;
    if (!body || !refrain_settling_has(live, at, sizeof(struct refrain_formula)))
        return;
    const volatile struct refrain_formula *formula = (const volatile void *)(live->file + at);
    struct refrain_formula beginning = {.archive_last = formula->archive_last};
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    beginning.archive_first = formula->archive_first;
    if (!beginning.archive_last || !beginning.archive_first)
        return;
    *(struct refrain_formula *)(live->image + at) = beginning;
    copy_archive(live, &beginning);
    learner->body = body;
    learner->state = REFRAIN_BUILD;
}

/* True if the formula has got no values since the learner was copied, other than by `confirmed`. Items and plain
 * values are appended without a change of `changes`; older ones stay as they are. */
static bool has_all_items(const struct refrain_settling *live, const struct refrain_learner *learner) {
    uint64_t at = (uint64_t)learner->body * REFRAIN_ALIGNMENT_BYTES;
    if (!learner->body || !refrain_settling_has(live, at, sizeof(struct refrain_formula)))
        return true;
    const struct refrain_formula *copied = (const struct refrain_formula *)(live->image + at);
    const volatile struct refrain_formula *original = (const volatile void *)(live->file + at);
    return copied->n_items == original->n_items && copied->n_values == original->n_values;
}

/* Copies a learner until all parts match: `changes` was *at throughout. If it stays in the middle of a change, the
 * process has ended or stands there, and the journal undoes the change. If it never stays the same, only its
 * beginning is copied, and replay ends where it needs more. Returns false then. */
static bool settle_at(struct refrain_settling *live, uint64_t offset, uint32_t *at) {
    if (!refrain_settling_has(live, offset, sizeof(struct refrain_learner)))
        return true;
    struct refrain_learner *learner = (struct refrain_learner *)(live->image + offset);
    const volatile struct refrain_learner *original = (const volatile void *)(live->file + offset);
    for (int i = 0; i < refrain_settle_tries; i++) {
        uint32_t now = original->changes;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (now % 2) {
            if (i % TRIES_IN_A_ROW == TRIES_IN_A_ROW - 1)
                nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
            continue;
        }
        uint32_t body = learner->body;
        /* All that was copied after the learner, in the order of the file, is as it was at `now`, or has only grown. */
        bool has_formula = learner->changes == now && (uint64_t)body * REFRAIN_ALIGNMENT_BYTES > offset &&
                           has_all_items(live, learner);
        refrain_settling_copy(live, offset, sizeof *learner);
        if (!has_formula || learner->body != body)
            copy_formula(live, learner);
        copy_tally(live, learner);
        if (learner->state == REFRAIN_IDENTITY) /* the value is stored before the state */
            learner->expect = original->expect;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (original->changes == now) {
            *at = now;
            return true;
        }
        learner->changes = now - 1; /* the parts that it refers to may not match */
    }
    uint32_t now = original->changes;
    refrain_settling_copy(live, offset, sizeof *learner);
    copy_formula(live, learner);
    *at = now;
    if (now % 2 && undo_change(live, offset, now))
        return true;
    copy_beginning(live, offset);
    live->left_out++;
    return false;
}

static bool settle(struct refrain_settling *live, uint64_t offset) {
    uint32_t at;
    return settle_at(live, offset, &at);
}

/* Copies the learner of a slot, and its counters. Iterations of an unfinished loop are valid only together with the
 * counts before them. */
static void settle_slot(struct refrain_settling *live, uint64_t offset) {
    struct refrain_slot *slot = (struct refrain_slot *)(live->image + offset);
    const volatile struct refrain_slot *original = (const volatile void *)(live->file + offset);
    uint32_t at;
    for (int i = 0; i < refrain_settle_tries && settle_at(live, offset, &at); i++) {
        copy_counters(live, offset);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (original->next.changes == at &&
            (at % 2 || (slot->next.confirmed == original->next.confirmed && has_all_items(live, &slot->next))))
            return;
        if (i == refrain_settle_tries - 1)
            live->left_out++;
    }
    slot->count = 0;
}

/* The record at a reference of a list in the image, and its offset. Null at the end of the list, and if the list is
 * circular or leads out of the trace file. `met`: number of records so far. */
static void *record_of_list(const struct refrain_settling *live, uint32_t reference, size_t bytes, size_t *met,
                            uint64_t *offset) {
    *offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    if (!reference || ++*met > live->bytes / bytes || !refrain_settling_has(live, *offset, bytes))
        return NULL;
    return live->image + *offset;
}

static void settle_operations(struct refrain_settling *live, uint32_t reference) {
    const struct refrain_operation_record *record;
    uint64_t at;
    for (size_t met = 0; (record = record_of_list(live, reference, sizeof *record, &met, &at));
         reference = record->next) {
        refrain_settling_copy(live, at, offsetof(struct refrain_operation_record, after));
        copy_counters(live, at + offsetof(struct refrain_operation_record, after));
        settle(live, at + offsetof(struct refrain_operation_record, after.next));
        for (unsigned p = 0; p < REFRAIN_PARAMETERS; p++)
            settle(live,
                   at + offsetof(struct refrain_operation_record, parameter) + p * sizeof(struct refrain_learner));
        refrain_settling_copy(live, at + offsetof(struct refrain_operation_record, next), sizeof record->next);
    }
}

static void settle_call_sites(struct refrain_settling *live) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    const struct refrain_call_site *call_site;
    uint32_t reference = (uint32_t)header->call_sites;
    uint64_t at;
    for (size_t met = 0; (call_site = record_of_list(live, reference, sizeof *call_site, &met, &at));
         reference = call_site->next) {
        refrain_settling_copy(live, at, offsetof(struct refrain_call_site, inside));
        copy_counters(live, at + offsetof(struct refrain_call_site, inside));
        copy_name(live, call_site->object);
        copy_name(live, call_site->within);
        settle(live, at + offsetof(struct refrain_call_site, inside.next));
        refrain_settling_copy(live, at + offsetof(struct refrain_call_site, operations), sizeof call_site->operations);
        settle_operations(live, call_site->operations);
    }
}

static void copy_overflow_sites(struct refrain_settling *live) {
    const struct refrain_overflow_site *overflow;
    uint32_t reference = (uint32_t)((const struct refrain_header *)live->image)->overflow_sites;
    uint64_t at;
    for (size_t met = 0; (overflow = record_of_list(live, reference, sizeof *overflow, &met, &at));
         reference = overflow->next) {
        refrain_settling_copy(live, at, sizeof *overflow);
        copy_name(live, overflow->object);
        copy_name(live, overflow->within);
        const struct refrain_overflow_row *row;
        uint32_t next = overflow->rows;
        uint64_t row_at;
        for (size_t rows = 0; (row = record_of_list(live, next, sizeof *row, &rows, &row_at)); next = row->next)
            refrain_settling_copy(live, row_at, sizeof *row);
    }
}

static void settle_roots(struct refrain_settling *live) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    for (uint32_t t = 0; t < header->n_threads; t++)
        settle(live, header->threads + t * sizeof(struct refrain_thread) + offsetof(struct refrain_thread, root.next));
}

static bool is_count_of_loop(const struct refrain_slot *slot) {
    return REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_COUNT;
}

/* Copies the slots of all units, or (`counts`) the counts of their loops. */
static void settle_slots(struct refrain_settling *live, bool counts) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    uint64_t at = header->units;
    for (size_t n = 0; at && n < live->bytes / sizeof(struct refrain_unit_record); n++) {
        const struct refrain_unit_record *unit;
        if (!refrain_settling_has(live, at, sizeof *unit))
            return;
        refrain_settling_copy(live, at, sizeof *unit);
        unit = (const struct refrain_unit_record *)(live->image + at);
        uint64_t n_slots = (uint64_t)unit->n_slots * header->n_threads;
        if (n_slots > live->bytes / sizeof(struct refrain_slot) ||
            !refrain_settling_has(live, unit->slots, n_slots * sizeof(struct refrain_slot)))
            return;
        if (!counts) {
            refrain_settling_copy(live, unit->nodes, (uint64_t)unit->n_nodes * sizeof(struct refrain_node));
            refrain_settling_copy(live, unit->strings, unit->strings_bytes);
        }
        for (uint64_t s = 0; s < n_slots; s++) {
            uint64_t slot = unit->slots + s * sizeof(struct refrain_slot);
            if (!counts)
                copy_counters(live, slot);
            if (is_count_of_loop((const struct refrain_slot *)(live->image + slot)) == counts)
                settle_slot(live, slot);
        }
        refrain_settling_copy(live, at + offsetof(struct refrain_unit_record, next), sizeof unit->next);
        live->last_unit = at;
        at = unit->next;
    }
}

static void settle_regions(struct refrain_settling *live) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    const struct refrain_region_name *region;
    uint32_t reference = (uint32_t)header->regions;
    uint64_t at;
    for (size_t met = 0; (region = record_of_list(live, reference, sizeof *region, &met, &at));
         reference = region->next) {
        refrain_settling_copy(live, at, offsetof(struct refrain_region_name, inside));
        copy_counters(live, at + offsetof(struct refrain_region_name, inside));
        refrain_settling_copy(live, at + offsetof(struct refrain_region_name, begun), sizeof region->begun);
        copy_name(live, region->name);
        copy_name(live, region->object);
        settle(live, at + offsetof(struct refrain_region_name, inside.next));
    }
}

/* After the learners, whose values name communicators. Only the end of the list grows. */
static void copy_communicators(const struct refrain_settling *live) {
    struct refrain_header *header = (struct refrain_header *)live->image;
    const volatile struct refrain_header *now = (const volatile struct refrain_header *)live->file;
    header->n_communicators = now->n_communicators;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    header->communicators = now->communicators;
    const struct refrain_communicator *record;
    uint32_t reference = (uint32_t)header->communicators;
    uint64_t at;
    for (size_t met = 0; (record = record_of_list(live, reference, sizeof *record, &met, &at));
         reference = record->next) {
        refrain_settling_copy(live, at, sizeof *record);
        copy_name(live, record->name);
        if (record->members)
            refrain_settling_copy(live, (uint64_t)record->members * REFRAIN_ALIGNMENT_BYTES,
                                  ((uint64_t)(uint32_t)record->size + (uint32_t)record->remote_size) * sizeof(int32_t));
        if (record->topology) {
            uint64_t topology = (uint64_t)record->topology * REFRAIN_ALIGNMENT_BYTES;
            refrain_settling_copy(live, topology, sizeof(struct refrain_topology));
            if (refrain_settling_has(live, topology, sizeof(struct refrain_topology)))
                refrain_settling_copy(
                    live, topology,
                    sizeof(struct refrain_topology) +
                        3 * sizeof(int32_t) *
                            (uint64_t)((const struct refrain_topology *)(live->image + topology))->n_dimensions);
        }
    }
}

/* Copies windows and files, in the same way. */
static void copy_objects(const struct refrain_settling *live) {
    struct refrain_header *header = (struct refrain_header *)live->image;
    const volatile struct refrain_header *now = (const volatile struct refrain_header *)live->file;
    header->objects = now->objects;
    const struct refrain_object *object;
    uint32_t reference = header->objects;
    uint64_t at;
    for (size_t met = 0; (object = record_of_list(live, reference, sizeof *object, &met, &at));
         reference = object->next) {
        refrain_settling_copy(live, at, sizeof *object);
        copy_name(live, object->name);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    header->n_objects = now->n_objects; /* they are counted before they are in the list */
}

/* After the call sites and functions, which name the binaries. */
static void copy_binaries(const struct refrain_settling *live) {
    struct refrain_header *header = (struct refrain_header *)live->image;
    header->binaries = ((const volatile struct refrain_header *)live->file)->binaries;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const struct refrain_binary *binary;
    uint32_t reference = header->binaries;
    uint64_t at;
    for (size_t met = 0; (binary = record_of_list(live, reference, sizeof *binary, &met, &at));
         reference = binary->next) {
        refrain_settling_copy(live, at, sizeof *binary);
        copy_name(live, binary->path);
        copy_name(live, binary->build_id);
    }
}

/* The tables after their records, so that they contain all counted samples; files with code after the tables. */
static void copy_samples(const struct refrain_settling *live) {
    struct refrain_header *header = (struct refrain_header *)live->image;
    header->samples = ((const volatile struct refrain_header *)live->file)->samples;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const struct refrain_samples *samples;
    uint32_t reference = header->samples;
    uint64_t at;
    for (size_t met = 0; (samples = record_of_list(live, reference, sizeof *samples, &met, &at));
         reference = samples->next) {
        refrain_settling_copy(live, at, sizeof *samples);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        uint64_t nodes = (uint64_t)samples->nodes * REFRAIN_ALIGNMENT_BYTES;
        uint64_t bytes = samples->n_nodes * sizeof(struct refrain_sample_node);
        refrain_settling_copy(live, nodes, bytes);
        refrain_settling_copy(live, (uint64_t)samples->counts * REFRAIN_ALIGNMENT_BYTES,
                              samples->n_counts * sizeof(struct refrain_sample_count));
        if (!refrain_settling_has(live, nodes, bytes))
            continue;
        const struct refrain_sample_node *node = (const struct refrain_sample_node *)(live->image + nodes);
        for (uint32_t i = 0; i < samples->n_nodes; i++)
            copy_name(live, node[i].object);
    }
}

/* True if the image has all objects that the copied learners may name. */
static bool is_whole(const struct refrain_settling *live) {
    const struct refrain_header *copied = (const struct refrain_header *)live->image;
    const volatile struct refrain_header *now = (const volatile struct refrain_header *)live->file;
    return now->pool_used == copied->pool_used && now->call_sites == copied->call_sites &&
           now->overflow_sites == copied->overflow_sites && now->regions == copied->regions &&
           now->units == copied->units && now->n_slots == copied->n_slots &&
           now->formulas_reused == copied->formulas_reused &&
           (!live->last_unit ||
            ((const volatile struct refrain_unit_record *)(live->file + live->last_unit))->next == 0);
}

void refrain_process_settle(struct refrain_process *process, const void *file) {
    struct refrain_settling live = {
        .process = process, .image = process->mapped, .file = file, .bytes = process->image_bytes};
    struct refrain_header *header = (struct refrain_header *)live.image;
    for (int i = 0;; i++) {
        live.left_out = 0;
        settle_roots(&live);
        settle_slots(&live, false);
        settle_regions(&live);
        settle_call_sites(&live);
        copy_overflow_sites(&live);
        /* Last: between the store of a loop count and the reset of its counter, the counter looks like the next
         * visit of the loop, which no other learner has yet. */
        settle_slots(&live, true);
        copy_communicators(&live);
        copy_objects(&live);
        copy_samples(&live);
        copy_binaries(&live);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (is_whole(&live))
            break;
        if (i == refrain_settle_tries) { /* give up: later additions are left out */
            live.left_out++;
            break;
        }
        /* lists have grown: copy their heads, then the new records */
        uint64_t used = header->pool_used;
        memcpy(live.image, file, sizeof(struct refrain_header));
        if (header->pool_used > used && header->pool_used <= live.bytes)
            memcpy(live.image + used, (const unsigned char *)file + used, header->pool_used - used);
    }
    refrain_settle_timelines(&live);
    /* All copied records are below the current pool_used. Pages of times are moved behind it. */
    header->pool_used = refrain_least(((const volatile struct refrain_header *)file)->pool_used, live.bytes);
    process->n_left_out = live.left_out;
}
