/* options.h: options of the public functions begin with their size, so that they may grow (refrain/read.h). */
#ifndef REFRAIN_OPTIONS_H
#define REFRAIN_OPTIONS_H

#include "common/error.h"

/* Copies what the caller knows of the options over *known, which holds the defaults and begins with its size. A caller
 * that is newer than the library may set nothing that this does not know: else REFRAIN_USAGE, and *known is unchanged.
 */
enum refrain_status refrain_options_take(void *known, const void *given, struct refrain_error *error);

#endif
