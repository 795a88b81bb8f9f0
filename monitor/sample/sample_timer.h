/* sample_timer.h: the signal by which samples are taken, and a timer for each thread that sends it. */
#ifndef REFRAIN_SAMPLE_TIMER_H
#define REFRAIN_SAMPLE_TIMER_H

#include "visibility.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes a signal that nobody handles, and makes a timer for each thread that there is: the signal comes `hz` times per
 * second of its processor time. False with errno set where that cannot be. */
REFRAIN_HIDDEN bool refrain_sample_timers_open(void (*handler)(int, siginfo_t *, void *), uint32_t hz);

/* A timer for the calling thread, until it ends. */
REFRAIN_HIDDEN void refrain_sample_timer_begin(void);

#endif
