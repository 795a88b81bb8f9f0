/* packed_image.c: visits all parts of a process, in both directions (packed_image.h). */
#include "packed_image.h"
#include "packer.h"
#include <refrain/settings.h>

#include <string.h>

/* If you add a field that a reader needs, add it to the visits, too. */
_Static_assert(sizeof(struct refrain_header) == 2840 && sizeof(struct refrain_slot) == 96 &&
                   sizeof(struct refrain_learner) == 64 && sizeof(struct refrain_region_name) == 144 &&
                   sizeof(struct refrain_call_site) == 152 && sizeof(struct refrain_communicator) == 48 &&
                   sizeof(struct refrain_object) == 32 && sizeof(struct refrain_binary) == 32 &&
                   sizeof(struct refrain_overflow_site) == 48 && sizeof(struct refrain_overflow_row) == 48 &&
                   sizeof(struct refrain_samples) == 64 && sizeof(struct refrain_time_page) == 1024,
               "the visits pack the fields of these structs");

/* ---- the process ---- */

static void clock_pair(struct refrain_packer *packer, struct refrain_clock_pair *pair,
                       const struct refrain_clock_pair *before) {
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, pair->ticks, before ? before->ticks : 0);
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, pair->realtime_ns, before ? before->realtime_ns : 0);
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, pair->monotonic_ns, before ? before->monotonic_ns : 0);
}

static void clocks(struct refrain_packer *packer, struct refrain_header *header) {
    clock_pair(packer, &header->start, NULL);
    clock_pair(packer, &header->first, &header->start);
    clock_pair(packer, &header->last, &header->start);
    struct refrain_clock_sync *sync = &header->clock_sync;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, sync->n);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, sync->parent);
    for (unsigned i = 0; i < 2 && i < sync->n; i++) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CLOCK, sync->meeting[i].own_ticks);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CLOCK, sync->meeting[i].parent_ticks);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CLOCK, sync->meeting[i].round_trip_ticks);
    }
}

/* Facts that depend on how the process ended. */
static void how_it_ended(struct refrain_packer *packer, struct refrain_header *header) {
    if (header->finished == REFRAIN_UNFINISHED) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->process_start);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->over_realtime_ns);
    }
    if (header->finished == REFRAIN_FINISHED_BY_ABORT)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, header->abort_code);
}

/* Facts about the run, of the process or of all processes started in the same way. */
static void about(struct refrain_packer *packer, struct refrain_header *header) {
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->mode);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->formula_length);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_COUNT_OF, header->rank);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_COUNT_OF, header->size);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->clock);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_threads);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_slots);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_communicators);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_call_sites);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_regions);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->n_objects);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->call_slots);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT_OF, header->mpi_thread_level);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->pid);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->finished);
    how_it_ended(packer, header);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->request_high_water);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->pause);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->n_throttled);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->setup_ticks);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->init_ticks);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->pack_ns);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->sample_hz);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->order.state);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->order.receives);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->order.held);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->order.given_up);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->code_is_kept);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->boot_id[0]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->boot_id[1]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->outside_bytes);
    uint64_t trace_file_bytes =
        refrain_packer_value(packer, REFRAIN_PACKED_RUN, header->image_bytes ? header->image_bytes : header->bytes);
    uint64_t used = refrain_packer_value(packer, REFRAIN_PACKED_RUN,
                                         header->image_used ? header->image_used : refrain_used_bytes(header));
    if (packer->to) {
        header->image_bytes = trace_file_bytes;
        header->image_used = used;
    }
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->time_bytes);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->tree_bytes);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->slot_bytes);
    for (unsigned i = 0; i < REFRAIN_PROBE_KINDS; i++) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->probe_costs[i].before);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->probe_costs[i].after);
    }
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->cold_probes);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->cold_call);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->page_ticks);
    for (unsigned i = 0; i < REFRAIN_LOSSES; i++)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_LOSS, header->losses[i]);
    refrain_packer_name(packer, &header->executable);
    refrain_packer_name(packer, &header->environment);
    refrain_packer_name(packer, &header->arguments);
    refrain_packer_name(packer, &header->host);
    refrain_packer_name(packer, &header->mpi_library);
    refrain_packer_name(packer, &header->start_directory);
}

static void resident(struct refrain_packer *packer, struct refrain_resident *of) {
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, of->n);
    if (of->n > REFRAIN_RESIDENT_POINTS) {
        refrain_packer_fail(packer, "there are more points of memory than there can be");
        return;
    }
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, of->first_kib);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, of->high_kib);
    for (uint32_t i = 0; i < of->n; i++) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, of->points[i].ticks, i ? of->points[i - 1].ticks : 0);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_RUN, of->points[i].kib, i ? of->points[i - 1].kib : 0);
    }
}

