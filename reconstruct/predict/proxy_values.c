/* proxy_values.c: writes the values of a proxy as expressions of C (proxy.h).
 *
 *     each rank has one value          7     (rank + 1) % ranks     rank == 0     v12d[own]
 *     a rank has several               next(&q12d)     (rank + next(&q12d)) % ranks
 *
 * The values that next() returns are runs (proxy_runs.h). When all runs of a rank are used, they begin again. Count,
 * value and step of a run are numbers if all ranks have the same runs, perhaps relative to the rank, or expressions
 * that the program evaluates at its start. Where nothing of this fits, there is a table with the values of each rank
 * (`own`: its number among the ranks of all runs), which says nothing of other numbers of ranks. A rank that never
 * comes to this point may have any values. */
#define _GNU_SOURCE
#include "predict/proxy.h"
#include "predict/proxy_formula.h"
#include "predict/proxy_runs.h"

#include <inttypes.h>

#define LINE 110     /* columns after which a table's line ends */
#define MOST_RUNS 64 /* whose fields are expressions */
#define MOST_TURNS 8 /* values that all ranks have in turns */

struct values {
    struct refrain_proxy_output *output;
    const struct refrain_proxy *proxy;
    const struct refrain_proxy_list *lists, *peers;
    const char *name;
    FILE *out;
};

static int64_t ranks_of(const struct values *values, size_t r) {
    return (int64_t)refrain_proxy_run_of(values->proxy, r)->trace->n_processes;
}

static int64_t rank_of(const struct values *values, size_t r) {
    return (int64_t)(r - refrain_proxy_run_of(values->proxy, r)->first);
}

/* ---- one value a rank ---- */

/* Looks for an expression that has values[r] on each rank that is `present`. Null: there is none. */
static char *formula_of(const struct values *values, const int64_t *all, const bool *present, bool is_condition) {
    const struct refrain_proxy *proxy = values->proxy;
    struct refrain_formula_point *points = malloc(proxy->n_ranks * sizeof *points);
    int64_t *ranks = malloc(proxy->n_runs * sizeof *ranks);
    char *text = NULL;
    size_t n = 0;
    for (size_t k = 0; k < proxy->n_runs && points && ranks; k++) {
        const struct refrain_proxy_run *run = &proxy->runs[k];
        ranks[k] = (int64_t)run->trace->n_processes;
        for (size_t r = 0; r < run->trace->n_processes; r++)
            if (present[run->first + r])
                points[n++] = (struct refrain_formula_point){(int64_t)r, all[run->first + r], k};
    }
    if (points && ranks)
        text = n ? refrain_formula_find(values->output->formulas, points, n, ranks, proxy->n_runs, is_condition)
                 : strdup("0");
    free(points);
    free(ranks);
    return text;
}

/* Writes the entries of a table, with line breaks. */
static void write_number(FILE *tables, size_t *column, int64_t number) {
    *column += (size_t)fprintf(tables, "%s%" PRId64 ",", *column > LINE ? "\n    " : " ", number);
    *column = *column > LINE + 30 ? 4 : *column;
}

static void write_by_rank(const struct values *values) {
    FILE *tables = values->output->tables;
    size_t column = (size_t)fprintf(tables, "static const long long v%s[] = {", values->name);
    for (size_t r = 0; r < values->proxy->n_ranks; r++)
        write_number(tables, &column, values->lists[r].n ? values->lists[r].same : 0);
    fputs("};\n", tables);
    fprintf(values->out, "v%s[own]", values->name);
    values->output->n_tables++;
}

static void write_single(const struct values *values, bool is_condition) {
    size_t n = values->proxy->n_ranks;
    int64_t *all = malloc(n * sizeof *all);
    bool *present = malloc(n * sizeof *present);
    for (size_t r = 0; all && present && r < n; r++) {
        all[r] = values->lists[r].same;
        present[r] = values->lists[r].n > 0;
    }
    char *text = all && present ? formula_of(values, all, present, is_condition) : NULL;
    if (text)
        fputs(text, values->out);
    else
        write_by_rank(values);
    free(text);
    free(all);
    free(present);
}

/* ---- several values a rank: the same on all ranks ---- */

static bool lists_agree(const struct values *values, enum refrain_proxy_relation relation, size_t a, size_t b) {
    const struct refrain_proxy_list *first = &values->lists[a], *second = &values->lists[b];
    int64_t rank_a = rank_of(values, a), ranks_a = ranks_of(values, a);
    int64_t rank_b = rank_of(values, b), ranks_b = ranks_of(values, b);
    if (first->n != second->n)
        return false;
    for (size_t i = 0; i < first->n; i++)
        if (refrain_proxy_related(relation, rank_a, ranks_a, refrain_proxy_at(first, i)) !=
            refrain_proxy_related(relation, rank_b, ranks_b, refrain_proxy_at(second, i)))
            return false;
    return true;
}

