/* options.h: options of public functions begin with their size, so that later versions can add members
 * (refrain/read.h). */
#ifndef REFRAIN_OPTIONS_H
#define REFRAIN_OPTIONS_H

#include "common/error.h"

/* Copies the options of the caller over *known, which holds the defaults and begins with its size. A caller newer
 * than the library must not set options that the library does not have: else REFRAIN_USAGE, and *known is unchanged. */
enum refrain_status refrain_options_take(void *known, const void *given, struct refrain_error *error);

#endif
