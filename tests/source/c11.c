/* C99 and C11: declarations anywhere, compound literals, designators, _Generic, _Atomic, _Noreturn, flexible calls. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*operation)(int, int);
struct pair { int a, b[2]; };

static int add(int a, int b) { return a + b; }
static int twice(int a, int b) { return add(a, b) * 2; }
static struct pair make(int a) { return (struct pair){.b = {[1] = a, [0] = add(a, 1)}, .a = a}; }
static struct pair *find(struct pair *p) { return p; }
static operation choose(bool first) { return first ? add : twice; }
static int whole(int x) { return printf("int %d\n", x); }
static int real(double x) { return printf("double %.1f\n", x); }
enum colour { RED, GREEN, BLUE };
static int enumerated(enum colour colour) {
    switch (colour) {
    case RED: return whole(1);
    case GREEN: return whole(2);
    case BLUE: return whole(3);
    }
    return 0;
}

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        total = add(total, va_arg(list, int));
    va_end(list);
    return total;
}

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 || odd(n - 1); }

static void at_exit(void) { whole(99); }

static bool flag(int n) { return n > 1; }

static void arrays(int n, int a[static n]) {
    for (int i = 0; i < n; ++i)
        printf("%d ", a[i]);
    puts("");
}

static int restricted(int *restrict p, register int q) { return *p + q; }

_Static_assert(sizeof(int) == 4 && sizeof(char) == 1, "sizes");

int main(int argc, char *argv[]) {
    (void)argv;
    atomic_int counter = 0;
    _Atomic int other = 1;
    atexit(at_exit);
    int values[] = {3, 1, 2};
    qsort(values, 3, sizeof *values, compare);
    arrays(3, (int[]){values[0], add(values[1], 0), values[2]});
    for (int i = 0; i < 3; i++) {
        counter += add(i, 1);
        other = flag(i) ? add(other, 1) : twice(other, 0);
        _Generic(i, int: whole, double: real)(i);
        _Generic(1.0, int: whole, double: real)(i);
        printf("%d\n", choose(i == 1)(i, 1) + make(i).b[1] + find(&(struct pair){i, {0}})->a);
        struct pair made = make(i), *where = find(&made);
        where->b[add(0, 0)] += i;
        printf("%d %d\n", made.b[0], enumerated((enum colour)i));
    }
    int matrix[add(2, argc > 0)][2];
    memset(matrix, 0, sizeof matrix);
    matrix[add(1, 1)][0]++;
    if (add(0, (int)(sizeof matrix[add(0, 0)]))) whole(matrix[2][0]);
    bool both = flag(2) && flag(1), any = flag(2) || flag(1);
    const char *text = any ? "any" : NULL;
    for (const char *p = text; p && *p; p++) putchar(*p);
    printf("\n%d %d %d %d %d\n", sum(3, 1, 2, 3), both, any, even(5), restricted(values, 4));
    printf("%d %d\n", (int)counter, (int)other);
    return 0;
}
