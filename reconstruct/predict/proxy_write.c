/* proxy_write.c: writes a proxy as a C program (proxy.h).
 *
 *     comment, runtime      what every proxy has
 *     tables                values, members of communicators
 *     functions             one for each function of the trace; main() calls the outermost */
#define _GNU_SOURCE
#include "predict/proxy_write.h"

#include "common/error.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* A computation of fewer seconds takes less than a call of compute(). */
#define LEAST 1e-8
#define LONGEST_NAME 60
/* Means of ranks that differ by less are one mean. */
#define ALIKE 0.05

static void write_item(struct refrain_proxy_output *output, size_t number, int indent, int depth);

/* ---- texts ---- */

void refrain_proxy_write_text(FILE *out, const char *text, size_t most) {
    for (size_t i = 0; text[i] && i < most; i++) {
        bool plain = (unsigned char)text[i] >= ' ' && !strchr("\"\\?", text[i]);
        bool of_comment = i && ((text[i] == '/' && text[i - 1] == '*') || (text[i] == '*' && text[i - 1] == '/'));
        putc(plain && !of_comment ? text[i] : '_', out);
    }
}

void refrain_proxy_write_place(const struct refrain_region_info *region, FILE *out) {
    fputs(" /* ", out);
    refrain_proxy_write_text(out, region->file, 1000);
    fprintf(out, ":%u */", region->line);
}

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
static void write_name(const struct refrain_program *program, size_t number, FILE *out) {
    char name[LONGEST_NAME + 1], other[LONGEST_NAME + 1];
    if (!program->functions[number].region) {
        fputs("program_", out);
        return;
    }
    plain_name(program->functions[number].region, name);
    bool numbered = needs_number(name);
    for (size_t i = 0; i < program->n_functions && !numbered; i++) {
        if (i == number || !program->functions[i].region)
            continue;
        plain_name(program->functions[i].region, other);
        numbered = strcmp(name, other) == 0;
    }
    if (numbered)
        fprintf(out, "%s%s_%zu_", isalpha((unsigned char)name[0]) ? "" : "f", name, number);
    else
        fprintf(out, "%s_", name);
}

/* ---- computation ---- */

static double most_of(const struct refrain_program *program, const double *seconds) {
    double most = 0;
    for (size_t i = 0; i < program->n_seconds; i++)
        most = fmax(most, seconds[i]);
    return most;
}

/* True if all ranks that computed took about as long; *mean is then what they took. */
static bool alike(const struct refrain_program *program, const double *seconds, double *mean) {
    size_t n = 0;
    bool alike = true;
    *mean = 0;
    for (size_t r = 0; r < program->n_seconds; r++) {
        *mean += seconds[r];
        n += seconds[r] > 0;
    }
    *mean /= n ? (double)n : 1;
    for (size_t r = 0; r < program->n_seconds; r++)
        alike &= seconds[r] <= 0 || fabs(seconds[r] - *mean) <= ALIKE / 2 * *mean;
    return alike;
}

static void write_seconds(FILE *tables, size_t i, double seconds) {
    fprintf(tables, "%s%.3g,", i % 12 == 11 ? "\n    " : " ", seconds);
}

/* Writes a computation; nothing if it is always shorter than LEAST. Of one run each rank has its own mean if they
 * differ, of several each run. `label`: what computes. */
static void write_compute(struct refrain_proxy_output *output, const double *seconds, size_t number, char letter,
                          const char *label, int indent) {
    const struct refrain_program *program = output->program;
    double mean;
    if (most_of(program, seconds) < LEAST)
        return;
    fprintf(output->functions, "%*scompute(\"", indent, "");
    refrain_proxy_write_text(output->functions, label, 60);
    if (program->n_runs == 1 && alike(program, seconds, &mean)) {
        fprintf(output->functions, "\", %.3g);\n", mean);
        return;
    }
    fprintf(output->functions, program->n_runs == 1 ? "\", t%zu%c[rank]);\n" : "\", seconds(t%zu%c));\n", number,
            letter);
    fprintf(output->tables, "static const double t%zu%c[] = {", number, letter);
    for (size_t i = 0; i < program->n_seconds; i++)
        write_seconds(output->tables, i, seconds[i]);
    fputs("};\n", output->tables);
}

static const char *label_of(const struct refrain_program *program, const struct refrain_program_item *item) {
    const struct refrain_region_info *within = program->functions[item->function].region;
    return within ? within->name : item->region->function;
}

/* ---- items ---- */

static void write_node(struct refrain_proxy_output *output, size_t number, int indent) {
    const struct refrain_program_item *item = &output->program->items[number];
    write_compute(output, item->seconds, number, 'b', label_of(output->program, item), indent);
    if (item->called != SIZE_MAX) {
        fprintf(output->functions, "%*s", indent, "");
        write_name(output->program, item->called, output->functions);
        fputs("();\n", output->functions);
    } else if (item->text) {
        output->no_memory |= !refrain_proxy_write_call(output, number, indent);
    } else {
        fprintf(output->functions, "%*s/* %s is left out */;\n", indent, "", item->region->name);
    }
}

