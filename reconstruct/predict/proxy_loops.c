/* proxy_loops.c: puts the items of a function, or of a loop of its source, in order, and in loops if they repeat, from
 * which item followed which (proxy.h).
 *
 *     steps  a -> b 10, b -> b 30, b -> c 10, c -> a 9          loops  { a { b } c }
 *
 * Items that reach each other are in a loop. It begins with the item by which it is entered. Steps to this item begin
 * an iteration; items that still reach each other without these steps are an inner loop. If the inner loop would
 * have the same items, only the steps that were taken least often are those of the outer loop. */
#include "common/array.h"
#include "predict/proxy.h"

/* A loop chooses a child for each iteration if its iterations would execute less than one of so many children. */
#define SELDOM 8
/* It also chooses if it is in so many loops, as compilers limit how deep blocks are. */
#define DEEPEST 30

struct graph {
    struct refrain_proxy *proxy;
    const struct refrain_proxy_body *body;
    uint64_t *steps; /* n * n: those that do not begin an iteration of a loop found so far */
    size_t n;
    /* Tarjan's search for strongly connected components */
    size_t *number, *low, *stack, n_stack, next;
    size_t *component, n_components;
};

static void visit(struct graph *graph, const bool *in, size_t u) {
    graph->number[u] = graph->low[u] = ++graph->next;
    graph->stack[graph->n_stack++] = u;
    for (size_t v = graph->n; v-- > 0;) {
        if (!in[v] || !graph->steps[u * graph->n + v])
            continue;
        if (!graph->number[v])
            visit(graph, in, v);
        if (graph->component[v] == SIZE_MAX && graph->low[v] < graph->low[u])
            graph->low[u] = graph->low[v];
    }
    if (graph->low[u] != graph->number[u])
        return;
    size_t v;
    do {
        v = graph->stack[--graph->n_stack];
        graph->component[v] = graph->n_components;
    } while (v != u);
    graph->n_components++;
}

/* Numbers the components of the nodes that are `in`. Steps lead from higher numbers to lower ones. Among components
 * without a step between them, the one with the earlier node mostly has the higher number, since later nodes are
 * visited first. */
static void find_components(struct graph *graph, const bool *in) {
    graph->next = graph->n_stack = graph->n_components = 0;
    for (size_t i = 0; i < graph->n; i++)
        graph->number[i] = 0, graph->component[i] = SIZE_MAX;
    for (size_t i = graph->n; i-- > 0;)
        if (in[i] && !graph->number[i])
            visit(graph, in, i);
}

/* The node by which the loop is entered first. */
static size_t first_of(const struct graph *graph, const bool *in) {
    size_t first = SIZE_MAX;
    for (size_t v = 0; v < graph->n; v++) {
        bool entered = graph->body->begun[v] > 0;
        for (size_t u = 0; in[v] && !entered && u < graph->n; u++)
            entered = !in[u] && graph->body->steps[u * graph->n + v] > 0;
        if (in[v] && entered)
            return v;
        if (in[v] && first == SIZE_MAX)
            first = v;
    }
    return first;
}

/* Removes the steps that begin an iteration, and returns their number. */
static uint64_t cut(struct graph *graph, const bool *in) {
    size_t first = first_of(graph, in);
    uint64_t removed = 0;
    for (;;) {
        uint64_t least = UINT64_MAX;
        for (size_t u = 0; u < graph->n; u++) {
            uint64_t steps = in[u] ? graph->steps[u * graph->n + first] : 0;
            least = steps && steps < least ? steps : least;
        }
        if (least == UINT64_MAX)
            return removed;
        for (size_t u = 0; u < graph->n; u++)
            if (in[u] && graph->steps[u * graph->n + first] == least) {
                graph->steps[u * graph->n + first] = 0;
                removed += least;
            }
        find_components(graph, in);
        if (graph->n_components > 1)
            return removed;
    }
}

static bool adopt(struct refrain_proxy *proxy, size_t parent, size_t child) {
    struct refrain_proxy_item *item = &proxy->items[parent];
    size_t *children = realloc(item->children, (item->n_children + 1) * sizeof *children);
    if (!children)
        return false;
    item->children = children;
    proxy->items[child].parent = parent;
    proxy->items[child].place = item->n_children;
    children[item->n_children++] = child;
    return true;
}

