/* construct.c: a file's constructs as an array, each before what it contains (construct.h). */
#include "construct.h"
#include <stdlib.h>

unsigned refrain_macro_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = construct->parent;
    while (up != REFRAIN_NO_INDEX && constructs->items[up].kind != REFRAIN_MACRO)
        up = constructs->items[up].parent;
    return up;
}

unsigned refrain_loop_around(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = construct->parent;
    while (up != REFRAIN_NO_INDEX && !refrain_is_loop(&constructs->items[up]))
        up = constructs->items[up].parent;
    return up;
}

void refrain_constructs_free(struct refrain_constructs *constructs) {
    for (size_t i = 0; i < constructs->count; i++)
        free(constructs->items[i].name);
    for (size_t i = 0; i < constructs->n_functions; i++)
        free(constructs->functions[i].name);
    free(constructs->items);
    free(constructs->functions);
    free(constructs->table);
    refrain_list_free(&constructs->files);
    *constructs = (struct refrain_constructs){0};
}
