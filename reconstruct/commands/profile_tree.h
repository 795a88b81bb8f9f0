/* profile_tree.h: the profile as people read it: functions, user regions and MPI calls from elsewhere by what they
 * took, and in each function its loops and MPI calls (profile, activity -> stats). */
#ifndef REFRAIN_PROFILE_TREE_H
#define REFRAIN_PROFILE_TREE_H

#include "analysis/activity.h"
#include "analysis/profile.h"

struct json_t;

/* The `most` longest lines to standard output, and as many of each function or loop. `activity` adds waiting and
 * callers; null: without. */
enum refrain_status refrain_profile_print(const struct refrain_profile_total *total,
                                          const struct refrain_activity *activity, size_t most,
                                          struct refrain_error *error);

/* All functions as members of the object. */
enum refrain_status refrain_profile_json(const struct refrain_profile_total *total,
                                         const struct refrain_activity *activity, struct json_t *object,
                                         struct refrain_error *error);

#endif
