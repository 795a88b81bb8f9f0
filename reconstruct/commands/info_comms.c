/* info_comms.c: the communicators of a trace, by number (info_comms.h). */
#include "commands/info_comms.h"
#include "commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MADE 2u  /* after MPI_COMM_WORLD and MPI_COMM_SELF */
#define MOST_LINES 16u /* each for one group of equal communicators */
#define MOST_IN_SHORT 3u
#define MOST_RANGES 12u /* of members in a line */

/* Prints ranks; ranks in equal steps as one range: "0-3", "1-7 by 2". Null: 0 to n - 1. */
static void print_members(const int32_t *members, int32_t n) {
    unsigned ranges = 0;
    if (!members) {
        printf(n > 1 ? " 0-%d" : " 0", (int)n - 1);
        return;
    }
    for (int32_t i = 0, next; i < n; i = next, ranges++) {
        if (ranges == MOST_RANGES) {
            printf(" and %d more", (int)(n - i));
            return;
        }
        int64_t step = i + 1 < n ? (int64_t)members[i + 1] - members[i] : 0;
        for (next = i + 1; next < n && (int64_t)members[next] - members[next - 1] == step; next++)
            ;
        if (next - i < 3) /* two ranks are a range only if they are neighbours */
            next = step == 1 ? next : i + 1;
        if (members[i] < 0)
            printf(" ?");
        else
            printf(" %d", members[i]);
        if (next - i > 1 && members[i] >= 0 && members[next - 1] >= 0)
            printf("-%d", members[next - 1]);
        if (next - i > 1 && step != 1)
            printf(" by %lld", (long long)step);
        if (next < n)
            putchar(',');
    }
}

static int compare_members(const int32_t *a, const int32_t *b, int32_t n) {
    if (a == b || !a || !b)
        return (a != NULL) - (b != NULL);
    return n > 0 ? memcmp(a, b, (size_t)n * sizeof *a) : 0;
}

/* 0 if both have the same members and the same name. Programs duplicate communicators many times. */
static int compare(const struct refrain_comm_info *a, const struct refrain_comm_info *b) {
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->remote_size != b->remote_size)
        return a->remote_size < b->remote_size ? -1 : 1;
    int order = strcmp(a->name ? a->name : "", b->name ? b->name : "");
    order = order ? order : compare_members(a->members, b->members, a->size);
    return order ? order : compare_members(a->remote_members, b->remote_members, a->remote_size);
}

/* A communicator in the list that is sorted into groups of equal ones. */
struct item {
    const struct refrain_comm_info *comm;
    size_t number; /* position among the communicators that the program made */
    size_t first;  /* the lowest `number` of its group */
};

static int by_likeness(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    int order = compare(x->comm, y->comm);
    return order ? order : x->number < y->number ? -1 : 1;
}

static int by_first(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* The communicators that the program made, with the members of each group side by side. Groups are in the order of
 * their first members. Malloced; null without memory. */
static struct item *group_alike(const struct refrain_trace *trace, size_t n) {
    struct item *items = calloc(n, sizeof *items);
    for (size_t i = 0; items && i < n; i++)
        items[i] = (struct item){&trace->comms[FIRST_MADE + i], i, i};
    if (!items)
        return NULL;
    qsort(items, n, sizeof *items, by_likeness);
    for (size_t i = 1; i < n; i++)
        if (compare(items[i - 1].comm, items[i].comm) == 0)
            items[i].first = items[i - 1].first;
    qsort(items, n, sizeof *items, by_first);
    return items;
}

/* Prints "comm=2-4,7", the numbers of one group. */
static void print_numbers(const struct item *items, size_t n) {
    unsigned ranges = 0;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && items[next].comm->index == items[next - 1].comm->index + 1; next++)
            ;
        if (ranges++ == MOST_RANGES) {
            printf(" ...");
            return;
        }
        printf("%s%u", i == 0 ? "comm=" : ",", items[i].comm->index);
        if (next - i > 1)
            printf("-%u", items[next - 1].comm->index);
    }
}

static void print_alike(const struct item *items, size_t n) {
    const struct refrain_comm_info *comm = items->comm;
    print_numbers(items, n);
    if (comm->name && comm->name[0])
        printf(" %s", refrain_show_name(comm->name));
    printf(": %d rank%s", comm->size, comm->size == 1 ? "" : "s");
    print_members(comm->members, comm->size);
    if (comm->remote_size > 0) {
        printf("; beyond %d", comm->remote_size);
        print_members(comm->remote_members, comm->remote_size);
    }
    printf(n > 1 ? " each" : "");
}

bool refrain_info_print_comms(const struct refrain_trace *trace, bool verbose) {
    const char *between = verbose ? "\n            " : "; ";
    size_t most = verbose ? MOST_LINES : MOST_IN_SHORT;
    size_t n = trace->n_comms > FIRST_MADE ? trace->n_comms - FIRST_MADE : 0, groups = 0;
    if (n == 0)
        return true;
    struct item *items = group_alike(trace, n);
    if (!items)
        return false;
    for (size_t i = 0, next; i < n; i = next, groups++) {
        for (next = i + 1; next < n && items[next].first == items[i].first; next++)
            ;
        if (groups >= most)
            continue;
        printf("%s", groups == 0 ? "comms       " : between);
        print_alike(&items[i], next - i);
    }
    if (groups > most)
        printf("%sand %zu more, which %s lists", between, groups - most, verbose ? "--json" : "--verbose");
    putchar('\n');
    free(items);
    return true;
}

static json_t *members_json(const int32_t *members, int32_t n) {
    json_t *array = json_array();
    for (int32_t i = 0; i < n; i++)
        json_array_append_new(array, json_integer(members ? members[i] : i));
    return array;
}

json_t *refrain_info_comms_json(const struct refrain_trace *trace) {
    json_t *all = json_array();
    for (size_t i = 0; i < trace->n_comms; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        json_t *object = json_object();
        json_object_set_new(object, "comm", json_integer(comm->index));
        json_object_set_new(object, "name", refrain_json_text(comm->name ? comm->name : ""));
        json_object_set_new(object, "members", i == 1 ? json_null() : members_json(comm->members, comm->size));
        if (comm->remote_size > 0)
            json_object_set_new(object, "remote_members", members_json(comm->remote_members, comm->remote_size));
        json_array_append_new(all, object);
    }
    return all;
}
