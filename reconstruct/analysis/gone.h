/* gone.h: finds whether the process of a trace has ended, as far as this host knows (trace -> top, info, stats,
 * record). */
#ifndef REFRAIN_GONE_H
#define REFRAIN_GONE_H

#include "model/trace_read.h"

/* True if refrain record saw the end of the job. Also true if the process ran on this host and there is now no
 * process with its number, or one with another start time; a zombie counts as ended. False for a process on another
 * host, about which nothing is known. */
bool refrain_is_gone(const struct refrain_process *process);

/* True if the process ran on this host. */
bool refrain_is_on_this_host(const struct refrain_process *process);

#endif
