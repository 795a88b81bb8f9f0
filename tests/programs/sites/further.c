/* further.c: the function that act.c calls, which makes no event. */
int further(int n) {
    return n + 1;
}
