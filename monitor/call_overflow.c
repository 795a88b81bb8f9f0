/* call_overflow.c: the rows of overflow sites, which count operations by partner (call_overflow.h). */
#include "call_overflow.h"
#include "arch/arch.h"
#include "call_operation.h"
#include "call_room.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/trace.h>

/* True for operations whose parameters are complete when they are recorded, without those that name requests, whose
 * numbers mean nothing by themselves. */
static bool is_counted(enum refrain_operation operation) {
    switch (operation) {
    case REFRAIN_OP_SEND:
    case REFRAIN_OP_RECV:
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_SEND_INIT:
    case REFRAIN_OP_COLLECTIVE:
    case REFRAIN_OP_ICOLLECTIVE:
    case REFRAIN_OP_COLLECTIVE_INIT:
    case REFRAIN_OP_RMA:
    case REFRAIN_OP_RMA_REQUEST:
    case REFRAIN_OP_IO:
    case REFRAIN_OP_IO_REQUEST:
    case REFRAIN_OP_MOVED:
    case REFRAIN_OP_WINDOW:
    case REFRAIN_OP_FILE:
    case REFRAIN_OP_COMM:
        return true;
    default:
        return false;
    }
}

/* One bit for each value in which they differ. */
static unsigned differences(const struct refrain_overflow_row *row, const int64_t *parameters, unsigned width) {
    unsigned differ = 0;
    for (unsigned i = 0; i < width; i++) {
        int64_t value = row->amounts >> i & 1 ? row->values[i] / (int64_t)row->count : row->values[i];
        differ |= (unsigned)(value != parameters[i]) << i;
    }
    return differ;
}

static void count(struct refrain_overflow_row *row, const int64_t *parameters, unsigned width, unsigned differ) {
    row->differ |= (uint8_t)differ;
    for (unsigned i = 0; i < width; i++)
        row->values[i] =
            row->amounts >> i & 1 ? (int64_t)((uint64_t)row->values[i] + (uint64_t)parameters[i]) : parameters[i];
    refrain_commit();
    row->count++;
}

/* Without memory for a row of its own, an operation uses a row that differs only in the communicator, of the same
 * members, or in the window. Null if there is none. */
static struct refrain_overflow_row *row_alike(const struct refrain_overflow_site *overflow,
                                              enum refrain_operation operation, const int64_t *parameters,
                                              unsigned drops) {
    const struct refrain_row *kind = &refrain_operation_rows[operation];
    struct refrain_overflow_row *row;
    for (uint32_t reference = overflow->rows; reference; reference = row->next) {
        row = refrain_at_reference(reference);
        if (row->operation != operation || differences(row, parameters, kind->width) & ~(drops | kind->last_drop))
            continue;
        unsigned last = kind->width - 1u;
        if (!(kind->last_drop & REFRAIN_ROW_COMMUNICATOR) ||
            refrain_oldest_alike(row->values[last]) == refrain_oldest_alike(parameters[last]))
            return row;
    }
    return NULL;
}

bool refrain_overflow_count(struct refrain_overflow_site *overflow, enum refrain_operation operation,
                            const int64_t *parameters) {
    const struct refrain_row *kind = &refrain_operation_rows[operation];
    unsigned drops = kind->amounts | kind->drop[0] | kind->drop[1];
    enum refrain_pool_use use = REFRAIN_POOL_OVERFLOW_ROWS;
    struct refrain_overflow_row *row;
    if (!is_counted(operation))
        return false;
    for (uint32_t reference = overflow->rows; reference; reference = row->next) {
        row = refrain_at_reference(reference);
        if (row->operation != operation)
            continue;
        use = REFRAIN_POOL_MORE_ROWS;
        unsigned differ = differences(row, parameters, kind->width);
        if (differ & ~drops)
            continue;
        count(row, parameters, kind->width, differ);
        return true;
    }
    row = refrain_pool_take(sizeof *row, use);
    if (!row && (row = row_alike(overflow, operation, parameters, drops))) {
        count(row, parameters, kind->width, differences(row, parameters, kind->width));
        refrain_lose(REFRAIN_LOSS_COUNTS, 1);
        return true;
    }
    if (!row) {
        overflow->flags |= REFRAIN_OVERFLOW_MIXED;
        return false;
    }
    row->operation = (uint8_t)operation;
    row->amounts = kind->amounts;
    row->next = overflow->rows;
    count(row, parameters, kind->width, 0);
    refrain_commit();
    overflow->rows = refrain_reference(row);
    return true;
}
