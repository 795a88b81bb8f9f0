/* proxy_write.c: writes a proxy as a C program (proxy.h).
 *
 *     comment, runtime      what every proxy has
 *     tables                values, members of communicators
 *     functions             one for each function of the trace; main() calls the outermost */
#define _GNU_SOURCE
#include "predict/proxy.h"

#include "common/error.h"
#include "formats/topology.h"

#include <ctype.h>

/* A shorter computation takes less than a call of compute(). */
#define LEAST_NS 10
#define LONGEST_NAME 60
/* Means of ranks that differ by less are one mean. */
#define ALIKE 0.05

struct program {
    const struct refrain_proxy *proxy;
    FILE *tables, *functions;
    bool no_memory;
};

static void write_item(struct program *program, size_t number, int indent, int depth);

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

static bool alike(const struct refrain_proxy *proxy, const double *ns, const uint64_t *n, double *mean) {
    double total = 0, least = 0, most = 0;
    uint64_t all = 0;
    for (size_t r = 0; r < proxy->n_ranks; r++) {
        if (!n[r])
            continue;
        double own = ns[r] / (double)n[r];
        least = all == 0 || own < least ? own : least;
        most = own > most ? own : most;
        total += ns[r];
        all += n[r];
    }
    *mean = all ? total / (double)all : 0;
    return most - least <= ALIKE * *mean;
}

/* Writes a computation that rank r made n[r] times, in ns[r] in all; nothing if its mean is below LEAST_NS. `label`:
 * what computes. */
static void write_compute(struct program *program, const double *ns, const uint64_t *n, size_t number, char letter,
                          const char *label, int indent) {
    const struct refrain_proxy *proxy = program->proxy;
    double mean;
    bool one = alike(proxy, ns, n, &mean);
    if (mean < LEAST_NS)
        return;
    fprintf(program->functions, "%*scompute(\"", indent, "");
    refrain_proxy_write_text(program->functions, label, 60);
    if (one) {
        fprintf(program->functions, "\", %.3g);\n", 1e-9 * mean);
        return;
    }
    fprintf(program->functions, "\", t%zu%c[rank]);\n", number, letter);
    fprintf(program->tables, "static const double t%zu%c[] = {", number, letter);
    for (size_t r = 0; r < proxy->n_ranks; r++)
        fprintf(program->tables, "%s%.3g,", r % 12 == 11 ? "\n    " : " ", n[r] ? 1e-9 * ns[r] / (double)n[r] : 0);
    fputs("};\n", program->tables);
}

static const char *label_of(const struct refrain_proxy *proxy, const struct refrain_proxy_item *item) {
    const struct refrain_region_info *within = proxy->functions[item->function].region;
    return within ? within->name : item->region->function;
}

/* ---- items ---- */

static void write_node(struct program *program, size_t number, int indent) {
    const struct refrain_proxy_item *item = &program->proxy->items[number];
    write_compute(program, item->ns, item->n, number, 'b', label_of(program->proxy, item), indent);
    if (item->called != SIZE_MAX) {
        fprintf(program->functions, "%*s", indent, "");
        write_name(program->proxy, item->called, program->functions);
        fputs("();\n", program->functions);
    } else if (item->text) {
        program->no_memory |=
            !refrain_proxy_write_call(program->proxy, number, indent, program->tables, program->functions);
    } else {
        fprintf(program->functions, "%*s/* %s is left out */;\n", indent, "", item->region->name);
    }
}

