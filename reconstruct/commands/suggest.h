/* suggest.h: the name that was probably meant (command lines -> names that there are). */
#ifndef REFRAIN_SUGGEST_H
#define REFRAIN_SUGGEST_H

#include <stddef.h>

/* The least number of letters that are put in, left out, replaced, or swapped with their neighbour to make `a` of `b`;
 * names longer than 63 letters count by their first 63. */
unsigned refrain_suggest_distance(const char *a, const char *b);

/* A search for the nearest of some names; starts as {.typed = ...}. */
struct refrain_suggestion {
    const char *typed;
    const char *name; /* the nearest so far that is near enough to be meant, else null */
    unsigned distance;
};

void refrain_suggest(struct refrain_suggestion *suggestion, const char *name);

#endif
