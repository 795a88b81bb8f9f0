/* program_values.c: finds the expressions of a value (program.h).
 *
 *     each rank has one value          7     (rank + 1) % ranks     rank == 0
 *     a rank has several               runs of values (proxy_runs.h)
 *
 * When all runs of a rank are used, they begin again. Count, value and step of a run are numbers if all ranks have the
 * same runs, perhaps relative to the rank, or expressions. Where nothing of this fits, there is a table with the values
 * of each rank. A rank that never comes to this point may have any values. */
#define _GNU_SOURCE
#include "predict/program_values.h"

#define MOST_RUNS 64 /* whose fields are expressions */
#define MOST_TURNS 8 /* values that all ranks have in turns */

struct values {
    struct refrain_proxy *proxy;
    const struct refrain_proxy_list *lists, *peers;
    struct refrain_value *value; /* that is found */
    bool no_memory;
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
        text = n ? refrain_formula_find(&values->proxy->formulas, points, n, ranks, proxy->n_runs, is_condition)
                 : strdup("0");
    free(points);
    free(ranks);
    return text;
}

static void set_by_rank(struct values *values) {
    size_t n = values->proxy->n_ranks;
    int64_t *numbers = values->value->numbers = calloc(n, sizeof *numbers);
    values->no_memory |= !numbers;
    for (size_t r = 0; r < n && numbers; r++)
        numbers[r] = values->lists[r].n ? values->lists[r].same : 0;
    values->value->kind = REFRAIN_VALUE_RANKS;
    values->value->n = n;
}

