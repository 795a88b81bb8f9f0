/* metrics.c: counters of the processor and the kernel, opened and read (metrics.h). */
#define _GNU_SOURCE
#include "metrics.h"
#include "arch/arch.h"
#include "arch/clock.h"
#include "context.h"
#include "run/configure.h"
#include "run/pool.h"
#include "step.h"
#include <refrain/metric_names.h>
#include <refrain/suggest.h>
#include <refrain/trace.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
/* Descriptors are moved to this number or higher, since programs that close or replace descriptors use low numbers. */
#define LOWEST_DESCRIPTOR 512

uint32_t refrain_blocks_are_special;

/* The events that are counted, the same for all threads. */
static struct {
    uint32_t type;
    uint64_t config;
    bool user_only;
} chosen[REFRAIN_MOST_METRICS];
static uint32_t n_chosen;

/* A thread's counters; the first is the group's leader. A program may close descriptors that it did not open, and reuse
 * their numbers for its own files. So is_ours() is asked before a descriptor is used. */
struct refrain_counting {
    int32_t fd[REFRAIN_MOST_METRICS];
    uint64_t id[REFRAIN_MOST_METRICS];                                /* the kernel's identity of each counter */
    volatile struct perf_event_mmap_page *page[REFRAIN_MOST_METRICS]; /* null: can only be read by a system call */
    uint64_t last[REFRAIN_MOST_METRICS];
    uint64_t earlier_ns, earlier_counted_ns; /* of earlier threads with this context */
};

/* The result of read(2) for a group. */
struct group {
    uint64_t n, enabled_ns, running_ns, value[REFRAIN_MOST_METRICS];
};

/* ---- the system ---- */

/* The kernel's identity of the counter; 0 if the descriptor is no counter. */
static uint64_t id_of(int fd) {
    uint64_t id = 0;
    return refrain_arch_call_system(SYS_ioctl, (uintptr_t)fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) == 0 ? id : 0;
}

static bool is_ours(const struct refrain_counting *counting, uint32_t i) {
    return id_of(counting->fd[i]) == counting->id[i];
}

/* ---- opening ---- */

static int moved_up(int fd) {
    struct rlimit limit;
    int lowest = LOWEST_DESCRIPTOR;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * LOWEST_DESCRIPTOR)
        lowest = (int)limit.rlim_cur / 2;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (up < 0)
        return fd;
    close(fd);
    return up;
}

/* Opens the calling thread's counter of an event. Negative with errno set if that fails. `leader`: -1 for the first of
 * a group. */
