/* sample_timer.h: sends a signal for each sample, by a timer for each thread. */
#ifndef REFRAIN_SAMPLE_TIMER_H
#define REFRAIN_SAMPLE_TIMER_H

#include "visibility.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Chooses a signal that nothing handles, and makes a timer for each existing thread, which sends it `hz` times per
 * second of the thread's processor time. False with errno set if that fails. */
REFRAIN_HIDDEN bool refrain_sample_timers_open(void (*handler)(int, siginfo_t *, void *), uint32_t hz);

/* Makes a timer for the calling thread, which is removed when the thread ends. */
REFRAIN_HIDDEN void refrain_sample_timer_begin(void);

#endif
