/* halo.c: the one definition of halo.h's inline function. */
#include "heat/halo.h"

extern inline double halo_sum(double value);
