/* profile_items.h: the lines of a profile: functions, user regions and MPI calls, in each function its loops, branches
 * and calls, the longest first (profile, activity -> profile_tree.c, profile_tree_json.c). */
#ifndef REFRAIN_PROFILE_ITEMS_H
#define REFRAIN_PROFILE_ITEMS_H

#include "analysis/activity.h"
#include "analysis/profile.h"

#define REFRAIN_PROFILE_DEPTH 64u /* nested loops that are shown */

/* What is printed: the profile, and waiting as the replay found it (null: not replayed). */
struct refrain_profile_tree {
    const struct refrain_profile_total *total;
    const struct refrain_activity *activity;
    int64_t **waiting_ns; /* by unit and node: waiting of the calls in it */
    size_t most;          /* lines of a list, also of the list of each function or loop */
};

/* A line of the table: a function, loop or branch; an MPI call; a user region or function without probes. If no member
 * names any of these, the line is all time outside of them. */
struct refrain_profile_item {
    const struct refrain_profile_unit *unit; /* unit of the node or call */
    const struct refrain_profile_node *node; /* in unit->nodes */
    bool is_branch, fails; /* one of the two ways of the decision `node`: it held, or it did not (fails) */
    const struct refrain_profile_call_site *call;
    const struct refrain_profile_region *region;
    long double time_ns; /* own time and time in MPI */
    size_t order;        /* orders lines with the same time */
};

struct refrain_profile_items {
    struct refrain_profile_item *items;
    size_t n;
};

/* The index of a node in its unit. */
static inline uint32_t refrain_profile_number(const struct refrain_profile_unit *unit,
                                              const struct refrain_profile_node *node) {
    return (uint32_t)(node - unit->nodes);
}

static inline bool refrain_profile_own_is_known(const struct refrain_span_times *span) {
    return span && refrain_span_knows_own(span);
}

static inline const char *refrain_profile_loop_name(uint32_t kind) {
    return kind == REFRAIN_FOR ? "for" : kind == REFRAIN_DO ? "do" : "while";
}

/* Waiting of the calls in a node, valid after refrain_profile_sum_waiting(). */
static inline int64_t refrain_profile_node_waiting(const struct refrain_profile_tree *tree,
                                                   const struct refrain_profile_unit *unit, uint32_t node) {
    return tree->waiting_ns[unit - tree->total->units][node];
}

static inline const char *refrain_profile_branch_name(bool fails) {
    return fails ? "else" : "then";
}

/* The lines of the first level, the longest first. The caller frees `items`, which is null without memory. */
struct refrain_profile_items refrain_profile_list(const struct refrain_profile_total *total);

/* The loops, branches and call sites directly in a function or loop, the longest first. The caller frees `items`, which
 * is null without memory. */
struct refrain_profile_items refrain_profile_list_children(const struct refrain_profile_unit *unit,
                                                           const struct refrain_profile_node *node);

/* The times of a loop or branch; null if it has none. */
const struct refrain_span_times *refrain_profile_span(const struct refrain_profile_unit *unit, uint32_t node,
                                                      bool fails);

/* How often the decision went this way. */
uint64_t refrain_profile_times_taken(const struct refrain_profile_item *branch);

/* Waiting of the calls from one call site; 0 without the replay. */
int64_t refrain_profile_call_waiting(const struct refrain_profile_tree *tree,
                                     const struct refrain_profile_call_site *call_site);

/* Adds the waiting of each call to its node and to all nodes around that. False without memory; to be freed in any
 * case. */
bool refrain_profile_sum_waiting(struct refrain_profile_tree *tree);

void refrain_profile_free_waiting(struct refrain_profile_tree *tree);

/* True if the region is the function of that name at that place. */
bool refrain_profile_is_same(const struct refrain_region_info *region, const char *name, const char *file,
                             uint32_t line);

/* The time of a function from entry to exit, and the time that threads spent in it which did not call it. Measured
 * totals count each level of a recursion and may exceed the run; the replay knows the outermost levels. */
long double refrain_profile_with_callees(const struct refrain_profile_tree *tree,
                                         const struct refrain_profile_unit *unit, uint32_t node);

#endif