static int open_event(uint32_t type, uint64_t config, bool user_only, int leader) {
    struct perf_event_attr attributes = {
        .type = type,
        .size = sizeof attributes,
        .config = config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? fd : moved_up(fd);
}

/* True for events that happen in the kernel only. They need permission to count there. */
static bool is_of_kernel(uint32_t type, uint64_t config) {
    return type == PERF_TYPE_SOFTWARE &&
           (config == PERF_COUNT_SW_CONTEXT_SWITCHES || config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static enum refrain_metric_state state_of_error(int error, bool first) {
    switch (error) {
    case EACCES:
    case EPERM:
        return REFRAIN_METRIC_FORBIDDEN;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return REFRAIN_METRIC_FAILED;
    case EINVAL: /* the group's events do not fit the processor's counters together */
        return first ? REFRAIN_METRIC_ABSENT : REFRAIN_METRIC_TOO_MANY;
    default:
        return REFRAIN_METRIC_ABSENT;
    }
}

/* ---- choosing ---- */

uint64_t refrain_metrics_outside_bytes(uint32_t threads) {
    uint64_t n = 0;
    for (const char *p = refrain_configuration.metrics; *(p += strspn(p, REFRAIN_METRIC_SEPARATORS));)
        for (n += n < REFRAIN_MOST_METRICS; *p && !strchr(REFRAIN_METRIC_SEPARATORS, *p);)
            p++;
    return n * threads * PAGE_BYTES;
}

static void say_unknown(const char *name) {
    struct refrain_suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < REFRAIN_METRIC_EVENTS; i++)
        refrain_suggest(&suggestion, refrain_metric_events[i].name);
    refrain_say("REFRAIN_METRICS: there is no event %s%s%s%s; it is not counted", name, suggestion.name ? " (is " : "",
                suggestion.name ? suggestion.name : "", suggestion.name ? " meant?)" : "");
}

/* Tries to count an event together with those chosen before, which have the descriptors `fds`. */
static enum refrain_metric_state try_event(const struct refrain_metric_event *event, int *fds) {
    int leader = n_chosen ? fds[0] : -1;
    bool user_only = false;
    int fd = open_event(event->type, event->config, false, leader);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && !is_of_kernel(event->type, event->config)) {
        user_only = true;
        fd = open_event(event->type, event->config, true, leader);
    }
    if (fd < 0)
        return state_of_error(errno, n_chosen == 0);
    chosen[n_chosen].type = event->type;
    chosen[n_chosen].config = event->config;
    chosen[n_chosen].user_only = user_only;
    fds[n_chosen++] = fd;
    return user_only && event->type != PERF_TYPE_SOFTWARE ? REFRAIN_METRIC_USER : REFRAIN_METRIC_COUNTED;
}

void refrain_metrics_choose(void) {
    struct refrain_header *header = refrain_trace_file.header;
    struct refrain_metric refused[REFRAIN_MOST_METRICS];
    uint32_t n_refused = 0, n_unnamed = 0;
    int fds[REFRAIN_MOST_METRICS];
    n_chosen = 0;
    refrain_blocks_are_special = refrain_clock_is_gettime != 0;
    char *rest = refrain_configuration.metrics;
    if (!rest[strspn(rest, REFRAIN_METRIC_SEPARATORS)])
        return;
    struct refrain_metrics *metrics = refrain_pool_take(sizeof *metrics, REFRAIN_POOL_LAST);
    for (char *name; metrics && (name = strtok_r(rest, REFRAIN_METRIC_SEPARATORS, &rest));) {
        struct refrain_metric_event event;
        if (n_chosen + n_refused == REFRAIN_MOST_METRICS) {
            n_unnamed++;
            continue;
        }
        bool known = refrain_metric_find(name, &event);
        if (!known)
            say_unknown(name);
        enum refrain_metric_state state = known ? try_event(&event, fds) : REFRAIN_METRIC_UNKNOWN;
        struct refrain_metric metric = {refrain_pool_name(name), (uint32_t)state};
        if (state == REFRAIN_METRIC_COUNTED || state == REFRAIN_METRIC_USER)
            metrics->metric[n_chosen - 1] = metric;
        else
            refused[n_refused++] = metric;
    }
    if (n_unnamed)
        refrain_say("REFRAIN_METRICS: %u events are the most; %u more are not counted", REFRAIN_MOST_METRICS,
                    n_unnamed);
    for (uint32_t i = 0; i < n_chosen; i++)
        close(fds[i]);
    if (!metrics)
        return;
    metrics->n = n_chosen + n_refused;
    memcpy(metrics->metric + n_chosen, refused, n_refused * sizeof *refused);
    refrain_publish(&header->metrics, refrain_reference(metrics));
    header->n_metrics = n_chosen;
    refrain_blocks_are_special |= n_chosen > 0;
}

/* ---- reading ---- */

/* Reads a counter as the kernel's header describes. False if the counter is not in the processor at this moment. */
static inline bool read_page(const volatile struct perf_event_mmap_page *page, uint64_t *value) {
    uint32_t sequence, index;
    uint64_t count, raw;
    do {
        sequence = page->lock;
        refrain_keep_order(); /* the kernel changes the page on this processor */
        index = page->index;
        if (!page->cap_user_rdpmc || index == 0)
            return false;
        unsigned shift = 64u - page->pmc_width;
        if (!refrain_arch_read_metric(index, &raw))
            return false;
        count = (uint64_t)page->offset + (uint64_t)((int64_t)(raw << shift) >> shift);
        refrain_keep_order(); /* the kernel changes the page on this processor */
    } while (page->lock != sequence);
    *value = count;
    return true;
}

/* Reads n_chosen values. False if the program has closed the descriptors. A descriptor that belongs to a file of the
 * program by now is not read, since the program would miss these bytes. */
static bool read_counters(const struct refrain_context *context, uint64_t *values) {
    const struct refrain_counting *counting = context->counting;
    uint32_t i = 0;
    while (i < n_chosen && counting->page[i] && read_page(counting->page[i], &values[i]))
        i++;
    if (i == n_chosen)
        return true;
    struct group group;
    if (!is_ours(counting, 0) ||
        refrain_arch_call_system(SYS_read, (uintptr_t)counting->fd[0], (uintptr_t)&group, sizeof group) !=
            (long)((3 + n_chosen) * sizeof(uint64_t)) ||
        group.n != n_chosen)
        return false;
    for (i = 0; i < n_chosen; i++)
        values[i] = group.value[i];
    context->thread->metrics_ns = counting->earlier_ns + group.enabled_ns;
    context->thread->metrics_counted_ns = counting->earlier_counted_ns + group.running_ns;
    return true;
}

/* The slot's totals, made when its first block ends; null without memory. */
static uint64_t *totals_of(struct refrain_slot *slot) {
    if (!slot->metrics && slot->count == 0) {
        uint64_t *made = refrain_pool_take(n_chosen * sizeof *made, REFRAIN_POOL_VALUES);
        if (made)
            refrain_publish(&slot->metrics, refrain_reference(made));
    }
    return slot->metrics ? refrain_at_reference(slot->metrics) : NULL;
}

/* Adds what was counted during a block to the slot's totals (null: none). */
static void count(struct refrain_context *context, uint64_t *totals, const uint64_t *values) {
    struct refrain_counting *counting = context->counting;
    for (uint32_t i = 0; i < n_chosen; i++) {
        if (totals)
            totals[i] += values[i] - counting->last[i];
        counting->last[i] = values[i];
    }
}

uint64_t refrain_close_special_block(struct refrain_context *context, struct refrain_slot *slot) {
    uint64_t *totals = n_chosen ? totals_of(slot) : NULL;
    uint64_t now = refrain_clock(), values[REFRAIN_MOST_METRICS];
    bool counted = context->counting && read_counters(context, values);
    refrain_end_block(context, slot, now);
    if (counted)
        count(context, totals, values);
    if (n_chosen && !(counted && totals))
        refrain_lose(REFRAIN_LOSS_METRICS, 1);
    return now;
}

/* ---- a thread's counters ---- */

/* The page that the kernel shares for a counter, if the processor's instruction may read it. */
static volatile struct perf_event_mmap_page *page_of(int fd) {
    volatile struct perf_event_mmap_page *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (page->cap_user_rdpmc)
        return page;
    munmap((void *)(uintptr_t)page, PAGE_BYTES);
    return NULL;
}

static void close_counters(struct refrain_counting *counting, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (counting->page[i])
            munmap((void *)(uintptr_t)counting->page[i], PAGE_BYTES);
        if (is_ours(counting, i))
            close(counting->fd[i]);
    }
}

