/* shapes.h: what shapes.c does, once; `tell`, which may be null, is given the results. */
unsigned long shapes_turn(int turn, void (*tell)(const char *name, unsigned long value));