static void write_choice(struct refrain_proxy_output *output, size_t number, int indent, int depth) {
    const struct refrain_program_item *loop = &output->program->items[number];
    char name[32];
    snprintf(name, sizeof name, "%zuc", number);
    fprintf(output->functions, "%*sswitch (", indent, "");
    refrain_proxy_write_value(output, &loop->chosen, name, output->functions);
    fputs(") {\n", output->functions);
    for (size_t i = 0; i < loop->n_children; i++) {
        fprintf(output->functions, "%*scase %zu:\n", indent, "", i);
        write_item(output, loop->children[i], indent + 4, depth);
        fprintf(output->functions, "%*sbreak;\n", indent + 4, "");
    }
    fprintf(output->functions, "%*s}\n", indent, "");
}

/* Writes what the values in the body of a loop do when it begins. */
static void begin_values(struct refrain_proxy_output *output, size_t loop, int indent) {
    const struct refrain_program *program = output->program;
    for (size_t i = 0; i < program->items[loop].n_children; i++) {
        size_t number = program->items[loop].children[i];
        const struct refrain_program_item *item = &program->items[number];
        char name[32];
        snprintf(name, sizeof name, "%zui", number);
        refrain_proxy_begin_value(output, &item->times, name, indent);
        for (size_t k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++) {
            snprintf(name, sizeof name, "%zu%c", number, refrain_proxy_argument_letters[k]);
            refrain_proxy_begin_value(output, &item->arguments[k], name, indent);
        }
    }
}

static void write_loop(struct refrain_proxy_output *output, size_t number, int indent, int depth) {
    const struct refrain_program_item *loop = &output->program->items[number];
    char name[32];
    begin_values(output, number, indent);
    snprintf(name, sizeof name, "%zui", number);
    fprintf(output->functions, "%*sfor (long long i%d = 0, n%d = ", indent, "", depth, depth);
    refrain_proxy_write_value(output, &loop->times, name, output->functions);
    fprintf(output->functions, "; i%d < n%d; i%d++) {\n", depth, depth, depth);
    if (loop->chooses)
        write_choice(output, number, indent + 4, depth + 1);
    for (size_t i = 0; i < loop->n_children && !loop->chooses; i++)
        write_item(output, loop->children[i], indent + 4, depth + 1);
    fprintf(output->functions, "%*s}\n", indent, "");
}

static void write_item(struct refrain_proxy_output *output, size_t number, int indent, int depth) {
    const struct refrain_program *program = output->program;
    const struct refrain_program_item *item = &program->items[number];
    if (!item->region) {
        write_loop(output, number, indent, depth);
        return;
    }
    int64_t times;
    bool always = !item->times.kind || (refrain_value_constant(&item->times, &times) && times == 1);
    if (!always) {
        char name[32];
        snprintf(name, sizeof name, "%zui", number);
        fprintf(output->functions, "%*sif (", indent, "");
        if (item->times.kind == REFRAIN_VALUE_ONE)
            fputs(item->times.text, output->functions);
        else
            refrain_proxy_write_value(output, &item->times, name, output->functions);
        fputs(") {\n", output->functions);
    }
    write_node(output, number, always ? indent : indent + 4);
    if (!always)
        fprintf(output->functions, "%*s}\n", indent, "");
}

static void write_function(struct refrain_proxy_output *output, size_t number) {
    const struct refrain_program *program = output->program;
    const struct refrain_program_function *function = &program->functions[number];
    const struct refrain_program_item *body = &program->items[function->body];
    fputs("\nstatic void ", output->functions);
    write_name(program, number, output->functions);
    fputs("(void) {", output->functions);
    if (function->region && function->region->file[0])
        refrain_proxy_write_place(function->region, output->functions);
    putc('\n', output->functions);
    for (size_t i = 0; i < body->n_children; i++)
        write_item(output, body->children[i], 4, 1);
    write_compute(output, function->seconds, number, 'e', function->region ? function->region->name : "", 4);
    fputs("}\n", output->functions);
}

/* ---- communicators ---- */

