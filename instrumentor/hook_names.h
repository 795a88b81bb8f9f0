/* hook_names.h: names of C++ and Fortran functions, from the symbols of the compiler (hooks.c). */
#ifndef REFRAIN_HOOK_NAMES_H
#define REFRAIN_HOOK_NAMES_H

#include <stdbool.h>

/* The name of a function in the source, which the caller frees: C++ names without their parameters, as in the names of
 * call sites; procedures of Fortran modules as module::name. If it cannot be found, the symbol. */
char *refrain_hook_name(const char *symbol, bool fortran);

/* True for the name of a Fortran source. */
bool refrain_hook_is_fortran(const char *source);

#endif
