/* configure.c: the REFRAIN_* variables, and what is said to the user (configure.h). */
#define _GNU_SOURCE
#include "configure.h"
#include "clock.h"
#include "learn_scratch.h"
#include <refrain/event_file.h>
#include <refrain/settings.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct refrain_configuration refrain_configuration;

/* Of the OpenMP runtime, where there is one; null else. */
extern int omp_get_max_threads(void) __attribute__((weak));

/* As many threads as OpenMP will have, one without it; fewer where their tables would take half of what one has. */
static uint32_t threads_to_come(uint64_t total_bytes) {
    int most = omp_get_max_threads ? omp_get_max_threads() : 1;
    uint32_t threads = most < 1 ? 1 : most > (int)REFRAIN_MAXIMUM_THREADS ? REFRAIN_MAXIMUM_THREADS : (uint32_t)most;
    uint64_t alone = refrain_settings_trace_file_bytes(total_bytes, 1);
    while (threads > 1 && refrain_settings_trace_file_bytes(total_bytes, threads) < alone / 2)
        threads--;
    return threads;
}

/* ---- messages ---- */

/* Is this the process that speaks for the job, as far as the launcher's variables tell? */
static bool speaks(void) {
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

void refrain_say(const char *format, ...) {
    if (!speaks())
        return;
    char text[REFRAIN_PATH_BYTES + 256];
    int n = snprintf(text, sizeof text, "refrain: ");
    va_list arguments;
    va_start(arguments, format);
    n += vsnprintf(text + n, sizeof text - (size_t)n - 1, format, arguments);
    va_end(arguments);
    if (n > (int)sizeof text - 2)
        n = (int)sizeof text - 2;
    text[n++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* nowhere left to say it */
}

/* ---- settings ---- */

static void bad_setting(const char *name, const char *value, const char *expected, const char *used) {
    refrain_say("%s=%s: %s expected; %s is used", name, value, expected, used);
}

_Static_assert(REFRAIN_WINDOW_ITEMS == REFRAIN_MAXIMUM_FORMULA_LENGTH, "a formula is as long as what is searched");

void refrain_configure(void) {
    const char *value = getenv("REFRAIN_MODE");
    refrain_configuration.mode = REFRAIN_MODE_STAT;
    if (value && *value) {
        static const char *const names[] = {"off", "stat", "events", "both"};
        int mode = -1;
        bool on;
        for (int i = 0; i < 4; i++)
            if (strcasecmp(value, names[i]) == 0)
                mode = i;
        if (mode < 0 && refrain_settings_switch(value, &on))
            mode = on ? REFRAIN_MODE_STAT : REFRAIN_MODE_OFF;
        if (mode < 0)
            bad_setting("REFRAIN_MODE", value, "stat, events, both or off", "stat");
        else
            refrain_configuration.mode = mode;
    }
    refrain_configuration.total_bytes = REFRAIN_DEFAULT_TOTAL_MEMORY;
    value = getenv("REFRAIN_TOTAL_MEMORY");
    if (value && *value && !refrain_settings_size(value, &refrain_configuration.total_bytes))
        bad_setting("REFRAIN_TOTAL_MEMORY", value, "a number of bytes, or one followed by K, M or G", "16M");
    refrain_configuration.time_bytes = refrain_configuration.total_bytes / REFRAIN_DEFAULT_TIME_SHARE;
    value = getenv("REFRAIN_TIME_MEMORY");
    if (value && *value && !refrain_settings_size(value, &refrain_configuration.time_bytes))
        bad_setting("REFRAIN_TIME_MEMORY", value, "a number of bytes, or one followed by K, M or G",
                    "an eighth of REFRAIN_TOTAL_MEMORY");
    refrain_configuration.event_bytes = 0;
    value = getenv("REFRAIN_EVENT_MEMORY");
    if (value && *value && !refrain_settings_size(value, &refrain_configuration.event_bytes))
        bad_setting("REFRAIN_EVENT_MEMORY", value, "a number of bytes, or one followed by K, M or G", "no limit");
    if (refrain_configuration.event_bytes && refrain_configuration.event_bytes < REFRAIN_EVENTS_WINDOW_BYTES) {
        bad_setting("REFRAIN_EVENT_MEMORY", value, "at least 1M", "1M");
        refrain_configuration.event_bytes = REFRAIN_EVENTS_WINDOW_BYTES;
    }
    uint64_t number;
    refrain_configuration.formula_length =
        refrain_configuration.total_bytes < REFRAIN_SMALL_MEMORY ? REFRAIN_SMALL_FORMULA_LENGTH : REFRAIN_WINDOW_ITEMS;
    value = getenv("REFRAIN_FORMULA_LENGTH");
    if (value && *value) {
        if (!refrain_settings_size(value, &number) || number > REFRAIN_MAXIMUM_FORMULA_LENGTH ||
            (number != 0 && number < REFRAIN_MINIMUM_FORMULA_LENGTH))
            bad_setting("REFRAIN_FORMULA_LENGTH", value, "a number of items, 4 to 128, or 0", "0");
        else if (number != 0)
            refrain_configuration.formula_length = (uint32_t)number;
    }
    refrain_configuration.threads = 1;
    value = getenv("REFRAIN_THREADS");
    if (value && *value) {
        if (!refrain_settings_size(value, &number) || number < 1 || number > REFRAIN_MAXIMUM_THREADS)
            bad_setting("REFRAIN_THREADS", value, "a number of threads, 1 to 256", "1");
        else
            refrain_configuration.threads = (uint32_t)number;
    } else if ((value = getenv("OMP_NUM_THREADS")) && refrain_settings_size(value, &number) && number >= 1) {
        refrain_configuration.threads = number > REFRAIN_MAXIMUM_THREADS ? REFRAIN_MAXIMUM_THREADS : (uint32_t)number;
    } else {
        refrain_configuration.threads = threads_to_come(refrain_configuration.total_bytes);
    }
    value = getenv("REFRAIN_VERBOSE");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.verbose))
        bad_setting("REFRAIN_VERBOSE", value, "on or off", "off");
    refrain_configuration.throttle = true;
    value = getenv("REFRAIN_THROTTLE");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.throttle))
        bad_setting("REFRAIN_THROTTLE", value, "on or off", "on");
    refrain_configuration.patch = true;
    value = getenv("REFRAIN_PATCH");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.patch))
        bad_setting("REFRAIN_PATCH", value, "on or off", "on");
    refrain_configuration.paused = false;
    value = getenv("REFRAIN_PAUSED");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.paused))
        bad_setting("REFRAIN_PAUSED", value, "on or off", "off");
    refrain_configuration.pack = false;
    value = getenv("REFRAIN_PACK");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.pack))
        bad_setting("REFRAIN_PACK", value, "on or off", "off");
    refrain_configuration.python = false;
    value = getenv("REFRAIN_PYTHON");
    if (value && *value && !refrain_settings_switch(value, &refrain_configuration.python))
        bad_setting("REFRAIN_PYTHON", value, "on or off", "off");
    refrain_configuration.path_depth = 0;
    value = getenv("REFRAIN_CALL_PATH");
    if (value && *value) {
        bool on;
        if (refrain_settings_size(value, &number) && number != 1 && number <= REFRAIN_MAXIMUM_PATH)
            refrain_configuration.path_depth = (uint32_t)number;
        else if (refrain_settings_switch(value, &on))
            refrain_configuration.path_depth = on ? REFRAIN_MAXIMUM_PATH : 0;
        else
            bad_setting("REFRAIN_CALL_PATH", value, "on, off or a number of functions, 2 to 256", "off");
    }
    value = getenv("REFRAIN_ORDER");
    refrain_configuration.virtual_order = value && strcasecmp(value, "virtual") == 0;
    if (value && *value && !refrain_configuration.virtual_order && strcasecmp(value, "mpi") != 0)
        bad_setting("REFRAIN_ORDER", value, "mpi or virtual", "mpi");
    value = getenv("REFRAIN_LAYERS");
    snprintf(refrain_configuration.layers, sizeof refrain_configuration.layers, "%s", value ? value : "");
    value = getenv("REFRAIN_METRICS");
    if (value && strlen(value) < sizeof refrain_configuration.metrics)
        strcpy(refrain_configuration.metrics, value);
    else if (value)
        bad_setting("REFRAIN_METRICS", "...", "less than 512 bytes", "none");
    value = getenv("REFRAIN_RECORD_FILTER");
    if (value && strlen(value) < sizeof refrain_configuration.filter)
        strcpy(refrain_configuration.filter, value);
    else if (value)
        bad_setting("REFRAIN_RECORD_FILTER", "...", "less than 4096 bytes", "no filter");
    refrain_clock_is_gettime = 1;
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && edx >> 8 & 1)
        refrain_clock_is_gettime = 0;
#endif
    value = getenv("REFRAIN_CLOCK");
    if (value && *value) {
        if (strcasecmp(value, "gettime") == 0)
            refrain_clock_is_gettime = 1;
        else if (strcasecmp(value, "tsc") != 0)
            bad_setting("REFRAIN_CLOCK", value, "tsc or gettime", "what the processor allows");
    }
    value = getenv("REFRAIN_DIRECTORY");
    if (!value || !*value)
        value = ".";
    if (!getcwd(refrain_configuration.start_directory, sizeof refrain_configuration.start_directory))
        strcpy(refrain_configuration.start_directory, ".");
    if (value[0] == '/')
        snprintf(refrain_configuration.directory, sizeof refrain_configuration.directory, "%s", value);
    else if (strcmp(value, ".") == 0)
        snprintf(refrain_configuration.directory, sizeof refrain_configuration.directory, "%s",
                 refrain_configuration.start_directory);
    else
        snprintf(refrain_configuration.directory, sizeof refrain_configuration.directory, "%.2000s/%.2000s",
                 refrain_configuration.start_directory, value);
}

bool refrain_order_is_virtual(void) {
    return refrain_configuration.virtual_order;
}