/* Members of the trace's communicators, for calls that make a communicator of a group. */
static void write_groups(const struct refrain_program *program, FILE *out) {
    for (size_t i = 0; i < program->n_groups; i++) {
        const struct refrain_program_group *group = &program->groups[i];
        fprintf(out, "static const int m%zu[] = {", i);
        for (int32_t k = 0; k < group->n; k++)
            fprintf(out, "%s%d,", k % 20 == 19 ? "\n    " : " ", (int)group->members[k]);
        fputs("};\n", out);
    }
    fputs("static const struct {\n    int n;\n    const int *members;\n} groups[] = {", out);
    for (size_t i = 0; i < program->n_groups; i++)
        fprintf(out, "%s{%d, m%zu},", i % 8 == 7 ? "\n    " : " ", (int)program->groups[i].n, i);
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
static void write_numbers(const struct refrain_program *program, FILE *out) {
    for (size_t i = 0; i < program->n_runs; i++)
        fprintf(out, "%s%d", i == 0 ? "" : i + 1 == program->n_runs ? " and " : ", ", program->runs[i]);
}

static void write_head(const struct refrain_proxy_output *output, enum refrain_proxy_compute compute, FILE *out) {
    const struct refrain_program *program = output->program;
    const char *executable = program->executable;
    fputs(program->n_runs > 1 ? "/* Makes the MPI calls of runs of " : "/* Makes the MPI calls of a run of ", out);
    refrain_proxy_write_text(out, executable[0] ? executable : "an unknown program", 200);
    fputs(" on ", out);
    write_numbers(program, out);
    fprintf(out,
            " ranks, and computes as long as it did\n * between them. Made by refrain proxy %s from its trace%s.\n *\n"
            " *     mpicc -O2 THIS.c -o proxy\n *     mpiexec -n %d ./proxy\n",
            REFRAIN_VERSION, program->n_runs > 1 ? "s" : "", program->runs[0]);
    if (program->n_runs > 1)
        fputs(program->n_tables ? " *\n * It has values for these numbers of ranks alone.\n"
                                : " *\n * On other such numbers of ranks (powers of two if these are) it does what "
                                  "these runs suggest.\n",
              out);
    fputs(program->n_left_out ? " *\n * Calls that are left out:\n" : "", out);
    for (size_t i = 0; i < program->n_left_out; i++)
        fprintf(out, " *     %llu %s\n", (unsigned long long)program->left_out[i].count, program->left_out[i].name);
    fprintf(out, " */\n#define COMPUTE %d /* 0: spins, 1: sleeps, 2: walks through memory */\n", (int)compute);
}

/* Writes what depends on the runs, and the runtime needs. */
static void write_runs(const struct refrain_proxy_output *output, FILE *out) {
    const struct refrain_program *program = output->program;
    bool any = program->n_runs > 1 && program->n_tables == 0;
    fprintf(out, "#define MOST_BYTES %" PRId64 "\n#define RUNS %zu\n#define ANY_RANKS %d\nstatic const int runs[] = {",
            program->most_bytes, program->n_runs, any);
    for (size_t i = 0; i < program->n_runs; i++)
        fprintf(out, " %d,", program->runs[i]);
    fputs("};\n", out);
}

/* Writes the statement that gives a number, of which each rank has one, to the program's variable. */
static void write_size(struct refrain_proxy_output *output, const char *variable, const struct refrain_value *value) {
    fprintf(output->prepare, "    %s = ", variable);
    refrain_proxy_write_value(output, value, variable, output->prepare);
    fputs(";\n", output->prepare);
}

static bool write_functions(struct refrain_proxy_output *output) {
    const struct refrain_program *program = output->program;
    for (size_t i = 0; i < program->n_functions; i++) {
        fputs("static void ", output->tables);
        write_name(program, i, output->tables);
        fputs("(void);\n", output->tables);
    }
    if (program->n_groups)
        write_groups(program, output->tables);
    write_size(output, "n_requests", &program->n_requests);
    write_size(output, "n_comms", &program->n_comms);
    for (size_t i = 0; i < program->n_functions; i++)
        write_function(output, i);
    return !output->no_memory;
}

/* Writes the parts of the program in the order in which C needs them. */
static void join_parts(const struct refrain_proxy_output *output, enum refrain_proxy_compute compute,
                       const char *tables, const char *prepare, const char *functions, FILE *out) {
    write_head(output, compute, out);
    write_runs(output, out);
    fwrite(refrain_proxy_runtime, 1, (size_t)(refrain_proxy_runtime_end - refrain_proxy_runtime), out);
    putc('\n', out);
    fputs(tables, out);
    fprintf(out, "\n/* After MPI_Init, when `rank` and `ranks` are known. */\nstatic void prepare(void) {\n%s}\n",
            prepare);
    fputs(functions, out);
    fputs("\nint main(void) {\n    program_();\n    return 0;\n}\n", out);
}

enum refrain_status refrain_proxy_write(const struct refrain_program *program, enum refrain_proxy_compute compute,
                                        FILE *out, struct refrain_error *error) {
    char *texts[3] = {NULL};
    size_t bytes[3];
    FILE *streams[3];
    bool written = true;
    for (int i = 0; i < 3; i++)
        written &= (streams[i] = open_memstream(&texts[i], &bytes[i])) != NULL;
    struct refrain_proxy_output output = {
        .program = program, .tables = streams[0], .prepare = streams[1], .functions = streams[2]};
    written = written && write_functions(&output);
    for (int i = 0; i < 3; i++)
        written &= streams[i] && fclose(streams[i]) == 0;
    if (written)
        join_parts(&output, compute, texts[0], texts[1], texts[2], out);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
    return written ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
