/* test_mpi_call.c: the entry of each MPI function in mpi_calls.def is found by number and by name, and functions that
 * differ only in the type of counts ("_c") have equal entries. */
#include "check.h"
#include "model/mpi_call.h"

#include <stdint.h>
#include <string.h>

static enum refrain_mpi_kind kind_of(const char *name) {
    int32_t number = refrain_mpi_call_named(name);
    CHECK(number >= 0, "%s is not known", name);
    struct refrain_region_info region = {.kind = REFRAIN_REGION_MPI, .name = name, .mpi = (uint32_t)number + 1};
    return refrain_mpi_kind(&region);
}

static enum refrain_mpi_pointer pointer_of(const char *name) {
    return refrain_mpi_call((uint32_t)refrain_mpi_call_named(name))->pointer;
}

static void all_functions(void) {
    uint32_t n = 0;
    for (; strcmp(refrain_mpi_call(n)->name, "MPI_?") != 0; n++) {
        const struct refrain_mpi_call *call = refrain_mpi_call(n);
        CHECK(refrain_mpi_call_named(call->name) == (int32_t)n, "%s is found elsewhere", call->name);
        size_t length = strlen(call->name);
        char without[64];
        if (length < 3 || length >= sizeof without || strcmp(call->name + length - 2, "_c") != 0)
            continue;
        memcpy(without, call->name, length - 2);
        without[length - 2] = 0;
        int32_t number = refrain_mpi_call_named(without);
        const struct refrain_mpi_call *other = refrain_mpi_call((uint32_t)number);
        if (number >= 0)
            CHECK(other->kind == call->kind && other->pointer == call->pointer &&
                      other->collective == call->collective && other->own_time == call->own_time,
                  "%s is not like %s", call->name, without);
    }
    CHECK(n > 700, "%u functions", n);
}

int main(void) {
    all_functions();
    CHECK(kind_of("MPI_Send_init") == REFRAIN_MPI_SEND_INIT, "MPI_Send_init");
    CHECK(kind_of("MPI_Comm_split") == REFRAIN_MPI_COMM_MAKE, "MPI_Comm_split");
    CHECK(kind_of("MPI_Comm_disconnect") == REFRAIN_MPI_COMM_FREE, "MPI_Comm_disconnect");
    CHECK(kind_of("MPI_Comm_create_keyval") == REFRAIN_MPI_OTHER, "MPI_Comm_create_keyval");
    CHECK(kind_of("MPI_Test_cancelled") == REFRAIN_MPI_OTHER, "MPI_Test_cancelled");
    CHECK(kind_of("MPI_Win_create_keyval") == REFRAIN_MPI_WINDOW_OTHER, "MPI_Win_create_keyval");
    CHECK(kind_of("MPI_File_write_at_all_begin") == REFRAIN_MPI_FILE_WRITE_BEGIN, "MPI_File_write_at_all_begin");
    CHECK(pointer_of("MPI_File_write_at_all_begin") == REFRAIN_MPI_AT_OFFSET, "MPI_File_write_at_all_begin");
    CHECK(pointer_of("MPI_File_iread_shared") == REFRAIN_MPI_SHARED_POINTER, "MPI_File_iread_shared");
    CHECK(pointer_of("MPI_File_read_ordered") == REFRAIN_MPI_SHARED_POINTER, "MPI_File_read_ordered");
    CHECK(pointer_of("POSIX_pwritev") == REFRAIN_MPI_AT_OFFSET, "POSIX_pwritev");
    CHECK(pointer_of("MPI_File_read_all") == REFRAIN_MPI_OWN_POINTER, "MPI_File_read_all");
    CHECK(refrain_mpi_call_named("MPI_Nothing") < 0, "MPI_Nothing is known");
    struct refrain_region_info function = {.kind = REFRAIN_REGION_FUNCTION, .name = "MPI_Send", .mpi = 8};
    CHECK(refrain_mpi_kind(&function) == REFRAIN_MPI_OTHER, "a function of the program is MPI's");
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
