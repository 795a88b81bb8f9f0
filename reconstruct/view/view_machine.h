/* view_machine.h: the page's engine (engine.c), run by refrain itself (trace -> the engine's memory, as the page
 * will have it).
 *
 *     engine.c --clang--> engine.wasm --build.mjs--> in the page, run by the browser
 *                              '-----wasm2c--> C --> in refrain, run here
 *
 * It is one program in both, so that its memory holds the same bytes after the same calls: the page can go on from a
 * checkpoint that was taken here. All accesses to that memory are checked, and what goes wrong inside ends the call
 * that is made, not refrain.
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

/* A part of what the trace consists of: the bytes of one rank, in up to two pieces. */
struct refrain_machine_image {
    const char *name;
    const void *bytes[2];
    size_t length[2];
};

/* A machine with the trace opened in it, as the page opens it (page/engine.ts). Null where the trace does not fit
 * or cannot be read. The caller closes it; null is allowed. */
struct refrain_machine *refrain_machine_open(const struct refrain_machine_image *images, size_t n, const char *symbols,
                                             size_t symbols_bytes);
void refrain_machine_close(struct refrain_machine *machine);

/* What engine.c exports under these names. Numbers are 0, and steps failed, once a call has failed. */
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

/* A list's records, valid until the next call; taking empties the list. */
const void *refrain_machine_items(struct refrain_machine *machine, enum refrain_machine_list list, size_t record_bytes,
                                  size_t *n);
void refrain_machine_take(struct refrain_machine *machine, enum refrain_machine_list list);

/* The sums over the window: struct refrain_picture_total by region, and struct refrain_picture_wait. */
const void *refrain_machine_totals(struct refrain_machine *machine, size_t record_bytes);
const void *refrain_machine_waits(struct refrain_machine *machine, size_t record_bytes, size_t *n);

/* Checkpoints of the replay (engine.c), by their address; 0: none, without memory. */
uint32_t refrain_machine_keep(struct refrain_machine *machine);
void refrain_machine_drop(struct refrain_machine *machine, uint32_t checkpoint);

/* What all checkpoints take. */
double refrain_machine_kept_bytes(struct refrain_machine *machine);

/* By which an engine tells that it was opened as this one. Before the first step. */
uint32_t refrain_machine_opened(struct refrain_machine *machine);

/* The address of the engine's i-th chunk of memory and its bytes; 0 behind the last one. */
uint32_t refrain_machine_chunk(struct refrain_machine *machine, uint32_t i, uint32_t *bytes);

/* The bytes of a checkpoint, valid until the next call, and the address of its copy of memory. */
const void *refrain_machine_checkpoint(struct refrain_machine *machine, uint32_t checkpoint, size_t *n, uint32_t *copy);

/* The bytes of a copy, valid until the next call, and the address of the copy that it differs from; 0: none. */
const void *refrain_machine_copy(struct refrain_machine *machine, uint32_t copy, size_t *n, uint32_t *base);

#endif
