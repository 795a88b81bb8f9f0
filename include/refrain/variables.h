/* variables.h: the names of all REFRAIN_* variables, to report variables that nothing reads (monitor, wrappers,
 * record).
 *
 * The names are in variables.def; tests/test_record.sh compares them with those that the code reads. */
#ifndef REFRAIN_VARIABLES_H
#define REFRAIN_VARIABLES_H

#include <refrain/suggest.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define REFRAIN_VARIABLE_PREFIX "REFRAIN_"

/* After the prefix. */
static const char *const refrain_variables[] = {
#define REFRAIN_VARIABLE(name, reader, preset, meaning) #name,
#include <refrain/variables.def>
};
#define REFRAIN_VARIABLES (sizeof refrain_variables / sizeof *refrain_variables)

/* Copies the next word of the name, up to "_". Returns the rest of the name, null behind the last word. */
static inline const char *refrain_variable_word(const char *name, char word[REFRAIN_SUGGEST_MOST + 1]) {
    size_t n = strcspn(name, "_");
    snprintf(word, REFRAIN_SUGGEST_MOST + 1, "%.*s", (int)n, name);
    return name[n] ? name + n + 1 : NULL;
}

/* The variable that was probably meant, without the prefix; null none. If no whole name is similar, one of which a word
 * is similar to a word of four letters or more: TOTAL_MEMORY for MEMROY. */
static inline const char *refrain_variable_meant(const char *typed) {
    struct refrain_suggestion suggestion = {.typed = typed};
    for (size_t i = 0; i < REFRAIN_VARIABLES; i++)
        refrain_suggest(&suggestion, refrain_variables[i]);
    for (size_t i = 0; !suggestion.name && i < REFRAIN_VARIABLES; i++) {
        char of_typed[REFRAIN_SUGGEST_MOST + 1], of_name[REFRAIN_SUGGEST_MOST + 1];
        for (const char *a = typed; a;) {
            a = refrain_variable_word(a, of_typed);
            struct refrain_suggestion word = {.typed = of_typed};
            for (const char *b = strlen(of_typed) < 4 ? NULL : refrain_variables[i]; b;) {
                b = refrain_variable_word(b, of_name);
                refrain_suggest(&word, of_name);
            }
            if (word.name)
                suggestion.name = refrain_variables[i];
        }
    }
    return suggestion.name;
}

/* Checks an entry of the environment, "NAME=value". False if its name begins with REFRAIN_ and is no variable;
 * `message` then says so, and which variable was probably meant. */
static inline int refrain_variable_is_known(const char *entry, char *message, size_t bytes) {
    size_t prefix = sizeof REFRAIN_VARIABLE_PREFIX - 1, n = strcspn(entry, "=");
    char name[REFRAIN_SUGGEST_MOST + 1];
    if (strncmp(entry, REFRAIN_VARIABLE_PREFIX, prefix) != 0 || n - prefix >= sizeof name)
        return 1;
    memcpy(name, entry + prefix, n - prefix);
    name[n - prefix] = 0;
    for (size_t i = 0; i < REFRAIN_VARIABLES; i++)
        if (strcmp(name, refrain_variables[i]) == 0)
            return 1;
    const char *meant = refrain_variable_meant(name);
    snprintf(message, bytes, REFRAIN_VARIABLE_PREFIX "%s is set, but nothing reads it%s%s%s", name,
             meant ? "; did you mean " REFRAIN_VARIABLE_PREFIX : "", meant ? meant : "", meant ? "?" : "");
    return 0;
}

#endif
