/* function_name.h: finds the name of a function in the symbols of the file that it was loaded from. */
#ifndef REFRAIN_FUNCTION_NAME_H
#define REFRAIN_FUNCTION_NAME_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the linker's name of the function at `address` (counted from the object's load address) to `name`. False if
 * the file has no such symbol. Maps the file while it searches, and keeps errno. Not to be called from a probe. */
REFRAIN_HIDDEN bool refrain_function_name(const char *path, uint64_t address, char *name, size_t name_bytes);

#endif
