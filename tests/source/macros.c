/* Macros that hold whole statements, loops, returns, calls and halves of constructs. */
#include <stdio.h>

static int calls;
int record(int value);

#define CALL record(1)
#define TWICE(x) record(x); record(x)
#define GUARDED(x) do { if (record(x) < 0) return -1; } while (0)
#define LOOP(i, n) for (i = 0; i < (n); i++)
#define BEGIN_IF(c) if (c) {
#define END_IF }
#define BEGIN_BODY {
#define ELSE_RECORD else record(7);
#define ELSE_AND_MORE else record(8); record(9)
#define RETURN_IT(x) return record(x)
#define NAME(a) a##_made
#define SHOW(x) printf("%s=%d\n", #x, (x))
#define CALLEE record
#define OPEN (
#define CLOSE )
#define AND &&
#define OR_ONE 0 || record(30)
#define THREE (3)
#define FOUR 2 + 2
#define EMPTY

int record(int value) {
    calls++;
    printf("record %d\n", value);
    return value;
}

int NAME(record)(int n);
int NAME(record)(int n) BEGIN_BODY
    return record(n) + 1;
}

static int body(int n) {
    int i;
    CALL;
    TWICE(2);
    GUARDED(3);
    LOOP(i, 2) record(i);
    LOOP(i, 2) {
        TWICE(i);
    }
    BEGIN_IF(n > 1)
    record(4);
    END_IF
    if (n > 100)
        record(5);
    ELSE_RECORD
    if (n > 100)
        record(5);
    ELSE_AND_MORE;
    if (OPEN n > 1 CLOSE && record(10))
        CALL;
    if (n > 1 AND record(11))
        CALL;
    if (OR_ONE && record(31))
        CALL;
    if (THREE && record(12) && FOUR && record(13))
        CALL;
    i = FOUR > n ? record(14) : record(15);
    SHOW(record(16) && record(17));
    CALLEE(18);
    (void)CALLEE(19);
    EMPTY record(20);
    switch (n) {
    case 1: CALL; break;
    case 2: CALL;
        /* fallthrough */
    case 3: TWICE(21); break;
    default: CALL;
    }
    do CALL; while (record(0));
    while (n-- > 0 && record(n)) CALL;
    return NAME(record)(n);
}

static int returns(void) {
    RETURN_IT(40);
}

int main(void) {
    int n;
    for (n = 0; n < 4; n++)
        printf("body %d: %d\n", n, body(n));
    printf("%d\n", returns());
    printf("calls %d line %d\n", calls, __LINE__);
    return 0;
}
