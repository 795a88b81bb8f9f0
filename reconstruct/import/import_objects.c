/* import_objects.c: numbers the windows and files of another tool (import_objects.h). */
#define _GNU_SOURCE
#include "import/import_objects.h"

#include <stdlib.h>
#include <string.h>

int64_t refrain_import_object(struct refrain_import_objects *objects, enum refrain_object_kind kind, int64_t comm,
                              int64_t tag, const char *name) {
    if (tag < 0)
        return -1;
    uint64_t of = (uint64_t)kind << 32 | (uint32_t)(comm + 1);
    struct refrain_import_object *object = refrain_table_object(&objects->table, of, (uint64_t)tag);
    if (object)
        return object->number;
    object = refrain_table_make(&objects->table, of, (uint64_t)tag, sizeof *object);
    char *own_name = name && name[0] ? strdup(name) : NULL;
    if (!object || (name && name[0] && !own_name)) {
        free(own_name);
        return -2;
    }
    /* The number of the other tool identifies the object on all members of its communicator. */
    *object = (struct refrain_import_object){.kind = kind,
                                             .number = objects->n[kind],
                                             .comm = (uint32_t)(comm + 1),
                                             .slot = (uint32_t)tag,
                                             .name = own_name};
    objects->n[kind]++;
    *(objects->last ? &objects->last->next : &objects->first) = object;
    objects->last = object;
    return object->number;
}

void refrain_import_objects_free(struct refrain_import_objects *objects) {
    for (struct refrain_import_object *object = objects->first; object; object = object->next)
        free(object->name);
    refrain_table_free(&objects->table);
    *objects = (struct refrain_import_objects){0};
}
