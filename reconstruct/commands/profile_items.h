/* profile_items.h: the lines of a profile: functions, user regions and MPI calls, in each function its loops, branches
 * and calls, the longest first (profile, activity -> profile_tree.c, profile_tree_json.c). */
#ifndef REFRAIN_PROFILE_ITEMS_H
#define REFRAIN_PROFILE_ITEMS_H

#include "analysis/activity.h"
#include "analysis/profile.h"

#define REFRAIN_PROFILE_DEPTH 64u /* of loops in each other that are shown */

/* What is printed: the profile, and what the replay says of waiting (null: nothing). */
struct refrain_profile_tree {
    const struct refrain_profile_total *total;
    const struct refrain_activity *activity;
    int64_t **waiting_ns; /* by unit, then by node: of the calls in it */
    size_t most;          /* lines of a list, of each function or loop, too */
};

/* A line of the table: a function, loop or branch; an MPI call; a user region or function without probes; or all that
 * lies outside, where none of these is set. */
struct refrain_profile_item {
    const struct refrain_profile_unit *unit; /* of the node or call */
    const struct refrain_profile_node *node; /* of unit->nodes */
    bool is_branch, fails;                   /* of that decision: where it held, or did not */
    const struct refrain_profile_call_site *call;
    const struct refrain_profile_region *region;
    long double time_ns; /* own and in MPI */
    size_t order;        /* of lines with the same time */
};

struct refrain_profile_items {
    struct refrain_profile_item *items;
    size_t n;
};

static inline bool refrain_profile_is_loop(const struct refrain_node *node) {
    return node->kind >= REFRAIN_WHILE && node->kind <= REFRAIN_DO;
}

/* The number of a node in its unit. */
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

/* What the calls in a node waited, after refrain_profile_sum_waiting(). */
static inline int64_t refrain_profile_node_waiting(const struct refrain_profile_tree *tree,
                                                   const struct refrain_profile_unit *unit, uint32_t node) {
    return tree->waiting_ns[unit - tree->total->units][node];
}

static inline const char *refrain_profile_branch_name(bool fails) {
    return fails ? "else" : "then";
}

/* What has a line of its own, the longest first. The caller frees `items`, null without memory. */
struct refrain_profile_items refrain_profile_list(const struct refrain_profile_total *total);

/* The loops, branches and call sites right below a function or loop, the longest first. The caller frees `items`, null
 * without memory. */
struct refrain_profile_items refrain_profile_list_children(const struct refrain_profile_unit *unit,
                                                           const struct refrain_profile_node *node);

/* The times of a loop or branch; null where it has none. */
const struct refrain_span_times *refrain_profile_span(const struct refrain_profile_unit *unit, uint32_t node,
                                                      bool fails);

/* How often a decision went that way. */
uint64_t refrain_profile_times_taken(const struct refrain_profile_item *branch);

/* What the calls from one place waited; 0 without the replay. */
int64_t refrain_profile_call_waiting(const struct refrain_profile_tree *tree,
                                     const struct refrain_profile_call_site *call_site);

/* Adds each call's waiting to its node and all around it. False without memory; to be freed in any case. */
bool refrain_profile_sum_waiting(struct refrain_profile_tree *tree);

void refrain_profile_free_waiting(struct refrain_profile_tree *tree);

/* Is it the function of that name, there? */
bool refrain_profile_is_same(const struct refrain_region_info *region, const char *name, const char *file,
                             uint32_t line);

/* A function's time from entry to end, and what threads that did not call it spent in it. What was measured counts each
 * level of a recursion, so that it may be longer than the run; the replay tells what the outermost levels took. */
long double refrain_profile_with_callees(const struct refrain_profile_tree *tree,
                                         const struct refrain_profile_unit *unit, uint32_t node);

#endif
