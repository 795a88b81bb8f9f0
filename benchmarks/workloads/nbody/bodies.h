/* bodies.h: particles that attract each other, with softened gravity. */
#ifndef BODIES_H
#define BODIES_H

#define SOFTENING_SQUARE 0.01

struct body {
    double position[3];
    double mass;
};

struct motion {
    double velocity[3];
    double force[3]; /* per unit of mass */
    double potential;
};

struct invariants {
    double energy;
    double momentum[3];
};

/* The bodies `first` .. `first + count` - 1 of a ball of `total`, of unit mass in all. */
void bodies_make(struct body *bodies, struct motion *motion, long first, long count, long total);

void bodies_clear_forces(struct motion *motion, long count);

/* Adds what `others` do to `bodies`; `same` when the two are the same set. */
void bodies_attract(const struct body *bodies, struct motion *motion, long count, const struct body *others,
                    long n_others, int same);

void bodies_kick(struct motion *motion, long count, double dt);
void bodies_drift(struct body *bodies, const struct motion *motion, long count, double dt);

/* Adds the share of these bodies. */
void bodies_invariants(const struct body *bodies, const struct motion *motion, long count, struct invariants *sum);

#endif
