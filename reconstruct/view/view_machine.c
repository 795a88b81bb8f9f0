/* view_machine.c: the page's engine, translated to C by wasm2c when refrain is built (view_machine.h). */
#include "view/view_machine.h"
#include "engine_machine.h" /* by wasm2c, of engine.wasm */
#include "wasm-rt-impl.h"   /* wasm2c's runtime */

#include <stdlib.h>
#include <string.h>

/* As wasm2c 1.0.32 names what it makes. */
typedef Z_engine_instance_t instance;
typedef struct Z_wasi_snapshot_preview1_instance_t system_calls;
#define ENGINE(name) Z_engineZ_engine_##name
#define SYSTEM(name) Z_wasi_snapshot_preview1Z_##name

struct Z_wasi_snapshot_preview1_instance_t {
    char unused;
};

#define NOT_THERE 52 /* ENOSYS: the page has no files either */

struct refrain_machine {
    instance engine;
    system_calls calls;
    bool failed;
};

/* ---- what the engine may ask of the system: nothing ---- */

u32 SYSTEM(fd_close)(system_calls *calls, u32 fd) {
    (void)calls, (void)fd;
    return NOT_THERE;
}

u32 SYSTEM(fd_seek)(system_calls *calls, u32 fd, u64 offset, u32 whence, u32 position) {
    (void)calls, (void)fd, (void)offset, (void)whence, (void)position;
    return NOT_THERE;
}

u32 SYSTEM(fd_write)(system_calls *calls, u32 fd, u32 vectors, u32 n, u32 written) {
    (void)calls, (void)fd, (void)vectors, (void)n, (void)written;
    return NOT_THERE;
}

/* ---- calls that end when something goes wrong inside ---- */

