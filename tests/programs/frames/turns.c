/* turns.c: runs shapes.c some times. Not instrumented. */
#include "shapes.h"
#include <stdio.h>

static void tell(const char *name, unsigned long value) {
    printf("%s %lx\n", name, value);
}

int main(void) {
    for (int turn = 0; turn < 12; turn++)
        shapes_turn(turn, tell);
    return 0;
}
