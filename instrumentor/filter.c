/* filter.c: reads Score-P filter files (filter.h). */
#include "filter.h"
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum block { BLOCK_NONE, BLOCK_FILES, BLOCK_REGIONS };

struct reader {
    struct refrain_filter *filter;
    struct refrain_text *error;
    const char *path;
    unsigned line;
    enum block block;
    enum { RULE_NONE, RULE_INCLUDE, RULE_EXCLUDE } rule;
};

static bool fail(struct reader *reader, const char *word, const char *why) {
    refrain_text_format(reader->error, "%s:%u: '%s' %s", reader->path, reader->line, word, why);
    return false;
}

static bool read_word(struct reader *reader, const char *word) {
    static const struct {
        const char *word;
        enum block from, to;
    } marks[] = {{"SCOREP_FILE_NAMES_BEGIN", BLOCK_NONE, BLOCK_FILES},
                 {"SCOREP_FILE_NAMES_END", BLOCK_FILES, BLOCK_NONE},
                 {"SCOREP_REGION_NAMES_BEGIN", BLOCK_NONE, BLOCK_REGIONS},
                 {"SCOREP_REGION_NAMES_END", BLOCK_REGIONS, BLOCK_NONE}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strcmp(word, marks[i].word) == 0) {
            if (reader->block != marks[i].from)
                return fail(reader, word, "does not belong here; each _BEGIN needs its _END before the next");
            reader->block = marks[i].to;
            reader->rule = RULE_NONE;
            return true;
        }
    }
    if (reader->block == BLOCK_NONE)
        return fail(reader, word, "stands outside SCOREP_REGION_NAMES_BEGIN .. END and SCOREP_FILE_NAMES_BEGIN .. END");
    if (strcmp(word, "INCLUDE") == 0 || strcmp(word, "EXCLUDE") == 0) {
        reader->rule = word[0] == 'I' ? RULE_INCLUDE : RULE_EXCLUDE;
        return true;
    }
    if (reader->rule == RULE_NONE)
        return fail(reader, word, "needs INCLUDE or EXCLUDE before it");
    if (strcmp(word, "MANGLED") == 0)
        return true;
    struct refrain_filter *filter = reader->filter;
    filter->rules = refrain_memory_grow(filter->rules, &filter->capacity, filter->count + 1, sizeof *filter->rules);
    filter->rules[filter->count++] = (struct refrain_filter_rule){
        reader->block == BLOCK_FILES, reader->rule == RULE_INCLUDE, refrain_text_copy(word)};
    return true;
}

bool refrain_filter_read(struct refrain_filter *filter, const char *path, struct refrain_text *error) {
    struct reader reader = {.filter = filter, .error = error, .path = path, .line = 1};
    struct refrain_text text = {0};
    if (!refrain_text_read(&text, path)) {
        refrain_text_format(error, "%s: cannot read the filter file: %s", path, strerror(errno));
        refrain_text_free(&text);
        return false;
    }
    bool good = true;
    for (char *at = text.bytes; good && *at;) {
        if (*at == '\n') {
            reader.line++;
            at++;
        } else if (isspace((unsigned char)*at)) {
            at++;
        } else if (*at == '#') {
            at += strcspn(at, "\n");
        } else {
            char *end = at;
            while (*end && !isspace((unsigned char)*end) && *end != '#')
                end += end[0] == '\\' && end[1] && end[1] != '\n' ? 2 : 1;
            char kept = *end;
            *end = '\0';
            good = read_word(&reader, at);
            *end = kept;
            at = end;
        }
    }
    if (good && reader.block != BLOCK_NONE)
        good = fail(&reader, reader.block == BLOCK_FILES ? "SCOREP_FILE_NAMES_END" : "SCOREP_REGION_NAMES_END",
                    "is missing at the end of the file");
    refrain_text_free(&text);
    return good;
}

static bool takes(const struct refrain_filter *filter, bool files, const char *name) {
    bool taken = true;
    for (size_t i = 0; filter && i < filter->count; i++) {
        const struct refrain_filter_rule *rule = &filter->rules[i];
        if (rule->files == files && fnmatch(rule->pattern, name, 0) == 0)
            taken = rule->include;
    }
    return taken;
}

bool refrain_filter_takes_file(const struct refrain_filter *filter, const char *file) {
    return takes(filter, true, file);
}

bool refrain_filter_takes_function(const struct refrain_filter *filter, const char *function) {
    return takes(filter, false, function);
}

void refrain_filter_free(struct refrain_filter *filter) {
    for (size_t i = 0; i < filter->count; i++)
        free(filter->rules[i].pattern);
    free(filter->rules);
    *filter = (struct refrain_filter){0};
}
