/* left_out.c: applies the rules for what is not recorded (left_out.h). */
#define _GNU_SOURCE
#include "left_out.h"
#include "run/configure.h"
#include "run/function_name.h"

#include <fnmatch.h>
#include <refrain/called.h>
#include <string.h>

#define NAME_BYTES 1024u

enum subject { CALLS, FUNCTIONS, FILES };

_Static_assert(REFRAIN_CALL_NAMES <= REFRAIN_LEFT_OUT_WORDS * 64, "a bit for each MPI function");

uint64_t refrain_left_out_calls[REFRAIN_LEFT_OUT_WORDS];
static bool has[FILES + 1]; /* there are rules of this kind */

/* Reads the next rule from *at on. False behind the last one. */
static bool next_rule(const char **at, enum subject *subject, bool *leaves_out, char *pattern) {
    for (;;) {
        const char *word = *at + strspn(*at, " \t\n");
        size_t n = strcspn(word, " \t\n");
        if (n == 0)
            return false;
        *at = word + n;
        bool is_file = n > 1 && word[1] == '/';
        size_t skipped = is_file ? 2 : 1;
        if ((*word != '-' && *word != '+') || n == skipped || n >= NAME_BYTES)
            continue; /* a message was printed when the rules were opened */
        *leaves_out = *word == '-';
        memcpy(pattern, word + skipped, n - skipped);
        pattern[n - skipped] = 0;
        *subject = is_file ? FILES : strncmp(pattern, "MPI_", 4) == 0 ? CALLS : FUNCTIONS;
        return true;
    }
}

static bool leaves_out(enum subject wanted, const char *name) {
    const char *at = refrain_configuration.filter;
    char pattern[NAME_BYTES];
    enum subject subject;
    bool rule, result = false;
    while (next_rule(&at, &subject, &rule, pattern))
        if (subject == wanted && fnmatch(pattern, name, 0) == 0)
            result = rule;
    return result;
}

void refrain_left_out_open(void) {
    const char *at = refrain_configuration.filter;
    char pattern[NAME_BYTES];
    enum subject subject;
    bool rule;
    while (next_rule(&at, &subject, &rule, pattern))
        has[subject] = true;
    for (unsigned i = 0; has[CALLS] && i < REFRAIN_CALL_NAMES; i++)
        if (leaves_out(CALLS, refrain_call_names[i].name))
            refrain_left_out_calls[i / 64] |= (uint64_t)1 << i % 64;
}

bool refrain_leaves_out_some_calls(void) {
    return has[CALLS];
}

bool refrain_leaves_out_file(const char *path) {
    return has[FILES] && *path && leaves_out(FILES, path);
}

bool refrain_leaves_out_function(const struct refrain_caller_code *code) {
    char name[NAME_BYTES];
    if (!has[FUNCTIONS] || !code->function ||
        !refrain_function_name(*code->object.path ? code->object.path : "/proc/self/exe",
                               code->function - code->object.load_address, name, sizeof name))
        return false;
    size_t n = strlen(name);
    if (leaves_out(FUNCTIONS, name))
        return true;
    if (n < 2 || name[n - 1] != '_')
        return false;
    name[n - 1] = 0;
    return leaves_out(FUNCTIONS, name);
}
