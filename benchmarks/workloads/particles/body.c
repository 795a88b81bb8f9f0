/* body.c: a soft repulsion that ends at distance 1 (body.h). */
#include "body.h"

#include <math.h>

static double nearest(double distance, double side) {
    if (distance > 0.5 * side)
        return distance - side;
    if (distance < -0.5 * side)
        return distance + side;
    return distance;
}

static double wrapped(double place, double side) {
    if (place < 0)
        return place + side;
    if (place >= side)
        return place - side;
    return place;
}

static int is_near(double square) {
    return square < 1 && square > 0;
}

static double force(double square) {
    double distance = sqrt(square);
    return 10 * (1 - distance) / distance;
}

void body_meet(struct body *a, struct body *b, double side) {
    double dx = nearest(a->x - b->x, side), dy = nearest(a->y - b->y, side), square = dx * dx + dy * dy;
    if (!is_near(square))
        return;
    double f = force(square);
    a->fx += f * dx;
    a->fy += f * dy;
    b->fx -= f * dx;
    b->fy -= f * dy;
}

void body_kick(struct body *b, double step) {
    b->vx += 0.5 * step * b->fx;
    b->vy += 0.5 * step * b->fy;
}

void body_drift(struct body *b, double step, double side) {
    b->x = wrapped(b->x + step * b->vx, side);
    b->y = wrapped(b->y + step * b->vy, side);
    b->fx = b->fy = 0;
}