static void write_choice(struct program *program, size_t number, int indent, int depth) {
    const struct refrain_proxy_item *loop = &program->proxy->items[number];
    char name[32];
    snprintf(name, sizeof name, "%zuc", number);
    fprintf(program->functions, "%*sswitch (", indent, "");
    refrain_proxy_write_value(program->proxy, loop->chosen, name, program->tables, program->functions);
    fputs(") {\n", program->functions);
    for (size_t i = 0; i < loop->n_children; i++) {
        fprintf(program->functions, "%*scase %zu:\n", indent, "", i);
        write_item(program, loop->children[i], indent + 4, depth);
        fprintf(program->functions, "%*sbreak;\n", indent + 4, "");
    }
    fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_loop(struct program *program, size_t number, int indent, int depth) {
    const struct refrain_proxy_item *loop = &program->proxy->items[number];
    char name[32];
    snprintf(name, sizeof name, "%zui", number);
    fprintf(program->functions, "%*sfor (long long i%d = 0, n%d = ", indent, "", depth, depth);
    refrain_proxy_write_value(program->proxy, loop->times, name, program->tables, program->functions);
    fprintf(program->functions, "; i%d < n%d; i%d++) {\n", depth, depth, depth);
    if (loop->chooses)
        write_choice(program, number, indent + 4, depth + 1);
    for (size_t i = 0; i < loop->n_children && !loop->chooses; i++)
        write_item(program, loop->children[i], indent + 4, depth + 1);
    fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_item(struct program *program, size_t number, int indent, int depth) {
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
        refrain_proxy_write_condition(proxy, item->times, name, program->tables, program->functions);
        fputs(") {\n", program->functions);
    }
    write_node(program, number, always ? indent : indent + 4);
    if (!always)
        fprintf(program->functions, "%*s}\n", indent, "");
}

static void write_function(struct program *program, size_t number) {
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
static void write_groups(const struct refrain_proxy *proxy, FILE *out) {
    for (size_t i = 0; i < proxy->trace->n_comms; i++) {
        const struct refrain_comm_info *comm = &proxy->trace->comms[i];
        fprintf(out, "static const int m%zu[] = {", i);
        for (int32_t k = 0; k < comm->size; k++)
            fprintf(out, "%s%d,", k % 20 == 19 ? "\n    " : " ", comm->members ? (int)comm->members[k] : (int)k);
        fputs("};\n", out);
    }
    fputs("static const struct {\n    int n;\n    const int *members;\n} groups[] = {", out);
    for (size_t i = 0; i < proxy->trace->n_comms; i++)
        fprintf(out, "%s{%d, m%zu},", i % 8 == 7 ? "\n    " : " ", (int)proxy->trace->comms[i].size, i);
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

/* The Cartesian topology of a communicator of the trace; null if it has none. */
static const struct refrain_topology *topology_of(const struct refrain_trace *trace, size_t number) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        for (size_t k = 0; k < process->n_comms; k++) {
            const struct refrain_comm_view *view = &process->comms[k];
            if (view->record && view->info->index == number && refrain_topology_of(process, view))
                return refrain_topology_of(process, view);
        }
    }
    return NULL;
}

static void write_grids(const struct refrain_proxy *proxy, FILE *out) {
    fprintf(out, "struct grid {\n    int n, sizes[%u], periods[%u];\n};\n", REFRAIN_MOST_DIMENSIONS,
            REFRAIN_MOST_DIMENSIONS);
    for (size_t i = 0; i < proxy->trace->n_comms; i++) {
        const struct refrain_topology *topology = topology_of(proxy->trace, i);
        uint32_t n = topology ? topology->n_dimensions : 0;
        fprintf(out, i ? ",\n    {%u, {" : "static const struct grid grids[] = {\n    {%u, {", n);
        for (uint32_t k = 0; k < n; k++)
            fprintf(out, "%s%d", k ? ", " : "", (int)topology->values[k]);
        fputs(n ? "}, {" : "0}, {", out);
        for (uint32_t k = 0; k < n; k++)
            fprintf(out, "%s%d", k ? ", " : "", (int)topology->values[n + k]);
        fputs(n ? "}}" : "0}}", out);
    }
    fputs("};\nstatic inline const struct grid *grid_of(int number) {\n    return &grids[number];\n}\n", out);
}

/* ---- the program ---- */

static void write_head(const struct refrain_proxy *proxy, enum refrain_proxy_compute compute, FILE *out) {
    const char *program = proxy->trace->n_processes ? proxy->trace->process_infos[0].executable : "";
    fputs("/* Makes the MPI calls of a run of ", out);
    refrain_proxy_write_text(out, program[0] ? program : "an unknown program", 200);
    fprintf(
        out,
        " on %zu ranks, and computes as long as it did\n * between them. Made by refrain proxy %s from its trace.\n *\n"
        " *     mpicc -O2 THIS.c -o proxy\n *     mpiexec -n %zu ./proxy\n",
        proxy->n_ranks, REFRAIN_VERSION, proxy->n_ranks);
    fputs(proxy->n_left_out ? " *\n * Calls that are left out:\n" : "", out);
    for (size_t i = 0; i < proxy->n_left_out; i++)
        fprintf(out, " *     %llu %s\n", (unsigned long long)proxy->left_out[i].count, proxy->left_out[i].name);
    fprintf(out,
            " */\n#define RANKS %zu\n#define COMMUNICATORS %zu\n#define REQUESTS %zu\n#define MOST_BYTES %lldu\n"
            "#define COMPUTE %d /* 0: spins, 1: sleeps, 2: walks through memory */\n",
            proxy->n_ranks, proxy->n_comms + 2, proxy->n_requests + 1, (long long)proxy->most_bytes + 1, (int)compute);
}

static bool write_functions(struct program *program) {
    const struct refrain_proxy *proxy = program->proxy;
    for (size_t i = 0; i < proxy->n_functions; i++) {
        fputs("static void ", program->tables);
        write_name(proxy, i, program->tables);
        fputs("(void);\n", program->tables);
    }
    if (uses(proxy, "group_of("))
        write_groups(proxy, program->tables);
    if (uses(proxy, "grid_of("))
        write_grids(proxy, program->tables);
    for (size_t i = 0; i < proxy->n_functions; i++)
        write_function(program, i);
    return !program->no_memory;
}

enum refrain_status refrain_proxy_write(const struct refrain_proxy *proxy, enum refrain_proxy_compute compute,
                                        FILE *out, struct refrain_error *error) {
    char *tables = NULL, *functions = NULL;
    size_t tables_bytes, functions_bytes;
    struct program program = {.proxy = proxy,
                              .tables = open_memstream(&tables, &tables_bytes),
                              .functions = open_memstream(&functions, &functions_bytes)};
    bool written = program.tables && program.functions && write_functions(&program);
    written &= program.tables && fclose(program.tables) == 0;
    written &= program.functions && fclose(program.functions) == 0;
    if (written) {
        write_head(proxy, compute, out);
        fwrite(refrain_proxy_runtime, 1, (size_t)(refrain_proxy_runtime_end - refrain_proxy_runtime), out);
        putc('\n', out);
        fputs(tables, out);
        fputs(functions, out);
        fputs("\nint main(void) {\n    program_();\n    return 0;\n}\n", out);
    }
    free(tables);
    free(functions);
    return written ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
