/* operators.h: the four operators of the V-cycle (RNR-94-007, section 2.2.2), each with 27-point stencils that weigh
 * centre, faces, edges and corners. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "level.h"

/* r = v - A u; r and v may be the same. Fills the halo of r. */
void operator_residual(const struct level *l, const double *u, const double *v, double *r);

/* u += S r. Fills the halo of u. */
void operator_smooth(const struct level *l, const double *r, double *u);

/* r of the coarse level from r of the fine one. Fills its halo. */
void operator_restrict(const struct level *fine, struct level *coarse);

/* u of the fine level += u of the coarse one, interpolated; halo included. */
void operator_prolong(const struct level *coarse, struct level *fine);

#endif
