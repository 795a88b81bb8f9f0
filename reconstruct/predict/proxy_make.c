/* proxy_make.c: makes the program, with a function once for each caller where that gives its values expressions
 * (proxy.h).
 *
 *     sum() calls exchange() 3 times for 8 ranks, spread() 2 times: the partners of exchange() follow no formula.
 *     Those of the exchange() that sum() calls do, and those of the one that spread() calls do.
 *
 * A function whose values have no expression is split if several items call it, else the function that calls it. This
 * goes on as long as fewer values are without an expression. */
#define _GNU_SOURCE
#include "common/error.h"
#include "predict/proxy.h"

#include <stdlib.h>

/* A program as it was written. */
struct written {
    char *text;
    size_t bytes, n_tables;
};

/* The item that calls a function; *several: there are others. SIZE_MAX: none. */
static size_t caller_of(const struct refrain_proxy *proxy, size_t function, bool *several) {
    size_t caller = SIZE_MAX;
    *several = false;
    for (size_t i = 0; i < proxy->n_items; i++) {
        if (proxy->items[i].called != function)
            continue;
        *several |= caller != SIZE_MAX;
        caller = i;
    }
    return caller;
}

/* Splits the function, or the nearest one on the way to it that can be split. */
static enum refrain_status split(struct refrain_proxy *proxy, size_t function, bool *any, struct refrain_error *error) {
    for (size_t steps = 0; function != 0 && steps < proxy->n_functions; steps++) {
        bool several;
        size_t caller = caller_of(proxy, function, &several);
        uint32_t shared = proxy->functions[function].shared;
        if (several && !refrain_table_number(&proxy->split, shared, 0)) {
            *any = true;
            return refrain_table_put(&proxy->split, shared, 0, 1) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
        }
        function = caller == SIZE_MAX ? 0 : proxy->items[caller].function;
    }
    return REFRAIN_OK;
}

static enum refrain_status split_all(struct refrain_proxy *proxy, bool *any, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    *any = false;
    for (size_t i = 1; i < proxy->n_functions && !status; i++)
        if (proxy->functions[i].n_tables)
            status = split(proxy, i, any, error);
    return status;
}

/* Learns the program with the functions that are split by now, and writes it. The text is malloced unless this fails.
 */
static enum refrain_status learn_and_write(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                           size_t n_traces, enum refrain_proxy_compute compute, struct written *written,
                                           struct refrain_error *error) {
    *written = (struct written){0};
    enum refrain_status status = refrain_proxy_learn(proxy, traces, n_traces, error);
    FILE *out = status ? NULL : open_memstream(&written->text, &written->bytes);
    if (!out)
        return status ? status : REFRAIN_FAIL_MEMORY(error);
    status = refrain_proxy_write(proxy, compute, out, &written->n_tables, error);
    if (fclose(out) != 0 && !status)
        status = REFRAIN_FAIL_MEMORY(error);
    if (status)
        free(written->text);
    return status;
}

enum refrain_status refrain_proxy_make(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                       size_t n_traces, enum refrain_proxy_compute compute, FILE *out, size_t *n_tables,
                                       struct refrain_error *error) {
    struct written best, next;
    enum refrain_status status = learn_and_write(proxy, traces, n_traces, compute, &best, error);
    if (status)
        return status;
    for (bool better = n_traces > 1; better && best.n_tables;) {
        status = split_all(proxy, &better, error);
        if (status || !better)
            break;
        status = learn_and_write(proxy, traces, n_traces, compute, &next, error);
        if (status)
            break;
        better = next.n_tables < best.n_tables;
        free(better ? best.text : next.text);
        best = better ? next : best;
    }
    if (!status)
        fwrite(best.text, 1, best.bytes, out);
    *n_tables = best.n_tables;
    free(best.text);
    return status;
}
