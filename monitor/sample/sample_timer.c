/* sample_timer.c: starts a timer of processor time for each thread (sample_timer.h). */
#define _GNU_SOURCE
#include "sample/sample_timer.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int signal_number;
static struct itimerspec interval;
static pthread_key_t ends; /* its value in a thread: 1 + the number of the thread's timer */
static bool has_ends;

/* The clock of a thread's processor time, in the form that clock_gettime() takes (the kernel's CPUCLOCK_SCHED). */
static clockid_t clock_of(pid_t thread) {
    return (clockid_t)(~(unsigned)thread << 3 | 6u);
}

/* Makes a timer by the system call, since timer_create() allocates memory. Returns its number, or -1. */
static int make_timer(pid_t thread) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    int timer = -1;
    event.sigev_notify_thread_id = thread;
    if (syscall(SYS_timer_create, clock_of(thread), &event, &timer) != 0)
        return -1;
    if (syscall(SYS_timer_settime, timer, 0, &interval, NULL) == 0)
        return timer;
    int saved = errno;
    syscall(SYS_timer_delete, timer);
    errno = saved;
    return -1;
}

static void thread_ends(void *timer) {
    syscall(SYS_timer_delete, (int)(intptr_t)timer - 1);
}

void refrain_sample_timer_begin(void) {
    int saved = errno, timer = make_timer((pid_t)syscall(SYS_gettid));
    if (timer >= 0 && (!has_ends || pthread_setspecific(ends, (void *)(intptr_t)(timer + 1)) != 0))
        syscall(SYS_timer_delete, timer);
    errno = saved;
}

/* Returns the last of the signals for programs (SIGRTMIN to SIGRTMAX) that nothing handles. 0 if all are handled. */
static int free_signal(void) {
    struct sigaction now;
    for (int number = SIGRTMAX; number > SIGRTMIN; number--)
        if (sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            return number;
    return 0;
}

/* Makes timers for all existing threads. Nothing removes these when a thread ends; they end with the process. */
static bool make_all_timers(void) {
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;
    bool any = false;
    while (threads && (entry = readdir(threads)))
        if (entry->d_name[0] != '.' && make_timer((pid_t)strtol(entry->d_name, NULL, 10)) >= 0)
            any = true;
    if (threads)
        closedir(threads);
    return any;
}

bool refrain_sample_timers_open(void (*handler)(int, siginfo_t *, void *), uint32_t hz) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    signal_number = free_signal();
    if (!signal_number) {
        errno = EBUSY;
        return false;
    }
    /* While a thread takes a sample, no other handler may run in it. */
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, &action, NULL) != 0)
        return false;
    has_ends = pthread_key_create(&ends, thread_ends) == 0;
    interval.it_interval.tv_sec = hz == 1;
    interval.it_interval.tv_nsec = hz == 1 ? 0 : 1000000000 / (long)hz;
    interval.it_value = interval.it_interval;
    return make_all_timers();
}
