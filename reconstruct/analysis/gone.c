/* gone.c: finds whether the process of a trace has ended (gone.h). */
#define _GNU_SOURCE
#include "analysis/gone.h"
#include <refrain/process.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

bool refrain_is_on_this_host(const struct refrain_process *process) {
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    return strcmp(host, refrain_process_name(process, process->header->host)) == 0;
}

/* True if this host was booted again since then. */
static bool is_of_another_boot(const struct refrain_header *header) {
    uint64_t id[2];
    refrain_process_boot_id(id);
    return (id[0] || id[1]) && (header->boot_id[0] || header->boot_id[1]) &&
           memcmp(id, header->boot_id, sizeof id) != 0;
}

bool refrain_is_gone(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    struct refrain_process_stat stat;
    if (header->over_realtime_ns)
        return true;
    if (!refrain_is_on_this_host(process))
        return false;
    if (is_of_another_boot(header))
        return true;
    if (!refrain_process_stat((long)header->pid, &stat)) /* hidden from this user, or not existing */
        return kill((pid_t)header->pid, 0) != 0 && errno == ESRCH;
    return stat.state == 'Z' || stat.state == 'X' || (header->process_start && stat.start != header->process_start);
}
