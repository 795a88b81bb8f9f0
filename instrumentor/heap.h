/* heap.h: memory for libclang in few pages.
 *
 * libclang takes some 10 MB for a small file that includes an MPI's header, and each page of 4 kB costs a fault, a
 * tenth of the time altogether. The heap of a process that is there to instrument one file is made of large pages
 * instead.
 */
#ifndef REFRAIN_HEAP_H
#define REFRAIN_HEAP_H

#include <stdbool.h>

/* Before libclang is used for the first time. Further calls do nothing. */
void refrain_heap_prepare(void);

#endif
