/* visibility.h: which libraries may use a function or variable of the monitor. Without one of these words it is hidden
 * (-fvisibility=hidden); REFRAIN_HIDDEN in a header also tells callers to call it directly. */
#ifndef REFRAIN_VISIBILITY_H
#define REFRAIN_VISIBILITY_H

#define REFRAIN_HIDDEN __attribute__((visibility("hidden")))  /* in librefrain.so */
#define REFRAIN_SHARED __attribute__((visibility("default"))) /* in librefrain.so and librefrain-<mpi>.so */

#endif
