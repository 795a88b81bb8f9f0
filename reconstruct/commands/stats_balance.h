/* stats_balance.h: how even the ranks are: of each kind of time the least, the mean and the greatest value of a rank
 * (activity -> stats). */
#ifndef REFRAIN_STATS_BALANCE_H
#define REFRAIN_STATS_BALANCE_H

#include "analysis/activity.h"

struct json_t;

/* A table on standard output; nothing where there is one rank. */
void refrain_stats_balance_print(const struct refrain_activity *activity);

/* An object with a member for each kind of time, the caller's. */
struct json_t *refrain_stats_balance_json(const struct refrain_activity *activity);

#endif
