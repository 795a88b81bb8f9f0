/* configure.c: reads the REFRAIN_* variables, and prints messages to the user (configure.h). */
#define _GNU_SOURCE
#include "run/configure.h"
#include "arch/arch.h"
#include "arch/clock.h"
#include "context.h"
#include "learn_scratch.h"
#include <refrain/event_file.h>
#include <refrain/settings.h>
#include <refrain/speaks.h>
#include <refrain/variables.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct refrain_configuration refrain_configuration;

/* OpenMP's function; null if the program has no OpenMP runtime. */
extern int omp_get_max_threads(void) __attribute__((weak));

#define DEFAULT_PTHREADS 16

/* The default of REFRAIN_THREADS: as many threads as OpenMP will have, or one without OpenMP; more if calls of the
 * thread library are traced. Fewer if the tables of so many threads would take more than half of the memory. */
static uint32_t threads_to_come(uint64_t total_bytes, bool pthreads) {
    int most = omp_get_max_threads ? omp_get_max_threads() : 1;
    if (pthreads && most < DEFAULT_PTHREADS)
        most = DEFAULT_PTHREADS;
    uint32_t threads = most < 1 ? 1 : most > (int)REFRAIN_MAXIMUM_THREADS ? REFRAIN_MAXIMUM_THREADS : (uint32_t)most;
    uint64_t alone = refrain_settings_trace_file_bytes(total_bytes, 1);
    while (threads > 1 && refrain_settings_trace_file_bytes(total_bytes, threads) < alone / 2)
        threads--;
    return threads;
}

/* ---- messages ---- */

void refrain_say(const char *format, ...) {
    if (!refrain_speaks())
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
        return; /* a message that cannot be printed is lost */
}

/* ---- settings ---- */

static void bad_setting(const char *name, const char *value, const char *expected, const char *used) {
    refrain_say("%s=%s: %s expected; %s is used", name, value, expected, used);
}

_Static_assert(REFRAIN_FORMULA_ITEMS == REFRAIN_MAXIMUM_FORMULA_LENGTH, "both are the longest formula");

/* The value of a variable; null if it is unset or empty. */
static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static void read_switch(const char *name, bool otherwise, bool *on) {
    const char *value = setting(name);
    *on = otherwise;
    if (value && !refrain_settings_switch(value, on))
        bad_setting(name, value, "on or off", otherwise ? "on" : "off");
}

/* `used`: describes, in the message about an invalid value, the value that is used instead. */
static void read_bytes(const char *name, uint64_t otherwise, const char *used, uint64_t *bytes) {
    const char *value = setting(name);
    *bytes = otherwise;
    if (value && !refrain_settings_size(value, bytes))
        bad_setting(name, value, "a number of bytes, or one followed by K, M or G", used);
}

/* Copies a text of less than `room` bytes. A longer one is ignored, with a message. */
static void read_text(const char *name, const char *used, char *text, size_t room) {
    const char *value = setting(name);
    char expected[64];
    *text = 0;
    if (value && strlen(value) < room) {
        strcpy(text, value);
    } else if (value) {
        snprintf(expected, sizeof expected, "less than %zu bytes", room);
        bad_setting(name, "...", expected, used);
    }
}

static void read_mode(void) {
    static const char *const names[] = {"off", "stat", "events", "both"}; /* indices: enum refrain_mode */
    const char *value = setting("REFRAIN_MODE");
    bool on;
    refrain_configuration.mode = REFRAIN_MODE_STAT;
    for (int i = 0; value && i < 4; i++)
        if (strcasecmp(value, names[i]) == 0) {
            refrain_configuration.mode = i;
            return;
        }
    if (value && refrain_settings_switch(value, &on))
        refrain_configuration.mode = on ? REFRAIN_MODE_STAT : REFRAIN_MODE_OFF;
    else if (value)
        bad_setting("REFRAIN_MODE", value, "stat, events, both or off", "stat");
}

static void read_memory(void) {
    read_bytes("REFRAIN_TOTAL_MEMORY", REFRAIN_DEFAULT_TOTAL_MEMORY, "16M", &refrain_configuration.total_bytes);
    uint64_t share = refrain_configuration.total_bytes / REFRAIN_DEFAULT_TIME_SHARE;
    read_bytes("REFRAIN_TIME_MEMORY", share > REFRAIN_DEFAULT_TIME_BYTES ? share : REFRAIN_DEFAULT_TIME_BYTES,
               "2M, or an eighth of REFRAIN_TOTAL_MEMORY where that is more", &refrain_configuration.time_bytes);
    read_bytes("REFRAIN_EVENT_MEMORY", 0, "no limit", &refrain_configuration.event_bytes);
    if (refrain_configuration.event_bytes && refrain_configuration.event_bytes < REFRAIN_EVENTS_EXTENT_BYTES) {
        bad_setting("REFRAIN_EVENT_MEMORY", setting("REFRAIN_EVENT_MEMORY"), "at least 1M", "1M");
        refrain_configuration.event_bytes = REFRAIN_EVENTS_EXTENT_BYTES;
    }
}

/* Called after read_memory(), since the default depends on it. */
static void read_formula_length(void) {
    const char *value = setting("REFRAIN_FORMULA_LENGTH");
    uint64_t length = 0;
    refrain_configuration.formula_length =
        refrain_configuration.total_bytes < REFRAIN_SMALL_MEMORY ? REFRAIN_SMALL_FORMULA_LENGTH : REFRAIN_FORMULA_ITEMS;
    if (value && (!refrain_settings_size(value, &length) || length > REFRAIN_MAXIMUM_FORMULA_LENGTH ||
                  (length != 0 && length < REFRAIN_MINIMUM_FORMULA_LENGTH)))
        bad_setting("REFRAIN_FORMULA_LENGTH", value, "a number of items, 4 to 128, or 0", "0");
    else if (length != 0)
        refrain_configuration.formula_length = (uint32_t)length;
}

