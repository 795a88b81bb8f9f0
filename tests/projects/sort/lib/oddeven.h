/* oddeven.h: sorts the numbers of all ranks. */
#ifndef ODDEVEN_H
#define ODDEVEN_H

#include <stddef.h>

/* A generator: calls `take` with `count` numbers, one after the other, until it returns other than 0. */
void oddeven_generate(unsigned seed, int count, int (*take)(int number, void *data), void *data);

/* Sorts; afterwards no number of a rank is less than any of the rank before. All have `count`. Returns the rounds. */
int oddeven_sort(int *numbers, int count);

/* Whether they are sorted, on all ranks together. */
int oddeven_is_sorted(const int *numbers, int count);

/* Whether all ranks say the same. */
int oddeven_agree(int value);

#endif
