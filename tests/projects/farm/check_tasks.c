/* check_tasks: tests the tasks in one process, without MPI. */
#include "farm.h"
#include <stdio.h>

#define CHECK(left, right)                                                                                             \
    if ((left) != (right)) {                                                                                           \
        printf("%s is not %s\n", #left, #right);                                                                       \
        status = 1;                                                                                                    \
    }

int main(void) {
    int status = 0;
    CHECK(count_tasks(), 2)
    CHECK(primes(0, 100), 25)
    CHECK(tasks[1].run(27, 28), 111)
    return status;
}
