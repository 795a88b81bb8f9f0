/* main with an environment; inline functions of each kind; asm goto; attributes among statements; names of the file. */
#include <stdio.h>
#include <string.h>

int say(int value);

/* C99: the definition is for inlining, the declaration below makes the one to call. */
inline int halves(int n) {
    int steps = 0;
    while (n > 1) {
        n /= 2;
        steps += say(n) > 0;
    }
    return steps;
}
extern inline int halves(int n);

static inline int doubles(int n) {
    return n < 8 ? say(doubles(n * 2)) : n;
}

extern __inline__ __attribute__((__gnu_inline__, __always_inline__)) int merged(int n) {
    return n && say(n);
}

int say(int value) {
    printf("say %d\n", value);
    return value;
}

static int branches(int n) {
    __asm__ goto("testl %0, %0\n\tjz %l1" : : "r"(n) : "cc" : zero);
    return say(n);
zero:
    return say(-1);
}

static int falls(int n) {
    switch (n) {
    case 1:
        n += say(10);
        __attribute__((fallthrough));
    case 2: n += say(20); __attribute__((__fallthrough__));
    default: ; __attribute__((unused)) int last = say(n); break;
    case 3:
    hidden: __attribute__((unused));
        return say(30);
    case 4: goto hidden;
    }
    return n;
}

static __thread int own = 3;
static int complex_numbers(int n) {
    _Complex double z = n + 2.0i;
    __extension__ union { int i; struct { short low, high; }; } parts = {.low = (short)say(n)};
    struct empty {} nothing[say(1) ? 1 : 2];
    __int128 wide = (__int128)say(n) << 70;
    own += (int)__real__ z + parts.low;
    return own + (int)(wide >> 70) + (int)sizeof nothing;
}

int main(int argc, char *argv[], char *envp[]) {
    int found = 0;
    for (char **variable = envp; *variable && !found; variable++)
        found = strncmp(*variable, "PATH=", 5) == 0;
    for (int n = 0; n < 5; n++)
        printf("%d %d %d %d %d %d\n", halves(n * 3), doubles(n + 1), merged(n), branches(n), falls(n), complex_numbers(n));
    const char *base = strrchr(__BASE_FILE__, '/'), *file = strrchr(__FILE__, '/');
    printf("%s %s %d %d\n", base ? base : __BASE_FILE__, file ? file : __FILE__, __LINE__, __INCLUDE_LEVEL__);
    printf("%s\n%s\n", __BASE_FILE__, __FILE__);
    return found && argc == 1 && argv[0] ? 0 : 1;
}
