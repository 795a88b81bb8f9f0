/* file_text.c: prints the use of files (file_text.h). */
#define _GNU_SOURCE
#include "commands/file_text.h"
#include "commands/command.h"
#include "commands/stats_print.h"
#include "commands/terminal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#define WIDE_COLUMNS 110u /* of a terminal that has room for all columns */

static const char *const directions[REFRAIN_FILE_DIRECTIONS] = {"read", "written"};

static const char *name_of(const struct refrain_file_use *use) {
    if (!use->name)
        return "all files";
    return use->name[0] ? refrain_show_name(use->name) : "files without a recorded name";
}

static double share_of(const struct refrain_file_uses *uses, int64_t ns) {
    return uses->run_ns > 0 ? 100 * (double)ns / (double)uses->run_ns : 0;
}

void refrain_files_warn(const struct refrain_file_uses *uses) {
    uint64_t unknown = 0;
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        unknown += uses->all.sum.flow[d].unknown;
    if (uses->approximate)
        refrain_warn("%s events of files are approximate, and so is what follows from them: refrain info says why",
                     refrain_show_count(uses->approximate));
    if (unknown)
        refrain_warn("it is not known how many bytes %s accesses moved, and these bytes are not counted: the accesses "
                     "failed, another thread completed them, or the run ended before they did",
                     refrain_show_count(unknown));
}

/* ---- text ---- */

struct table {
    const struct refrain_file_uses *uses;
    bool wide; /* with the columns of the least and the greatest access */
};

/* A column of bytes; "-" if no access has a known size. */
static void print_size(const struct refrain_file_flow *flow, uint64_t bytes) {
    printf(" %10s", flow->accesses > flow->unknown ? refrain_show_bytes(bytes) : "-");
}

static void print_rate(uint64_t bytes, int64_t ns) {
    char rate[32] = "-";
    if (bytes && ns > 0)
        snprintf(rate, sizeof rate, "%s/s", refrain_show_bytes((uint64_t)refrain_file_rate(bytes, ns)));
    printf(" %12s", rate);
}

static void print_time(const struct table *table, int64_t ns) {
    printf("%11s %7.2f", refrain_show_ns((long double)ns), share_of(table->uses, ns));
}

/* Room of the columns between the time and the rate, and after the rate. */
static void skip(const struct table *table) {
    printf("%*s", table->wide ? 33 : 11, "");
}

/* Which part of the accesses are of a kind. */
static const char *part_word(uint64_t of, uint64_t all) {
    return of == all ? "" : 2 * of > all ? "mostly " : "partly ";
}

/* "at offsets, collective": how most of the accesses are made. */
static const char *manner_text(const struct refrain_file_flow *flow, const struct refrain_file_manner *manner,
                               char text[96]) {
    static const char *const pointers[REFRAIN_MPI_POINTERS] = {"at the rank's pointer", "at offsets",
                                                               "at the shared pointer"};
    unsigned most = 0;
    size_t n;
    for (unsigned i = 1; i < REFRAIN_MPI_POINTERS; i++)
        most = manner->at[i] > manner->at[most] ? i : most;
    n = (size_t)snprintf(text, 96, "%s%s", manner->at[most] < flow->accesses ? "most " : "", pointers[most]);
    if (most == REFRAIN_MPI_OWN_POINTER && 2 * manner->sequential > flow->accesses)
        n += (size_t)snprintf(text + n, 96 - n, ", mostly sequential");
    if (manner->collective)
        n += (size_t)snprintf(text + n, 96 - n, ", %scollective", part_word(manner->collective, flow->accesses));
    if (manner->nonblocking)
        snprintf(text + n, 96 - n, ", %snonblocking", part_word(manner->nonblocking, flow->accesses));
    return text;
}

static void print_flow(const struct table *table, const struct refrain_file_flow *flow,
                       const struct refrain_file_manner *manner, unsigned direction) {
    char text[96];
    print_time(table, flow->ns);
    printf(" %9s %10s", refrain_show_count(flow->accesses), refrain_show_bytes(flow->bytes));
    print_rate(flow->bytes, manner->longest_ns);
    if (table->wide)
        print_size(flow, flow->least_bytes);
    print_size(flow, manner->typical_bytes);
    if (table->wide)
        print_size(flow, flow->most_bytes);
    printf("    %s %s\n", directions[direction], manner_text(flow, manner, text));
}

