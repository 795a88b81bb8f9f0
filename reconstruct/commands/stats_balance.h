/* stats_balance.h: how evenly the ranks are loaded: the least, the mean and the greatest value of each kind of time
 * (activity -> stats). */
#ifndef REFRAIN_STATS_BALANCE_H
#define REFRAIN_STATS_BALANCE_H

#include "analysis/activity.h"

struct json_t;

/* Prints a table to standard output; nothing for a single rank. */
void refrain_stats_balance_print(const struct refrain_activity *activity);

/* An object with a member for each kind of time; the caller owns it. */
struct json_t *refrain_stats_balance_json(const struct refrain_activity *activity);

#endif
