/* object_name.c: a hash table of names by their text (object_name.h). */
#include "run/object_name.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define MOST_NAMES 1024u /* with more objects, the name of a further one is stored again each time */

static uint32_t names[MOST_NAMES]; /* references; each at its hash or in the next free entry; 0: free */

static uint32_t hash_of(const char *path) {
    uint32_t hash = 2166136261u;
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 16777619u;
    return hash ^ hash >> 16;
}

static bool is_name(uint32_t reference, const char *path) {
    const struct refrain_name *name = refrain_at_reference(reference);
    return strcmp(name->text, path) == 0;
}

uint32_t refrain_object_name(const char *path) {
    if (!path || !*path)
        return refrain_trace_file.header->executable;
    uint32_t hash = hash_of(path), made = 0;
    for (uint32_t i = 0; i < MOST_NAMES; i++) {
        uint32_t *at = &names[(hash + i) % MOST_NAMES], found = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (!found && !made && !(made = refrain_pool_name(path)))
            return 0;
        if (!found && __atomic_compare_exchange_n(at, &found, made, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
            return made;
        if (is_name(found, path))
            return found;
    }
    return made ? made : refrain_pool_name(path);
}
