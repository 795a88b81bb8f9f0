/* body.h: particles, and what two of them do to each other, as small functions. */
#ifndef BODY_H
#define BODY_H

struct body {
    double x, y, vx, vy, fx, fy;
};

/* Both feel the force between them, where they are near enough; the box is `side` wide and periodic. */
void body_meet(struct body *a, struct body *b, double side);

/* Half a step of velocity, and a whole one of place. */
void body_kick(struct body *b, double step);
void body_drift(struct body *b, double step, double side);

#endif
