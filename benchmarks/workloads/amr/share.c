/* share.c: dealing leaves to ranks, finding neighbours, moving values. */
#include "share.h"

#include <stdlib.h>

#define TAG_VALUES 21
#define NOT_HERE (-1)

static void deal(struct share *s) {
    for (int r = 0; r <= s->w->ranks; r++)
        s->starts[r] = (int)workload_split(s->tree.n, s->w->ranks, r);
    s->first = s->starts[s->w->rank];
    s->n_own = s->starts[s->w->rank + 1] - s->first;
}

static int owner_of(const struct share *s, int leaf) {
    return (int)workload_owner(s->tree.n, s->w->ranks, leaf);
}

/* Walks along the four sides of an own leaf; with `faces` null it only counts. */
static int walk_sides(const struct share *s, int leaf, struct face *faces) {
    const struct leaf *l = &s->tree.leaves[leaf];
    int size = leaf_size(l), n = 0;
    for (int axis = 0; axis < 2; axis++)
        for (int side = -1; side <= 1; side += 2)
            for (int along = 0; along < size;) {
                int away = side < 0 ? -1 : size;
                int other = tree_at(&s->tree, l->x + (axis == 0 ? away : along), l->y + (axis == 1 ? away : along));
                int length = LOWER(size, leaf_size(&s->tree.leaves[other]));
                if (faces)
                    faces[n] = (struct face){leaf, other, axis, side, length};
                n++;
                along += length;
            }
    return n;
}

static void find_faces(struct share *s) {
    int n = 0;
    for (int i = 0; i < s->n_own; i++)
        n += walk_sides(s, s->first + i, NULL);
    s->faces = NEW(struct face, n);
    s->n_faces = 0;
    for (int i = 0; i < s->n_own; i++)
        s->n_faces += walk_sides(s, s->first + i, s->faces + s->n_faces);
}

/* Both sides of a border list its leaves in the order of the curve. */
static void find_partners(struct share *s) {
    int ranks = s->w->ranks, rank = s->w->rank;
    int *place = NEW(int, s->tree.n);
    char *wanted = NEW(char, s->tree.n), *shown = NEW(char, s->n_own), *met = NEW(char, ranks);
    for (int f = 0; f < s->n_faces; f++) {
        wanted[s->faces[f].other] = 1;
        met[owner_of(s, s->faces[f].other)] = 1;
    }
    for (int i = 0; i < s->n_own; i++)
        place[s->first + i] = i;
    s->n_ghosts = 0;
    s->n_partners = 0;
    s->partners = NEW(struct partner, ranks);
    for (int r = 0; r < ranks; r++) {
        if (r == rank || !met[r])
            continue;
        struct partner p = {.rank = r, .first_receive = s->n_own + s->n_ghosts, .send = NEW(int, s->n_own)};
        for (int i = s->starts[r]; i < s->starts[r + 1]; i++)
            if (wanted[i])
                place[i] = p.first_receive + p.n_receive++;
        for (int i = 0; i < s->n_own; i++)
            shown[i] = 0;
        for (int f = 0; f < s->n_faces; f++)
            if (owner_of(s, s->faces[f].other) == r)
                shown[s->faces[f].own - s->first] = 1;
        for (int i = 0; i < s->n_own; i++)
            if (shown[i])
                p.send[p.n_send++] = i;
        p.buffer = NEW(double, p.n_send);
        s->n_ghosts += p.n_receive;
        s->partners[s->n_partners++] = p;
    }
    for (int f = 0; f < s->n_faces; f++) {
        s->faces[f].own -= s->first;
        s->faces[f].other = place[s->faces[f].other];
    }
    s->requests = NEW(MPI_Request, 2L * s->n_partners);
    s->statuses = NEW(MPI_Status, 2L * s->n_partners);
    free(place);
    free(wanted);
    free(shown);
    free(met);
}

static void connect(struct share *s) {
    find_faces(s);
    find_partners(s);
}

static void disconnect(struct share *s) {
    for (int i = 0; i < s->n_partners; i++) {
        free(s->partners[i].send);
        free(s->partners[i].buffer);
    }
    free(s->partners);
    free(s->requests);
    free(s->statuses);
    free(s->faces);
}