/* Called after read_memory(), since the default depends on it. */
static void read_threads(void) {
    const char *value = setting("REFRAIN_THREADS"), *openmp = setting("OMP_NUM_THREADS");
    uint64_t threads;
    bool pthreads;
    read_switch("REFRAIN_PTHREADS", false, &pthreads);
    refrain_configuration.threads = 1;
    if (value && refrain_settings_size(value, &threads) && threads >= 1 && threads <= REFRAIN_MAXIMUM_THREADS)
        refrain_configuration.threads = (uint32_t)threads;
    else if (value)
        bad_setting("REFRAIN_THREADS", value, "a number of threads, 1 to 256", "1");
    else if (openmp && refrain_settings_size(openmp, &threads) && threads >= 1)
        refrain_configuration.threads = threads > REFRAIN_MAXIMUM_THREADS ? REFRAIN_MAXIMUM_THREADS : (uint32_t)threads;
    else
        refrain_configuration.threads = threads_to_come(refrain_configuration.total_bytes, pthreads);
}

/* Reads a switch that may be a number instead, from 2 to `most`; 0 and 1 are switches. Returns the number: 0 for off,
 * `of_on` for on. */
static uint32_t read_switch_or_number(const char *name, uint64_t most, uint32_t of_on, const char *wanted) {
    const char *value = setting(name);
    uint64_t number;
    bool on = false;
    if (value && refrain_settings_size(value, &number) && number > 1 && number <= most)
        return (uint32_t)number;
    if (value && !refrain_settings_switch(value, &on))
        bad_setting(name, value, wanted, "off");
    return on ? of_on : 0;
}

static void read_call_path(void) {
    refrain_configuration.path_depth = read_switch_or_number(
        "REFRAIN_CALL_PATH", REFRAIN_MAXIMUM_PATH, REFRAIN_MAXIMUM_PATH, "on, off or a number of functions, 2 to 256");
}

static void read_sample(void) {
    refrain_configuration.sample_hz =
        read_switch_or_number("REFRAIN_SAMPLE", REFRAIN_MOST_SAMPLES, REFRAIN_DEFAULT_SAMPLES,
                              "on, off or a number of samples per second, 2 to 1000");
}

static void read_order(void) {
    const char *value = setting("REFRAIN_ORDER");
    refrain_configuration.virtual_order = value && strcasecmp(value, "virtual") == 0;
    if (value && !refrain_configuration.virtual_order && strcasecmp(value, "mpi") != 0)
        bad_setting("REFRAIN_ORDER", value, "mpi or virtual", "mpi");
}

/* The default is the processor's counter, if its rate is constant. */
static void read_clock(void) {
    const char *value = setting("REFRAIN_CLOCK");
    refrain_clock_is_gettime = !refrain_arch_counter_is_steady();
    if (value && strcasecmp(value, "gettime") == 0)
        refrain_clock_is_gettime = 1;
    else if (value && strcasecmp(value, "tsc") != 0)
        bad_setting("REFRAIN_CLOCK", value, "tsc or gettime", "what the processor allows");
}

static void read_directory(void) {
    const char *value = setting("REFRAIN_DIRECTORY");
    char *start = refrain_configuration.start_directory, *directory = refrain_configuration.directory;
    if (!getcwd(start, sizeof refrain_configuration.start_directory))
        strcpy(start, ".");
    if (!value || strcmp(value, ".") == 0)
        snprintf(directory, sizeof refrain_configuration.directory, "%s", start);
    else if (value[0] == '/')
        snprintf(directory, sizeof refrain_configuration.directory, "%s", value);
    else
        snprintf(directory, sizeof refrain_configuration.directory, "%.2000s/%.2000s", start, value);
}

/* Prints a message about unknown REFRAIN_* variables, since a mistyped name would have no effect. refrain record has
 * checked them already. */
static void look_for_unknown(void) {
    extern char **environ;
    char message[256];
    if (getenv("REFRAIN_RECORD_ID"))
        return;
    for (char **entry = environ; *entry; entry++)
        if (!refrain_variable_is_known(*entry, message, sizeof message))
            refrain_say("%s", message);
}

void refrain_configure(void) {
    struct refrain_configuration *all = &refrain_configuration;
    read_mode();
    read_memory();
    read_formula_length();
    read_threads();
    read_switch("REFRAIN_VERBOSE", false, &all->verbose);
    read_switch("REFRAIN_THROTTLE", true, &all->throttle);
    read_switch("REFRAIN_PATCH", true, &all->patch);
    read_switch("REFRAIN_PAUSED", false, &all->paused);
    read_switch("REFRAIN_PACK", false, &all->pack);
    read_switch("REFRAIN_PYTHON", false, &all->python);
    read_call_path();
    read_sample();
    read_order();
    read_text("REFRAIN_LAYERS", "none", all->layers, sizeof all->layers);
    read_text("REFRAIN_METRICS", "none", all->metrics, sizeof all->metrics);
    read_text("REFRAIN_RECORD_FILTER", "no filter", all->filter, sizeof all->filter);
    read_clock();
    read_directory();
    look_for_unknown();
}

bool refrain_order_is_virtual(void) {
    return refrain_configuration.virtual_order;
}
