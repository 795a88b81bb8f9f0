/* proxy_list.h: the values that one rank had at one point of a program, in order. A list of equal values takes no
 * memory. */
#ifndef REFRAIN_PROXY_LIST_H
#define REFRAIN_PROXY_LIST_H

#include "common/array.h"
#include "common/table.h"

#define REFRAIN_PROXY_FREE INT64_MIN /* a value that the program may choose, such as the tag of no message */

struct refrain_proxy_list {
    int64_t *all; /* null: all n values are `same` */
    size_t n, capacity;
    int64_t same;
};

static inline int64_t refrain_proxy_at(const struct refrain_proxy_list *list, size_t i) {
    return list->all ? list->all[i] : list->same;
}

static inline bool refrain_proxy_spread(struct refrain_proxy_list *list) {
    if (!REFRAIN_ARRAY_ROOMS(list->all, 0, list->n + 1, list->capacity))
        return false;
    for (size_t i = 0; i < list->n; i++)
        list->all[i] = list->same;
    return true;
}

/* Appends a value. A free one is that before it or, at the start of the list, after it. False without memory. */
static inline bool refrain_proxy_append(struct refrain_proxy_list *list, int64_t value) {
    if (value == REFRAIN_PROXY_FREE && list->n)
        value = refrain_proxy_at(list, list->n - 1);
    if (!list->all && list->same == REFRAIN_PROXY_FREE)
        list->same = value;
    if (!list->all && list->n == 0)
        list->same = value;
    if (!list->all && value == list->same) {
        list->n++;
        return true;
    }
    if (!list->all && !refrain_proxy_spread(list))
        return false;
    if (!REFRAIN_ARRAY_ROOM(list->all, list->n, list->capacity))
        return false;
    list->all[list->n++] = value;
    return true;
}

/* Changes the i-th value. False without memory. */
static inline bool refrain_proxy_set(struct refrain_proxy_list *list, size_t i, int64_t value) {
    if (!list->all && value == list->same)
        return true;
    if (!list->all && list->n == 1) {
        list->same = value;
        return true;
    }
    if (!list->all && !refrain_proxy_spread(list))
        return false;
    list->all[i] = value;
    return true;
}

/* Empties a list of free values, and frees the memory of one whose values turned out to be equal. */
static inline void refrain_proxy_settle(struct refrain_proxy_list *list) {
    if (!list->all && list->same == REFRAIN_PROXY_FREE)
        list->n = 0;
    for (size_t k = 1; list->all && k < list->n; k++)
        if (list->all[k] == REFRAIN_PROXY_FREE)
            list->all[k] = list->all[k - 1];
    size_t i = 1;
    while (list->all && i < list->n && list->all[i] == list->all[0])
        i++;
    if (!list->all || i < list->n)
        return;
    list->same = list->all[0];
    free(list->all);
    list->all = NULL;
    list->capacity = 0;
}

#endif
