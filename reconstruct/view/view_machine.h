/* view_machine.h: runs the page's engine (engine.c) inside refrain (trace -> the memory that the engine will have in
 * the page).
 *
 *     engine.c --clang--> engine.wasm --build.mjs--> in the page, run by the browser
 *                              '-----wasm2c--> C --> in refrain, run here
 *
 * It is the same program. After the same calls its memory holds the same bytes, so the page can continue from a
 * checkpoint that was made here. All accesses to this memory are checked. If the engine traps, the call ends, and
 * refrain continues.
 *
 * Threads: one machine at a time in a process. */
#ifndef REFRAIN_VIEW_MACHINE_H
#define REFRAIN_VIEW_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_machine;

/* Lists of the engine (engine.c). */
enum refrain_machine_list { REFRAIN_MACHINE_SHARES = 5, REFRAIN_MACHINE_PAIRS = 6, REFRAIN_MACHINE_ENDS = 7 };

enum refrain_machine_step {
    REFRAIN_MACHINE_FAILED = -1,
    REFRAIN_MACHINE_MORE,
    REFRAIN_MACHINE_DONE,
    REFRAIN_MACHINE_ENDED
};

/* The image of one rank, in up to two pieces. */
struct refrain_machine_image {
    const char *name;
    const void *bytes[2];
    size_t length[2];
};

/* Makes a machine, and opens the trace in it as the page does (page/engine.ts). Null if the trace does not fit or
 * cannot be read. The caller closes the machine; null is allowed. */
struct refrain_machine *refrain_machine_open(const struct refrain_machine_image *images, size_t n, const char *symbols,
                                             size_t symbols_bytes);
void refrain_machine_close(struct refrain_machine *machine);

/* The functions of engine.c with these names. After a failed call, numbers are 0, and steps fail. */
uint32_t refrain_machine_n_locations(struct refrain_machine *machine);
uint32_t refrain_machine_n_regions(struct refrain_machine *machine);
double refrain_machine_end_ns(struct refrain_machine *machine);
double refrain_machine_last_ns(struct refrain_machine *machine);
double refrain_machine_events(struct refrain_machine *machine);
double refrain_machine_unseen(struct refrain_machine *machine);
void refrain_machine_window(struct refrain_machine *machine, double from_ns, double to_ns, uint32_t n_bins);
enum refrain_machine_step refrain_machine_step(struct refrain_machine *machine, uint32_t n_events);
void refrain_machine_mark(struct refrain_machine *machine);
void refrain_machine_finish(struct refrain_machine *machine);

/* The records of a list, valid until the next call. refrain_machine_clear() empties the list. */
const void *refrain_machine_items(struct refrain_machine *machine, enum refrain_machine_list list, size_t record_bytes,
                                  size_t *n);
void refrain_machine_clear(struct refrain_machine *machine, enum refrain_machine_list list);

/* The sums over the window: a struct refrain_picture_total for each region, and the longest waits (struct
 * refrain_picture_wait). */
const void *refrain_machine_totals(struct refrain_machine *machine, size_t record_bytes);
const void *refrain_machine_waits(struct refrain_machine *machine, size_t record_bytes, size_t *n);

/* Checkpoints of the replay (engine.c), by their addresses. 0 without memory. */
uint32_t refrain_machine_keep(struct refrain_machine *machine);
void refrain_machine_drop(struct refrain_machine *machine, uint32_t checkpoint);

/* Bytes of all checkpoints. */
double refrain_machine_kept_bytes(struct refrain_machine *machine);

/* A number that is equal in engines that were opened with the same calls. To be called before the first step. */
uint32_t refrain_machine_opened(struct refrain_machine *machine);

/* Address and size of the i-th chunk of the engine's arena. 0 after the last one. */
uint32_t refrain_machine_chunk(struct refrain_machine *machine, uint32_t i, uint32_t *bytes);

/* The bytes of a checkpoint, valid until the next call, and the address of its copy of the arena. */
const void *refrain_machine_checkpoint(struct refrain_machine *machine, uint32_t checkpoint, size_t *n, uint32_t *copy);

/* The bytes of a copy, valid until the next call, and the address of the copy from which it is stored as a difference;
 * 0: none. */
const void *refrain_machine_copy(struct refrain_machine *machine, uint32_t copy, size_t *n, uint32_t *base);

#endif
