/* import_objects.h: gives numbers to the windows and files of a rank whose events another tool recorded
 * (import_trace.c). */
#ifndef REFRAIN_IMPORT_OBJECTS_H
#define REFRAIN_IMPORT_OBJECTS_H

#include "common/table.h"
#include <refrain/trace.h>

/* As struct refrain_object. */
struct refrain_import_object {
    struct refrain_import_object *next;
    enum refrain_object_kind kind;
    uint32_t number, comm, slot; /* comm: index + 1, 0 unknown */
    char *name;                  /* owned; null: it has none */
};

/* All zero at first. */
struct refrain_import_objects {
    struct refrain_table table; /* by kind, communicator and the number of the tool */
    struct refrain_import_object *first, *last;
    uint32_t n[REFRAIN_OBJECT_FILE + 1]; /* by kind */
};

/* The number for the object that the tool calls `tag`; a new one at first use. -1 if `tag` is negative (unknown), -2
 * without memory. `comm`: an index, -1 unknown. `name`: of a file, may be null, is copied. */
int64_t refrain_import_object(struct refrain_import_objects *objects, enum refrain_object_kind kind, int64_t comm,
                              int64_t tag, const char *name);

void refrain_import_objects_free(struct refrain_import_objects *objects);

#endif