static void find_single(struct values *values, bool is_condition) {
    size_t n = values->proxy->n_ranks;
    int64_t *all = malloc(n * sizeof *all);
    bool *present = malloc(n * sizeof *present);
    values->no_memory |= !all || !present;
    for (size_t r = 0; all && present && r < n; r++) {
        all[r] = values->lists[r].same;
        present[r] = values->lists[r].n > 0;
    }
    values->value->text = all && present ? formula_of(values, all, present, is_condition) : NULL;
    if (values->value->text)
        values->value->kind = REFRAIN_VALUE_ONE;
    else
        set_by_rank(values);
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

/* Takes the runs of a rank. */
static void take_runs(struct values *values, enum refrain_proxy_relation relation, size_t r,
                      struct refrain_proxy_runs *runs) {
    values->no_memory |= !refrain_proxy_find_runs(&values->lists[r], relation, rank_of(values, r), ranks_of(values, r),
                                                  REFRAIN_PROXY_ADDING, runs);
}

/* Takes the runs of all ranks, which agree. */
static void take_common_runs(struct values *values, enum refrain_proxy_relation relation) {
    struct refrain_value *value = values->value;
    value->kind = REFRAIN_VALUE_RUNS;
    value->relation = relation;
    value->runs = calloc(1, sizeof *value->runs);
    value->n = 1;
    if (value->runs)
        take_runs(values, relation, first_rank(values), value->runs);
    values->no_memory |= !value->runs;
}

/* Takes the runs of each rank, of which equal ones are kept once. */
static void take_runs_by_rank(struct values *values) {
    struct refrain_value *value = values->value;
    size_t n = values->proxy->n_ranks;
    value->kind = REFRAIN_VALUE_RANK_RUNS;
    value->relation = REFRAIN_PROXY_EQUAL;
    value->runs = calloc(n, sizeof *value->runs);
    value->like = calloc(n, sizeof *value->like);
    value->n = n;
    values->no_memory |= !value->runs || !value->like;
    for (size_t r = 0; !values->no_memory && r < n; r++) {
        value->like[r] = r;
        for (size_t before = 0; before < r && value->like[r] == r; before++)
            if (value->like[before] == before && values->lists[r].n &&
                lists_agree(values, REFRAIN_PROXY_EQUAL, before, r))
                value->like[r] = before;
        if (value->like[r] == r && values->lists[r].n)
            take_runs(values, REFRAIN_PROXY_EQUAL, r, &value->runs[r]);
    }
}

/* ---- several values a rank: runs whose fields are expressions ---- */

struct fields {
    struct values *values;
    size_t turns;                  /* values that all ranks have in turns, each a run of one; 0: other runs */
    struct refrain_proxy_runs *of; /* by rank */
    int64_t *all;                  /* by rank: one field */
    bool *present;
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
        bool short_list = fields->turns && values->lists[r].n < fields->turns; /* it may have further turns */
        fields->present[r] = values->lists[r].n > 0 && (field == RUNS ? !short_list : j < runs->n);
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

/* Finds the expressions of the j-th run. False if a field has none. */
static bool find_run(struct fields *fields, size_t j, struct refrain_value_fields *run) {
    for (enum lone form = ANY_COUNT; form < LONE_FORMS; form++) {
        *run = (struct refrain_value_fields){.count = find_field(fields, COUNT, j, form)};
        run->value = run->count ? find_field(fields, VALUE, j, form) : NULL;
        run->step = run->value ? find_field(fields, STEP, j, form) : NULL;
        if (run->step)
            return true;
        free(run->count);
        free(run->value);
        *run = (struct refrain_value_fields){0};
    }
    return false;
}

static bool find_fields(struct fields *fields, size_t most) {
    struct refrain_value *value = fields->values->value;
    value->kind = REFRAIN_VALUE_FIELDS;
    value->fields = calloc(most, sizeof *value->fields);
    value->n = most;
    bool found = value->fields != NULL;
    fields->values->no_memory |= !found;
    for (size_t j = 0; j < most && found; j++)
        found = find_run(fields, j, &value->fields[j]);
    value->text = found ? find_field(fields, RUNS, 0, AS_FOUND) : NULL;
    if (value->text && strcmp(value->text, "0") == 0) { /* no rank says how many */
        free(value->text);
        if (asprintf(&value->text, "%zu", most) < 0)
            value->text = NULL;
    }
    return value->text != NULL;
}

/* Finds which values a rank has in turns; REFRAIN_PROXY_FREE: those that may be any, as their peer is none. False if it
 * has others, or without memory. */
static bool find_turns(const struct values *values, enum refrain_proxy_relation relation, size_t r, size_t turns,
                       struct refrain_proxy_runs *runs) {
    const struct refrain_proxy_list *list = &values->lists[r];
    bool has = list->n <= turns || 2 * list->n >= 3 * turns; /* of as many as half of them, two values */
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

/* Finds runs whose fields are expressions. False if there are none. `turns`: of values in turns, `style`: of others. */
static bool take_fields(struct values *values, enum refrain_proxy_relation relation, size_t turns,
                        enum refrain_proxy_style style) {
    size_t n = values->proxy->n_ranks;
    struct fields fields = {.values = values,
                            .turns = turns,
                            .of = calloc(n, sizeof *fields.of),
                            .all = malloc(n * sizeof *fields.all),
                            .present = malloc(n * sizeof *fields.present)};
    size_t most = fields.of && fields.all && fields.present ? find_all_runs(&fields, relation, style) : 0;
    bool found = most && find_fields(&fields, most);
    if (!found)
        refrain_value_free(values->value);
    values->value->relation = relation;
    for (size_t r = 0; fields.of && r < n; r++)
        free(fields.of[r].all);
    free(fields.of);
    free(fields.all);
    free(fields.present);
    return found;
}

static void find_several(struct values *values) {
    for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
        if (all_agree(values, relation)) {
            take_common_runs(values, relation);
            return;
        }
    for (size_t turns = 1; turns <= MOST_TURNS; turns++)
        for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
            if (applies(values, relation) && take_fields(values, relation, turns, REFRAIN_PROXY_ADDING))
                return;
    for (enum refrain_proxy_style style = REFRAIN_PROXY_ADDING; style < REFRAIN_PROXY_STYLES; style++)
        for (enum refrain_proxy_relation relation = 0; relation < REFRAIN_PROXY_RELATIONS; relation++)
            if (applies(values, relation) && take_fields(values, relation, 0, style))
                return;
    take_runs_by_rank(values);
}

/* ---- for the other files ---- */

static bool is_constant(const struct refrain_proxy_list *list) {
    return !list->all;
}

/* True if all ranks that have values have only this one. */
static bool always(const struct values *values, int64_t number) {
    for (size_t r = 0; r < values->proxy->n_ranks; r++)
        if (values->lists[r].n && (!is_constant(&values->lists[r]) || values->lists[r].same != number))
            return false;
    return true;
}

static bool has_negative(const struct values *values) {
    bool negative = false;
    for (size_t r = 0; r < values->proxy->n_ranks; r++) {
        const struct refrain_proxy_list *list = &values->lists[r];
        for (size_t i = 0; i < list->n && !negative; i = list->all ? i + 1 : list->n)
            negative = refrain_proxy_at(list, i) < 0;
    }
    return negative;
}

bool refrain_value_find(struct refrain_proxy *proxy, const struct refrain_proxy_list *lists,
                        const struct refrain_proxy_list *peers, bool is_condition, struct refrain_value *value) {
    struct values values = {.proxy = proxy, .lists = lists, .peers = peers, .value = value};
    bool single = true;
    *value = (struct refrain_value){.negative = has_negative(&values)};
    if (is_condition && always(&values, 1))
        return refrain_value_set(value, 1);
    for (size_t r = 0; r < proxy->n_ranks; r++)
        single &= is_constant(&lists[r]);
    if (single)
        find_single(&values, is_condition);
    else
        find_several(&values);
    return !values.no_memory;
}

/* ---- values that begin anew, or change, with the loop around them ---- */

/* The values of one activation of a loop: n of the list, from the first on. */
struct group {
    size_t first, n;
};

/* True if the shorter group is the begin of the longer one. */
static bool begins_alike(const struct refrain_proxy_list *list, struct group a, struct group b) {
    bool alike = true;
    for (size_t i = 0; i < a.n && i < b.n && alike; i++)
        alike = refrain_proxy_at(list, a.first + i) == refrain_proxy_at(list, b.first + i);
    return alike;
}

/* How many values an item has in so many iterations, of which the first one is the i-th. `each`: one in each iteration.
 */
static size_t values_in(const struct refrain_proxy_list *times, size_t i, int64_t iterations, bool each) {
    size_t n = 0;
    for (int64_t k = 0; k < iterations && !each; k++)
        n += i + (size_t)k < times->n && refrain_proxy_at(times, i + (size_t)k);
    return each ? (size_t)iterations : n;
}

/* Appends the value that all of a group are. False if they differ, or without memory. */
static bool append_held(const struct refrain_proxy_list *list, struct group group, struct refrain_proxy_list *held) {
    bool alike = true;
    for (size_t i = 1; i < group.n && alike; i++)
        alike = refrain_proxy_at(list, group.first + i) == refrain_proxy_at(list, group.first);
    return alike && refrain_proxy_append(held, group.n ? refrain_proxy_at(list, group.first) : REFRAIN_PROXY_FREE);
}

/* Appends the values of the longest group of a rank to *own, or one value of each group. False if the groups do not
 * begin alike, or differ in themselves, or without memory. */
static bool find_groups(const struct refrain_proxy *proxy, size_t item, size_t r, const struct refrain_proxy_list *list,
                        bool each, enum refrain_value_pace pace, struct refrain_proxy_list *own) {
    const struct refrain_proxy_list *times = &proxy->items[item].times[r];
    const struct refrain_proxy_list *loop = &proxy->items[proxy->items[item].parent].times[r];
    struct group best = {0}, group = {0};
    size_t iteration = 0;
    bool alike = true;
    for (size_t a = 0; a < loop->n && alike; a++) {
        int64_t iterations = refrain_proxy_at(loop, a);
        group = (struct group){group.first + group.n, values_in(times, iteration, iterations, each)};
        iteration += (size_t)iterations;
        alike = group.first + group.n <= list->n &&
                (pace == REFRAIN_VALUE_HOLDS ? append_held(list, group, own) : begins_alike(list, best, group));
        best = group.n > best.n ? group : best;
    }
    alike &= group.first + group.n == list->n;
    for (size_t i = 0; i < best.n && alike && pace == REFRAIN_VALUE_RESTARTS; i++)
        alike = refrain_proxy_append(own, refrain_proxy_at(list, best.first + i));
    refrain_proxy_settle(own);
    return alike;
}

static bool find_with_pace(struct refrain_proxy *proxy, size_t item, const struct refrain_proxy_list *lists,
                           bool is_condition, enum refrain_value_pace pace, struct refrain_value *value) {
    size_t parent = proxy->items[item].parent;
    bool in_loop = parent != SIZE_MAX && proxy->items[parent].parent != SIZE_MAX && !proxy->items[parent].chooses &&
                   lists != proxy->items[item].chosen;
    struct refrain_proxy_list *own = in_loop ? calloc(proxy->n_ranks, sizeof *own) : NULL;
    struct refrain_value found = {.kind = REFRAIN_VALUE_NONE};
    bool memory = !in_loop || own, alike = own != NULL;
    for (size_t r = 0; r < proxy->n_ranks && alike; r++)
        alike = find_groups(proxy, item, r, &lists[r], lists == proxy->items[item].times, pace, &own[r]);
    if (alike)
        memory = refrain_value_find(proxy, own, NULL, is_condition, &found);
    if (alike && memory && !refrain_value_is_table(&found)) {
        refrain_value_free(value);
        *value = found;
        value->pace = pace;
    } else {
        refrain_value_free(&found);
    }
    for (size_t r = 0; own && r < proxy->n_ranks; r++)
        free(own[r].all);
    free(own);
    return memory;
}

bool refrain_value_find_pace(struct refrain_proxy *proxy, size_t item, const struct refrain_proxy_list *lists,
                             bool is_condition, struct refrain_value *value) {
    bool found = true;
    for (enum refrain_value_pace pace = REFRAIN_VALUE_RESTARTS; pace < REFRAIN_VALUE_PACES && found; pace++)
        if (refrain_value_is_table(value))
            found = find_with_pace(proxy, item, lists, is_condition, pace, value);
    return found;
}
