/* mpi_windows.c: windows and open files, by number: the lowest that is free. */
#include "mpi_map.h"
#include "mpi_objects.h"

#define WORDS(n) ((n) / 64)

struct numbers {
    struct refrain_map map;
    uint64_t *taken; /* bits */
    unsigned words;
};

static struct refrain_map_entry window_entries[REFRAIN_WINDOWS * 2], file_entries[REFRAIN_FILES * 2];
static uint64_t windows_taken[WORDS(REFRAIN_WINDOWS)], files_taken[WORDS(REFRAIN_FILES)];
static struct numbers windows = {REFRAIN_MAP(window_entries), windows_taken, WORDS(REFRAIN_WINDOWS)};
static struct numbers files = {REFRAIN_MAP(file_entries), files_taken, WORDS(REFRAIN_FILES)};
static const struct refrain_communicator *window_communicators[REFRAIN_WINDOWS];

/* -1 when there is none. */
static int64_t number_take(struct numbers *numbers) {
    for (unsigned word = 0; word < numbers->words; word++)
        if (~numbers->taken[word]) {
            unsigned bit = (unsigned)__builtin_ctzll(~numbers->taken[word]);
            numbers->taken[word] |= (uint64_t)1 << bit;
            return word * 64 + bit;
        }
    refrain_lose(REFRAIN_LOSS_WINDOWS, 1);
    return -1;
}

static void object_freed(struct numbers *numbers, uint64_t key) {
    refrain_mpi_lock();
    int64_t number = refrain_map_get(&numbers->map, key, -1);
    if (number >= 0) {
        refrain_map_remove(&numbers->map, key);
        numbers->taken[number / 64] &= ~((uint64_t)1 << number % 64);
    }
    refrain_mpi_unlock();
}

/* Its number, -1 when there is none left. */
static int64_t object_new(struct numbers *numbers, uint64_t key) {
    refrain_mpi_lock();
    int64_t number = refrain_map_get(&numbers->map, key, -1);
    if (number < 0) {
        number = number_take(numbers);
        if (number >= 0)
            refrain_map_put(&numbers->map, key, number);
    }
    refrain_mpi_unlock();
    return number;
}

static int64_t object_number(const struct numbers *numbers, uint64_t key) {
    refrain_mpi_lock();
    int64_t number = refrain_map_get(&numbers->map, key, -1);
    refrain_mpi_unlock();
    return number;
}

/* ---- windows ---- */

void refrain_window_new(MPI_Comm comm, MPI_Win window) {
    if (!refrain_mpi_active || window == MPI_WIN_NULL)
        return;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    int64_t number = object_new(&windows, REFRAIN_MPI_KEY(window));
    if (number >= 0)
        window_communicators[number] = communicator;
}

void refrain_window_freed(MPI_Win former) {
    object_freed(&windows, REFRAIN_MPI_KEY(former));
}

void refrain_window_access(struct refrain_call *call, MPI_Win window, int target, int64_t bytes) {
    if (!call->entry || !refrain_mpi_active || window == MPI_WIN_NULL || target < 0)
        return;
    int64_t number = object_number(&windows, REFRAIN_MPI_KEY(window));
    int rank = number < 0 ? -1 : refrain_communicator_world_rank(window_communicators[number], target);
    refrain_call_operation(call, REFRAIN_OP_RMA, (int64_t[]){rank, bytes, number}, 3);
}

/* ---- files ---- */

void refrain_file_new(MPI_File file) {
    if (refrain_mpi_active && file != MPI_FILE_NULL)
        object_new(&files, REFRAIN_MPI_KEY(file));
}

void refrain_file_freed(MPI_File former) {
    object_freed(&files, REFRAIN_MPI_KEY(former));
}

void refrain_file_access(struct refrain_call *call, MPI_File file, int64_t bytes) {
    if (call->entry && refrain_mpi_active && file != MPI_FILE_NULL)
        refrain_call_operation(call, REFRAIN_OP_IO, (int64_t[]){bytes, object_number(&files, REFRAIN_MPI_KEY(file))},
                               2);
}
