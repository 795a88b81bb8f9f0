/* waiting_collective.h: finds who waited for whom in collectives (private to waiting*.c). */
#ifndef REFRAIN_WAITING_COLLECTIVE_H
#define REFRAIN_WAITING_COLLECTIVE_H

#include "analysis/waiting_parts.h"

/* The call enters a collective. */
void refrain_waiting_enter_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                      const struct refrain_event *event);

/* The call leaves or completes a collective: sets its wait, if it waited. */
void refrain_waiting_leave_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                      struct refrain_waiting_collective *collective, bool is_root,
                                      struct refrain_event *event);
void refrain_waiting_complete_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                         struct refrain_event *event);

#endif
