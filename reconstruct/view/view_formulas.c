/* view_formulas.c: makes one entry for each construct, parameter and formula (view_formulas.h). */
#define _GNU_SOURCE
#include "view/view_formulas.h"
#include "analysis/formula_text.h"
#include "commands/command.h"
#include "model/learners.h"
#include "sequence/sequence.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES 20000u
#define MOST_CHARACTERS 600

struct collection {
    const struct refrain_process *process;
    json_t *formulas; /* array of entries */
    json_t *known;    /* object: key of construct, parameter and formula -> its entry in the array */
    size_t left_out;  /* sequences of values that are not shown, since the array is full */
    bool no_memory;
};

static char *text_of(const struct refrain_process *process, const struct refrain_learner_view *view,
                     enum refrain_formula_type *type) {
    bool ranks = view->subject == REFRAIN_SUBJECT_DEST || view->subject == REFRAIN_SUBJECT_SOURCE;
    return refrain_formula_text(process->image, process->image_bytes, view->learner, ranks ? &process->rank : NULL,
                                NULL, NULL, type);
}

/* Cuts a text that is too long, at the beginning of a UTF-8 character. */
static void shorten(char *text) {
    size_t n = strlen(text);
    if (n <= MOST_CHARACTERS)
        return;
    n = MOST_CHARACTERS - 4;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    strcpy(text + n, " ...");
}

static int add(void *data, const struct refrain_learner_view *view) {
    struct collection *collection = data;
    if (!refrain_learner_is_for_readers(view))
        return 0;
    if (json_array_size(collection->formulas) >= MOST_ENTRIES) {
        collection->left_out++;
        return 0;
    }
    const struct refrain_process *process = collection->process;
    enum refrain_formula_type type;
    char *text = text_of(process, view, &type), *key = NULL;
    if (text)
        shorten(text);
    if (!text || asprintf(&key, "%s\t%u\t%s\t%s\t%s\t%d\t%s", view->file, view->line, view->function, view->name,
                          view->label, view->throttled, text) < 0) {
        free(text);
        collection->no_memory = true;
        return 1;
    }
    json_t *same = json_object_get(collection->known, key);
    if (same) {
        json_object_set_new(same, "ranks", json_integer(json_integer_value(json_object_get(same, "ranks")) + 1));
    } else {
        uint64_t kept;
        uint64_t values = refrain_learner_values(process->image, process->image_bytes, view->learner, &kept);
        json_t *entry =
            json_pack("{s:i, s:I, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:o, s:i, s:b}", "rank", (int)process->rank,
                      "thread", (json_int_t)view->thread, "subject", refrain_subject_name(view->subject), "label",
                      refrain_json_text(view->label), "construct", refrain_json_text(view->name), "function",
                      refrain_json_text(view->function), "file", refrain_json_text(view->file), "line",
                      (json_int_t)view->line, "values", (json_int_t)values, "type", refrain_formula_type_name(type),
                      "text", refrain_json_text(text), "ranks", 1, "throttled", view->throttled);
        if (entry) {
            json_array_append_new(collection->formulas, entry);
            json_object_set(collection->known, key, entry);
        }
    }
    free(key);
    free(text);
    return 0;
}

enum refrain_status refrain_view_formulas(const struct refrain_trace *trace, json_t **formulas, size_t *left_out,
                                          struct refrain_error *error) {
    struct collection collection = {.formulas = json_array(), .known = json_object()};
    for (size_t i = 0; i < trace->n_processes && !collection.no_memory; i++) {
        collection.process = &trace->processes[i];
        refrain_learners_visit(collection.process, add, &collection);
    }
    json_decref(collection.known);
    if (collection.no_memory) {
        json_decref(collection.formulas);
        return REFRAIN_FAIL_MEMORY(error);
    }
    *formulas = collection.formulas;
    *left_out = collection.left_out;
    return REFRAIN_OK;
}
