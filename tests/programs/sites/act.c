/* act.c: the `act` of host.c. */
#include <refrain/refrain.h>

int further(int n);

int act(int n) {
    return n > 1 ? further(n) : 0;
}
