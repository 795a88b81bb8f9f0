/* Control flow: unbraced bodies, else-if chains, switches of every kind, gotos, labels. */
#include <stdio.h>

int say(const char *what, int value);

int say(const char *what, int value) {
    printf("%s %d\n", what, value);
    return value;
}

static int chain(int n) {
    if (n == 0) say("zero", n);
    else if (n == 1)
        say("one", n);
    else if (n == 2) { say("two", n); } else
        if (n > 3)
            for (; n > 3; n--)
                if (n & 1) say("odd", n); else say("even", n);
        else
            say("three", n);
    return n;
}

static void duff(int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            say("d0", n);
    case 3:
            say("d3", n);
    case 2:
            say("d2", n);
    case 1:
            say("d1", n);
        } while (--n > 0);
    }
}

static int switches(int n) {
    int total = 0;
    switch (n)
        say("unreachable", n);
    switch (n)
    case 1:
        say("single", n);
    switch (say("value", n)) {
        int inner;
    case 0:
    case 1: inner = say("a", n); total += inner; break;
    case 2:
        total++;
        /* fallthrough */
    default:
        total += say("b", n);
        break;
    case 5: {
        say("block", 5);
        break;
    }
    }
    return total;
}

static int loops(int n) {
    int i, j, k = 0;
    for (;;) {
        if (k++ > n) break;
        if (k == 2) continue;
        say("forever", k);
    }
    for (i = 0; i < n; i++, say("step", i))
        ;
    for (; n; n--) say("down", n);
    for (i = 0; ; i++) if (say("open", i) > 1) break;
    for (i = 0, j = 3; say("i", i) < j && say("j", j); i++, j--) continue;
    while (i-- > 0) say("w", i);
    while (1) { if (say("w1", i++) > 2) break; }
    do say("do", i); while (--i > 0);
    do { if (i++ == 1) continue; say("dc", i); } while (say("cond", i) < 3);
    do say("once", 1); while (0);
    return k;
}

static int gotos(int n) {
    int count = 0;
    goto start;
again:
    count++;
start:
    if (say("count", count) < n) goto again;
    {
        goto inside;
    }
inside:
    say("inside", n);
    for (;;) {
        for (;;)
            goto out;
    }
out:
    if (count > 1) { say("more", count); goto end; }
    say("few", count);
end:
    return count;
}

static int operators(int n) {
    int a = n && say("and", n);
    int b = n || say("or", n);
    int c = n ? say("yes", 1) : say("no", 0);
    int d = say("l", n) && say("r", n + 1);
    int e = (say("x", n), say("y", 0)) || say("z", n);
    int f = n > 1 ? n > 2 ? say("deep", 2) : say("mid", 1) : say("low", 0);
    int g = !say("not", n) && !(say("n1", 1) && say("n2", 0));
    const char *s = n ? "text" : 0;
    double x = n ? say("int", 3) : 2.5;
    unsigned char narrow = (unsigned char)(say("narrow", 300) && n);
    while (s && say(s, d) && c--) e++;
    return a + b + c + d + e + f + g + narrow + (int)x;
}

static int (*const table[])(int) = {chain, switches, loops, gotos, operators};

int main(void) {
    int n;
    unsigned t;
    for (n = 0; n < 7; n++) {
        for (t = 0; t < sizeof table / sizeof table[0]; t++)
            printf("= %u %d: %d\n", t, n, table[t](n));
        duff(n + 1);
    }
    printf("%d\n", __LINE__);
    return 0;
}
