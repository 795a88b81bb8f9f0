/* configure.h: the settings of the REFRAIN_* variables (listed in refrain/variables.def), and messages to the user. */
#ifndef REFRAIN_CONFIGURE_H
#define REFRAIN_CONFIGURE_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_PATH_BYTES 4096

extern REFRAIN_HIDDEN struct refrain_configuration {
    int mode; /* enum refrain_mode */
    uint64_t total_bytes, time_bytes;
    uint64_t event_bytes; /* largest size of the event file; 0: no limit */
    uint32_t threads, formula_length;
    uint32_t path_depth; /* depth of recorded call paths; 0: none are recorded */
    uint32_t sample_hz;  /* samples per second of processor time; 0: none */
    bool verbose, throttle, patch, python, virtual_order, paused, pack;
    char layers[512];                   /* libraries whose MPI calls are attributed to their callers */
    char metrics[512];                  /* counters beside the time (metrics.h) */
    char filter[4096];                  /* calls that are not recorded (left_out.h) */
    char directory[REFRAIN_PATH_BYTES]; /* absolute path */
    char start_directory[REFRAIN_PATH_BYTES];
} refrain_configuration;

/* Reads the variables, and chooses the clock. For an invalid value it prints a message and uses the default. Called
 * once, before the trace file is opened. */
REFRAIN_HIDDEN void refrain_configure(void);

/* Prints one line on standard error, in one process of the job only (rank 0, as far as ranks are known). Not to be
 * called from a probe. */
REFRAIN_HIDDEN void refrain_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True with REFRAIN_ORDER=virtual. For the MPI part. */
REFRAIN_SHARED bool refrain_order_is_virtual(void);

#endif
