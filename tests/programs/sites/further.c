/* further.c: the end of what act.c calls. */
int further(int n) {
    return n + 1;
}
