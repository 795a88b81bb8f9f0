/* rank_list.h: writes sets of ranks as text. */
#ifndef REFRAIN_RANK_LIST_H
#define REFRAIN_RANK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "0-3,7" for sorted ranks, which may contain duplicates. With `steps` also "0-14:2" for every second rank. The
 * caller frees the text. Null without memory. */
char *refrain_rank_list(const int32_t *ranks, size_t n, bool steps);

#endif
