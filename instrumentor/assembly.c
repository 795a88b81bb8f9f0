/* assembly.c: reads assembler text (assembly.h). */
#include "assembly.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Numbers above these are none of a compiler. */
#define MOST_LABELS ((size_t)1 << 24)
#define MOST_FILES 65536u

void refrain_assembly_open(struct refrain_assembly *assembly, const char *text) {
    assembly->next = text;
}

void refrain_assembly_close(struct refrain_assembly *assembly) {
    free(assembly->labels);
    assembly->labels = NULL;
}

/* Characters of a symbol. A suffix such as @PLT is none. */
static size_t symbol_length(const char *at) {
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.' || at[n] == '$')
        n++;
    return n;
}

static void take_symbol(char *to, const char *at) {
    size_t n = symbol_length(at);
    n = n < REFRAIN_SYMBOL_BYTES - 1 ? n : REFRAIN_SYMBOL_BYTES - 1;
    memcpy(to, at, n);
    to[n] = '\0';
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* The text after `word` and blanks if the line begins with it, else null. */
static const char *after(const char *at, const char *word) {
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && (at[n] == ' ' || at[n] == '\t') ? skip_blanks(at + n) : NULL;
}

/* True if the line has the text at `at` or after it. */
static bool line_has(const struct refrain_assembly *assembly, const char *at, const char *text) {
    return memmem(at, assembly->length - (size_t)(at - assembly->text), text, strlen(text)) != NULL;
}

/* ---- labels ---- */

/* .L12 is the target of a jump; .LFB0, .LVL3 and others are not. */
static bool is_target(const char *at) {
    return at[0] == '.' && at[1] == 'L' && isdigit((unsigned char)at[2]);
}

static unsigned *label_of(struct refrain_assembly *assembly, const char *at) {
    size_t number = strtoul(at + 2, NULL, 10), before = assembly->n_labels;
    if (number >= MOST_LABELS)
        return NULL;
    if (number >= before) {
        assembly->labels =
            refrain_memory_grow(assembly->labels, &assembly->n_labels, number + 1, sizeof *assembly->labels);
        memset(assembly->labels + before, 0, (assembly->n_labels - before) * sizeof *assembly->labels);
    }
    return &assembly->labels[number];
}

static void read_label(struct refrain_assembly *assembly) {
    const char *text = assembly->text;
    size_t n = symbol_length(text);
    if (is_target(text)) {
        unsigned *label = label_of(assembly, text);
        if (label && *assembly->function)
            *label = assembly->n_functions;
        assembly->first = assembly->waits;
    } else if (n == strlen(assembly->pending) && strncmp(text, assembly->pending, n) == 0) {
        assembly->cold = strstr(assembly->pending, ".cold") != NULL;
        if (!assembly->cold) {
            assembly->kind = REFRAIN_ASSEMBLY_BEGIN;
            assembly->alone = assembly->own_section;
            assembly->n_functions++;
            assembly->waits = true;
            strcpy(assembly->function, assembly->pending);
            strcpy(assembly->name, assembly->pending);
        }
        assembly->pending[0] = '\0';
    }
}

/* ---- directives ---- */

/* Copies the next string of the line. Returns the text after it, null if there is none. */
static const char *read_string(const struct refrain_assembly *assembly, const char *at, char *to) {
    const char *end = assembly->text + assembly->length, *begin = memchr(at, '"', (size_t)(end - at));
    const char *close = begin ? memchr(begin + 1, '"', (size_t)(end - begin - 1)) : NULL;
    if (!close || close - begin > REFRAIN_SYMBOL_BYTES)
        return NULL;
    memcpy(to, begin + 1, (size_t)(close - begin - 1));
    to[close - begin - 1] = '\0';
    return close + 1;
}

/* .file "name", .file 1 "name" or .file 1 "directory" "name" */
static void read_file(struct refrain_assembly *assembly, const char *at) {
    unsigned long number = strtoul(at, NULL, 10);
    const char *rest = number < MOST_FILES ? read_string(assembly, at, assembly->name) : NULL;
    if (!rest)
        return;
    assembly->kind = REFRAIN_ASSEMBLY_FILE;
    assembly->number = (unsigned)number;
    assembly->alias[0] = '\0';
    if (memchr(rest, '"', (size_t)(assembly->text + assembly->length - rest))) {
        strcpy(assembly->alias, assembly->name);
        if (!read_string(assembly, rest, assembly->name))
            assembly->kind = REFRAIN_ASSEMBLY_OTHER;
    }
}

/* .text.f is of one function, .text.unlikely is not. A section of a group ("axG") is dropped with the group. */
static void read_section(struct refrain_assembly *assembly, const char *name) {
    static const char *const shared[] = {".text.unlikely", ".text.startup", ".text.hot", ".text.exit"};
    size_t n = symbol_length(name);
    bool own = strncmp(name, ".text.", 6) == 0 && !line_has(assembly, name, "G\"") && !line_has(assembly, name, "G?");
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        own &= n != strlen(shared[i]) || strncmp(name, shared[i], n) != 0;
    assembly->own_section = own;
}

static void read_directive(struct refrain_assembly *assembly, const char *at) {
    const char *value;
    if ((value = after(at, ".type"))) {
        if (line_has(assembly, value, "@function"))
            take_symbol(assembly->pending, value);
    } else if ((value = after(at, ".size"))) {
        size_t n = symbol_length(value);
        if (*assembly->function && n == strlen(assembly->function) && strncmp(value, assembly->function, n) == 0) {
            assembly->kind = REFRAIN_ASSEMBLY_END;
            assembly->function[0] = '\0';
            assembly->waits = false;
        }
    } else if ((value = after(at, ".loc"))) {
        char *end;
        assembly->kind = REFRAIN_ASSEMBLY_LINE;
        assembly->number = (unsigned)strtoul(value, &end, 10);
        assembly->line = (unsigned)strtoul(end, NULL, 10);
    } else if ((value = after(at, ".file"))) {
        read_file(assembly, value);
    } else if ((value = after(at, ".section"))) {
        read_section(assembly, value);
    } else if (strncmp(at, ".text", 5) == 0) {
        assembly->own_section = false;
    } else if ((value = after(at, ".quad")) && (isalpha((unsigned char)*value) || *value == '_')) {
        assembly->kind = REFRAIN_ASSEMBLY_DATA;
        take_symbol(assembly->name, value);
    } else if ((value = after(at, ".set"))) {
        assembly->kind = REFRAIN_ASSEMBLY_ALIAS;
        take_symbol(assembly->alias, value);
        take_symbol(assembly->name, value + strlen(assembly->alias) + (value[strlen(assembly->alias)] == ','));
    } else if (after(at, ".p2align")) {
        assembly->first = assembly->waits;
    }
}

/* ---- instructions ---- */

static void read_jump(struct refrain_assembly *assembly, const char *operand) {
    if (is_target(operand)) {
        const unsigned *label = label_of(assembly, operand);
        if (label && *label == assembly->n_functions && !assembly->cold)
            assembly->kind = REFRAIN_ASSEMBLY_BACK;
    } else if ((isalpha((unsigned char)*operand) || *operand == '_')) {
        assembly->kind = REFRAIN_ASSEMBLY_USE; /* a thunk */
        assembly->calls = true;
        take_symbol(assembly->name, operand);
        if (strstr(assembly->name, ".cold"))
            assembly->kind = REFRAIN_ASSEMBLY_INSTRUCTION;
    }
}

/* An operand with the address of a symbol: lea f(%rip), mov $f, mov f@GOTPCREL(%rip). */
static void read_address(struct refrain_assembly *assembly, const char *operation, const char *operand) {
    size_t n = symbol_length(operand);
    bool immediate = *operand == '$' && (isalpha((unsigned char)operand[1]) || operand[1] == '_');
    bool relative = (strncmp(operation, "lea", 3) == 0 && strncmp(operand + n, "(%rip)", 6) == 0) ||
                    strncmp(operand + n, "@GOTPCREL", 9) == 0;
    if (immediate || (relative && *operand != '.')) {
        assembly->kind = REFRAIN_ASSEMBLY_USE;
        take_symbol(assembly->name, operand + immediate);
    }
}

static void read_instruction(struct refrain_assembly *assembly, const char *at) {
    static const char *const prefixes[] = {"rep", "repz", "rep;", "bnd", "notrack"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const char *rest = after(at, prefixes[i]);
        at = rest ? rest : at;
    }
    const char *operand = skip_blanks(at + strcspn(at, " \t\n"));
    assembly->kind = REFRAIN_ASSEMBLY_INSTRUCTION;
    if (strncmp(at, "endbr64", 7) == 0)
        return;
    assembly->first = assembly->waits;
    if (strncmp(at, "ret", 3) == 0 && symbol_length(at) == 3) {
        assembly->kind = REFRAIN_ASSEMBLY_LEAVE;
    } else if (strncmp(at, "call", 4) == 0) {
        assembly->kind = REFRAIN_ASSEMBLY_USE;
        assembly->calls = true;
        if (*operand != '*')
            take_symbol(assembly->name, operand);
        else if (line_has(assembly, operand, "@GOTPCREL"))
            take_symbol(assembly->name, operand + 1);
    } else if (*at == 'j') {
        read_jump(assembly, operand);
    } else {
        read_address(assembly, at, operand);
    }
}

bool refrain_assembly_next(struct refrain_assembly *assembly) {
    const char *text = assembly->next;
    if (!*text)
        return false;
    assembly->text = text;
    assembly->length = strcspn(text, "\n");
    assembly->next = text + assembly->length + (text[assembly->length] == '\n');
    assembly->kind = REFRAIN_ASSEMBLY_OTHER;
    assembly->first = assembly->calls = false;
    assembly->name[0] = '\0';
    const char *at = skip_blanks(text);
    if (*at == '#')
        assembly->verbatim = strncmp(at, "#APP", 4) == 0 || (assembly->verbatim && strncmp(at, "#NO_APP", 7) != 0);
    if (assembly->verbatim)
        assembly->first = assembly->waits && *at == '#';
    else if (at == text && symbol_length(text) > 0 && text[symbol_length(text)] == ':')
        read_label(assembly);
    else if (*at == '.')
        read_directive(assembly, at);
    else if (*at != '#' && *at != '\n' && *at && *assembly->function)
        read_instruction(assembly, at);
    assembly->waits = assembly->waits && !assembly->first;
    return true;
}
