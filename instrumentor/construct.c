/* construct.c: finds the macro or loop around a construct, notes constructs that are not instrumented, and frees all
 * (construct.h). */
#include "construct.h"
#include <stdlib.h>
#include <string.h>

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

unsigned refrain_constructs_file(struct refrain_constructs *constructs, const char *name) {
    for (size_t i = constructs->files.count; i-- > 0;)
        if (strcmp(constructs->files.items[i], name) == 0)
            return (unsigned)i;
    refrain_list_add(&constructs->files, name);
    return (unsigned)constructs->files.count - 1;
}

void refrain_constructs_leave(struct refrain_constructs *constructs, const char *file, unsigned line,
                              const char *text) {
    if (constructs->n_left == REFRAIN_MOST_LEFT) {
        constructs->n_more_left++;
        return;
    }
    constructs->left = refrain_memory_grow(constructs->left, &constructs->left_capacity, constructs->n_left + 1,
                                           sizeof *constructs->left);
    constructs->left[constructs->n_left++] =
        (struct refrain_left){refrain_constructs_file(constructs, file), line, refrain_text_copy(text)};
}

void refrain_constructs_free(struct refrain_constructs *constructs) {
    for (size_t i = 0; i < constructs->count; i++)
        free(constructs->items[i].name);
    for (size_t i = 0; i < constructs->n_functions; i++)
        free(constructs->functions[i].name);
    for (size_t i = 0; i < constructs->n_left; i++)
        free(constructs->left[i].text);
    free(constructs->left);
    free(constructs->items);
    free(constructs->functions);
    free(constructs->table);
    refrain_list_free(&constructs->files);
    *constructs = (struct refrain_constructs){0};
}
