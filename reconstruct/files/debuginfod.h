/* debuginfod.h: debug information from the servers in DEBUGINFOD_URLS, by build id, within a time limit.
 *
 * The library is libdebuginfod.so.1 of elfutils, which is loaded when it is first needed; it keeps what it got in a
 * cache of its own. A server that does not answer within DEBUGINFOD_TIMEOUT seconds (10), or is not done in a minute,
 * is not asked again by the same struct refrain_debuginfod. One thread for each. */
#ifndef REFRAIN_DEBUGINFOD_H
#define REFRAIN_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

/* Zero at first. */
struct refrain_debuginfod {
    void *library, *client;
    char trouble[512]; /* why it was of no help; "": it was, or has not been asked. That it has no such file is none */
};

/* May it be asked? Not where DEBUGINFOD_URLS is not set, nor within ten minutes after `asked_s` (since the epoch; 0
 * never), when it was asked in vain for the same file. */
bool refrain_debuginfod_may_ask(uint64_t asked_s);

/* A file descriptor for the debug information with that build id (hexadecimal) or, `executable`, for the program or
 * library itself; negative where there is none. *path: where the library keeps it, from malloc(). *asked_s is set to
 * now where it was asked in vain. */
int refrain_debuginfod_find(struct refrain_debuginfod *debuginfod, const char *build_id, bool executable,
                            uint64_t *asked_s, char **path);

void refrain_debuginfod_close(struct refrain_debuginfod *debuginfod);

#endif
