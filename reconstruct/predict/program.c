/* program.c: see program.h. */
#define _GNU_SOURCE
#include "predict/program.h"
#include "predict/proxy_terms.inc"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

bool refrain_value_constant(const struct refrain_value *value, int64_t *number) {
    char *end;
    if (value->kind != REFRAIN_VALUE_ONE)
        return false;
    *number = strtoll(value->text, &end, 10);
    return end != value->text && *end == '\0';
}

bool refrain_value_set(struct refrain_value *value, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    *value = (struct refrain_value){.kind = REFRAIN_VALUE_ONE, .negative = number < 0, .text = strdup(text)};
    return value->text != NULL;
}

void refrain_value_free(struct refrain_value *value) {
    for (size_t i = 0; value->fields && i < value->n; i++) {
        free(value->fields[i].count);
        free(value->fields[i].value);
        free(value->fields[i].step);
    }
    for (size_t i = 0; value->runs && i < value->n; i++)
        free(value->runs[i].all);
    free(value->fields);
    free(value->runs);
    free(value->numbers);
    free(value->like);
    free(value->text);
    *value = (struct refrain_value){.negative = value->negative};
}

/* ---- programs ---- */

static void free_regions(struct refrain_program *program) {
    for (size_t i = 0; i < program->n_regions; i++) {
        free((char *)program->regions[i]->name);
        free((char *)program->regions[i]->file);
        free((char *)program->regions[i]->function);
        free(program->regions[i]);
    }
    free(program->regions);
}

void refrain_program_free(struct refrain_program *program) {
    for (size_t i = 0; i < program->n_items; i++) {
        struct refrain_program_item *item = &program->items[i];
        free(item->text);
        free(item->children);
        free(item->seconds);
        refrain_value_free(&item->times);
        refrain_value_free(&item->chosen);
        for (size_t k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++)
            refrain_value_free(&item->arguments[k]);
    }
    for (size_t i = 0; i < program->n_functions; i++)
        free(program->functions[i].seconds);
    for (size_t i = 0; i < program->n_left_out; i++)
        free(program->left_out[i].name);
    for (size_t i = 0; i < program->n_groups; i++)
        free(program->groups[i].members);
    free_regions(program);
    refrain_value_free(&program->n_requests);
    refrain_value_free(&program->n_comms);
    free(program->items);
    free(program->functions);
    free(program->left_out);
    free(program->groups);
    free(program->runs);
    free(program->executable);
    *program = (struct refrain_program){0};
}

size_t refrain_program_run_with(const struct refrain_program *program, int64_t ranks) {
    size_t i = 0;
    while (i < program->n_runs && program->runs[i] != ranks)
        i++;
    return i;
}

bool refrain_program_foresees(const struct refrain_program *program, int64_t ranks) {
    if (refrain_program_run_with(program, ranks) < program->n_runs)
        return true;
    return program->n_runs > 1 && program->n_tables == 0 && is_alike(program->runs, (int)program->n_runs, ranks);
}
