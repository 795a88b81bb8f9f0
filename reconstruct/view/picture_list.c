/* picture_list.c: lists of records that grow (picture.h). */
#include "common/array.h"
#include "view/picture.h"

void *refrain_picture_append(struct refrain_picture *picture, struct refrain_picture_list *list, size_t bytes) {
    void *items = refrain_array_room(list->items, list->n, &list->capacity, bytes);
    if (!items) {
        picture->no_memory = true;
        return NULL;
    }
    list->items = items;
    return (char *)list->items + bytes * list->n++;
}
