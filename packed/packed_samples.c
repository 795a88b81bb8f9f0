/* packed_samples.c: visits the samples of each thread (packer.h). */
#include "packer.h"

static void nodes(struct refrain_packer *packer, struct refrain_samples *samples, uint32_t n) {
    struct refrain_packer_elements elements =
        refrain_packer_bound(packer, n, sizeof(struct refrain_sample_node), UINT32_MAX);
    struct refrain_sample_node *all = refrain_packer_follow(packer, &samples->nodes, 0, elements);
    uint32_t before = 0;
    for (uint64_t i = 0; all && i < elements.n && !packer->stream->wrong; i++) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_PARENT, all[i].parent, before);
        before = (uint32_t)i + 1;
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RETURN_ADDRESS, all[i].address);
        refrain_packer_name(packer, &all[i].object);
    }
}

static void counts(struct refrain_packer *packer, struct refrain_samples *samples, uint32_t n) {
    struct refrain_packer_elements elements =
        refrain_packer_bound(packer, n, sizeof(struct refrain_sample_count), UINT32_MAX);
    struct refrain_sample_count *all = refrain_packer_follow(packer, &samples->counts, 0, elements);
    uint32_t before = 0;
    for (uint64_t i = 0; all && i < elements.n && !packer->stream->wrong; i++) {
        REFRAIN_NEAR(packer, REFRAIN_PACKED_NODE_SLOT, all[i].node, before);
        before = all[i].node;
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, all[i].call);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, all[i].samples);
        REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, all[i].stretch, i ? all[i - 1].stretch : 0);
    }
}

void refrain_packer_samples(struct refrain_packer *packer, struct refrain_header *header) {
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_HAS, .next = &header->samples};
    struct refrain_samples *samples;
    for (; (samples = refrain_packer_next(packer, &list, sizeof *samples)); list.next = &samples->next) {
        refrain_packer_begin(packer, REFRAIN_PACKER_SAMPLES, list.n - 1, 0);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CALL_SITE, samples->thread);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, samples->taken);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, samples->cut);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, samples->merged);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_COUNT, samples->lost);
        /* Other threads may go on sampling. The rows that are counted now are complete. */
        uint32_t n_nodes = (uint32_t)refrain_packer_value(packer, REFRAIN_PACKED_COUNT_OF,
                                                          __atomic_load_n(&samples->n_nodes, __ATOMIC_ACQUIRE)),
                 n_counts = (uint32_t)refrain_packer_value(packer, REFRAIN_PACKED_COUNT_OF,
                                                           __atomic_load_n(&samples->n_counts, __ATOMIC_ACQUIRE));
        if (packer->to) {
            samples->n_nodes = samples->most_nodes = n_nodes;
            samples->n_counts = samples->most_counts = n_counts;
        }
        nodes(packer, samples, n_nodes);
        counts(packer, samples, n_counts);
    }
}
