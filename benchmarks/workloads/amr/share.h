/* share.h: this rank's stretch of the leaves, their values, and who has to be talked to about them. */
#ifndef SHARE_H
#define SHARE_H

#include "../common/workload.h"
#include "tree.h"

/* A piece of border between an own leaf and another. */
struct face {
    int own, other; /* places in `value` */
    int axis, side; /* 0 x, 1 y; -1 below, +1 above */
    int length;     /* finest units */
};

struct partner {
    int rank, n_send, n_receive, first_receive;
    int *send; /* places of own values */
    double *buffer;
};

struct share {
    const struct workload *w;
    struct tree tree;
    int *starts; /* ranks + 1: the stretches */
    int first, n_own, n_ghosts;
    double *value; /* own leaves, then ghosts */
    int n_faces, n_partners;
    struct face *faces;
    struct partner *partners;
    MPI_Request *requests;
    MPI_Status *statuses;
};

void share_open(struct share *s, const struct workload *w);
void share_close(struct share *s);

/* Fills the ghosts. */
void share_exchange(struct share *s);

/* Changes the tree by the flags of the own leaves, deals the leaves anew and moves the values. Collective. */
void share_adapt(struct share *s, const signed char *own_flags);

#endif