static size_t first_rank(const struct values *values) {
    size_t r = 0;
    while (r < values->proxy->n_ranks && !values->lists[r].n)
        r++;
    return r;
}

/* False if the relation has no meaning for some value: only ranks can be rotated. */
static bool applies(const struct values *values, enum refrain_proxy_relation relation) {
    bool applies = true;
    for (size_t r = 0; r < values->proxy->n_ranks && relation == REFRAIN_PROXY_ROTATED && applies; r++)
        for (size_t i = 0; i < values->lists[r].n && applies; i = values->lists[r].all ? i + 1 : values->lists[r].n) {
            int64_t value = refrain_proxy_at(&values->lists[r], i);
            applies = value >= 0 && value < ranks_of(values, r);
        }
    return applies;
}

static bool all_agree(const struct values *values, enum refrain_proxy_relation relation) {
    if (!applies(values, relation))
        return false;
    size_t first = first_rank(values);
    for (size_t r = first + 1; r < values->proxy->n_ranks; r++)
        if (values->lists[r].n && !lists_agree(values, relation, first, r))
            return false;
    return true;
}

/* Writes the runs of a rank, and returns their number; 0 without memory. */
static size_t write_runs(const struct values *values, enum refrain_proxy_relation relation, size_t r) {
    struct refrain_proxy_runs runs;
    FILE *tables = values->output->tables;
    bool found = refrain_proxy_find_runs(&values->lists[r], relation, rank_of(values, r), ranks_of(values, r),
                                         REFRAIN_PROXY_ADDING, &runs);
    size_t column = (size_t)fprintf(tables, "static const struct run r%s_%zu[] = {", values->name, r);
    for (size_t i = 0; i < runs.n && found; i++) {
        if (column > LINE)
            column = (size_t)fprintf(tables, "\n    ");
        column += (size_t)fprintf(tables, "{%" PRId64 ", %" PRId64 ", %" PRId64 "},", runs.all[i].count,
                                  runs.all[i].value, runs.all[i].step);
    }
    fputs("};\n", tables);
    free(runs.all);
    values->output->no_memory |= !found;
    return found ? runs.n : 0;
}

/* Writes a sequence: the runs of each rank, of which equal ones are written once. */
static void write_sequence(const struct values *values, enum refrain_proxy_relation relation, bool shared) {
    size_t n = values->proxy->n_ranks, *like = calloc(n, sizeof *like), *length = calloc(n, sizeof *length);
    FILE *tables = values->output->tables;
    values->output->no_memory |= !like || !length;
    for (size_t r = 0; like && length && r < n; r++) {
        like[r] = shared ? first_rank(values) : r;
        for (size_t before = 0; !shared && before < r && like[r] == r; before++)
            if (like[before] == before && values->lists[r].n && lists_agree(values, relation, before, r))
                like[r] = before;
        if (like[r] == r && values->lists[r].n)
            length[r] = write_runs(values, relation, r);
    }
    fprintf(tables, "static const struct runs o%s[] = {", values->name);
    for (size_t r = 0; like && length && r < n; r++) {
        size_t of = like[r];
        if (length[of])
            fprintf(tables, "%s{r%s_%zu, %zu},", r % 6 == 5 ? "\n    " : " ", values->name, of, length[of]);
        else
            fprintf(tables, " {0, 0},");
        if (shared)
            break;
    }
    fprintf(tables, "};\nstatic struct sequence q%s = {.of = o%s, .by_rank = %d};\n", values->name, values->name,
            !shared);
    free(like);
    free(length);
}

static void write_next(const struct values *values, enum refrain_proxy_relation relation) {
    static const char *const before[] = {"", "rank + ", "(rank + ", "rank ^ "};
    fprintf(values->out, "%snext(&q%s)%s", before[relation], values->name,
            relation == REFRAIN_PROXY_ROTATED ? ") % ranks" : "");
}

/* ---- several values a rank: runs whose fields are expressions ---- */

struct fields {
    const struct values *values;
    size_t turns;                  /* values that all ranks have in turns, each a run of one; 0: other runs */
    struct refrain_proxy_runs *of; /* by rank */
    int64_t *all;                  /* by rank: one field */
    bool *present;
    FILE *prepare;
};

