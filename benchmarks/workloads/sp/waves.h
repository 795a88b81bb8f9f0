/* waves.h: the Euler equations along one axis come apart into five waves: three with the flow, two with sound. */
#ifndef WAVES_H
#define WAVES_H

#include "../fluid/fluid.h"

enum wave { WAVE_FLOW, WAVE_UP, WAVE_DOWN, WAVES }; /* speed v, v + c, v - c */
#define FIRST_SOUND 3                               /* amplitudes 0 .. 2 go with the flow, 3 up, 4 down */

/* Speeds of the waves along an axis. */
void waves_speeds(const state u, int axis, double speed[WAVES]);

/* A change of the state as amplitudes of waves, in place, and back. */
void waves_from_state(const state u, int axis, double *change);
void waves_to_state(const state u, int axis, double *amplitude);

#endif
