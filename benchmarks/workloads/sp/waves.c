/* waves.c: the eigenvectors of the flux's derivative, applied. */
#include "waves.h"

#include <math.h>

struct flow {
    double v[AXES], half_square, sound_square, sound;
    int across[2]; /* the other axes */
};

static struct flow flow_of(const state u, int axis) {
    struct flow f = {.across = {(axis + 1) % AXES, (axis + 2) % AXES}};
    for (int d = 0; d < AXES; d++) {
        f.v[d] = u[1 + d] / u[0];
        f.half_square += SQUARE(f.v[d]) / 2;
    }
    f.sound_square = GAMMA * (GAMMA - 1) * (u[4] / u[0] - f.half_square);
    f.sound = sqrt(f.sound_square);
    return f;
}

void waves_speeds(const state u, int axis, double speed[WAVES]) {
    struct flow f = flow_of(u, axis);
    speed[WAVE_FLOW] = f.v[axis];
    speed[WAVE_UP] = f.v[axis] + f.sound;
    speed[WAVE_DOWN] = f.v[axis] - f.sound;
}

void waves_from_state(const state u, int axis, double *change) {
    struct flow f = flow_of(u, axis);
    double density = change[0], *momentum = change + 1;
    double work = f.v[0] * momentum[0] + f.v[1] * momentum[1] + f.v[2] * momentum[2];
    double pressure = (GAMMA - 1) * (change[4] - work + f.half_square * density) / f.sound_square;
    double push = (momentum[axis] - f.v[axis] * density) / f.sound;
    double first = momentum[f.across[0]] - f.v[f.across[0]] * density;
    double second = momentum[f.across[1]] - f.v[f.across[1]] * density;
    change[0] = density - pressure;
    change[1] = first;
    change[2] = second;
    change[FIRST_SOUND] = (pressure + push) / 2;
    change[FIRST_SOUND + 1] = (pressure - push) / 2;
}

void waves_to_state(const state u, int axis, double *amplitude) {
    struct flow f = flow_of(u, axis);
    double up = amplitude[FIRST_SOUND], down = amplitude[FIRST_SOUND + 1];
    double density = amplitude[0] + up + down, momentum[AXES];
    momentum[axis] = f.v[axis] * density + f.sound * (up - down);
    momentum[f.across[0]] = f.v[f.across[0]] * density + amplitude[1];
    momentum[f.across[1]] = f.v[f.across[1]] * density + amplitude[2];
    double work = f.v[0] * momentum[0] + f.v[1] * momentum[1] + f.v[2] * momentum[2];
    amplitude[4] = f.sound_square * (up + down) / (GAMMA - 1) + work - f.half_square * density;
    amplitude[0] = density;
    for (int d = 0; d < AXES; d++)
        amplitude[1 + d] = momentum[d];
}