/* Executes the statement, unless an earlier call has failed. If the engine traps, the machine has failed. */
#define GUARDED(machine, statement)                                                                                    \
    do {                                                                                                               \
        if ((machine)->failed || wasm_rt_impl_try() != 0)                                                              \
            (machine)->failed = true;                                                                                  \
        else {                                                                                                         \
            statement;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* The address of `length` bytes at `at` in the engine's memory. Null if a call has failed, or if the bytes are not all
 * in the memory. */
static const void *bytes_at(const struct refrain_machine *machine, size_t at, size_t length) {
    const wasm_rt_memory_t *memory = Z_engineZ_memory((instance *)(uintptr_t)&machine->engine);
    return !machine->failed && at <= memory->size && length <= memory->size - at ? memory->data + at : NULL;
}

/* ---- opening ---- */

/* Copies both parts into newly reserved memory of the engine, and returns its offset. Without memory the machine has
 * failed, and the offset is 0. */
static u32 put(struct refrain_machine *machine, const void *const bytes[2], const size_t length[2]) {
    size_t all = length[0] + length[1];
    volatile u32 at = 0;
    if (all < UINT32_MAX)
        GUARDED(machine, at = ENGINE(reserve)(&machine->engine, (u32)all));
    unsigned char *memory = at ? (unsigned char *)(uintptr_t)bytes_at(machine, at, all) : NULL;
    if (!memory) {
        machine->failed = true;
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (length[i])
            memcpy(memory, bytes[i], length[i]);
        memory += length[i];
    }
    return at;
}

static void add(struct refrain_machine *machine, const struct refrain_machine_image *image) {
    u32 name = put(machine, (const void *[]){image->name, NULL}, (size_t[]){strlen(image->name) + 1, 0});
    u32 at = put(machine, image->bytes, image->length);
    size_t length = image->length[0] + image->length[1];
    volatile u32 status = 1;
    GUARDED(machine, status = ENGINE(add)(&machine->engine, at, (u32)length, name));
    machine->failed |= status != 0;
}

static void open_trace(struct refrain_machine *machine, const char *symbols, size_t length) {
    u32 at = put(machine, (const void *[]){symbols, NULL}, (size_t[]){length, 0});
    volatile u32 status = 1;
    GUARDED(machine, ENGINE(symbols)(&machine->engine, at, (u32)length));
    GUARDED(machine, status = ENGINE(open)(&machine->engine));
    machine->failed |= status != 0;
}

static void initialize(struct refrain_machine *machine) {
    GUARDED(machine, Z_engineZ__initialize(&machine->engine));
}

struct refrain_machine *refrain_machine_open(const struct refrain_machine_image *images, size_t n, const char *symbols,
                                             size_t symbols_bytes) {
    struct refrain_machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    wasm_rt_init();
    Z_engine_init_module();
    Z_engine_instantiate(&machine->engine, &machine->calls);
    initialize(machine);
    for (size_t i = 0; i < n && !machine->failed; i++)
        add(machine, &images[i]);
    open_trace(machine, symbols, symbols_bytes);
    if (!machine->failed)
        return machine;
    refrain_machine_close(machine);
    return NULL;
}

void refrain_machine_close(struct refrain_machine *machine) {
    if (!machine)
        return;
    Z_engine_free(&machine->engine);
    free(machine);
}

/* ---- replaying ---- */

#define NUMBER(type, name)                                                                                             \
    type refrain_machine_##name(struct refrain_machine *machine) {                                                     \
        volatile type number = 0;                                                                                      \
        GUARDED(machine, number = ENGINE(name)(&machine->engine));                                                     \
        return number;                                                                                                 \
    }
NUMBER(uint32_t, n_locations)
NUMBER(uint32_t, n_regions)
NUMBER(double, end_ns)
NUMBER(double, last_ns)
NUMBER(double, events)
NUMBER(double, unseen)
NUMBER(uint32_t, opened)
NUMBER(uint32_t, keep)

void refrain_machine_window(struct refrain_machine *machine, double from_ns, double to_ns, uint32_t n_bins) {
    volatile u32 status = 1;
    GUARDED(machine, status = ENGINE(window)(&machine->engine, from_ns, to_ns, n_bins, 0));
    machine->failed |= status != 0;
}

enum refrain_machine_step refrain_machine_step(struct refrain_machine *machine, uint32_t n_events) {
    volatile int status = REFRAIN_MACHINE_FAILED;
    GUARDED(machine, status = (int)ENGINE(step)(&machine->engine, n_events));
    return (enum refrain_machine_step)status;
}

void refrain_machine_mark(struct refrain_machine *machine) {
    GUARDED(machine, ENGINE(mark)(&machine->engine, 0));
}

void refrain_machine_finish(struct refrain_machine *machine) {
    GUARDED(machine, ENGINE(finish)(&machine->engine, 1));
}

const void *refrain_machine_items(struct refrain_machine *machine, enum refrain_machine_list list, size_t record_bytes,
                                  size_t *n) {
    volatile u32 at = 0, count = 0;
    GUARDED(machine, at = ENGINE(items)(&machine->engine, (u32)list));
    GUARDED(machine, count = ENGINE(count)(&machine->engine, (u32)list));
    const void *items = bytes_at(machine, at, count * record_bytes);
    *n = items ? count : 0;
    return items;
}

void refrain_machine_take(struct refrain_machine *machine, enum refrain_machine_list list) {
    GUARDED(machine, ENGINE(take)(&machine->engine, (u32)list));
}

const void *refrain_machine_totals(struct refrain_machine *machine, size_t record_bytes) {
    volatile u32 at = 0;
    uint32_t n = refrain_machine_n_regions(machine) + 1;
    GUARDED(machine, at = ENGINE(totals)(&machine->engine));
    return bytes_at(machine, at, n * record_bytes);
}

const void *refrain_machine_waits(struct refrain_machine *machine, size_t record_bytes, size_t *n) {
    volatile u32 at = 0, count = 0;
    GUARDED(machine, at = ENGINE(waits)(&machine->engine));
    GUARDED(machine, count = ENGINE(n_waits)(&machine->engine));
    const void *items = bytes_at(machine, at, count * record_bytes);
    *n = items ? count : 0;
    return items;
}

/* ---- checkpoints ---- */

void refrain_machine_drop(struct refrain_machine *machine, uint32_t checkpoint) {
    GUARDED(machine, ENGINE(drop)(&machine->engine, checkpoint));
}

double refrain_machine_kept_bytes(struct refrain_machine *machine) {
    volatile double bytes = 0;
    GUARDED(machine, bytes = ENGINE(kept_bytes)(&machine->engine, 0));
    return bytes;
}

uint32_t refrain_machine_chunk(struct refrain_machine *machine, uint32_t i, uint32_t *bytes) {
    volatile u32 at = 0, length = 0;
    GUARDED(machine, at = ENGINE(chunk)(&machine->engine, i));
    if (at)
        GUARDED(machine, length = ENGINE(chunk_bytes)(&machine->engine, i));
    *bytes = length;
    return at;
}

const void *refrain_machine_checkpoint(struct refrain_machine *machine, uint32_t checkpoint, size_t *n,
                                       uint32_t *copy) {
    volatile u32 length = 0, at = 0;
    GUARDED(machine, length = ENGINE(checkpoint_bytes)(&machine->engine));
    GUARDED(machine, at = ENGINE(copy)(&machine->engine, checkpoint));
    *n = length;
    *copy = at;
    return bytes_at(machine, checkpoint, length);
}

const void *refrain_machine_copy(struct refrain_machine *machine, uint32_t copy, size_t *n, uint32_t *base) {
    volatile u32 length = 0, at = 0;
    GUARDED(machine, length = ENGINE(copy_bytes)(&machine->engine, copy));
    GUARDED(machine, at = ENGINE(copy_base)(&machine->engine, copy));
    *n = length;
    *base = at;
    return bytes_at(machine, copy, length);
}
