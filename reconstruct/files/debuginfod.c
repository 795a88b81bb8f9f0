/* debuginfod.c: asks debuginfod servers for debug information, within a time limit (debuginfod.h). */
#define _GNU_SOURCE
#include "files/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIBRARY "libdebuginfod.so.1"
#define SILENCE_S 10u      /* without an answer, unless DEBUGINFOD_TIMEOUT says otherwise */
#define TOTAL_S 60u        /* for the whole answer */
#define AGAIN_AFTER_S 600u /* how long the library itself remembers that a file does not exist */

/* Callback of the library, once a second: bytes received, bytes in all; 0 in all: waiting. A result other than 0
 * cancels. */
typedef int progress_function(void *client, long done, long of);

/* State of the callback, which gets no argument before libdebuginfod 0.190. */
static _Thread_local struct {
    time_t begin_s, latest_s;
    long done;
    unsigned silence_s; /* time limit without progress */
    bool gave_up;
} waiting;

static time_t now_s(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return now.tv_sec;
}

static int look_at_progress(void *client, long done, long of) {
    (void)client;
    time_t now = now_s(CLOCK_MONOTONIC);
    if (of > 0 && done > waiting.done) {
        waiting.latest_s = now;
        waiting.done = done;
    }
    waiting.gave_up = now - waiting.latest_s >= (time_t)waiting.silence_s || now - waiting.begin_s >= (time_t)TOTAL_S;
    return waiting.gave_up;
}

static void begin_waiting(void) {
    const char *value = getenv("DEBUGINFOD_TIMEOUT");
    long seconds = value ? strtol(value, NULL, 10) : 0;
    waiting.begin_s = waiting.latest_s = now_s(CLOCK_MONOTONIC);
    waiting.done = 0;
    waiting.gave_up = false;
    waiting.silence_s = seconds > 0 && seconds < (long)TOTAL_S ? (unsigned)seconds : SILENCE_S;
}

static const char *urls(void) {
    const char *value = getenv("DEBUGINFOD_URLS");
    return value && *value ? value : NULL;
}

bool refrain_debuginfod_may_ask(uint64_t asked_s) {
    uint64_t now = (uint64_t)now_s(CLOCK_REALTIME);
    return urls() && !(asked_s <= now && now - asked_s < AGAIN_AFTER_S);
}

static void *function(const struct refrain_debuginfod *debuginfod, const char *name) {
    return dlsym(debuginfod->library, name);
}

/* Loads the library and makes a client. False with the reason in `trouble`. */
static bool begin(struct refrain_debuginfod *debuginfod) {
    if (debuginfod->client)
        return true;
    if (!debuginfod->library)
        debuginfod->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!debuginfod->library) {
        snprintf(debuginfod->trouble, sizeof debuginfod->trouble,
                 "debuginfod cannot be asked without " LIBRARY " (Debian: apt-get install libdebuginfod1, or "
                 "libdebuginfod1t64)");
        return false;
    }
    void *(*make)(void) = (void *(*)(void))function(debuginfod, "debuginfod_begin");
    void (*set)(void *, progress_function *) =
        (void (*)(void *, progress_function *))function(debuginfod, "debuginfod_set_progressfn");
    debuginfod->client = make && set ? make() : NULL;
    if (debuginfod->client)
        set(debuginfod->client, look_at_progress);
    else
        snprintf(debuginfod->trouble, sizeof debuginfod->trouble, LIBRARY " cannot be used: it makes no client");
    return debuginfod->client;
}

static void say(struct refrain_debuginfod *debuginfod, int error) {
    if (waiting.gave_up || error == ETIME || error == ETIMEDOUT)
        snprintf(debuginfod->trouble, sizeof debuginfod->trouble,
                 "debuginfod (%.300s) did not answer within %u s: try again later, or unset DEBUGINFOD_URLS", urls(),
                 (unsigned)(now_s(CLOCK_MONOTONIC) - waiting.begin_s));
    else
        snprintf(debuginfod->trouble, sizeof debuginfod->trouble,
                 "debuginfod (%.300s) was of no help: %s: try again later, or unset DEBUGINFOD_URLS", urls(),
                 strerror(error));
}

int refrain_debuginfod_find(struct refrain_debuginfod *debuginfod, const char *build_id, bool executable,
                            uint64_t *asked_s, char **path) {
    if (!urls())
        return -1;
    int fd = -1;
    if (!*debuginfod->trouble && begin(debuginfod)) {
        int (*find)(void *, const unsigned char *, int, char **) =
            (int (*)(void *, const unsigned char *, int, char **))function(
                debuginfod, executable ? "debuginfod_find_executable" : "debuginfod_find_debuginfo");
        begin_waiting();
        fd = find ? find(debuginfod->client, (const unsigned char *)build_id, 0, path) : -ENOSYS;
        if (fd < 0 && (waiting.gave_up || fd != -ENOENT))
            say(debuginfod, -fd);
    }
    if (fd < 0)
        *asked_s = (uint64_t)now_s(CLOCK_REALTIME);
    return fd;
}

void refrain_debuginfod_close(struct refrain_debuginfod *debuginfod) {
    void (*end)(void *) = debuginfod->client ? (void (*)(void *))function(debuginfod, "debuginfod_end") : NULL;
    if (end)
        end(debuginfod->client);
    debuginfod->client = NULL; /* the library stays loaded, because it leaves data behind in the thread */
}
