/* act.c: the `act` of host.c. */
int further(int n);

int act(int n) {
    return n > 1 ? further(n) : 0;
}
