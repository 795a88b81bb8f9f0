/* otf2_windows.c: which window a synchronisation is of (otf2_windows.h). */
#include "otf2_windows.h"

#include <string.h>

enum refrain_window_call refrain_window_call_of(const struct refrain_region_info *region) {
    static const struct {
        const char *name;
        enum refrain_window_call call;
    } calls[] = {{"MPI_Init", REFRAIN_WINDOW_INIT},
                 {"MPI_Init_thread", REFRAIN_WINDOW_INIT},
                 {"MPI_Win_create", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_create_c", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_create_dynamic", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_allocate", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_allocate_c", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_allocate_shared", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_allocate_shared_c", REFRAIN_WINDOW_OPENS},
                 {"MPI_Win_free", REFRAIN_WINDOW_FREES},
                 {"MPI_Win_fence", REFRAIN_WINDOW_FENCES},
                 {"MPI_Win_flush_all", REFRAIN_WINDOW_FLUSHES},
                 {"MPI_Win_lock", REFRAIN_WINDOW_LOCKS},
                 {"MPI_Win_lock_all", REFRAIN_WINDOW_LOCKS},
                 {"MPI_Win_unlock", REFRAIN_WINDOW_UNLOCKS},
                 {"MPI_Win_unlock_all", REFRAIN_WINDOW_UNLOCKS},
                 {"MPI_Win_complete", REFRAIN_WINDOW_COMPLETES}};
    if (region->kind == REFRAIN_REGION_USER && strcmp(region->name, "paused") == 0)
        return REFRAIN_WINDOW_PAUSES;
    for (size_t i = 0; region->kind == REFRAIN_REGION_MPI && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(region->name, calls[i].name) == 0)
            return calls[i].call;
    return REFRAIN_WINDOW_NOTHING;
}

static int64_t lowest(const uint64_t taken[4], bool wanted) {
    for (int64_t i = 0; i < (int64_t)REFRAIN_WINDOW_NUMBERS; i++)
        if ((taken[i / 64] >> i % 64 & 1) == wanted)
            return i;
    return -1;
}

int64_t refrain_window_only(const struct refrain_process_windows *windows) {
    return windows->numbered && windows->open == 1 ? lowest(windows->taken, true) : -1;
}

static int64_t open_window(struct refrain_process_windows *windows) {
    int64_t number = windows->numbered ? lowest(windows->taken, false) : -1;
    windows->open++;
    if (number < 0)
        windows->numbered = false; /* more than have a number */
    else
        windows->taken[number / 64] |= (uint64_t)1 << number % 64;
    return number;
}

static int64_t free_window(struct refrain_process_windows *windows) {
    int64_t number = refrain_window_only(windows);
    windows->open -= windows->open > 0;
    windows->numbered = windows->open == 0; /* else one of several, and nobody says which */
    if (windows->open == 0)
        memset(windows->taken, 0, sizeof windows->taken);
    return number;
}

struct refrain_window_step refrain_window_leave(struct refrain_process_windows *windows, enum refrain_window_call call,
                                                bool approximate) {
    struct refrain_window_step step = {-1, -1, false, false};
    if (call == REFRAIN_WINDOW_INIT && !approximate)
        *windows = (struct refrain_process_windows){.known = true, .numbered = true};
    if (call == REFRAIN_WINDOW_PAUSES || (approximate && call != REFRAIN_WINDOW_NOTHING))
        windows->known = windows->numbered = false;
    if (!windows->known)
        return step;
    const bool one = windows->open == 1;
    switch (call) {
    case REFRAIN_WINDOW_OPENS:
        step.opened = open_window(windows);
        break;
    case REFRAIN_WINDOW_FREES:
        step.freed = free_window(windows);
        step.completes = windows->open == 0;
        break;
    case REFRAIN_WINDOW_FENCES:
    case REFRAIN_WINDOW_FLUSHES:
        step.completes = one;
        break;
    case REFRAIN_WINDOW_LOCKS:
        windows->locks++;
        break;
    case REFRAIN_WINDOW_UNLOCKS:
        windows->locks -= windows->locks > 0;
        step.completes = one && windows->locks == 0;
        break;
    case REFRAIN_WINDOW_COMPLETES:
        step.completes_locally = one;
        break;
    default:
        break;
    }
    return step;
}