static bool adopt_all(const struct graph *graph, const bool *in, size_t parent) {
    for (size_t i = 0; i < graph->n; i++)
        if (in[i] && !adopt(graph->proxy, parent, graph->body->nodes[i]))
            return false;
    return true;
}

static bool arrange(struct graph *graph, const bool *in, size_t parent);

static unsigned depth_of(const struct refrain_proxy *proxy, size_t item) {
    unsigned depth = 0;
    while ((item = proxy->items[item].parent) != SIZE_MAX)
        depth++;
    return depth;
}

/* Adds the nodes of a loop. */
static bool add_loop(struct graph *graph, const bool *in, size_t size, size_t parent) {
    struct refrain_proxy *proxy = graph->proxy;
    size_t loop = refrain_proxy_add_item(proxy, proxy->items[parent].function, NULL);
    if (loop == SIZE_MAX || !adopt(proxy, parent, loop))
        return false;
    uint64_t executed = 0;
    for (size_t u = 0; u < graph->n; u++)
        for (size_t v = 0; in[u] && v < graph->n; v++)
            executed += in[v] ? graph->steps[u * graph->n + v] : 0;
    uint64_t iterations = cut(graph, in);
    if (iterations * size <= executed * SELDOM && depth_of(proxy, loop) < DEEPEST)
        return arrange(graph, in, loop);
    proxy->items[loop].chooses = true;
    return adopt_all(graph, in, loop);
}

/* Adds the nodes that are `in` to a parent, in an order in which all steps go forward but for those within loops. */
static bool arrange(struct graph *graph, const bool *in, size_t parent) {
    size_t n = graph->n;
    size_t *component = malloc(n * sizeof *component);
    bool *part = calloc(n, sizeof *part), arranged = component && part;
    find_components(graph, in);
    if (arranged)
        memcpy(component, graph->component, n * sizeof *component);
    for (size_t c = graph->n_components; arranged && c-- > 0;) {
        size_t size = 0, node = 0;
        for (size_t i = 0; i < n; i++) {
            part[i] = in[i] && component[i] == c;
            size += part[i];
            node = part[i] ? i : node;
        }
        if (size > 1 || graph->steps[node * n + node])
            arranged = add_loop(graph, part, size, parent);
        else
            arranged = adopt(graph->proxy, parent, graph->body->nodes[node]);
    }
    free(component);
    free(part);
    return arranged;
}

/* True if the iterations of a loop of the source have few of its items each, as those of a loop around a switch. */
static bool has_few(const struct refrain_proxy_body *body, bool is_loop) {
    uint64_t executed = 0, iterations = 0;
    for (size_t i = 0; i < body->n_nodes * body->n_nodes; i++)
        executed += body->steps[i];
    for (size_t i = 0; i < body->n_nodes; i++)
        iterations += body->begun[i];
    return is_loop && iterations * body->n_nodes > (executed + iterations) * SELDOM;
}

bool refrain_proxy_find_loops(struct refrain_proxy *proxy, size_t number) {
    const struct refrain_proxy_body *body = &proxy->bodies[number];
    size_t n = body->n_nodes, item = body->item;
    if (n == 0)
        return true;
    struct graph graph = {.proxy = proxy, .body = body, .n = n};
    graph.steps = malloc(n * n * sizeof *graph.steps);
    graph.number = malloc(4 * n * sizeof *graph.number);
    bool *all = malloc(n * sizeof *all), found = graph.steps && graph.number && all;
    if (found) {
        graph.low = graph.number + n;
        graph.stack = graph.low + n;
        graph.component = graph.stack + n;
        memcpy(graph.steps, body->steps, n * n * sizeof *graph.steps);
        memset(all, true, n * sizeof *all);
        bool chooses = has_few(body, proxy->functions[proxy->items[item].function].body != item);
        proxy->items[item].chooses = chooses;
        found = chooses ? adopt_all(&graph, all, item) : arrange(&graph, all, item);
    }
    free(graph.steps);
    free(graph.number);
    free(all);
    return found;
}