static void print_rank(const struct table *table, const struct refrain_file_rank *rank) {
    const struct refrain_file_flow *flow = rank->flow;
    print_time(table, refrain_file_rank_ns(rank));
    printf(" %9s %10s", refrain_show_count(rank->calls),
           refrain_show_bytes(flow[REFRAIN_FILE_READ].bytes + flow[REFRAIN_FILE_WRITTEN].bytes));
    print_rate(flow[REFRAIN_FILE_READ].bytes + flow[REFRAIN_FILE_WRITTEN].bytes, refrain_file_rank_ns(rank));
    skip(table);
    printf("    rank %" PRId32 ":", rank->rank);
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        if (flow[d].accesses)
            printf(" %s %s in %s,", directions[d], refrain_show_bytes(flow[d].bytes),
                   refrain_show_ns((long double)flow[d].ns));
    printf(" other calls %s\n", refrain_show_ns((long double)rank->other_ns));
}

static void print_use(const struct table *table, const struct refrain_file_use *use, bool ranks) {
    const struct refrain_file_flow *flow = use->sum.flow;
    const uint64_t bytes = flow[REFRAIN_FILE_READ].bytes + flow[REFRAIN_FILE_WRITTEN].bytes;
    fputs(refrain_style(REFRAIN_BOLD), stdout);
    print_time(table, refrain_file_rank_ns(&use->sum));
    printf(" %9s %10s", refrain_show_count(use->sum.calls), refrain_show_bytes(bytes));
    print_rate(bytes, use->longest_ns);
    skip(table);
    printf("  %s, %zu rank%s%s\n", name_of(use), use->n_ranks, use->n_ranks == 1 ? "" : "s",
           refrain_style(REFRAIN_NORMAL));
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        if (flow[d].accesses)
            print_flow(table, &flow[d], &use->manner[d], d);
    if (use->sum.other_ns > 0) {
        print_time(table, use->sum.other_ns);
        printf("%*s    opened, closed, other calls\n", 34 + (table->wide ? 33 : 11), "");
    }
    for (size_t i = 0; ranks && use->ranks && i < use->n_ranks; i++)
        print_rank(table, &use->ranks[i]);
}

void refrain_files_print(const struct refrain_file_uses *uses, bool ranks, size_t most) {
    const unsigned columns = refrain_terminal_columns();
    const struct table table = {uses, columns == 0 || columns >= WIDE_COLUMNS};
    if (uses->n == 0) {
        puts("no call of MPI-IO (MPI_File_open, MPI_File_write ...) was recorded, nor any other for files (refrain "
             "record --io)");
        return;
    }
    printf("%s%11s %7s %9s %10s %12s", refrain_style(REFRAIN_BOLD), "time", "%", "calls", "bytes", "a second");
    if (table.wide)
        printf(" %10s", "least");
    printf(" %10s", "typical");
    if (table.wide)
        printf(" %10s", "greatest");
    printf("  file%s\n", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < uses->n && i < most; i++)
        print_use(&table, &uses->rows[i], ranks);
    if (uses->n > most)
        printf("%zu more: --top\n", uses->n - most);
    if (uses->n > 1)
        print_use(&table, &uses->all, false);
}

/* ---- CSV ---- */

static void csv_line(const struct refrain_file_uses *uses, const struct refrain_file_use *use,
                     const struct refrain_file_rank *rank, size_t n_ranks) {
    if (use->name[0])
        refrain_stats_put_csv(stdout, use->name);
    if (rank->rank >= 0)
        printf(",%" PRId32, rank->rank);
    else
        putchar(',');
    printf(",%zu,%" PRIu64 ",%" PRId64 ",%.4f,%" PRId64, n_ranks, rank->calls, refrain_file_rank_ns(rank),
           share_of(uses, refrain_file_rank_ns(rank)), rank->other_ns);
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++) {
        const struct refrain_file_flow *flow = &rank->flow[d];
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64, flow->accesses, flow->unknown,
               flow->bytes, flow->ns, flow->least_bytes, flow->most_bytes);
    }
    putchar('\n');
}

