/* bodies.c: forces and motion of particles. */
#include "bodies.h"
#include "../common/lcg.h"
#include "../common/workload.h"

#include <math.h>

#define FOR_AXES(d) for (int d = 0; d < 3; d++)
#define NUMBERS_PER_BODY 6

void bodies_make(struct body *bodies, struct motion *motion, long first, long count, long total) {
    uint64_t random = lcg_skip(LCG_SEED, (uint64_t)first * NUMBERS_PER_BODY);
    for (long i = 0; i < count; i++) {
        bodies[i].mass = 1.0 / (double)total;
        FOR_AXES(d)
        bodies[i].position[d] = 2 * lcg_next(&random) - 1;
        FOR_AXES(d)
        motion[i].velocity[d] = 0.2 * (lcg_next(&random) - 0.5);
    }
}

void bodies_clear_forces(struct motion *motion, long count) {
    for (long i = 0; i < count; i++) {
        FOR_AXES(d)
        motion[i].force[d] = 0;
        motion[i].potential = 0;
    }
}

void bodies_attract(const struct body *bodies, struct motion *motion, long count, const struct body *others,
                    long n_others, int same) {
    for (long i = 0; i < count; i++)
        for (long j = 0; j < n_others; j++) {
            double apart[3], square = SOFTENING_SQUARE;
            if (same && i == j)
                continue;
            FOR_AXES(d) {
                apart[d] = others[j].position[d] - bodies[i].position[d];
                square += SQUARE(apart[d]);
            }
            double inverse = 1 / sqrt(square), pull = others[j].mass * inverse;
            motion[i].potential -= pull;
            FOR_AXES(d)
            motion[i].force[d] += pull * inverse * inverse * apart[d];
        }
}

void bodies_kick(struct motion *motion, long count, double dt) {
    for (long i = 0; i < count; i++)
        FOR_AXES(d)
    motion[i].velocity[d] += dt * motion[i].force[d];
}

void bodies_drift(struct body *bodies, const struct motion *motion, long count, double dt) {
    for (long i = 0; i < count; i++)
        FOR_AXES(d)
    bodies[i].position[d] += dt * motion[i].velocity[d];
}

void bodies_invariants(const struct body *bodies, const struct motion *motion, long count, struct invariants *sum) {
    for (long i = 0; i < count; i++) {
        double square = 0;
        FOR_AXES(d) {
            square += SQUARE(motion[i].velocity[d]);
            sum->momentum[d] += bodies[i].mass * motion[i].velocity[d];
        }
        sum->energy += bodies[i].mass * (square + motion[i].potential) / 2;
    }
}