void share_open(struct share *s, const struct workload *w) {
    *s = (struct share){.w = w, .starts = NEW(int, w->ranks + 1)};
    tree_open(&s->tree, (int)w->size);
    deal(s);
    connect(s);
    s->value = NEW(double, s->n_own + s->n_ghosts);
}

void share_close(struct share *s) {
    disconnect(s);
    tree_close(&s->tree);
    free(s->starts);
    free(s->value);
}

void share_exchange(struct share *s) {
    for (int i = 0; i < s->n_partners; i++)
        MPI_Irecv(s->value + s->partners[i].first_receive, s->partners[i].n_receive, MPI_DOUBLE, s->partners[i].rank,
                  TAG_VALUES, MPI_COMM_WORLD, &s->requests[i]);
    for (int i = 0; i < s->n_partners; i++) {
        struct partner *p = &s->partners[i];
        for (int k = 0; k < p->n_send; k++)
            p->buffer[k] = s->value[p->send[k]];
        MPI_Isend(p->buffer, p->n_send, MPI_DOUBLE, p->rank, TAG_VALUES, MPI_COMM_WORLD,
                  &s->requests[s->n_partners + i]);
    }
    MPI_Waitall(2 * s->n_partners, s->requests, s->statuses);
}

static signed char *gather_flags(const struct share *s, const signed char *own_flags) {
    int *counts = NEW(int, s->w->ranks);
    signed char *flags = NEW(signed char, s->tree.n);
    for (int r = 0; r < s->w->ranks; r++)
        counts[r] = s->starts[r + 1] - s->starts[r];
    MPI_Allgatherv(own_flags, s->n_own, MPI_SIGNED_CHAR, flags, counts, s->starts, MPI_SIGNED_CHAR, MPI_COMM_WORLD);
    free(counts);
    return flags;
}

static double inherit(const struct share *s, const struct descent *d) {
    const double *from = s->value + (d->source - s->first);
    return d->origin == ORIGIN_PARENT ? (from[0] + from[1] + from[2] + from[3]) / 4 : from[0];
}

/* New leaves [made, made_end) come from this rank's old ones and go to the ranks of the new stretches. */
static void move_values(struct share *s, const double *made, const int *old_first, const int *new_starts, double *to) {
    int ranks = s->w->ranks, rank = s->w->rank;
    int *send_n = NEW(int, 4L * ranks), *send_at = send_n + ranks, *receive_n = send_at + ranks;
    int *receive_at = receive_n + ranks;
#define OVERLAP(a, b, r, q) UPPER(0, LOWER(a[(r) + 1], b[(q) + 1]) - UPPER(a[r], b[q]))
    for (int r = 0; r < ranks; r++) {
        send_n[r] = OVERLAP(old_first, new_starts, rank, r);
        send_at[r] = send_n[r] ? UPPER(old_first[rank], new_starts[r]) - old_first[rank] : 0;
        receive_n[r] = OVERLAP(old_first, new_starts, r, rank);
        receive_at[r] = receive_n[r] ? UPPER(old_first[r], new_starts[rank]) - new_starts[rank] : 0;
    }
    MPI_Alltoallv(made, send_n, send_at, MPI_DOUBLE, to, receive_n, receive_at, MPI_DOUBLE, MPI_COMM_WORLD);
    free(send_n);
}

void share_adapt(struct share *s, const signed char *own_flags) {
    struct descent *descents;
    signed char *flags = gather_flags(s, own_flags);
    struct tree next = tree_adapt(&s->tree, flags, s->starts, s->w->ranks, &descents);

    /* New leaves that come from each rank's old stretch, and their values here. */
    int ranks = s->w->ranks, *made_starts = NEW(int, ranks + 1);
    for (int i = 0, r = 0; r <= ranks; r++) {
        while (i < next.n && descents[i].source < s->starts[r])
            i++;
        made_starts[r] = i;
    }
    int begin = made_starts[s->w->rank], end = made_starts[s->w->rank + 1];
    double *made = NEW(double, end - begin);
    for (int i = begin; i < end; i++)
        made[i - begin] = inherit(s, &descents[i]);

    disconnect(s);
    tree_close(&s->tree);
    s->tree = next;
    deal(s);
    connect(s);
    double *value = NEW(double, s->n_own + s->n_ghosts);
    move_values(s, made, made_starts, s->starts, value);
    free(s->value);
    s->value = value;
    free(made);
    free(made_starts);
    free(descents);
    free(flags);
}
