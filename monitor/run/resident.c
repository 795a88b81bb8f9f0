/* resident.c: see resident.h. */
#define _GNU_SOURCE
#include "run/resident.h"
#include "run/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t refrain_resident_due_ticks = UINT64_MAX;

static uint64_t period_ticks;
static bool busy;       /* a thread makes a reading */
static char text[4096]; /* of the file, up to the line VmRSS */

/* Reads the file. By system calls, since the program may have replaced the functions of the C library. */
static bool read_status(void) {
    int saved = errno;
    long descriptor = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    long bytes = descriptor < 0 ? -1 : syscall(SYS_read, (int)descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        syscall(SYS_close, (int)descriptor);
    errno = saved;
    text[bytes < 0 ? 0 : bytes] = 0;
    return bytes > 0;
}

/* The number of the line that begins with `name`. 0 if there is none, or if it is cut off by the end of the text. */
static uint32_t kib_of(const char *name) {
    const char *line = strstr(text, name);
    uint32_t kib = 0;
    if (line && !strchr(line + 1, '\n'))
        return 0;
    for (line = line ? line + strlen(name) : ""; *line == ' ' || *line == '\t'; line++)
        ;
    for (; *line >= '0' && *line <= '9'; line++)
        kib = kib * 10 + (uint32_t)(*line - '0');
    return kib;
}

/* Joins each two points: the first one's time, the larger memory. From now on points are twice as far apart. */
static void thin(struct refrain_resident *resident) {
    for (uint32_t i = 0; i < REFRAIN_RESIDENT_POINTS / 2; i++) {
        const struct refrain_resident_point *pair = &resident->points[2 * i];
        resident->points[i] = (struct refrain_resident_point){
            .ticks = pair[0].ticks, .kib = pair[0].kib > pair[1].kib ? pair[0].kib : pair[1].kib};
    }
    resident->n = REFRAIN_RESIDENT_POINTS / 2;
    resident->apart_ticks *= 2;
}

/* The last point has the most of what was read since it was made, until the next one is due. */
static void add_point(struct refrain_resident *resident, uint32_t kib, uint64_t ticks) {
    struct refrain_resident_point *last = resident->n > 0 ? &resident->points[resident->n - 1] : NULL;
    if (last && (int64_t)(ticks - last->ticks) < (int64_t)resident->apart_ticks) {
        last->kib = kib > last->kib ? kib : last->kib;
        return;
    }
    if (resident->n == REFRAIN_RESIDENT_POINTS)
        thin(resident);
    resident->points[resident->n].ticks = ticks;
    resident->points[resident->n].kib = kib;
    resident->n++;
}

void refrain_resident_read(struct refrain_call_site *call_site, uint64_t ticks) {
    if (!period_ticks || __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
        return;
    struct refrain_resident *resident = &refrain_trace_file.header->resident;
    __atomic_store_n(&refrain_resident_due_ticks, ticks + period_ticks, __ATOMIC_RELAXED);
    uint32_t high_kib = read_status() ? kib_of("\nVmHWM:") : 0;
    if (high_kib) {
        if (call_site && high_kib > resident->high_kib)
            call_site->grown_kib += high_kib - resident->high_kib;
        if (!resident->n)
            resident->first_kib = high_kib;
        resident->high_kib = high_kib > resident->high_kib ? high_kib : resident->high_kib;
        add_point(resident, kib_of("\nVmRSS:"), ticks);
    }
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

void refrain_resident_open(uint64_t ticks_per_us) {
    period_ticks = REFRAIN_RESIDENT_NS / 1000u * ticks_per_us;
    refrain_trace_file.header->resident.apart_ticks = period_ticks;
    refrain_resident_read(NULL, refrain_trace_file.header->start.ticks);
}
