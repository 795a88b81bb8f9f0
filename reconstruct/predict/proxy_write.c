/* proxy_write.c: writes a proxy as a C program (proxy.h).
 *
 *     comment, runtime      what every proxy has
 *     tables                values, members of communicators
 *     functions             one for each function of the trace; main() calls the outermost */
#define _GNU_SOURCE
#include "predict/proxy.h"

#include "common/error.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* A computation of fewer seconds takes less than a call of compute(). */
#define LEAST 1e-8
#define LONGEST_NAME 60
/* Means of ranks that differ by less are one mean. */
#define ALIKE 0.05

static void write_item(struct refrain_proxy_output *program, size_t number, int indent, int depth);

/* ---- names ---- */

/* The name of a traced function with the characters that C allows, at most 60. */
static void plain_name(const struct refrain_region_info *region, char name[LONGEST_NAME + 1]) {
    size_t n = 0;
    for (const char *c = region->name; *c && n < LONGEST_NAME; c++)
        name[n++] = isalnum((unsigned char)*c) ? *c : '_';
    name[n] = '\0';
}

/* True if the name ends as those do that get a number, or begins as none of C may. */
static bool needs_number(const char *name) {
    size_t n = strlen(name), digits = n;
    while (digits && isdigit((unsigned char)name[digits - 1]))
        digits--;
    return !isalpha((unsigned char)name[0]) || (digits < n && digits && name[digits - 1] == '_') ||
           strcmp(name, "program") == 0;
}

/* Writes the name of a C function: that of the traced one as far as C allows, with its number if another one would have
 * the same. */
static void write_name(const struct refrain_proxy *proxy, size_t number, FILE *out) {
    char name[LONGEST_NAME + 1], other[LONGEST_NAME + 1];
    if (!proxy->functions[number].region) {
        fputs("program_", out);
        return;
    }
    plain_name(proxy->functions[number].region, name);
    bool numbered = needs_number(name);
    for (size_t i = 0; i < proxy->n_functions && !numbered; i++) {
        if (i == number || !proxy->functions[i].region)
            continue;
        plain_name(proxy->functions[i].region, other);
        numbered = strcmp(name, other) == 0;
    }
    if (numbered)
        fprintf(out, "%s%s_%zu_", isalpha((unsigned char)name[0]) ? "" : "f", name, number);
    else
        fprintf(out, "%s_", name);
}

/* ---- computation ---- */

/* The mean of the ranks of a run, in seconds; 0 if none of them computed here. */
static double mean_of(const struct refrain_proxy_run *run, const double *ns, const uint64_t *n) {
    double total = 0;
    uint64_t all = 0;
    for (size_t r = run->first; r < run->first + run->trace->n_processes; r++) {
        total += ns[r];
        all += n[r];
    }
    return all ? 1e-9 * total / (double)all : 0;
}

/* True if all ranks of a run take about as long. */
static bool alike(const struct refrain_proxy_run *run, const double *ns, const uint64_t *n, double mean) {
    bool alike = true;
    for (size_t r = run->first; r < run->first + run->trace->n_processes; r++)
        alike &= !n[r] || fabs(1e-9 * ns[r] / (double)n[r] - mean) <= ALIKE / 2 * mean;
    return alike;
}

static void write_seconds(FILE *tables, size_t i, double seconds) {
    fprintf(tables, "%s%.3g,", i % 12 == 11 ? "\n    " : " ", seconds);
}

/* Writes a computation that rank r made n[r] times, in ns[r] in all; nothing if it is always shorter than LEAST. Of one
 * run each rank has its own mean if they differ, of several each run. `label`: what computes. */
