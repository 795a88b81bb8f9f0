/* gone.h: has the process of a trace ended, as far as this host knows? (trace -> top, info, stats, record) */
#ifndef REFRAIN_GONE_H
#define REFRAIN_GONE_H

#include "model/trace_read.h"

/* True where refrain record saw that the job was over; or where the process ran on this host, and there is none of its
 * number now, or one that began at another time. A process that only waits to be asked how it ended has ended. False of
 * one on another host, where nothing is known. */
bool refrain_is_gone(const struct refrain_process *process);

/* Did it run on this host? */
bool refrain_is_on_this_host(const struct refrain_process *process);

#endif
