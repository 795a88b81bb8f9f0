/* heap.h: makes the heap for libclang from few, large pages.
 *
 * libclang needs some 10 MB for a small file that includes the header of an MPI. Faults for pages of 4 kB would take
 * a tenth of the whole time. So a process that instruments one file makes its heap of large pages. */
#ifndef REFRAIN_HEAP_H
#define REFRAIN_HEAP_H

#include <stdbool.h>

/* To be called before the first use of libclang. Further calls have no effect. */
void refrain_heap_prepare(void);

#endif
