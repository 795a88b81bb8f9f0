/* picture_list.c: growing lists of records (picture.h). */
#include "analysis/picture.h"
#include "common/array.h"

void *refrain_picture_append(struct refrain_picture *picture, struct refrain_picture_list *list, size_t bytes) {
    if (!refrain_array_room(realloc, &list->items, list->n, 1, &list->capacity, bytes)) {
        picture->no_memory = true;
        return NULL;
    }
    return (char *)list->items + bytes * list->n++;
}