void refrain_metrics_open(struct refrain_context *context) {
    int saved = errno;
    if (n_chosen && !context->counting_room)
        context->counting_room = refrain_pool_take(sizeof *context->counting_room, REFRAIN_POOL_LAST);
    struct refrain_counting *counting = context->counting_room;
    uint32_t n = 0;
    context->counting = NULL;
    if (counting) {
        counting->earlier_ns = context->thread->metrics_ns;
        counting->earlier_counted_ns = context->thread->metrics_counted_ns;
    }
    for (; counting && n < n_chosen; n++) {
        int fd = open_event(chosen[n].type, chosen[n].config, chosen[n].user_only, n ? counting->fd[0] : -1);
        if (fd < 0)
            break;
        counting->fd[n] = fd;
        counting->id[n] = id_of(fd);
        if (!counting->id[n]) {
            close(fd);
            break;
        }
        counting->page[n] = chosen[n].type == PERF_TYPE_SOFTWARE ? NULL : page_of(fd);
    }
    if (counting && n == n_chosen) {
        context->counting = counting;
        if (!read_counters(context, counting->last))
            context->counting = NULL;
    }
    if (counting && !context->counting)
        close_counters(counting, n);
    errno = saved;
}

void refrain_metrics_close(struct refrain_context *context) {
    int saved = errno;
    if (context->counting)
        close_counters(context->counting, n_chosen);
    context->counting = NULL;
    errno = saved;
}
