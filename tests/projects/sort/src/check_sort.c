/* check_sort: tests the functions of oddeven.h. */
#include "oddeven.h"
#include <mpi.h>
#include <stdio.h>

static int numbers[CHECK_LIMIT], used;

static int take(int number, void *data) {
    numbers[used++] = number;
    return used == *(int *)data;
}

int main(void) {
    int failed = 0;
    MPI_Init(NULL, NULL);
    for (int count = 0; count <= CHECK_LIMIT; count++) {
        long before = 0, after = 0;
        used = 0;
        if (count)
            oddeven_generate((unsigned)count, CHECK_LIMIT, take, &count);
        for (int i = 0; i < used; i++)
            before += numbers[i];
        oddeven_sort(numbers, used);
        for (int i = 0; i < used; i++)
            after += numbers[i];
        MPI_Allreduce(MPI_IN_PLACE, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &after, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (used != count || before != after || !oddeven_is_sorted(numbers, used)) {
            printf(CHECK_NAME ": %d numbers are not sorted\n", count);
            failed = 1;
        }
    }
    failed |= !oddeven_agree(3);
    MPI_Finalize();
    return failed;
}
