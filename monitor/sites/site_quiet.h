/* site_quiet.h: MPI calls that need no probe, as the address that they return to is their place.
 *
 *     site of a call's place, then the call, which returns to A     at first: the place and A belong together
 *     the call, which returns to A                                  later: the site is quiet, taken out of the code
 *
 * A call instruction has one address, but an address may have several places: compilers make one call of two that are
 * alike. And a place may have several addresses, where the compiler made several calls of one. So a site is quiet only
 * while the calls that return to its addresses come from no other place. What has not been seen yet announces itself:
 * each other site is still in the code. A call without a site may return to an address that is new while sites are
 * quiet; that may be one of theirs. Then all sites are back until the address has come again.
 *
 * Only sites of the executable are quiet: addresses in a library that is unloaded become another's. */
#ifndef REFRAIN_SITE_QUIET_H
#define REFRAIN_SITE_QUIET_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* A call that returns to `address` was made from `slot`; the site that returns to `site` told of it last. Learns that
 * site and address belong together. False: another thread is changing sites; the caller tries again later. Any thread,
 * inside a probe. */
REFRAIN_HIDDEN bool refrain_quiet_told(uintptr_t site, const struct refrain_slot *slot, uintptr_t address);

/* The place of a call that returns to `address`, where no site told of one; null where it has none. The slot is the
 * calling thread's. *sure is set to whether later calls from there have the same place. Any thread, inside a probe. */
REFRAIN_HIDDEN struct refrain_slot *refrain_quiet_slot(const struct refrain_context *context, uintptr_t address,
                                                       bool *sure);

/* Takes the sites out of the code that are not needed any more. Called now and then, by any thread, inside a probe. */
REFRAIN_HIDDEN void refrain_quiet_settle(void);

#endif