void refrain_files_csv(const struct refrain_file_uses *uses, bool ranks) {
    fputs("file,rank,ranks,calls,time_ns,share_percent,other_ns", stdout);
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        printf(",%1$s_accesses,%1$s_unknown,%1$s_bytes,%1$s_ns,%1$s_least_bytes,%1$s_most_bytes", directions[d]);
    putchar('\n');
    for (size_t i = 0; i < uses->n; i++) {
        const struct refrain_file_use *use = &uses->rows[i];
        for (size_t k = 0; ranks && k < use->n_ranks; k++)
            csv_line(uses, use, &use->ranks[k], 1);
        if (!ranks)
            csv_line(uses, use, &use->sum, use->n_ranks);
    }
}

/* ---- JSON ---- */

static json_t *flow_json(const struct refrain_file_flow *flow) {
    json_t *object =
        json_pack("{s:I,s:I,s:I,s:I}", "accesses", (json_int_t)flow->accesses, "unknown", (json_int_t)flow->unknown,
                  "bytes", (json_int_t)flow->bytes, "time_ns", (json_int_t)flow->ns);
    if (flow->accesses > flow->unknown) {
        json_object_set_new(object, "least_bytes", json_integer((json_int_t)flow->least_bytes));
        json_object_set_new(object, "most_bytes", json_integer((json_int_t)flow->most_bytes));
    }
    return object;
}

static json_t *manner_json(const struct refrain_file_flow *flow, const struct refrain_file_manner *manner) {
    json_t *object = flow_json(flow);
    json_t *more =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:i,s:f}", "typical_bytes", (json_int_t)manner->typical_bytes,
                  "small_accesses", (json_int_t)manner->small, "sequential", (json_int_t)manner->sequential,
                  "collective", (json_int_t)manner->collective, "nonblocking", (json_int_t)manner->nonblocking,
                  "at_offset", (json_int_t)manner->at[REFRAIN_MPI_AT_OFFSET], "at_own_pointer",
                  (json_int_t)manner->at[REFRAIN_MPI_OWN_POINTER], "at_shared_pointer",
                  (json_int_t)manner->at[REFRAIN_MPI_SHARED_POINTER], "longest_ns", (json_int_t)manner->longest_ns,
                  "longest_rank", (int)manner->longest_rank, "bytes_per_second",
                  refrain_file_rate(flow->bytes, manner->longest_ns));
    json_object_update(object, more);
    json_decref(more);
    return object;
}

static json_t *rank_json(const struct refrain_file_rank *rank) {
    return json_pack("{s:i,s:I,s:I,s:I,s:o,s:o}", "rank", (int)rank->rank, "calls", (json_int_t)rank->calls, "time_ns",
                     (json_int_t)refrain_file_rank_ns(rank), "other_ns", (json_int_t)rank->other_ns, "read",
                     flow_json(&rank->flow[REFRAIN_FILE_READ]), "written",
                     flow_json(&rank->flow[REFRAIN_FILE_WRITTEN]));
}

static json_t *use_json(const struct refrain_file_uses *uses, const struct refrain_file_use *use, bool ranks) {
    const int64_t ns = refrain_file_rank_ns(&use->sum);
    json_t *object =
        json_pack("{s:i,s:I,s:I,s:f,s:I}", "ranks", (int)use->n_ranks, "calls", (json_int_t)use->sum.calls, "time_ns",
                  (json_int_t)ns, "share_percent", share_of(uses, ns), "other_ns", (json_int_t)use->sum.other_ns);
    if (use->name)
        json_object_set_new(object, "file", use->name[0] ? refrain_json_text(use->name) : json_null());
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        json_object_set_new(object, directions[d], manner_json(&use->sum.flow[d], &use->manner[d]));
    json_t *list = ranks && use->ranks ? json_array() : NULL;
    for (size_t i = 0; list && i < use->n_ranks; i++)
        json_array_append_new(list, rank_json(&use->ranks[i]));
    if (list)
        json_object_set_new(object, "by_rank", list);
    return object;
}

json_t *refrain_files_json(const struct refrain_file_uses *uses, bool ranks) {
    json_t *rows = json_array();
    for (size_t i = 0; i < uses->n; i++)
        json_array_append_new(rows, use_json(uses, &uses->rows[i], ranks));
    return json_pack("{s:o,s:o}", "rows", rows, "total", use_json(uses, &uses->all, false));
}
