/* hostile.h: the small functions of hostile.c that lie in another file. */
#ifndef HOSTILE_H
#define HOSTILE_H

unsigned hostile_chance(unsigned n); /* below n */
void hostile_communicate(long value);
int hostile_full(long *buffered); /* one time in 4,096 */
long hostile_step(long n);
long hostile_chain(long n);
long hostile_handle(long sum, unsigned message);
long hostile_states(long steps);

#endif
