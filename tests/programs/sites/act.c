/* act.c: the `act` of host.c; two calls, so that it is not one of those too small for a probe. */
#include <refrain/refrain.h>

int further(int n);

int act(int n) {
    int next = further(n);
    return further(next) > 3 ? next : 0;
}
