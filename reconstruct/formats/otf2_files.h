/* otf2_files.h: the directory of an OTF2 archive: an archive that is there is replaced when the new one is complete.
 *
 *     directory/traces.otf2, traces.def, traces/       the archive
 *     directory/new.PID/traces.otf2 ...                the new one, as long as it is written beside one that is there
 */
#ifndef REFRAIN_OTF2_FILES_H
#define REFRAIN_OTF2_FILES_H

#include "common/error.h"

#include <stdbool.h>

struct refrain_otf2_files {
    char *directory; /* owned */
    char *instead;   /* where the archive is written until it takes the place of that in `directory`; null: there.
                        Owned */
};

/* Is there an archive in the directory, or a part of one? */
bool refrain_otf2_files_there(const char *directory);

/* `process` makes the name of the directory beside an archive that is to be replaced. False without memory; what there
 * is has to be freed all the same. */
bool refrain_otf2_files_name(struct refrain_otf2_files *files, const char *directory, bool replaces, long process);
void refrain_otf2_files_free(struct refrain_otf2_files *files);

/* Makes the directories; false with an error. */
bool refrain_otf2_files_make(const struct refrain_otf2_files *files, struct refrain_error *error);

/* The directory to write to. */
const char *refrain_otf2_files_at(const struct refrain_otf2_files *files);

/* The complete archive takes the place of the one that was there. Where it is not complete, goes what there is of it;
 * of files that this archive has not `opened` nothing is touched in `directory`. False with an error where it cannot
 * take the place. */
bool refrain_otf2_files_settle(const struct refrain_otf2_files *files, bool opened, bool complete,
                               struct refrain_error *error);

#endif
