/* tools.c: MPI's tool interface before MPI_Init, beside MPI calls and after MPI_Finalize: what it says does not depend
 * on refrain.
 *
 *     tools [names]    names: values are not read (some of Open MPI 4.1's cannot be once MPI is initialised) */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

/* The control variables that have integer values: how many there are, and a sum of these. */
static bool reads = true;

static void look(const char *when) {
    int n = 0, integers = 0;
    long sum = 0;
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        char name[256], description[256];
        int name_bytes = sizeof name, description_bytes = sizeof description, verbosity, binding, scope, count;
        MPI_Datatype type;
        MPI_T_enum values;
        MPI_T_cvar_handle handle;
        if (MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &type, &values, description, &description_bytes,
                                &binding, &scope) != MPI_SUCCESS ||
            !reads || type != MPI_INT || binding != MPI_T_BIND_NO_OBJECT ||
            MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS)
            continue;
        int value = 0;
        if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) {
            integers++;
            sum += value;
        }
        MPI_T_cvar_handle_free(&handle);
    }
    printf("%s: %d variables, %d integers, %ld\n", when, n, integers, sum);
}

int main(int argc, char **argv) {
    int provided, rank, got;
    reads = argc < 2;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    look("before");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    look("beside");
    MPI_Finalize();
    look("after");
    MPI_T_finalize();
    return got == 1 ? 0 : 1;
}