static void write_compute(struct refrain_proxy_output *program, const double *ns, const uint64_t *n, size_t number,
                          char letter, const char *label, int indent) {
    const struct refrain_proxy *proxy = program->proxy;
    double mean = mean_of(proxy->runs, ns, n), most = 0;
    for (size_t i = 0; i < proxy->n_runs; i++)
        most = fmax(most, mean_of(&proxy->runs[i], ns, n));
    if (most < LEAST)
        return;
    fprintf(program->functions, "%*scompute(\"", indent, "");
    refrain_proxy_write_text(program->functions, label, 60);
    if (proxy->n_runs == 1 && alike(proxy->runs, ns, n, mean)) {
        fprintf(program->functions, "\", %.3g);\n", mean);
        return;
    }
    fprintf(program->functions, proxy->n_runs == 1 ? "\", t%zu%c[rank]);\n" : "\", seconds(t%zu%c));\n", number,
            letter);
    fprintf(program->tables, "static const double t%zu%c[] = {", number, letter);
    for (size_t r = 0; proxy->n_runs == 1 && r < proxy->n_ranks; r++)
        write_seconds(program->tables, r, n[r] ? 1e-9 * ns[r] / (double)n[r] : 0);
    for (size_t i = 0; proxy->n_runs > 1 && i < proxy->n_runs; i++)
        write_seconds(program->tables, i, mean_of(&proxy->runs[i], ns, n));
    fputs("};\n", program->tables);
}

static const char *label_of(const struct refrain_proxy *proxy, const struct refrain_proxy_item *item) {
    const struct refrain_region_info *within = proxy->functions[item->function].region;
    return within ? within->name : item->region->function;
}

/* ---- items ---- */

static void write_node(struct refrain_proxy_output *program, size_t number, int indent) {
    const struct refrain_proxy_item *item = &program->proxy->items[number];
    write_compute(program, item->ns, item->n, number, 'b', label_of(program->proxy, item), indent);
    if (item->called != SIZE_MAX) {
        fprintf(program->functions, "%*s", indent, "");
        write_name(program->proxy, item->called, program->functions);
        fputs("();\n", program->functions);
    } else if (item->text) {
        program->no_memory |= !refrain_proxy_write_call(program, number, indent);
    } else {
        fprintf(program->functions, "%*s/* %s is left out */;\n", indent, "", item->region->name);
    }
}

