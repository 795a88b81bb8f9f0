/* check.h: counts passed and failed checks, and prints the failed ones (test_*.c). */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

#ifndef CHECK_WHO /* prints which of several processes it is */
#define CHECK_WHO() ((void)0)
#endif

static unsigned passed, failed;

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            passed++;                                                                                                  \
        } else {                                                                                                       \
            failed++;                                                                                                  \
            CHECK_WHO();                                                                                               \
            printf("FAILED: %s: ", __func__);                                                                          \
            printf(__VA_ARGS__);                                                                                       \
            putchar('\n');                                                                                             \
        }                                                                                                              \
    } while (0)

#endif
