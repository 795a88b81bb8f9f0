/* Functions as they were written before prototypes. */
#include <stdio.h>

int add();
static char *name();

int add(a, b)
    int a, b;
{
    if (a > b) return a + b;
    return add(b, a - 1);
}

static char *name(n)
    int n;
{
    return n ? "some" : "none";
}

main()
{
    int i;
    for (i = 0; i < 3; i++)
        printf("%d %s\n", add(i, 2), name(i));
    return undeclared(3) != 3;
}

int undeclared(x)
{
    while (x > 100) x = add(x, -1);
    return x;
}
