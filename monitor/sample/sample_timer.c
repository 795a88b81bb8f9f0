/* sample_timer.c: see sample_timer.h. */
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
static pthread_key_t ends; /* its value: 1 + the number of the thread's timer */
static bool has_ends;

/* The clock of a thread's processor time, as clock_gettime() takes it (the kernel's CPUCLOCK_SCHED of a thread). */
static clockid_t clock_of(pid_t thread) {
    return (clockid_t)(~(unsigned)thread << 3 | 6u);
}

/* The kernel's timers, as timer_create() would allocate memory. Returns the number, -1 where it fails. */
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

/* Of the signals that programs may use as they like the last one that nothing handles; 0: all are handled. */
static int free_signal(void) {
    struct sigaction now;
    for (int number = SIGRTMAX; number > SIGRTMIN; number--)
        if (sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            return number;
    return 0;
}

/* Threads that began before this have no end by which their timer would be removed: it goes with the process. */
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
    /* One sample at a time in a thread, and no other signal's handler in it. */
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, &action, NULL) != 0)
        return false;
    has_ends = pthread_key_create(&ends, thread_ends) == 0;
    interval.it_interval.tv_sec = hz == 1;
    interval.it_interval.tv_nsec = hz == 1 ? 0 : 1000000000 / (long)hz;
    interval.it_value = interval.it_interval;
    return make_all_timers();
}
