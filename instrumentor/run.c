/* run.c: runs the compiler of the user (run.h). */
#include "run.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory; /* to be removed */
static volatile sig_atomic_t caught;
static volatile pid_t running;

static void on_signal(int number) {
    int error = errno;
    caught = number;
    if (running > 0)
        kill(running, number);
    errno = error;
}

static const int stopping[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE};

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stopping / sizeof stopping[0]; i++) {
        struct sigaction before;
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL);
    }
}

static void release_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < sizeof stopping / sizeof stopping[0]; i++) {
        struct sigaction before;
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler == on_signal)
            sigaction(stopping[i], &action, NULL);
    }
}

void refrain_run_check_signal(void) {
    if (!caught)
        return;
    refrain_run_clean();
    release_signals();
    raise((int)caught);
}

/* True if the path needs no quotes: make and compilers quote other characters in different ways. */
static bool is_plain(const char *path) {
    for (; *path; path++)
        if (!strchr("/._-+", *path) && !(*path >= '0' && *path <= '9') && !(*path >= 'a' && *path <= 'z') &&
            !(*path >= 'A' && *path <= 'Z'))
            return false;
    return true;
}

bool refrain_run_directory(struct refrain_text *path, const char *seed) {
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || !is_plain(base) || access(base, W_OK | X_OK) != 0)
        base = "/tmp";
    refrain_text_format(path, "%s/refrain-%u-%016llx", base, (unsigned)getuid(),
                        (unsigned long long)refrain_text_hash(seed));
    if (mkdir(path->bytes, 0700) != 0) {
        refrain_text_free(path);
        refrain_text_format(path, "%s/refrain-%u-XXXXXX", base, (unsigned)getuid());
        if (!mkdtemp(path->bytes))
            return false;
    }
    directory = refrain_text_copy(path->bytes);
    catch_signals();
    return true;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void refrain_run_clean(void) {
    if (directory)
        nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(directory);
    directory = NULL;
}

static void complain(const char *compiler) {
    fprintf(stderr, "refrain-cc: error: cannot run the compiler '%s': %s\n", compiler, strerror(errno));
}

int refrain_run(char *const *arguments, const char *stderr_path) {
    refrain_run_check_signal();
    pid_t child = vfork(); /* fork would copy the wrapper, which takes as long as starting the compiler */
    if (child == 0) {
        if (stderr_path) {
            int file = open(stderr_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            if (file >= 0) {
                dup2(file, STDERR_FILENO);
                close(file);
            }
        }
        release_signals();
        execvp(arguments[0], arguments);
        complain(arguments[0]);
        _exit(127);
    }
    if (child < 0)
        return 127;
    int status;
    running = child;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    refrain_run_check_signal();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void refrain_run_forget(void) {
    free(directory);
    directory = NULL;
}

int refrain_run_become(char *const *arguments) {
    refrain_run_clean();
    release_signals();
    execvp(arguments[0], arguments);
    complain(arguments[0]);
    return 127;
}
