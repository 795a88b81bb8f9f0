/* objects.c: makes and ends the records of windows and files in the trace file (objects.h). */
#include "run/objects.h"
#include "arch/arch.h"
#include "run/pool.h"

#include <stdbool.h>
#include <string.h>

/* With more bytes of names, further files have no name, so a program that writes a thousand files has memory left for
 * its events. */
#define MOST_NAME_BYTES 8192u
#define LONGEST_NAME 1024u

/* The holder of the lock may never go on: it was cancelled here, or this is a signal handler that interrupted it. */
#define MOST_SPINS (1u << 20)

static bool locked;

/* Valid while the lock is held. */
static uint32_t *last_link;
static uint32_t n_numbers[REFRAIN_OBJECT_FILE + 1];
static uint32_t name_bytes;

static const char *text_of(const struct refrain_object *object) {
    return ((const struct refrain_name *)refrain_at_reference(object->name))->text;
}

/* 0 without memory. */
static uint32_t put_name(const char *name) {
    size_t length = strlen(name);
    uint32_t reference = 0;
    if (length <= LONGEST_NAME && name_bytes + length + 1 <= MOST_NAME_BYTES)
        reference = refrain_pool_name(name);
    if (reference)
        name_bytes += (uint32_t)length + 1;
    return reference;
}

static struct refrain_object *add(enum refrain_object_kind kind, uint32_t comm, uint32_t slot, uint32_t name) {
    struct refrain_header *header = refrain_trace_file.header;
    struct refrain_object *object = refrain_pool_take(sizeof *object, REFRAIN_POOL_OBJECTS);
    if (!object)
        return NULL;
    *object =
        (struct refrain_object){.kind = kind, .number = n_numbers[kind]++, .comm = comm, .slot = slot, .name = name};
    header->n_objects++;
    refrain_publish(last_link ? last_link : &header->objects, refrain_reference(object));
    last_link = &object->next;
    return object;
}

static struct refrain_object *take(enum refrain_object_kind kind, uint32_t comm, const char *name) {
    uint32_t reference = refrain_trace_file.header->objects, of_name = 0, slots = 0;
    for (struct refrain_object *object; name && !of_name && reference; reference = object->next) {
        object = refrain_at_reference(reference);
        if (object->kind == kind && object->name && strcmp(text_of(object), name) == 0)
            of_name = object->name;
    }
    if (name && !of_name) {
        of_name = put_name(name);
        if (!of_name)
            refrain_lose(REFRAIN_LOSS_FILE_NAMES, 1);
    }
    reference = refrain_trace_file.header->objects;
    for (struct refrain_object *object; reference; reference = object->next) {
        object = refrain_at_reference(reference);
        if (object->kind != kind || object->comm != comm || object->name != of_name)
            continue;
        if (!object->open)
            return object;
        slots++;
    }
    return add(kind, comm, slots, of_name);
}

/* False if another thread keeps the lock for too long. */
static bool lock(void) {
    unsigned spins = 0;
    while (__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE))
        if (++spins == MOST_SPINS)
            return false;
    return true;
}

struct refrain_object *refrain_object_open(enum refrain_object_kind kind, uint32_t comm, const char *name) {
    struct refrain_object *object = NULL;
    if (lock()) {
        object = take(kind, comm, name);
        if (object)
            object->open = 1;
        __atomic_store_n(&locked, false, __ATOMIC_RELEASE);
    }
    if (!object)
        refrain_lose(REFRAIN_LOSS_WINDOWS, 1);
    return object;
}

void refrain_object_close(struct refrain_object *object) {
    if (object)
        object->open = 0;
}
