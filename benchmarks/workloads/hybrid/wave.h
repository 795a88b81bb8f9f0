/* wave.h: one rank's slab of a cube with fixed faces in which a wave stands. */
#ifndef WAVE_H
#define WAVE_H

#include "../common/workload.h"

#define COURANT_SQUARE 0.25 /* (c dt / h)^2; stable up to 1/3 */

struct wave {
    long n;                   /* inner points a side */
    long first, planes;       /* this rank's planes */
    int below, above;         /* neighbours, MPI_PROC_NULL at a face */
    double *old, *now, *next; /* (planes + 2) x (n + 2) x (n + 2) */
};

#define WAVE_PLANE(v) (((v)->n + 2) * ((v)->n + 2))

void wave_open(struct wave *v, const struct workload *w);
void wave_close(struct wave *v);

/* Advances one plane; any thread. */
void wave_plane(const struct wave *v, long plane);

/* Fills the planes around the slab from the neighbours; the thread that may call MPI. */
void wave_exchange(const struct wave *v);

/* Value of the standing mode at a plane's point at the start, and the angle it turns by in each time step. */
double wave_mode(const struct wave *v, long plane, long row, long column);
double wave_angle(const struct wave *v);

#endif
