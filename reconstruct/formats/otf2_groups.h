/* otf2_groups.h: groups of ranks that calls name, as definitions of an OTF2 archive (ranks -> reference). Equal
 * groups get one definition. */
#ifndef REFRAIN_OTF2_GROUPS_H
#define REFRAIN_OTF2_GROUPS_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_otf2_rank_group {
    uint64_t *ranks; /* in MPI_COMM_WORLD; owned */
    uint32_t n;
};

struct refrain_otf2_groups {
    OTF2_GroupRef first; /* reference of the first group */
    struct refrain_otf2_rank_group *groups;
    uint32_t n;
    size_t capacity;
};

/* The reference of a group, added if it is new. OTF2_UNDEFINED_GROUP without memory. */
OTF2_GroupRef refrain_otf2_group_of(struct refrain_otf2_groups *groups, const uint64_t *ranks, uint32_t n);

/* Writes the definitions; all have the same name. */
OTF2_ErrorCode refrain_otf2_define_groups(const struct refrain_otf2_groups *groups, OTF2_GlobalDefWriter *writer,
                                          OTF2_StringRef name);

void refrain_otf2_groups_free(struct refrain_otf2_groups *groups);

#endif
