/* rank_list.h: sets of ranks as text. */
#ifndef REFRAIN_RANK_LIST_H
#define REFRAIN_RANK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "0-3,7" of ranks in rising order, some of which may come more than once; with `steps` also "0-14:2", every second of
 * these. The caller frees it; null without memory. */
char *refrain_rank_list(const int32_t *ranks, size_t n, bool steps);

#endif
