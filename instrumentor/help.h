/* help.h: prints the help of the wrappers. */
#ifndef REFRAIN_HELP_H
#define REFRAIN_HELP_H

#include "wrapper_names.h"
#include <stdio.h>

/* Prints the help of a wrapper. */
void refrain_help_print(const struct refrain_wrapper_names *names, FILE *file);

#endif
