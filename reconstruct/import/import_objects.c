/* import_objects.c: numbers for another tool's windows and files (import_objects.h). */
#define _GNU_SOURCE
#include "import/import_objects.h"

#include <stdlib.h>
#include <string.h>

int64_t refrain_import_object(struct refrain_import_objects *objects, enum refrain_object_kind kind, int64_t comm,
                              int64_t tag, const char *name) {
    if (tag < 0)
        return -1;
    const struct refrain_pair key = {(uint64_t)kind << 32 | (uint32_t)(comm + 1), (uint64_t)tag};
    struct refrain_import_object *object =
        (struct refrain_import_object *)refrain_pair_table_find(&objects->table, key);
    if (object)
        return object->number;
    object = calloc(1, sizeof *object);
    if (!object)
        return -2;
    /* What the tool calls it is what tells it from others of its communicator, on all members. */
    *object = (struct refrain_import_object){.node.key = key,
                                             .kind = kind,
                                             .number = objects->n[kind],
                                             .comm = (uint32_t)(comm + 1),
                                             .slot = (uint32_t)tag,
                                             .name = name && name[0] ? strdup(name) : NULL};
    if ((name && name[0] && !object->name) || !refrain_pair_table_add(&objects->table, &object->node)) {
        free(object->name);
        free(object);
        return -2;
    }
    objects->n[kind]++;
    *(objects->last ? &objects->last->next : &objects->first) = object;
    objects->last = object;
    return object->number;
}

void refrain_import_objects_free(struct refrain_import_objects *objects) {
    for (struct refrain_import_object *object = objects->first, *next; object; object = next) {
        next = object->next;
        free(object->name);
        free(object);
    }
    free(objects->table.buckets);
    *objects = (struct refrain_import_objects){0};
}
