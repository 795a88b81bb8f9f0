/* visibility.h: the visibility of functions and variables of the monitor. By default that is their library. */
#ifndef REFRAIN_VISIBILITY_H
#define REFRAIN_VISIBILITY_H

#define REFRAIN_HIDDEN __attribute__((visibility("hidden")))  /* in librefrain.so */
#define REFRAIN_SHARED __attribute__((visibility("default"))) /* in librefrain.so and librefrain-<mpi>.so */

#endif
