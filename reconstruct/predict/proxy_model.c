/* proxy_model.c: the functions and items of a proxy (proxy.h). */
#include "predict/proxy.h"

size_t refrain_proxy_add_item(struct refrain_proxy *proxy, size_t function, const struct refrain_region_info *region) {
    if (!REFRAIN_ARRAY_ROOM(proxy->items, proxy->n_items, proxy->items_capacity))
        return SIZE_MAX;
    struct refrain_proxy_item item = {
        .inside = SIZE_MAX, .function = function, .region = region, .called = SIZE_MAX, .parent = SIZE_MAX};
    item.times = calloc(2 * proxy->n_ranks, sizeof *item.times);
    item.chosen = item.times + proxy->n_ranks;
    item.ns = calloc(proxy->n_ranks, sizeof *item.ns);
    item.n = calloc(proxy->n_ranks, sizeof *item.n);
    proxy->items[proxy->n_items] = item;
    bool written = !region || refrain_proxy_call_text(region, &proxy->items[proxy->n_items].text);
    proxy->items[proxy->n_items].letters = refrain_proxy_letters(proxy->items[proxy->n_items].text);
    if (item.times && item.ns && item.n && written)
        return proxy->n_items++;
    free(proxy->items[proxy->n_items].text);
    free(item.times);
    free(item.ns);
    free(item.n);
    return SIZE_MAX;
}

bool refrain_proxy_add_node(struct refrain_proxy *proxy, size_t number, size_t item) {
    struct refrain_proxy_body *body = &proxy->bodies[number];
    if (!REFRAIN_ARRAY_ROOM(body->nodes, body->n_nodes, body->nodes_capacity))
        return false;
    proxy->items[item].parent = body->item;
    proxy->items[item].place = body->n_nodes;
    body->nodes[body->n_nodes++] = item;
    return true;
}

bool refrain_proxy_add_body(struct refrain_proxy *proxy, size_t item) {
    if (!REFRAIN_ARRAY_ROOM(proxy->bodies, proxy->n_bodies, proxy->bodies_capacity))
        return false;
    proxy->items[item].inside = proxy->n_bodies;
    proxy->bodies[proxy->n_bodies++] = (struct refrain_proxy_body){.item = item};
    return true;
}

size_t refrain_proxy_add_function(struct refrain_proxy *proxy, const struct refrain_region_info *region) {
    if (!REFRAIN_ARRAY_ROOM(proxy->functions, proxy->n_functions, proxy->functions_capacity))
        return SIZE_MAX;
    struct refrain_proxy_function *function = &proxy->functions[proxy->n_functions];
    *function = (struct refrain_proxy_function){.region = region};
    function->body = refrain_proxy_add_item(proxy, proxy->n_functions, NULL);
    function->ns = calloc(proxy->n_ranks, sizeof *function->ns);
    function->n = calloc(proxy->n_ranks, sizeof *function->n);
    bool added = function->body != SIZE_MAX && refrain_proxy_add_body(proxy, function->body);
    if (added && function->ns && function->n)
        return proxy->n_functions++;
    free(function->ns);
    free(function->n);
    return SIZE_MAX;
}

struct refrain_proxy_list *refrain_proxy_argument(struct refrain_proxy *proxy, size_t item,
                                                  enum refrain_proxy_argument argument, size_t rank) {
    struct refrain_proxy_list **lists = &proxy->items[item].arguments[argument];
    if (!*lists)
        *lists = calloc(proxy->n_ranks, sizeof **lists);
    return *lists ? *lists + rank : NULL;
}

bool refrain_proxy_leave_out(struct refrain_proxy *proxy, const char *name) {
    size_t i = 0;
    while (i < proxy->n_left_out && strcmp(proxy->left_out[i].name, name) != 0)
        i++;
    if (i == proxy->n_left_out) {
        if (!REFRAIN_ARRAY_ROOM(proxy->left_out, proxy->n_left_out, proxy->left_out_capacity))
            return false;
        proxy->left_out[proxy->n_left_out++] = (struct refrain_proxy_left_out){.name = name};
    }
    proxy->left_out[i].count++;
    return true;
}

static void free_lists(struct refrain_proxy_list *lists, size_t n) {
    for (size_t i = 0; lists && i < n; i++)
        free(lists[i].all);
    free(lists);
}

void refrain_proxy_forget(struct refrain_proxy *proxy) {
    for (size_t i = 0; i < proxy->n_items; i++) {
        struct refrain_proxy_item *item = &proxy->items[i];
        free_lists(item->times, 2 * proxy->n_ranks); /* and those of `chosen`, which lie behind them */
        for (size_t k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++)
            free_lists(item->arguments[k], proxy->n_ranks);
        free(item->children);
        free(item->text);
        free(item->ns);
        free(item->n);
    }
    for (size_t i = 0; i < proxy->n_functions; i++) {
        struct refrain_proxy_function *function = &proxy->functions[i];
        free(function->ns);
        free(function->n);
    }
    for (size_t i = 0; i < proxy->n_bodies; i++) {
        struct refrain_proxy_body *body = &proxy->bodies[i];
        free(body->nodes);
        free(body->steps);
        free(body->begun);
        refrain_table_close(&body->followed);
    }
    for (size_t i = 0; i < proxy->n_runs; i++)
        free(proxy->runs[i].shared);
    free(proxy->runs);
    free(proxy->n_requests); /* and n_comms, which lies behind them */
    refrain_table_close(&proxy->regions);
    refrain_table_close(&proxy->by_region);
    refrain_table_close(&proxy->nodes);
    refrain_table_close(&proxy->loops);
    free(proxy->bodies);
    free(proxy->items);
    free(proxy->functions);
    free(proxy->left_out);
    *proxy = (struct refrain_proxy){.split = proxy->split, .leading = proxy->leading, .formulas = proxy->formulas};
}

void refrain_proxy_close(struct refrain_proxy *proxy) {
    refrain_proxy_forget(proxy);
    refrain_table_close(&proxy->split);
    refrain_table_close(&proxy->leading);
    refrain_formulas_close(&proxy->formulas);
    *proxy = (struct refrain_proxy){0};
}
