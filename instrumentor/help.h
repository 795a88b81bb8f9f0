/* help.h: what the tools say about themselves. */
#ifndef REFRAIN_HELP_H
#define REFRAIN_HELP_H

#include "wrapper_names.h"
#include <stdio.h>

/* A wrapper's help. */
void refrain_help_print(const struct refrain_wrapper_names *names, FILE *file);

#endif