static void write_choice(struct refrain_proxy_output *program, size_t number, int indent, int depth) {
    const struct refrain_proxy_item *loop = &program->proxy->items[number];
    char name[32];
    snprintf(name, sizeof name, "%zuc", number);
    fprintf(program->functions, "%*sswitch (", indent, "");
    refrain_proxy_write_value(program, loop->chosen, NULL, name, program->functions);
    fputs(") {\n", program->functions);
    for (size_t i = 0; i < loop->n_children; i++) {
        fprintf(program->functions, "%*scase %zu:\n", indent, "", i);
        write_item(program, loop->children[i], indent + 4, depth);
        fprintf(program->functions, "%*sbreak;\n", indent + 4, "");
    }
    fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_loop(struct refrain_proxy_output *program, size_t number, int indent, int depth) {
    const struct refrain_proxy_item *loop = &program->proxy->items[number];
    char name[32];
    snprintf(name, sizeof name, "%zui", number);
    fprintf(program->functions, "%*sfor (long long i%d = 0, n%d = ", indent, "", depth, depth);
    refrain_proxy_write_value(program, loop->times, NULL, name, program->functions);
    fprintf(program->functions, "; i%d < n%d; i%d++) {\n", depth, depth, depth);
    if (loop->chooses)
        write_choice(program, number, indent + 4, depth + 1);
    for (size_t i = 0; i < loop->n_children && !loop->chooses; i++)
        write_item(program, loop->children[i], indent + 4, depth + 1);
    fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_item(struct refrain_proxy_output *program, size_t number, int indent, int depth) {
    const struct refrain_proxy *proxy = program->proxy;
    const struct refrain_proxy_item *item = &proxy->items[number];
    if (!item->region) {
        write_loop(program, number, indent, depth);
        return;
    }
    bool always = proxy->items[item->parent].chooses || refrain_proxy_always(proxy, item->times, 1);
    if (!always) {
        char name[32];
        snprintf(name, sizeof name, "%zui", number);
        fprintf(program->functions, "%*sif (", indent, "");
        refrain_proxy_write_condition(program, item->times, name, program->functions);
        fputs(") {\n", program->functions);
    }
    write_node(program, number, always ? indent : indent + 4);
    if (!always)
        fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_function(struct refrain_proxy_output *program, size_t number) {
    const struct refrain_proxy *proxy = program->proxy;
    const struct refrain_proxy_function *function = &proxy->functions[number];
    const struct refrain_proxy_item *body = &proxy->items[function->body];
    fputs("\nstatic void ", program->functions);
    write_name(proxy, number, program->functions);
    fputs("(void) {", program->functions);
    if (function->region && function->region->file[0])
        refrain_proxy_write_place(function->region, program->functions);
    putc('\n', program->functions);
    for (size_t i = 0; i < body->n_children; i++)
        write_item(program, body->children[i], 4, 1);
    write_compute(program, function->ns, function->n, number, 'e', function->region ? function->region->name : "", 4);
    fputs("}\n", program->functions);
}

/* ---- communicators ---- */

static bool uses(const struct refrain_proxy *proxy, const char *text) {
    bool used = false;
    for (size_t i = 0; i < proxy->n_items && !used; i++)
        used = proxy->items[i].text && strstr(proxy->items[i].text, text);
    return used;
}

/* Members of the trace's communicators, for calls that make a communicator of a group. */
static void write_groups(const struct refrain_trace *trace, FILE *out) {
    for (size_t i = 0; i < trace->n_comms; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        fprintf(out, "static const int m%zu[] = {", i);
        for (int32_t k = 0; k < comm->size; k++)
            fprintf(out, "%s%d,", k % 20 == 19 ? "\n    " : " ", comm->members ? (int)comm->members[k] : (int)k);
        fputs("};\n", out);
    }
    fputs("static const struct {\n    int n;\n    const int *members;\n} groups[] = {", out);
    for (size_t i = 0; i < trace->n_comms; i++)
        fprintf(out, "%s{%d, m%zu},", i % 8 == 7 ? "\n    " : " ", (int)trace->comms[i].size, i);
    fputs("};\n"
          "static inline MPI_Group group_of(int number) {\n"
          "    MPI_Group world, group = MPI_GROUP_EMPTY;\n"
          "    if (number == MPI_UNDEFINED)\n"
          "        return group;\n"
          "    PMPI_Comm_group(MPI_COMM_WORLD, &world);\n"
          "    PMPI_Group_incl(world, groups[number].n, groups[number].members, &group);\n"
          "    PMPI_Group_free(&world);\n"
          "    return group;\n"
          "}\n",
          out);
}

/* ---- the program ---- */

/* Writes the numbers of ranks of the runs: 4, 8 and 16. */
static void write_numbers(const struct refrain_proxy *proxy, FILE *out) {
    for (size_t i = 0; i < proxy->n_runs; i++)
        fprintf(out, "%s%zu", i == 0 ? "" : i + 1 == proxy->n_runs ? " and " : ", ", proxy->runs[i].trace->n_processes);
}

static void write_head(const struct refrain_proxy_output *program, enum refrain_proxy_compute compute, FILE *out) {
    const struct refrain_proxy *proxy = program->proxy;
    const char *executable = proxy->runs[0].trace->process_infos[0].executable;
    fputs(proxy->n_runs > 1 ? "/* Makes the MPI calls of runs of " : "/* Makes the MPI calls of a run of ", out);
    refrain_proxy_write_text(out, executable[0] ? executable : "an unknown program", 200);
    fputs(" on ", out);
    write_numbers(proxy, out);
    fprintf(out,
            " ranks, and computes as long as it did\n * between them. Made by refrain proxy %s from its trace%s.\n *\n"
            " *     mpicc -O2 THIS.c -o proxy\n *     mpiexec -n %zu ./proxy\n",
            REFRAIN_VERSION, proxy->n_runs > 1 ? "s" : "", proxy->runs[0].trace->n_processes);
    if (proxy->n_runs > 1)
        fputs(program->n_tables ? " *\n * It has values for these numbers of ranks alone.\n"
                                : " *\n * On other such numbers of ranks (powers of two if these are) it does what "
                                  "these runs suggest.\n",
              out);
    fputs(proxy->n_left_out ? " *\n * Calls that are left out:\n" : "", out);
    for (size_t i = 0; i < proxy->n_left_out; i++)
        fprintf(out, " *     %llu %s\n", (unsigned long long)proxy->left_out[i].count, proxy->left_out[i].name);
    fprintf(out, " */\n#define COMPUTE %d /* 0: spins, 1: sleeps, 2: walks through memory */\n", (int)compute);
}

/* Writes what depends on the runs, and the runtime needs. */
static void write_runs(const struct refrain_proxy_output *program, FILE *out) {
    const struct refrain_proxy *proxy = program->proxy;
    bool any = proxy->n_runs > 1 && program->n_tables == 0;
    fprintf(out, "#define MOST_BYTES %" PRId64 "\n#define RUNS %zu\n#define ANY_RANKS %d\nstatic const int runs[] = {",
            proxy->most_bytes, proxy->n_runs, any);
    for (size_t i = 0; i < proxy->n_runs; i++)
        fprintf(out, " %zu,", proxy->runs[i].trace->n_processes);
    fputs("};\n", out);
}

/* Writes a number that each run has one of, and the statement that gives it to the program's variable. */
static void write_size(struct refrain_proxy_output *program, const char *variable,
                       const struct refrain_proxy_list *lists) {
    fprintf(program->prepare, "    %s = ", variable);
    refrain_proxy_write_value(program, lists, NULL, variable, program->prepare);
    fputs(";\n", program->prepare);
}

/* Writes the functions of the program, and says in `functions` how many of their values have no expression. */
static bool write_functions(struct refrain_proxy_output *program, struct refrain_proxy_function *functions) {
    const struct refrain_proxy *proxy = program->proxy;
    for (size_t i = 0; i < proxy->n_functions; i++) {
        fputs("static void ", program->tables);
        write_name(proxy, i, program->tables);
        fputs("(void);\n", program->tables);
    }
    if (uses(proxy, "group_of("))
        write_groups(proxy->runs[0].trace, program->tables);
    write_size(program, "n_requests", proxy->n_requests);
    write_size(program, "n_comms", proxy->n_comms);
    for (size_t i = 0; i < proxy->n_functions; i++) {
        size_t before = program->n_tables;
        write_function(program, i);
        functions[i].n_tables = program->n_tables - before;
    }
    return !program->no_memory;
}

/* Writes the parts of the program in the order in which C needs them. */
static void join_parts(const struct refrain_proxy_output *program, enum refrain_proxy_compute compute,
                       const char *tables, const char *prepare, const char *functions, FILE *out) {
    write_head(program, compute, out);
    write_runs(program, out);
    fwrite(refrain_proxy_runtime, 1, (size_t)(refrain_proxy_runtime_end - refrain_proxy_runtime), out);
    putc('\n', out);
    fputs(tables, out);
    fprintf(out, "\n/* After MPI_Init, when `rank` and `ranks` are known. */\nstatic void prepare(void) {\n%s}\n",
            prepare);
    fputs(functions, out);
    fputs("\nint main(void) {\n    program_();\n    return 0;\n}\n", out);
}

enum refrain_status refrain_proxy_write(struct refrain_proxy *proxy, enum refrain_proxy_compute compute, FILE *out,
                                        size_t *n_tables, struct refrain_error *error) {
    char *texts[3] = {NULL};
    size_t bytes[3];
    FILE *streams[3];
    bool written = true;
    for (int i = 0; i < 3; i++)
        written &= (streams[i] = open_memstream(&texts[i], &bytes[i])) != NULL;
    struct refrain_proxy_output program = {.proxy = proxy,
                                           .formulas = &proxy->formulas,
                                           .tables = streams[0],
                                           .prepare = streams[1],
                                           .functions = streams[2]};
    written = written && write_functions(&program, proxy->functions);
    for (int i = 0; i < 3; i++)
        written &= streams[i] && fclose(streams[i]) == 0;
    if (written)
        join_parts(&program, compute, texts[0], texts[1], texts[2], out);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
    *n_tables = program.n_tables;
    return written ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