static void metrics(struct refrain_packer *packer, struct refrain_header *header) {
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, header->n_metrics);
    if (header->n_metrics > REFRAIN_MOST_METRICS) {
        refrain_packer_fail(packer, "there are more metrics than there can be");
        return;
    }
    struct refrain_metrics *metrics =
        refrain_packer_reference(packer, &header->metrics, sizeof *metrics, REFRAIN_PACKER_NONE);
    if (!metrics)
        return;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, metrics->n);
    for (uint32_t i = 0; i < metrics->n && i < REFRAIN_MOST_METRICS; i++) {
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, metrics->metric[i].state);
        refrain_packer_name(packer, &metrics->metric[i].name);
    }
    packer->n_metrics = header->n_metrics;
}

static void process(struct refrain_packer *packer, struct refrain_header *header) {
    refrain_packer_begin(packer, REFRAIN_PACKER_HEADER, 0, 0);
    about(packer, header);
    clocks(packer, header);
    resident(packer, &header->resident);
    metrics(packer, header);
    uint64_t offset = header->threads;
    struct refrain_thread *threads;
    struct refrain_packer_elements all =
        refrain_packer_bound(packer, header->n_threads, sizeof *threads, REFRAIN_MAXIMUM_THREADS);
    threads = all.n > 0 ? refrain_packer_record(packer, &offset, 0, all) : NULL;
    if (!threads) {
        refrain_packer_fail(packer, "the table of threads is out of place");
        return;
    }
    if (packer->to)
        header->threads = offset;
    refrain_packer_units(packer, header);
    for (uint32_t t = 0; t < header->n_threads && !packer->stream->wrong; t++)
        refrain_packer_thread(packer, header, &threads[t], t);
    for (uint32_t t = 0; t < header->n_threads && !packer->stream->wrong; t++)
        if (threads[t].started)
            refrain_packer_slots(packer, header, t);
    refrain_packer_call_sites(packer, header);
    refrain_packer_overflow_sites(packer, header);
    refrain_packer_regions(packer, header);
    refrain_packer_communicators(packer, header);
    refrain_packer_objects(packer, header);
    refrain_packer_binaries(packer, header);
    refrain_packer_samples(packer, header);
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

static uint64_t end_of(const struct refrain_packer *packer) {
    return packer->used < packer->pinned_to ? packer->pinned_to : packer->used;
}

uint64_t refrain_packed_write(const void *trace_file, size_t trace_file_bytes, struct refrain_packed_stream *stream) {
    /* A first visit, without output, finds the records that keep their positions. */
    struct refrain_packed_stream nowhere = {.value = ignore_value, .bytes = ignore_bytes};
    struct refrain_packer look = {
        .stream = &nowhere, .from = trace_file, .from_bytes = trace_file_bytes, .used = REFRAIN_HEADER_BYTES};
    look.pinned_from = UINT64_MAX;
    struct refrain_header *header = (struct refrain_header *)(uintptr_t)trace_file;
    process(&look, header);
    struct refrain_packer packer = {
        .stream = stream, .from = trace_file, .from_bytes = trace_file_bytes, .used = REFRAIN_HEADER_BYTES};
    packer.pinned_from = look.pinned_to ? look.pinned_from : 0;
    packer.pinned_to = look.pinned_to;
    if (nowhere.wrong)
        refrain_packed_fail(stream, nowhere.wrong);
    refrain_packer_place_at(&packer, packer.pinned_from);
    refrain_packer_place_at(&packer, packer.pinned_to);
    process(&packer, header);
    return stream->wrong ? 0 : end_of(&packer);
}

bool refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream) {
    struct refrain_packer packer = {.stream = stream, .to = image, .to_bytes = bytes, .used = REFRAIN_HEADER_BYTES};
    struct refrain_header *header = image;
    if (bytes < REFRAIN_HEADER_BYTES)
        return false;
    packer.pinned_from = refrain_packer_place_at(&packer, 0);
    packer.pinned_to = refrain_packer_place_at(&packer, 0);
    if (packer.pinned_to && (packer.pinned_from < REFRAIN_HEADER_BYTES || packer.pinned_from > packer.pinned_to))
        refrain_packer_fail(&packer, "parts of an archive are out of place");
    process(&packer, header);
    if (!stream->wrong && end_of(&packer) > bytes)
        refrain_packer_fail(&packer, "the records need more bytes than the header says");
    memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = REFRAIN_HEADER_BYTES;
    header->bytes = header->times_from = header->pool_used = bytes;
    return !stream->wrong;
}

/* ---- one learner ---- */

uint64_t refrain_packed_write_learner(const void *trace_file, size_t trace_file_bytes, const struct refrain_learner *of,
                                      uint64_t used, struct refrain_packed_stream *stream) {
    struct refrain_packer packer = {.stream = stream, .from = trace_file, .from_bytes = trace_file_bytes, .used = used};
    refrain_packer_learner(&packer, (struct refrain_learner *)(uintptr_t)of);
    return packer.used;
}

bool refrain_packed_read_learner(void *image, size_t bytes, uint64_t *used, struct refrain_learner *of,
                                 struct refrain_packed_stream *stream) {
    struct refrain_packer packer = {.stream = stream, .to = image, .to_bytes = bytes, .used = *used};
    refrain_packer_learner(&packer, of);
    *used = packer.used;
    return !stream->wrong;
}
