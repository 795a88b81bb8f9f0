/* shapes.h: the functions of shapes.c and jumps.c. */
#ifndef SHAPES_H
#define SHAPES_H

#define APART __attribute__((__noinline__))

/* All of it once; `tell`, which may be null, is given the results. */
unsigned long shapes_turn(int turn, void (*tell)(const char *name, unsigned long value));

/* The shapes in jumps.c. */
unsigned long jumped(int n);
unsigned long ended(int n);

static inline unsigned long mix(unsigned long sum, unsigned long value) {
    return (sum ^ value) * 0x9e3779b97f4a7c15u + (sum >> 29);
}

#endif
