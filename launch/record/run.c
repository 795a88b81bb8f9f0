/* run.c: runs the launcher as if it was started without `refrain record` (record.h): same standard streams, process
 * group and signals. */
#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
#define PASSED_ON (sizeof passed_on / sizeof *passed_on)

static volatile pid_t child;

/* Signals from the terminal reach the launcher directly, so they are not forwarded. */
static void forward(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    if (info->si_code <= 0 && child > 0)
        kill(child, number);
    errno = saved;
}

enum refrain_status refrain_run_command(char **argv, int *status, struct refrain_error *error) {
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART}, before[PASSED_ON];
    int report[2], failure = 0;
    *status = 126 << 8;
    if (pipe2(report, O_CLOEXEC) != 0)
        return REFRAIN_FAIL(error, "pipe: %s", strerror(errno));
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    for (size_t i = 0; i < PASSED_ON; i++)
        if (sigaction(passed_on[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    child = fork();
    if (child == 0) {
        for (size_t i = 0; i < PASSED_ON; i++)
            sigaction(passed_on[i], &before[i], NULL);
        signal(SIGXFSZ, SIG_DFL); /* `refrain` ignores it */
        sigprocmask(SIG_SETMASK, &mask, NULL);
        execvp(argv[0], argv);
        failure = errno;
        if (write(report[1], &failure, sizeof failure) < 0)
            _exit(126);
        _exit(127);
    }
    int fork_error = errno;
    close(report[1]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    bool failed = child < 0;
    if (child < 0)
        failure = fork_error;
    else
        failed = TEMP_FAILURE_RETRY(read(report[0], &failure, sizeof failure)) == (ssize_t)sizeof failure;
    close(report[0]);
    while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before[i], NULL);
    if (!failed)
        return REFRAIN_OK;
    *status = (failure == ENOENT ? 127 : 126) << 8;
    return REFRAIN_FAIL(error, "%s: %s", argv[0], strerror(failure));
}
