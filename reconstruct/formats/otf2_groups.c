/* otf2_groups.c: finds or adds a group of ranks (otf2_groups.h). */
#include "formats/otf2_groups.h"
#include "common/array.h"

#include <stdbool.h>
#include <string.h>

static bool alike(const struct refrain_otf2_rank_group *group, const uint64_t *ranks, uint32_t n) {
    return group->n == n && (n == 0 || memcmp(group->ranks, ranks, n * sizeof *ranks) == 0);
}

OTF2_GroupRef refrain_otf2_group_of(struct refrain_otf2_groups *groups, const uint64_t *ranks, uint32_t n) {
    for (uint32_t i = groups->n; i > 0; i--) /* backwards, as programs mostly name recent groups again */
        if (alike(&groups->groups[i - 1], ranks, n))
            return groups->first + i - 1;
    if (!REFRAIN_ARRAY_ROOM(groups->groups, groups->n, groups->capacity))
        return OTF2_UNDEFINED_GROUP;
    uint64_t *own = malloc((n + 1) * sizeof *own);
    if (!own)
        return OTF2_UNDEFINED_GROUP;
    if (n > 0)
        memcpy(own, ranks, n * sizeof *own);
    groups->groups[groups->n] = (struct refrain_otf2_rank_group){own, n};
    return groups->first + groups->n++;
}

OTF2_ErrorCode refrain_otf2_define_groups(const struct refrain_otf2_groups *groups, OTF2_GlobalDefWriter *writer,
                                          OTF2_StringRef name) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t i = 0; !code && i < groups->n; i++)
        code = OTF2_GlobalDefWriter_WriteGroup(writer, groups->first + i, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                               OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, groups->groups[i].n,
                                               groups->groups[i].ranks);
    return code;
}

void refrain_otf2_groups_free(struct refrain_otf2_groups *groups) {
    for (uint32_t i = 0; i < groups->n; i++)
        free(groups->groups[i].ranks);
    free(groups->groups);
}
