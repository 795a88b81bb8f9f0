/* The GNU dialect: statement expressions, computed goto, case ranges, omitted middles, local labels, typeof, asm, cleanup. */
#include <stdio.h>
#include <stdlib.h>

int say(int value);
static void leave(int *value);

int say(int value) {
    printf("say %d\n", value);
    return value;
}

static void leave(int *value) {
    say(*value);
}

static int expressions(int n) {
    int a = ({ int t = say(n); if (t > 1) t = say(t - 1); t; });
    int b = n ?: say(5);
    int c = say(n) ?: ({ say(6); });
    __typeof__(say(1)) d = (int)sizeof(say(2)) > 0 ? say(3) : 0;
    int e = __builtin_choose_expr(1, say(7), 0);
    int f = __builtin_expect(n > 1, 0) && say(8);
    int g = __builtin_constant_p(say(9)) ? 1 : 0;
    return a + b + c + d + e + f + g;
}

static int computed(int n) {
    static const void *const targets[] = {&&zero, &&one, &&two};
    int total = 0;
    goto *targets[n % 3];
zero:
    total += say(0);
one:
    total += say(1);
    if (total < 3) goto *targets[total % 3];
two:
    total += say(2);
    return total;
}

static int local_labels(int n) {
    __label__ done, more;
    __label__ third;
    if (n) goto done;
more:
    say(n);
    goto third;
done:
    if (n-- > 0) goto more;
third:
    return ({ __label__ in; if (n) goto in; say(77); in: n; });
}

static int ranges(int n) {
    switch (n) {
    case 0 ... 2: return say(10);
    case 3 ... 5: say(11); break;
    default: ;
    }
    return 0;
}

static int cleans(int n) {
    int a __attribute__((cleanup(leave))) = n + 100;
    for (int i = 0; i < 2; i++) {
        int b __attribute__((cleanup(leave))) = n + 200 + i;
        if (i == n) return say(b);
        if (n > 2) continue;
        say(i);
    }
    return a;
}

static int assembly(int n) {
    int out = 0;
    if (say(n))
        __asm__ volatile("" : "+r"(out) : "r"(n && out) : "memory");
    return out;
}

static int vla(int n) {
    int i = 0;
    if (n < 1) goto out;
    {
        int a[say(n) + 1];
        for (i = 0; i < n; i++) a[i] = say(i);
        i = a[n - 1];
        if (i > 1) goto out;
        i += (int)(sizeof a / sizeof a[0]);
    }
out:
    return i;
}

__attribute__((noinline, unused)) static void attributed(int n) {
    if (n) say(n);
    return;
}

static __attribute__((noreturn)) void stop(int n) {
    say(n);
    exit(n ? 3 : 0);
}

static int must_return(int n) {
    switch (n) {
    case 0: return say(0);
    case 1: return 1;
    default: stop(n);
    }
}

static inline __attribute__((always_inline)) int inlined(int n) {
    while (n > 0 && say(n)) n--;
    return n;
}

__attribute__((constructor)) static void before(void) {
    say(-1);
}

__attribute__((destructor)) static void after(void) {
    say(-2);
}

int main(void) {
    for (int n = 0; n < 5; n++) {
        printf("%d %d %d %d\n", expressions(n), computed(n), local_labels(n), ranges(n));
        printf("%d %d %d %d\n", cleans(n), assembly(n), vla(n), inlined(n));
        attributed(n);
    }
    printf("%s %s %d\n", __FILE__, __func__, __LINE__);
    return must_return(must_return(1));
}
