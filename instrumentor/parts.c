/* parts.c: divides a command with sources from several directories (parts.h). */
#include "parts.h"
#include <string.h>

static bool same_directory(const char *a, const char *b) {
    size_t n = (size_t)(refrain_text_basename(a) - a);
    return n == (size_t)(refrain_text_basename(b) - b) && memcmp(a, b, n) == 0;
}

/* Options that make files named after the output, or that do not fit objects. */
static bool must_stay_whole(const struct refrain_command *command) {
    static const char *const options[] = {"-save-temps",   "--coverage",    "-ftest-coverage", "-fprofile-",
                                          "-gsplit-dwarf", "-fstack-usage", "-fdump-",         "-fcallgraph-info"};
    for (size_t i = 0; i < command->count; i++)
        for (size_t o = 0; o < sizeof options / sizeof options[0]; o++)
            if (strncmp(command->arguments[i].text, options[o], strlen(options[o])) == 0)
                return true;
    for (size_t i = 0; i < command->count; i++)
        if (strncmp(command->arguments[i].text, "-x", 2) == 0) /* it would apply to the objects */
            return true;
    return command->makes_depend;
}

bool refrain_parts_needed(const struct refrain_command *command) {
    const char *first = NULL;
    bool several = false;
    for (size_t i = 0; i < command->count; i++) {
        if (command->arguments[i].kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        if (first && !same_directory(first, command->arguments[i].text))
            several = true;
        first = command->arguments[i].text;
    }
    return several && (command->mode == REFRAIN_COMMAND_COMPILE || !must_stay_whole(command));
}

struct refrain_list refrain_parts_arguments(const struct refrain_command *command, size_t source, const char *object) {
    struct refrain_list words = {0};
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        bool option = argument->kind == REFRAIN_ARGUMENT_OPTION &&
                      !(object && (argument->links || strncmp(argument->text, "-o", 2) == 0));
        if (!option && i != source)
            continue;
        refrain_list_add(&words, argument->text);
        if (argument->value)
            refrain_list_add(&words, argument->value);
    }
    if (object) {
        refrain_list_add(&words, "-c");
        refrain_list_add(&words, "-o");
        refrain_list_add(&words, object);
    }
    return words;
}

void refrain_parts_replace(struct refrain_command *command, size_t source, const char *object) {
    struct refrain_argument *argument = &command->arguments[source];
    refrain_list_add(&command->words, object);
    argument->text = command->words.items[command->words.count - 1];
    argument->kind = REFRAIN_ARGUMENT_INPUT;
}
