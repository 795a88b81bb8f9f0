/* live.c: reads the current state of the ranks of a program (live.h). */
#define _GNU_SOURCE
#include "analysis/live.h"
#include "analysis/gone.h"
#include <refrain/process.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- one rank ---- */

/* `is_over`: no process is left, so each rank has its last state. */
static enum refrain_live_state state_of(const struct refrain_process *process, bool killed, bool is_over) {
    if (process->header->finished == REFRAIN_FINISHED_BY_ABORT)
        return REFRAIN_LIVE_ABORTED;
    if (process->header->finished)
        return REFRAIN_LIVE_FINISHED;
    if (killed && !is_over)
        return REFRAIN_LIVE_GONE;
    return process->threads[0].now.inside ? REFRAIN_LIVE_CALLS : REFRAIN_LIVE_COMPUTES;
}

/* By the wall clock, which all hosts have. */
static uint64_t realtime_ns(const struct refrain_process *process, uint64_t ticks) {
    const struct refrain_clock_pair *pair = &process->header->last;
    if (pair->ticks == 0)
        pair = &process->header->start;
    if (ticks >= pair->ticks)
        return pair->realtime_ns + (uint64_t)refrain_trace_span_ns(process, ticks - pair->ticks);
    return pair->realtime_ns - (uint64_t)refrain_trace_span_ns(process, pair->ticks - ticks);
}

/* Time between `ticks` and the shown moment. */
static int64_t ago_ns(const struct refrain_live *live, const struct refrain_process *process, uint64_t ticks) {
    int64_t ago = (int64_t)(live->moment_ns - realtime_ns(process, ticks));
    return ago > 0 ? ago : 0;
}

static int32_t world_rank(const struct refrain_comm_view *view, int32_t peer) {
    if (peer < 0)
        return peer;
    if (!view)
        return -1;
    if (!view->peers)
        return peer;
    return peer < view->n_peers ? view->peers[peer] : -1;
}

static const char *function_of(const struct refrain_process *process, const struct refrain_call_site_view *call_site) {
    uint32_t slot = call_site->overflow ? call_site->overflow->slot : call_site->record->slot;
    if (slot >= process->header->n_slots || !process->slots[slot].node)
        return "";
    return refrain_node_function(process->slots[slot].unit, process->slots[slot].node);
}

/* `peer`: a rank in MPI_COMM_WORLD, -1 unknown. */
static void add_want(struct refrain_live_rank *rank, int32_t peer, int32_t tag, bool sends) {
    if (peer != -1)
        rank->wants[rank->n_wants++] = (struct refrain_live_want){peer, tag, sends};
}

/* The tag belongs to the receive, if there is one. */
static void read_wants(const struct refrain_now *now, const struct refrain_comm_view *comm,
                       struct refrain_live_rank *rank) {
    uint32_t n = now->n_awaited < REFRAIN_MOST_AWAITED ? now->n_awaited : REFRAIN_MOST_AWAITED;
    rank->some_are_over = n > 1;
    rank->on_requests = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t peer = now->awaited[i].peer;
        add_want(rank, now->comm ? world_rank(comm, peer) : peer, now->awaited[i].tag, now->sends >> i & 1);
    }
    if (n > 0)
        return;
    add_want(rank, world_rank(comm, now->receives_from), now->tag, false);
    add_want(rank, world_rank(comm, now->sends_to), now->receives_from == -1 ? now->tag : -1, true);
}

static void read_call(const struct refrain_process *process, const struct refrain_now *now,
                      struct refrain_live_rank *rank) {
    const struct refrain_call_site_view *call_site = refrain_process_call_site(process, (uint64_t)now->call - 1);
    rank->call_reference = now->call;
    if (call_site) {
        rank->call = call_site->region;
        rank->function = function_of(process, call_site);
    }
    if (rank->state != REFRAIN_LIVE_CALLS || (now->comm == 0 && now->n_awaited == 0))
        return;
    const struct refrain_comm_view *comm = now->comm ? refrain_process_comm(process, (int64_t)now->comm - 1) : NULL;
    rank->comm = comm ? comm->info : NULL;
    read_wants(now, comm, rank);
    rank->in_collective = comm && comm->record && now->sends_to == -1 && now->receives_from == -1 && !now->n_awaited;
    rank->ordinal = rank->in_collective ? comm->record->collectives : 0;
}

