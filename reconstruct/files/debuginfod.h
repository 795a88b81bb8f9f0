/* debuginfod.h: gets debug information by build id from the servers in DEBUGINFOD_URLS, within a time limit.
 *
 * Uses libdebuginfod.so.1 of elfutils, loaded when it is first needed. The library caches what it receives. If a
 * server does not answer within DEBUGINFOD_TIMEOUT seconds (10), or is not done within a minute, it is not asked
 * again with the same struct refrain_debuginfod. A struct is used by one thread. */
#ifndef REFRAIN_DEBUGINFOD_H
#define REFRAIN_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

/* Zero at first. */
struct refrain_debuginfod {
    void *library, *client;
    char trouble[512]; /* why it did not help; "": it did, or was not asked. A missing file is no trouble */
};

/* True if servers may be asked: DEBUGINFOD_URLS is set, and they were not asked for the same file without success
 * within ten minutes after `asked_s` (since the epoch; 0 never). */
bool refrain_debuginfod_may_ask(uint64_t asked_s);

/* Opens the debug information with that build id (hexadecimal) or, with `executable`, the program or library itself.
 * Returns a file descriptor; negative if there is none. *path: where the library keeps the file, from malloc().
 * *asked_s: set to now if the file was not found. */
int refrain_debuginfod_find(struct refrain_debuginfod *debuginfod, const char *build_id, bool executable,
                            uint64_t *asked_s, char **path);

void refrain_debuginfod_close(struct refrain_debuginfod *debuginfod);

#endif
