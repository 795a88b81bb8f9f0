/* function_name.h: the name of a function, from the symbols of the file that it was loaded from. */
#ifndef REFRAIN_FUNCTION_NAME_H
#define REFRAIN_FUNCTION_NAME_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name, as it was linked, of the function that `address` (less the object's load address) lies in; false where the
 * file says none. The file is mapped for as long as it takes; errno stays as it is. Not from a probe. */
REFRAIN_HIDDEN bool refrain_function_name(const char *path, uint64_t address, char *name, size_t name_bytes);

#endif