/* What a sequence is made of: how many runs there are, and the members of each. */
enum field { RUNS, COUNT, VALUE, STEP, FIELDS };

/* A lone run of n equal values follows itself, so it may be written as a run of any number of them; or as a run of one
 * value, whose step may be any; or as it is. In this order: so the numbers depend on the other ranks alone. */
enum lone { ANY_COUNT, ANY_STEP, AS_FOUND, LONE_FORMS };

/* Finds what each rank has for a field of the j-th run, and for which ranks it may be anything. */
static void take_field(struct fields *fields, enum field field, size_t j, enum lone form) {
    const struct values *values = fields->values;
    for (size_t r = 0; r < values->proxy->n_ranks; r++) {
        const struct refrain_proxy_runs *runs = &fields->of[r];
        fields->present[r] = values->lists[r].n > 0 && (field == RUNS || j < runs->n);
        if (!fields->present[r])
            continue;
        const struct refrain_proxy_value_run *run = &runs->all[field == RUNS ? 0 : j];
        bool lone = runs->n == 1 && run->step == 0 && !fields->turns;
        switch (field) {
        case RUNS:
            fields->all[r] = (int64_t)runs->n;
            break;
        case COUNT:
            fields->all[r] = lone && form == ANY_STEP ? 1 : run->count;
            fields->present[r] = !lone || form != ANY_COUNT;
            break;
        case VALUE:
            fields->all[r] = run->value;
            fields->present[r] = run->value != REFRAIN_PROXY_FREE;
            break;
        default:
            fields->all[r] = run->step;
            fields->present[r] = run->count > 1 && (!lone || form != ANY_STEP);
        }
    }
}

/* An expression of a field, malloced; null: there is none. */
static char *find_field(struct fields *fields, enum field field, size_t j, enum lone form) {
    take_field(fields, field, j, form);
    char *text = formula_of(fields->values, fields->all, fields->present, false);
    if (text && field == COUNT && strcmp(text, "0") == 0) /* no rank has it */
        text[0] = '1';
    return text;
}

/* Writes the j-th run. False if a field has no expression. */
static bool write_run(struct fields *fields, size_t j) {
    bool written = false;
    for (enum lone form = ANY_COUNT; form < LONE_FORMS && !written; form++) {
        char *texts[FIELDS] = {NULL};
        written = true;
        for (enum field field = COUNT; field < FIELDS && written; field++)
            written = (texts[field] = find_field(fields, field, j, form)) != NULL;
        if (written)
            fprintf(fields->prepare, "    r%s[%zu] = (struct run){%s, %s, %s};\n", fields->values->name, j,
                    texts[COUNT], texts[VALUE], texts[STEP]);
        for (enum field field = COUNT; field < FIELDS; field++)
            free(texts[field]);
    }
    return written;
}

static bool write_fields(struct fields *fields, size_t most) {
    const char *name = fields->values->name;
    bool written = true;
    for (size_t j = 0; j < most && written; j++)
        written = write_run(fields, j);
    char *runs = written ? find_field(fields, RUNS, 0, AS_FOUND) : NULL;
    if (runs)
        fprintf(fields->prepare, "    o%s.n = %s;\n    check(&o%s, %zu);\n", name, runs, name, most);
    free(runs);
    return runs != NULL;
}

/* Finds which values a rank has in turns; REFRAIN_PROXY_FREE: those that may be any, as their peer is none. False if it
 * has others, or without memory. */
static bool find_turns(const struct values *values, enum refrain_proxy_relation relation, size_t r, size_t turns,
                       struct refrain_proxy_runs *runs) {
    const struct refrain_proxy_list *list = &values->lists[r];
    bool has = list->n <= turns || list->n >= 2 * turns;
    for (size_t j = 0; j < turns && j < list->n && has; j++) {
        has = REFRAIN_ARRAY_ROOM(runs->all, runs->n, runs->capacity);
        if (has)
            runs->all[runs->n++] = (struct refrain_proxy_value_run){.count = 1, .value = REFRAIN_PROXY_FREE};
    }
    for (size_t i = 0; i < list->n && has; i++) {
        if (values->peers && refrain_proxy_at(&values->peers[r], i) == REFRAIN_PROXY_NONE)
            continue;
        int64_t *turn = &runs->all[i % turns].value, value = refrain_proxy_at(list, i);
        value = refrain_proxy_related(relation, rank_of(values, r), ranks_of(values, r), value);
        has = *turn == value || *turn == REFRAIN_PROXY_FREE;
        *turn = value;
    }
    return has;
}

