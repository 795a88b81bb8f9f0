/* info_comms.c: the communicators of a trace, by number (info_comms.h). */
#include "commands/info_comms.h"
#include "commands/command.h"

#include <stdio.h>
#include <string.h>

#define FIRST_MADE 2u   /* after MPI_COMM_WORLD and MPI_COMM_SELF */
#define MOST_LINES 16u  /* that are printed */
#define MOST_RANGES 12u /* of members in a line */

/* Members in equal steps together: "0-3", "1-7 by 2". */
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
        if (next - i < 3) /* two are no range, but for neighbours */
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

static bool same_members(const int32_t *a, const int32_t *b, int32_t n) {
    return a == b || (a && b && n >= 0 && memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

/* Have they the same members and the same name? Programs duplicate communicators many times. */
static bool are_alike(const struct refrain_comm_info *a, const struct refrain_comm_info *b) {
    return a->size == b->size && a->remote_size == b->remote_size &&
           strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0 &&
           same_members(a->members, b->members, a->size) &&
           same_members(a->remote_members, b->remote_members, a->remote_size);
}

/* "comm=2-4,7": those from `first` on that are like it. Returns how many. */
static size_t print_numbers(const struct refrain_trace *trace, size_t first) {
    size_t n = 0;
    unsigned ranges = 0;
    for (size_t i = first, next; i < trace->n_comms; i = next) {
        next = i + 1;
        if (!are_alike(&trace->comms[first], &trace->comms[i]))
            continue;
        while (next < trace->n_comms && are_alike(&trace->comms[first], &trace->comms[next]))
            next++;
        n += next - i;
        if (ranges++ >= MOST_RANGES)
            continue;
        printf("%s%u", i == first ? "comm=" : ",", trace->comms[i].index);
        if (next - i > 1)
            printf("-%u", trace->comms[next - 1].index);
    }
    if (ranges > MOST_RANGES)
        printf(" ...");
    return n;
}

static void print_alike(const struct refrain_trace *trace, size_t first) {
    const struct refrain_comm_info *comm = &trace->comms[first];
    printf("%s ", first == FIRST_MADE ? "comms      " : "           ");
    size_t n = print_numbers(trace, first);
    if (comm->name && comm->name[0])
        printf(" %s", refrain_show_name(comm->name));
    printf(": %d rank%s", comm->size, comm->size == 1 ? "" : "s");
    print_members(comm->members, comm->size);
    if (comm->remote_size > 0) {
        printf("; beyond %d", comm->remote_size);
        print_members(comm->remote_members, comm->remote_size);
    }
    puts(n > 1 ? " each" : "");
}

void refrain_info_print_comms(const struct refrain_trace *trace) {
    size_t shown[MOST_LINES], lines = 0, more = 0;
    for (size_t i = FIRST_MADE; i < trace->n_comms; i++) {
        size_t line = 0;
        while (line < lines && !are_alike(&trace->comms[shown[line]], &trace->comms[i]))
            line++;
        if (line < lines)
            continue;
        if (lines == MOST_LINES) {
            more++;
            continue;
        }
        shown[lines++] = i;
        print_alike(trace, i);
    }
    if (more > 0)
        printf("            and %zu more, which --json lists\n", more);
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
