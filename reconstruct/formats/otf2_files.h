/* otf2_files.h: the directory of an OTF2 archive. An existing archive is replaced when the new one is complete.
 *
 *     directory/traces.otf2, traces.def, traces/       the archive
 *     directory/new.PID/traces.otf2 ...                the new archive while it is written, if there is an older one */
#ifndef REFRAIN_OTF2_FILES_H
#define REFRAIN_OTF2_FILES_H

#include "common/error.h"

#include <stdbool.h>

struct refrain_otf2_files {
    char *directory; /* owned */
    char *temporary; /* directory of the new archive until it replaces the one in `directory`; null: it is written there
                      directly. Owned */
};

/* True if the directory has an archive, or parts of one. */
bool refrain_otf2_files_there(const char *directory);

/* Makes the names. `process` makes the name of the directory for the new archive, if it replaces one. False without
 * memory; refrain_otf2_files_free() must be called even then. */
bool refrain_otf2_files_name(struct refrain_otf2_files *files, const char *directory, bool replaces, long process);
void refrain_otf2_files_free(struct refrain_otf2_files *files);

/* Makes the directories. False with an error. */
bool refrain_otf2_files_make(const struct refrain_otf2_files *files, struct refrain_error *error);

/* The directory to write to. */
const char *refrain_otf2_files_at(const struct refrain_otf2_files *files);

/* If `complete`, the new archive replaces the older one. Else removes what was written; if the archive was not
 * `opened`, leaves the files in `directory` alone. False with an error if it cannot replace the older one. */
bool refrain_otf2_files_settle(const struct refrain_otf2_files *files, bool opened, bool complete,
                               struct refrain_error *error);

#endif
