/* info_comms.c: the communicators of a trace, by number (info_comms.h). */
#include "commands/info_comms.h"
#include "commands/command.h"

#include <stdio.h>

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

void refrain_info_print_comms(const struct refrain_trace *trace) {
    size_t last = trace->n_comms < FIRST_MADE + MOST_LINES ? trace->n_comms : FIRST_MADE + MOST_LINES;
    for (size_t i = FIRST_MADE; i < last; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        printf("%s comm=%u", i == FIRST_MADE ? "comms      " : "           ", comm->index);
        if (comm->name && comm->name[0])
            printf(" %s", refrain_show_name(comm->name));
        printf(": %d rank%s", comm->size, comm->size == 1 ? "" : "s");
        print_members(comm->members, comm->size);
        if (comm->remote_size > 0) {
            printf("; beyond %d", comm->remote_size);
            print_members(comm->remote_members, comm->remote_size);
        }
        putchar('\n');
    }
    if (last < trace->n_comms)
        printf("            and %zu more, which --json lists\n", trace->n_comms - last);
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
