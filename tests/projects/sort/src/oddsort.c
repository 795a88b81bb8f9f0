/* oddsort: sorts random numbers over all ranks. Usage: oddsort [COUNT [TIMES]] */
#include <config.h>
#include "oddeven.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if SIZEOF_LONG < 4 || !HAVE_QSORT || defined HAVE_NO_SUCH_FUNCTION
#error "configure found something else than there is"
#endif

unsigned seed_of(int rank);

struct bag {
    int *numbers, used, count;
};

static int take(int number, void *data) {
    struct bag *bag = data;
    bag->numbers[bag->used++] = number;
    return bag->used == bag->count;
}

int main(int argc, char **argv) {
    int rank, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = argc > 1 ? atoi(argv[1]) : 100, times = argc > 2 ? atoi(argv[2]) : 5;
    struct bag bag = {malloc((size_t)count * sizeof(int)), 0, count};
    for (int time = 0; time < times; time++) {
        bag.used = 0;
        oddeven_generate(seed_of(rank) + (unsigned)time, 2 * count, take, &bag);
        int before = oddeven_is_sorted(bag.numbers, bag.used), rounds = oddeven_sort(bag.numbers, bag.used);
        int after = oddeven_is_sorted(bag.numbers, bag.used);
        if (rank == 0)
            printf(PACKAGE_STRING " %d: sorted before %d, after %d, %d rounds\n", time, before, after, rounds);
        status |= !after;
    }
    free(bag.numbers);
    MPI_Finalize();
    return status;
}
