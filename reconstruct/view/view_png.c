/* view_png.c: draws a figure with rsvg-convert (view_png.h). */
#define _GNU_SOURCE
#include "view/view_png.h"
#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRING_(text) #text
#define STRING(text) STRING_(text)

extern char **environ;

/* Starts rsvg-convert, which reads from `input` and writes to `output`. The caller closes both. Returns 0 or an errno.
 */
static int start(int input, int output, pid_t *pid) {
    char *arguments[] = {"rsvg-convert", "--format=png", "--zoom=" STRING(REFRAIN_PNG_SCALE), NULL};
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status)
        return status;
    status = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!status)
        status = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!status)
        status = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/* Writes all bytes, unless the reader ends early. */
static void feed(int descriptor, const char *text, size_t bytes) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignored, &before);
    while (bytes > 0) {
        ssize_t n = write(descriptor, text, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        text += n;
        bytes -= (size_t)n;
    }
    sigaction(SIGPIPE, &before, NULL);
}

enum refrain_status refrain_png_write(const char *svg, size_t bytes, FILE *file, const char *path,
                                      struct refrain_error *error) {
    int ends[2], status;
    pid_t pid;
    if (fflush(file) != 0)
        return REFRAIN_FAIL(error, "%s: cannot be written: %s", path, strerror(errno));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return REFRAIN_FAIL(error, "rsvg-convert cannot be started: %s", strerror(errno));
    int failed = start(ends[0], fileno(file), &pid);
    close(ends[0]);
    if (failed) {
        close(ends[1]);
        return failed == ENOENT
                   ? REFRAIN_FAIL(error,
                                  "a PNG takes rsvg-convert (apt-get install librsvg2-bin); write a .svg instead")
                   : REFRAIN_FAIL(error, "rsvg-convert cannot be started: %s", strerror(failed));
    }
    feed(ends[1], svg, bytes);
    close(ends[1]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return REFRAIN_FAIL(error, "rsvg-convert was lost: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return REFRAIN_FAIL(error, "%s: rsvg-convert failed (see above)", path);
    return REFRAIN_OK;
}
