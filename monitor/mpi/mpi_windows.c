/* mpi_windows.c: windows and open files, by number: the lowest that is free. */
#include "mpi_map.h"
#include "mpi_objects.h"

#include <string.h>

#define WORDS(n) ((n) / 64)

/* What a map has for an object: its number, and above it, for a window, the reference of its communicator's record (0:
 * unknown). */
#define NUMBER_BITS 32u

struct numbers {
    struct refrain_map map;
    uint64_t *taken; /* bits */
    unsigned words;
};

static struct refrain_map_entry window_entries[REFRAIN_WINDOWS * 2], file_entries[REFRAIN_FILES * 2];
static uint64_t windows_taken[WORDS(REFRAIN_WINDOWS)], files_taken[WORDS(REFRAIN_FILES)];
static struct numbers windows = {REFRAIN_MAP(window_entries), windows_taken, WORDS(REFRAIN_WINDOWS)};
static struct numbers files = {REFRAIN_MAP(file_entries), files_taken, WORDS(REFRAIN_FILES)};

static bool numbers_grow(struct numbers *numbers) {
    uint64_t *taken = refrain_pool_take(sizeof *taken * numbers->words * 2, REFRAIN_POOL_CONTROL);
    if (!taken)
        return false;
    memcpy(taken, numbers->taken, sizeof *taken * numbers->words);
    numbers->taken = taken;
    numbers->words *= 2;
    return true;
}

/* -1 when there is none. */
static int64_t number_take(struct numbers *numbers) {
    unsigned word = 0;
    while (word < numbers->words && !~numbers->taken[word])
        word++;
    if (word == numbers->words && !numbers_grow(numbers))
        return -1;
    unsigned bit = (unsigned)__builtin_ctzll(~numbers->taken[word]);
    numbers->taken[word] |= (uint64_t)1 << bit;
    return word * 64 + bit;
}

static void number_give(struct numbers *numbers, int64_t number) {
    numbers->taken[number / 64] &= ~((uint64_t)1 << number % 64);
}

static int64_t number_of(int64_t value) {
    return (uint32_t)value;
}

static void object_freed(struct numbers *numbers, uint64_t key) {
    refrain_mpi_lock();
    int64_t value = refrain_map_get(&numbers->map, key, -1);
    if (value >= 0) {
        refrain_map_remove(&numbers->map, key);
        number_give(numbers, number_of(value));
    }
    refrain_mpi_unlock();
}

/* An object that is known already has been freed by nobody who told: it takes over the number. */
static void object_new(struct numbers *numbers, uint64_t key, uint32_t communicator) {
    refrain_mpi_lock();
    int64_t value = refrain_map_get(&numbers->map, key, -1);
    int64_t number = value < 0 ? number_take(numbers) : number_of(value);
    bool fits = number >= 0 && refrain_map_put(&numbers->map, key, (int64_t)communicator << NUMBER_BITS | number);
    if (number >= 0 && !fits)
        number_give(numbers, number);
    refrain_mpi_unlock();
    if (!fits)
        refrain_lose(REFRAIN_LOSS_WINDOWS, 1);
}

/* Its number, -1 where it is unknown; and its communicator. */
static int64_t object_find(const struct numbers *numbers, uint64_t key,
                           const struct refrain_communicator **communicator) {
    refrain_mpi_lock();
    int64_t value = refrain_map_get(&numbers->map, key, -1);
    refrain_mpi_unlock();
    uint32_t reference = value < 0 ? 0 : (uint32_t)(value >> NUMBER_BITS);
    *communicator = reference ? refrain_at_reference(reference) : NULL;
    return value < 0 ? -1 : number_of(value);
}

/* ---- windows ---- */

void refrain_window_new(MPI_Comm comm, MPI_Win window) {
    if (!refrain_mpi_active || window == MPI_WIN_NULL)
        return;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    object_new(&windows, REFRAIN_MPI_KEY(window), communicator ? refrain_reference(communicator) : 0);
}

void refrain_window_freed(MPI_Win former) {
    object_freed(&windows, REFRAIN_MPI_KEY(former));
}

void refrain_window_access(struct refrain_call *call, MPI_Win window, int target, int64_t bytes) {
    if (!call->entry || !refrain_mpi_active || window == MPI_WIN_NULL || target < 0)
        return;
    const struct refrain_communicator *communicator;
    int64_t number = object_find(&windows, REFRAIN_MPI_KEY(window), &communicator);
    int rank = refrain_communicator_world_rank(communicator, target);
    refrain_call_operation(call, REFRAIN_OP_RMA, (int64_t[]){rank, bytes, number}, 3);
}

/* ---- files ---- */

void refrain_file_new(MPI_File file) {
    if (refrain_mpi_active && file != MPI_FILE_NULL)
        object_new(&files, REFRAIN_MPI_KEY(file), 0);
}

void refrain_file_freed(MPI_File former) {
    object_freed(&files, REFRAIN_MPI_KEY(former));
}

void refrain_file_access(struct refrain_call *call, MPI_File file, int64_t bytes) {
    const struct refrain_communicator *none;
    if (call->entry && refrain_mpi_active && file != MPI_FILE_NULL)
        refrain_call_operation(call, REFRAIN_OP_IO,
                               (int64_t[]){bytes, object_find(&files, REFRAIN_MPI_KEY(file), &none)}, 2);
}