static void read_rank(const struct refrain_live *live, const struct refrain_process *process,
                      struct refrain_live_rank *rank) {
    const struct refrain_thread *first = &process->threads[0];
    const struct refrain_now *now = &first->now;
    rank->pid = process->header->pid;
    rank->state = state_of(process, rank->killed, live->is_over);
    rank->since_ns = ago_ns(live, process, first->last_ticks);
    rank->run_ns = ago_ns(live, process, first->start_ticks);
    if (rank->state >= REFRAIN_LIVE_FINISHED)
        rank->run_ns = (int64_t)refrain_trace_span_ns(process, first->last_ticks - first->start_ticks);
    for (uint32_t t = 0; t < process->header->n_threads; t++)
        rank->threads += process->threads[t].started != 0;
    long double mpi_ns = rank->state == REFRAIN_LIVE_CALLS ? (long double)rank->since_ns : 0;
    for (size_t i = 0; i < process->n_call_sites; i++) {
        const struct refrain_call_site *call_site = process->call_sites[i].record;
        uint64_t ticks = call_site->inside.ticks;
        rank->calls += call_site->inside.count;
        for (const struct refrain_operation_record *operation = NULL;
             (operation = refrain_call_site_operation(process, call_site, operation));) {
            rank->posts_receives |=
                operation->operation == REFRAIN_OP_IRECV || operation->operation == REFRAIN_OP_RECV_INIT;
            rank->calls += operation->after.count;
            ticks += operation->after.ticks;
        }
        mpi_ns += refrain_trace_span_ns(process, ticks);
    }
    rank->mpi_ns = (int64_t)mpi_ns;
    read_call(process, now, rank);
}

/* ---- all ---- */

static bool make_ranks(struct refrain_live *live) {
    const struct refrain_trace *trace = live->trace;
    live->n_ranks = trace->size > 0 ? (size_t)trace->size : 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= live->n_ranks)
            live->n_ranks = (size_t)trace->processes[i].rank + 1;
    live->ranks = calloc(live->n_ranks + 1, sizeof *live->ranks);
    for (size_t i = 0; live->ranks && i < live->n_ranks; i++)
        live->ranks[i] = (struct refrain_live_rank){.rank = (int32_t)i, .state = REFRAIN_LIVE_MISSING, .function = ""};
    return live->ranks != NULL;
}

/* Finds which processes exist, and sets the shown moment. */
static void find_moment(struct refrain_live *live, bool others_are_gone) {
    size_t running = 0, killed = 0;
    uint64_t seen_ns = 0, last_ns = 0;
    for (size_t i = 0; i < live->trace->n_processes; i++) {
        const struct refrain_process *process = &live->trace->processes[i];
        const struct refrain_header *header = process->header;
        bool gone =
            !header->finished && (refrain_is_gone(process) || (others_are_gone && !refrain_is_on_this_host(process)));
        if (process->rank >= 0)
            live->ranks[process->rank].killed = gone;
        running += !header->finished && !gone;
        killed += gone;
        seen_ns = header->over_realtime_ns > seen_ns ? header->over_realtime_ns : seen_ns;
        for (uint32_t t = 0; t < header->n_threads; t++) {
            uint64_t ns = process->threads[t].started ? realtime_ns(process, process->threads[t].last_ticks) : 0;
            last_ns = ns > last_ns ? ns : last_ns;
        }
    }
    live->is_over = killed > 0 && running == 0;
    live->end_is_known = live->is_over && seen_ns > 0;
    /* A launcher may end before the processes that it started. */
    live->moment_ns = !live->is_over ? now_ns(CLOCK_REALTIME) : seen_ns > last_ns ? seen_ns : last_ns;
}

