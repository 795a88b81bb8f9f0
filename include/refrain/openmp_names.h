/* openmp_names.h: names of the regions of OpenMP constructs (instrumentor/openmp.c -> reconstruct/).
 *
 *     !$omp parallel @solve.c:12              the construct, on the thread that reaches it
 *     !$omp parallel sblock @solve.c:12       its block, on each thread of the team
 *     !$omp implicit barrier @solve.c:12      waiting for the others at its end
 *     !$omp critical(name) @solve.c:30        waiting, and in it "!$omp critical(name) sblock @solve.c:30": inside
 *
 * OPARI2 gives the same names, which users of Score-P know. Only the name shows that a region is a construct: the
 * monitor and the trace file treat it as any user region. */
#ifndef REFRAIN_OPENMP_NAMES_H
#define REFRAIN_OPENMP_NAMES_H

#include <stdbool.h>
#include <string.h>

#define REFRAIN_OPENMP_PREFIX "!$omp "
#define REFRAIN_OPENMP_BLOCK "sblock"

enum refrain_openmp_class {
    REFRAIN_OPENMP_NONE, /* no OpenMP construct */
    REFRAIN_OPENMP_PARALLEL,
    REFRAIN_OPENMP_FOR,
    REFRAIN_OPENMP_SECTIONS,
    REFRAIN_OPENMP_SECTION,
    REFRAIN_OPENMP_SINGLE,
    REFRAIN_OPENMP_MASTER,
    REFRAIN_OPENMP_CRITICAL,
    REFRAIN_OPENMP_ORDERED,
    REFRAIN_OPENMP_TASK,
    REFRAIN_OPENMP_TASKWAIT,
    REFRAIN_OPENMP_BARRIER,
    REFRAIN_OPENMP_IMPLICIT_BARRIER,
    REFRAIN_OPENMP_SET_LOCK,
    REFRAIN_OPENMP_CLASSES
};

struct refrain_openmp_name {
    enum refrain_openmp_class class;
    bool block;           /* region of the block of the construct */
    const char *argument; /* name of a critical construct, not terminated; null: none */
    unsigned argument_length;
    const char *place; /* file:line; "" if the name has none */
};

/* The words for the classes in names. */
static inline const char *refrain_openmp_word(enum refrain_openmp_class class) {
    static const char *const words[REFRAIN_OPENMP_CLASSES] = {
        "",         "parallel", "for",  "sections", "section", "single",           "master",
        "critical", "ordered",  "task", "taskwait", "barrier", "implicit barrier", "set_lock"};
    return words[class];
}

/* Parses the name of a region. */
static inline struct refrain_openmp_name refrain_openmp_name(const char *name) {
    struct refrain_openmp_name parts = {.place = ""};
    size_t prefix = sizeof REFRAIN_OPENMP_PREFIX - 1;
    if (strncmp(name, REFRAIN_OPENMP_PREFIX, prefix) != 0)
        return parts;
    name += prefix;
    for (unsigned c = REFRAIN_OPENMP_NONE + 1; c < REFRAIN_OPENMP_CLASSES; c++) {
        const char *word = refrain_openmp_word((enum refrain_openmp_class)c);
        size_t n = strlen(word);
        if (strncmp(name, word, n) != 0 || (name[n] != ' ' && name[n] != '('))
            continue;
        parts.class = (enum refrain_openmp_class)c;
        name += n;
        break;
    }
    if (*name == '(') {
        parts.argument = name + 1;
        parts.argument_length = (unsigned)strcspn(name + 1, ")");
        name += strcspn(name, ")");
    }
    parts.block = strstr(name, " " REFRAIN_OPENMP_BLOCK " ") != NULL;
    const char *at = strchr(name, '@');
    parts.place = at ? at + 1 : "";
    return parts;
}

#endif
