/* profile_tree.h: the profile as text or JSON: functions, user regions and MPI calls outside of functions by their
 * time, and in each function its loops, branches and MPI calls (profile, activity -> stats). */
#ifndef REFRAIN_PROFILE_TREE_H
#define REFRAIN_PROFILE_TREE_H

#include "analysis/activity.h"
#include "analysis/profile.h"

struct json_t;

/* Prints the `most` longest lines to standard output, and as many lines of each function or loop. `activity` adds
 * waiting and callers; it may be null. */
enum refrain_status refrain_profile_print(const struct refrain_profile_total *total,
                                          const struct refrain_activity *activity, size_t most,
                                          struct refrain_error *error);

/* Adds the times of the run, all functions, user regions, and calls outside of functions as members of the object. */
enum refrain_status refrain_profile_json(const struct refrain_profile_total *total,
                                         const struct refrain_activity *activity, struct json_t *object,
                                         struct refrain_error *error);

#endif
