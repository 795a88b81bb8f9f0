/* visibility.h: who sees a function or variable of the monitor. The default is nobody but its file and its library. */
#ifndef REFRAIN_VISIBILITY_H
#define REFRAIN_VISIBILITY_H

#define REFRAIN_HIDDEN __attribute__((visibility("hidden")))  /* within librefrain.so */
#define REFRAIN_SHARED __attribute__((visibility("default"))) /* between librefrain.so and librefrain-<mpi>.so */

#endif
