/* Labels before declarations and before a closing brace, as in C23 and, earlier, in gcc. */
#include <stdio.h>

int say(int value);
int say(int value) {
    printf("say %d\n", value);
    return value;
}

static void before_declarations(int n) {
    if (n > 1) goto second;
first:
    int a = say(n);
    if (a) goto end;
second:
    int b = say(n + 1), c;
    c = b && say(7);
    if (n == 2) {
        n = 0;
        goto first;
    }
    switch (c) {
    case 0:
        int d = say(8);
        say(d);
        return;
    default:
    }
end:
}

static int plain(int n) {
    for (; n > 0; n--)
        if (say(n) == 2) goto end;
    say(50);
end:
    return n;
}

int main(void) {
    for (int n = 0; n < 4; n++) {
        if (n < 3) before_declarations(n);
        printf("%d\n", plain(n));
    }
    return 0;
}
