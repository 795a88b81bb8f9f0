/* proxy_value_write.c: writes values as C (proxy_write.h).
 *
 *     ONE        7     (rank + 1) % ranks     rank == 0
 *     RUNS       next(&q12d)     (rank + next(&q12d)) % ranks
 *     RANKS      v12d[own]              `own` is the rank's number among the ranks of all runs
 *
 * next() returns the values of runs in order. The fields of runs that are expressions are evaluated at the program's
 * start. */
#include "predict/proxy_write.h"

#include <inttypes.h>

#define LINE 110 /* columns after which a table's line ends */

static void write_numbers(const struct refrain_value *value, const char *name, FILE *tables) {
    size_t column = (size_t)fprintf(tables, "static const long long v%s[] = {", name);
    for (size_t r = 0; r < value->n; r++) {
        column += (size_t)fprintf(tables, "%s%" PRId64 ",", column > LINE ? "\n    " : " ", value->numbers[r]);
        column = column > LINE + 30 ? 4 : column;
    }
    fputs("};\n", tables);
}

static void write_runs(const struct refrain_proxy_runs *runs, const char *name, size_t rank, FILE *tables) {
    size_t column = (size_t)fprintf(tables, "static const struct run r%s_%zu[] = {", name, rank);
    for (size_t i = 0; i < runs->n; i++) {
        if (column > LINE)
            column = (size_t)fprintf(tables, "\n    ");
        column += (size_t)fprintf(tables, "{%" PRId64 ", %" PRId64 ", %" PRId64 "},", runs->all[i].count,
                                  runs->all[i].value, runs->all[i].step);
    }
    fputs("};\n", tables);
}

/* Writes the runs of all ranks, or of each rank. */
static void write_sequence(const struct refrain_value *value, const char *name, FILE *tables) {
    bool by_rank = value->kind == REFRAIN_VALUE_RANK_RUNS;
    for (size_t r = 0; r < value->n; r++)
        if (value->runs[r].n)
            write_runs(&value->runs[r], name, r, tables);
    fprintf(tables, "static const struct runs o%s[] = {", name);
    for (size_t r = 0; r < value->n; r++) {
        size_t of = by_rank ? value->like[r] : r;
        if (value->runs[of].n)
            fprintf(tables, "%s{r%s_%zu, %zu},", r % 6 == 5 ? "\n    " : " ", name, of, value->runs[of].n);
        else
            fputs(" {0, 0},", tables);
    }
    fprintf(tables, "};\nstatic struct sequence q%s = {.of = o%s, .by_rank = %d};\n", name, name, by_rank);
}

static void write_fields(struct refrain_proxy_output *output, const struct refrain_value *value, const char *name) {
    fprintf(output->tables,
            "static struct run r%s[%zu];\nstatic struct runs o%s = {r%s, %zu};\n"
            "static struct sequence q%s = {.of = &o%s};\n",
            name, value->n, name, name, value->n, name, name);
    for (size_t j = 0; j < value->n; j++)
        fprintf(output->prepare, "    r%s[%zu] = (struct run){%s, %s, %s};\n", name, j, value->fields[j].count,
                value->fields[j].value, value->fields[j].step);
    fprintf(output->prepare, "    o%s.n = %s;\n    check(&o%s, %zu);\n", name, value->text, name, value->n);
}

static void write_next(const struct refrain_value *value, const char *name, FILE *out) {
    static const char *const before[] = {"", "rank + ", "(rank + ", "rank ^ "};
    fprintf(out, "%snext(&q%s)%s", before[value->relation], name,
            value->relation == REFRAIN_PROXY_ROTATED ? ") % ranks" : "");
}

/* True if the text is one word, or in parentheses as a whole. */
static bool is_whole(const char *text) {
    size_t i = 0;
    for (int depth = 0; text[i]; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0 && text[i] == ' ')
            return false;
        if (depth == 0 && text[i] == ')' && text[i + 1])
            return false;
    }
    return true;
}

void refrain_proxy_write_value(struct refrain_proxy_output *output, const struct refrain_value *value, const char *name,
                               FILE *out) {
    int64_t number;
    bool whole = value->kind == REFRAIN_VALUE_ONE && is_whole(value->text);
    switch (value->kind) {
    case REFRAIN_VALUE_ONE: /* an expression of a model may have no parentheses around it */
        fprintf(out, whole || refrain_value_constant(value, &number) ? "%s" : "(%s)", value->text);
        return;
    case REFRAIN_VALUE_RANKS:
        write_numbers(value, name, output->tables);
        fprintf(out, "v%s[own]", name);
        return;
    case REFRAIN_VALUE_FIELDS:
        write_fields(output, value, name);
        break;
    default:
        write_sequence(value, name, output->tables);
    }
    if (value->pace == REFRAIN_VALUE_HOLDS) {
        fprintf(output->tables, "static long long h%s;\n", name);
        fprintf(out, "h%s", name);
    } else {
        write_next(value, name, out);
    }
}

void refrain_proxy_begin_value(struct refrain_proxy_output *output, const struct refrain_value *value, const char *name,
                               int indent) {
    if (value->kind == REFRAIN_VALUE_NONE || value->kind == REFRAIN_VALUE_ONE || value->kind == REFRAIN_VALUE_RANKS)
        return;
    if (value->pace == REFRAIN_VALUE_RESTARTS)
        fprintf(output->functions, "%*sq%s.at = q%s.used = 0;\n", indent, "", name, name);
    if (value->pace != REFRAIN_VALUE_HOLDS)
        return;
    fprintf(output->functions, "%*sh%s = ", indent, "", name);
    write_next(value, name, output->functions);
    fputs(";\n", output->functions);
}
