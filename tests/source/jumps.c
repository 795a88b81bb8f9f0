/* setjmp, longjmp out of several frames, signal handlers. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf place;
static sigjmp_buf other;
static volatile int depth;

int say(int value);
int say(int value) {
    printf("say %d\n", value);
    return value;
}

static void deeper(int n) {
    depth++;
    if (n == 0) longjmp(place, say(depth));
    for (; n > 0; n--) deeper(n - 1);
}

static int catches(int n) {
    volatile int tries = 0;
    switch (setjmp(place)) {
    case 0:
        deeper(n);
        break;
    default:
        tries++;
        if (tries < 3) deeper(say(tries));
    }
    return tries;
}

static void on_signal(int number) {
    depth = number;
    if (number == SIGUSR2) siglongjmp(other, 1);
}

static int signals(void) {
    if (signal(SIGUSR1, on_signal) == SIG_ERR || signal(SIGUSR2, on_signal) == SIG_ERR) return 1;
    raise(SIGUSR1);
    say(depth == SIGUSR1);
    if (sigsetjmp(other, 1) == 0) raise(SIGUSR2);
    else say(depth == SIGUSR2);
    return 0;
}

int main(void) {
    int n;
    for (n = 0; n < 4; n++)
        printf("%d\n", catches(n));
    signals();
    exit(say(0));
}