/* Finds the runs of all ranks, and returns the largest number; 0 if there are more than MOST_RUNS, or without memory.
 */
static size_t find_all_runs(const struct fields *fields, enum refrain_proxy_relation relation,
                            enum refrain_proxy_style style) {
    const struct values *values = fields->values;
    size_t most = 0;
    bool found = true;
    for (size_t r = 0; r < values->proxy->n_ranks && found; r++) {
        const struct refrain_proxy_list *list = &values->lists[r];
        if (fields->turns)
            found = find_turns(values, relation, r, fields->turns, &fields->of[r]);
        else
            found =
                refrain_proxy_find_runs(list, relation, rank_of(values, r), ranks_of(values, r), style, &fields->of[r]);
        most = fields->of[r].n > most ? fields->of[r].n : most;
        found &= most <= MOST_RUNS;
    }
    return found ? most : 0;
}

/* Writes runs whose fields are expressions, if there are such. `turns`: of values in turns, `style`: of others. */
static bool write_as_fields(const struct values *values, enum refrain_proxy_relation relation, size_t turns,
                            enum refrain_proxy_style style) {
    size_t n = values->proxy->n_ranks, bytes;
    char *text = NULL;
    struct fields fields = {.values = values,
                            .turns = turns,
                            .of = calloc(n, sizeof *fields.of),
                            .all = malloc(n * sizeof *fields.all),
                            .present = malloc(n * sizeof *fields.present),
                            .prepare = open_memstream(&text, &bytes)};
    size_t most = fields.of && fields.all && fields.present ? find_all_runs(&fields, relation, style) : 0;
    bool written = most && fields.prepare && write_fields(&fields, most);
    written &= fields.prepare && fclose(fields.prepare) == 0;
    if (written) {
        const char *name = values->name;
        fprintf(values->output->tables,
                "static struct run r%s[%zu];\nstatic struct runs o%s = {r%s, %zu};\n"
                "static struct sequence q%s = {.of = &o%s};\n",
                name, most, name, name, most, name, name);
        fputs(text, values->output->prepare);
        write_next(values, relation);
    }
    for (size_t r = 0; fields.of && r < n; r++)
        free(fields.of[r].all);
    free(fields.of);
    free(fields.all);
    free(fields.present);
    free(text);
    return written;
}

static void write_several(const struct values *values) {
    for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
        if (all_agree(values, relation)) {
            write_sequence(values, relation, true);
            write_next(values, relation);
            return;
        }
    for (size_t turns = 1; turns <= MOST_TURNS; turns++)
        for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
            if (applies(values, relation) && write_as_fields(values, relation, turns, REFRAIN_PROXY_ADDING))
                return;
    for (enum refrain_proxy_style style = REFRAIN_PROXY_ADDING; style < REFRAIN_PROXY_STYLES; style++)
        for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
            if (applies(values, relation) && write_as_fields(values, relation, 0, style))
                return;
    write_sequence(values, REFRAIN_PROXY_EQUAL, false);
    write_next(values, REFRAIN_PROXY_EQUAL);
    values->output->n_tables++;
}

/* ---- for the other files ---- */

static bool is_constant(const struct refrain_proxy_list *list) {
    return !list->all;
}

bool refrain_proxy_always(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists, int64_t value) {
    for (size_t r = 0; r < proxy->n_ranks; r++)
        if (lists[r].n && (!is_constant(&lists[r]) || lists[r].same != value))
            return false;
    return true;
}

static bool write(struct refrain_proxy_output *output, const struct refrain_proxy_list *lists, bool is_condition,
                  const struct refrain_proxy_list *peers, const char *name, FILE *out) {
    const struct refrain_proxy *proxy = output->proxy;
    struct values values = {.output = output, .proxy = proxy, .lists = lists, .peers = peers, .name = name, .out = out};
    bool single = true;
    for (size_t r = 0; r < proxy->n_ranks; r++)
        single &= is_constant(&lists[r]);
    if (single)
        write_single(&values, is_condition);
    else
        write_several(&values);
    return !single;
}

bool refrain_proxy_write_value(struct refrain_proxy_output *output, const struct refrain_proxy_list *lists,
                               const struct refrain_proxy_list *peers, const char *name, FILE *out) {
    return write(output, lists, false, peers, name, out);
}

void refrain_proxy_write_condition(struct refrain_proxy_output *output, const struct refrain_proxy_list *lists,
                                   const char *name, FILE *out) {
    write(output, lists, true, NULL, name, out);
}
