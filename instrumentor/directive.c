/* directive.c: parses an OpenMP pragma (directive.h). */
#include "directive.h"
#include <ctype.h>
#include <string.h>

struct scanner {
    const char *bytes;
    unsigned at, end;
};

static bool begins_with(const struct scanner *scanner, const char *text) {
    size_t n = strlen(text);
    return scanner->end - scanner->at >= n && memcmp(scanner->bytes + scanner->at, text, n) == 0;
}

/* Skips blanks, continued lines, comments, and the commas between clauses. */
static void skip_space(struct scanner *scanner) {
    while (scanner->at < scanner->end) {
        if (begins_with(scanner, "//")) {
            scanner->at = scanner->end;
        } else if (begins_with(scanner, "/*")) {
            scanner->at += 2;
            while (scanner->at < scanner->end && !begins_with(scanner, "*/"))
                scanner->at++;
            scanner->at = scanner->at + 2 < scanner->end ? scanner->at + 2 : scanner->end;
        } else if (strchr(" \t\r\n\v\f\\,", scanner->bytes[scanner->at])) {
            scanner->at++;
        } else {
            return;
        }
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool next_word(struct scanner *scanner, struct refrain_span *word) {
    skip_space(scanner);
    word->begin = scanner->at;
    while (scanner->at < scanner->end && is_word(scanner->bytes[scanner->at]))
        scanner->at++;
    word->end = scanner->at;
    return word->end > word->begin;
}

static bool is(const char *bytes, struct refrain_span word, const char *text) {
    size_t n = strlen(text);
    return word.end - word.begin == n && memcmp(bytes + word.begin, text, n) == 0;
}

/* Parses parentheses. False if they do not close, or contain a comment, around which nothing can be inserted. */
static bool next_argument(struct scanner *scanner, struct refrain_span *argument) {
    unsigned depth = 0, word_end = scanner->at;
    *argument = (struct refrain_span){0};
    skip_space(scanner);
    if (scanner->at == scanner->end || scanner->bytes[scanner->at] != '(') {
        scanner->at = word_end;
        return true;
    }
    argument->begin = scanner->at + 1;
    for (char quote = 0; scanner->at < scanner->end; scanner->at++) {
        char c = scanner->bytes[scanner->at];
        if (quote) {
            scanner->at += c == '\\';
            quote = c == quote ? 0 : quote;
        } else if (begins_with(scanner, "/*") || begins_with(scanner, "//")) {
            return false;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && --depth == 0) {
            argument->end = scanner->at++;
            return true;
        }
    }
    return false;
}

const struct refrain_clause *refrain_directive_clause(const struct refrain_directive *directive, const char *bytes,
                                                      const char *name) {
    for (unsigned i = 0; i < directive->n_clauses; i++)
        if (is(bytes, directive->clauses[i].word, name))
            return &directive->clauses[i];
    return NULL;
}

static bool is_one_of(const struct refrain_clause *clause, const char *bytes, const char *const *names) {
    for (; *names; names++)
        if (is(bytes, clause->word, *names))
            return true;
    return false;
}

bool refrain_clause_is_of_parallel(const struct refrain_clause *clause, const char *bytes) {
    static const char *const names[] = {"if", "num_threads", "default", "shared", "copyin", "proc_bind", NULL};
    return is_one_of(clause, bytes, names);
}

static enum refrain_directive_kind kind_of(const char *bytes, struct refrain_span name) {
    static const struct {
        const char *name;
        enum refrain_directive_kind kind;
    } kinds[] = {{"parallel", REFRAIN_DIRECTIVE_PARALLEL},
                 {"for", REFRAIN_DIRECTIVE_FOR},
                 {"sections", REFRAIN_DIRECTIVE_SECTIONS},
                 {"section", REFRAIN_DIRECTIVE_SECTION},
                 {"single", REFRAIN_DIRECTIVE_SINGLE},
                 {"master", REFRAIN_DIRECTIVE_MASTER},
                 {"masked", REFRAIN_DIRECTIVE_MASTER},
                 {"critical", REFRAIN_DIRECTIVE_CRITICAL},
                 {"ordered", REFRAIN_DIRECTIVE_ORDERED},
                 {"task", REFRAIN_DIRECTIVE_TASK},
                 {"taskwait", REFRAIN_DIRECTIVE_TASKWAIT},
                 {"barrier", REFRAIN_DIRECTIVE_BARRIER},
                 {"atomic", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"flush", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"simd", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"taskyield", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"threadprivate", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"declare", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"end", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"begin", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"requires", REFRAIN_DIRECTIVE_WITHOUT_WAIT},
                 {"scan", REFRAIN_DIRECTIVE_WITHOUT_WAIT}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is(bytes, name, kinds[i].name))
            return kinds[i].kind;
    return REFRAIN_DIRECTIVE_OTHER;
}

/* Recognises `parallel for` and `parallel sections`. Other combined constructs are not instrumented. */
static void combine(struct refrain_directive *directive, const char *bytes) {
    static const char *const alone[] = {"if",      "num_threads",  "default",   "shared",   "copyin", "proc_bind",
                                        "private", "firstprivate", "reduction", "allocate", NULL};
    static const char *const with_loop[] = {"private",  "firstprivate", "lastprivate", "reduction", "schedule",
                                            "collapse", "ordered",      "linear",      "simd",      "safelen",
                                            "simdlen",  "aligned",      "nontemporal", "order",     NULL};
    const struct refrain_clause *first = directive->n_clauses ? &directive->clauses[0] : NULL;
    directive->second = first && !first->argument.begin ? kind_of(bytes, first->word) : REFRAIN_DIRECTIVE_OTHER;
    bool combined = directive->second == REFRAIN_DIRECTIVE_FOR || directive->second == REFRAIN_DIRECTIVE_SECTIONS;
    if (combined) {
        directive->second_name = first->word;
        memmove(directive->clauses, directive->clauses + 1, --directive->n_clauses * sizeof *directive->clauses);
    } else {
        directive->second = REFRAIN_DIRECTIVE_OTHER;
    }
    for (unsigned i = 0; i < directive->n_clauses && !directive->reason; i++) {
        const struct refrain_clause *clause = &directive->clauses[i];
        bool known = combined ? refrain_clause_is_of_parallel(clause, bytes) || is_one_of(clause, bytes, with_loop)
                              : is_one_of(clause, bytes, alone);
        if (!known)
            directive->reason = combined ? "a clause that cannot be divided between parallel and loop"
                                         : "a combination or clause that is not known";
        else if (combined && is(bytes, clause->word, "if") && refrain_lex_has_word(bytes, clause->argument, "simd"))
            directive->reason = "an if clause of its simd part";
        else if (combined && is(bytes, clause->word, "default") && !is(bytes, clause->argument, "shared"))
            directive->reason = "a default clause other than shared";
    }
}

static void find_reason(struct refrain_directive *directive, const char *bytes) {
    const struct refrain_clause *reduction = refrain_directive_clause(directive, bytes, "reduction");
    if (reduction && (refrain_lex_has_word(bytes, reduction->argument, "task") ||
                      refrain_lex_has_word(bytes, reduction->argument, "inscan")))
        directive->reason = "a reduction by tasks or by scan";
    if (directive->kind == REFRAIN_DIRECTIVE_TASK && refrain_directive_clause(directive, bytes, "untied"))
        directive->reason = "an untied task";
    if (directive->kind == REFRAIN_DIRECTIVE_FOR && refrain_directive_clause(directive, bytes, "allocate"))
        directive->reason = "an allocate clause";
    if (directive->kind == REFRAIN_DIRECTIVE_MASTER && directive->n_clauses &&
        refrain_directive_clause(directive, bytes, "taskloop"))
        directive->reason = "a combination that is not known";
    if (directive->kind == REFRAIN_DIRECTIVE_OTHER)
        directive->reason = "no region is kept for it";
    if (directive->kind == REFRAIN_DIRECTIVE_ORDERED && (refrain_directive_clause(directive, bytes, "depend") ||
                                                         refrain_directive_clause(directive, bytes, "doacross")))
        directive->kind = REFRAIN_DIRECTIVE_WITHOUT_WAIT;
}

/* The '#' at the beginning of the pragma's line; 0 if other text is before it. */
static unsigned hash_before(const char *bytes, unsigned at) {
    while (at > 0 && bytes[at - 1] != '\n')
        at--;
    while (bytes[at] == ' ' || bytes[at] == '\t')
        at++;
    return bytes[at] == '#' ? at : 0;
}

bool refrain_directive_has_word(const char *bytes, struct refrain_span pragma, const char *word) {
    struct scanner scanner = {bytes, pragma.begin, pragma.end};
    struct refrain_span name, argument;
    scanner.at += begins_with(&scanner, "\"") ? 1u : 0u; /* the string of a _Pragma operator */
    while (next_word(&scanner, &name)) {
        if (is(bytes, name, word))
            return true;
        if (!next_argument(&scanner, &argument)) /* The end of the argument is unknown. */
            return refrain_lex_has_word(bytes, (struct refrain_span){name.end, pragma.end}, word);
    }
    return false;
}

bool refrain_directive_read(struct refrain_directive *directive, const char *bytes, struct refrain_span pragma) {
    struct scanner scanner = {bytes, pragma.begin, pragma.end};
    struct refrain_span word;
    *directive = (struct refrain_directive){.end = pragma.end, .hash = hash_before(bytes, pragma.begin)};
    while (directive->end > pragma.begin && bytes[directive->end - 1] == '\r')
        directive->end--;
    if (!next_word(&scanner, &word) || !is(bytes, word, "omp") || !next_word(&scanner, &directive->name))
        return false;
    directive->kind = kind_of(bytes, directive->name);
    bool whole = next_argument(&scanner, &directive->argument);
    while (whole && directive->n_clauses < REFRAIN_MOST_CLAUSES) {
        struct refrain_clause *clause = &directive->clauses[directive->n_clauses];
        if (!next_word(&scanner, &clause->word))
            break;
        whole = next_argument(&scanner, &clause->argument);
        clause->end = scanner.at;
        directive->n_clauses++;
    }
    skip_space(&scanner);
    if (!whole || scanner.at < scanner.end || directive->hash == 0)
        directive->reason = directive->hash == 0 ? "something stands before it in its line" : "it is not understood";
    if (directive->kind == REFRAIN_DIRECTIVE_PARALLEL)
        combine(directive, bytes);
    if (!directive->reason)
        find_reason(directive, bytes);
    return true;
}
