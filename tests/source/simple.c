/* What the probes look like; the expected file is simple.expected. */
int send_it(int to);
int many(int (*f)(int), int n);
#define CHECK(x) do { int error = (x); if (error) return error; } while (0)
static int leaf(int x) { return x + 1; }
static int half(int n) {
    int i;
    for (i = 0; i < n; i++) {
        if (i % 2) send_it(leaf(i));
        else if (leaf(i) > 3) continue;
        CHECK(send_it(i));
    }
    return n > 1 && send_it(n) ? send_it(1) : 0;
}
int many(int (*f)(int), int n) {
    switch (n) {
    case 1: return f(half(n));
    case 2: CHECK(f(n));
        break;
    }
    while (n-- > 0 || send_it(0)) ;
    do { n = half(n); } while (n > 3);
    return (int)sizeof(f(n));
}
