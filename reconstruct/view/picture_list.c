/* picture_list.c: lists of records that grow (picture.h). */
#include "picture.h"

#include <stdlib.h>

void *refrain_picture_append(struct refrain_picture *picture, struct refrain_picture_list *list, size_t bytes) {
    if (list->n == list->capacity) {
        size_t larger = list->capacity ? list->capacity * 2 : 16;
        void *items = realloc(list->items, larger * bytes);
        if (!items) {
            picture->no_memory = true;
            return NULL;
        }
        list->items = items;
        list->capacity = larger;
    }
    return (char *)list->items + bytes * list->n++;
}