/* Closes `live` after a failure. */
static enum refrain_status look(struct refrain_live *live, bool others_are_gone, struct refrain_live **result,
                                struct refrain_error *error) {
    const struct refrain_trace *trace = live->trace;
    enum refrain_status status = REFRAIN_OK;
    *result = live;
    live->taken_ns = now_ns(CLOCK_MONOTONIC);
    if (trace->n_missing > REFRAIN_LIVE_MOST_MISSING)
        status = REFRAIN_FAIL(error, "%s: %zu of its %d ranks have no file here: copy all files of the trace",
                              trace->path, trace->n_missing, trace->size);
    else if (!make_ranks(live))
        status = REFRAIN_FAIL_MEMORY(error);
    if (status) {
        refrain_live_close(live);
        *result = NULL;
        return status;
    }
    find_moment(live, others_are_gone);
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (process->rank < 0)
            continue;
        read_rank(live, process, &live->ranks[process->rank]);
        live->pool_used += process->header->pool_used;
        live->pool_bytes += process->header->bytes;
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_live_read(const char *path, bool resolve, struct refrain_live **result,
                                      struct refrain_error *error) {
    struct refrain_live *live = calloc(1, sizeof *live);
    *result = NULL;
    if (!live)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_trace_open(path, resolve, &live->trace, error);
    if (status) {
        free(live);
        return status;
    }
    live->owns_trace = true;
    return look(live, false, result, error);
}

enum refrain_status refrain_live_of(struct refrain_trace *trace, struct refrain_live **result,
                                    struct refrain_error *error) {
    struct refrain_live *live = calloc(1, sizeof *live);
    *result = NULL;
    if (!live)
        return REFRAIN_FAIL_MEMORY(error);
    live->trace = trace;
    return look(live, true, result, error);
}

void refrain_live_close(struct refrain_live *live) {
    if (!live)
        return;
    if (live->owns_trace)
        refrain_trace_close(live->trace);
    free(live->ranks);
    free(live);
}

bool refrain_live_entered(const struct refrain_live *live, int32_t rank, const struct refrain_comm_info *comm,
                          uint32_t *entered) {
    const struct refrain_process *process = refrain_trace_process(live->trace, rank);
    for (size_t i = 0; process && i < process->n_comms; i++)
        if (process->comms[i].record && process->comms[i].info == comm) {
            *entered = process->comms[i].record->collectives;
            return true;
        }
    return false;
}

/* ---- finding the trace of a process ---- */

static bool mapped_directory(long pid, char *path, size_t bytes) {
    char name[64], line[PATH_MAX + 256];
    bool found = false;
    snprintf(name, sizeof name, "/proc/%ld/maps", pid);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        char *file = strchr(line, '/'), *rank = strstr(line, ".refrain/rank-");
        if (!file || !rank || !strstr(rank, ".trace"))
            continue;
        size_t n = (size_t)(rank + strlen(".refrain") - file);
        found = n < bytes;
        if (found) {
            memcpy(path, file, n);
            path[n] = 0;
        }
    }
    if (maps)
        fclose(maps);
    return found;
}

static long parent_of(long pid) {
    struct refrain_process_stat stat;
    return refrain_process_stat(pid, &stat) ? stat.parent : -1;
}

bool refrain_live_directory(long pid, char *path, size_t bytes) {
    if (mapped_directory(pid, path, bytes))
        return true;
    DIR *processes = opendir("/proc");
    bool found = false;
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        char *end;
        long other = strtol(entry->d_name, &end, 10);
        if (*end || other <= 1)
            continue;
        for (long above = parent_of(other); above > 1 && !found; above = parent_of(above))
            if (above == pid)
                found = mapped_directory(other, path, bytes) || (above = 0);
    }
    if (processes)
        closedir(processes);
    return found;
}
