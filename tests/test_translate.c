/* test_translate.c: the partners of a damaged trace are ranks of the run, or none (reconstruct/match/translate.c),
 * since later stages have tables by rank. A request that begins again before it completes has as many completions. */
#include "match/translate.h"

#include <stdio.h>

static unsigned failed;

static void partner_of(struct refrain_translation *translation, uint32_t operation, int64_t rank, int32_t expected) {
    struct refrain_event event = translation->blank;
    struct refrain_record record = {.kind = REFRAIN_RECORD_OPERATION,
                                    .operation = operation,
                                    .n_parameters = operation == REFRAIN_OP_SEND ? 4 : 3,
                                    .parameters = {rank, 5, 0, 0}};
    if (refrain_translate(translation, &record, 1, &event) == 1 && event.peer == expected)
        return;
    printf("FAILED: operation %u, rank %lld: partner %d, not %d\n", operation, (long long)rank, event.peer, expected);
    failed++;
}

static int64_t request_of(struct refrain_translation *translation, uint32_t operation) {
    struct refrain_event event = translation->blank;
    struct refrain_record record = {.kind = REFRAIN_RECORD_OPERATION, .operation = operation, .n_parameters = 1};
    refrain_translate(translation, &record, 1, &event);
    return event.request;
}

/* Persistent request 0 begins three times before it completes. The communications must complete in the order in which
 * they began. */
static void check_begun_again(struct refrain_translation *translation) {
    int64_t begun[3];
    for (unsigned round = 0; round < 2; round++) {
        request_of(translation, REFRAIN_OP_SEND_INIT);
        for (unsigned i = 0; i < 3; i++)
            begun[i] = request_of(translation, REFRAIN_OP_START);
        for (unsigned i = 0; i < 2 + round; i++) {
            int64_t completed = request_of(translation, REFRAIN_OP_COMPLETE);
            if (completed == begun[i] && completed >= 0)
                continue;
            printf("FAILED: request %lld completes, not %lld\n", (long long)completed, (long long)begun[i]);
            failed++;
        }
        request_of(translation, REFRAIN_OP_FREE);
    }
}

int main(void) {
    static struct refrain_header header;
    struct refrain_call_site call_site = {.next = 0};
    struct refrain_call_site_view call_sites = {.record = &call_site};
    struct refrain_comm_info world = {.name = "MPI_COMM_WORLD", .size = 3};
    struct refrain_communicator record = {.size = 3};
    struct refrain_comm_view comms = {.record = &record, .info = &world};
    struct refrain_process process = {
        .header = &header, .n_ranks = 3, .call_sites = &call_sites, .n_call_sites = 1, .comms = &comms, .n_comms = 1};
    const uint32_t operations[] = {REFRAIN_OP_SEND, REFRAIN_OP_RMA};
    const int64_t none[] = {-1, 3, INT32_MAX, (int64_t)INT32_MAX + 1, ((int64_t)1 << 32) + 1, INT64_MAX};
    struct refrain_translation translation;
    refrain_translation_open(&translation, &process, 0, false);
    for (unsigned i = 0; i < 2; i++) {
        partner_of(&translation, operations[i], 2, 2);
        for (unsigned n = 0; n < sizeof none / sizeof *none; n++)
            partner_of(&translation, operations[i], none[n], -1);
    }
    check_begun_again(&translation);
    refrain_translation_close(&translation);
    printf("%u failed\n", failed);
    return failed > 0;
}
