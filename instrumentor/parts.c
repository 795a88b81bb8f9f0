/* parts.c: divides a command with sources from several directories (parts.h). */
#include "parts.h"
#include <string.h>

static bool same_directory(const char *a, const char *b) {
    size_t n = (size_t)(refrain_text_basename(a) - a);
    return n == (size_t)(refrain_text_basename(b) - b) && memcmp(a, b, n) == 0;
}

/* True if compiling the sources one by one would change the result: files are named after the output (-save-temps ...),
 * or -x would apply to the objects. */
static bool must_stay_whole(const struct refrain_command *command) {
    static const char *const options[] = {"-save-temps", "--coverage",       "-ftest-coverage",
                                          "-fprofile-",  "-gsplit-dwarf",    "-fstack-usage",
                                          "-fdump-",     "-fcallgraph-info", "-x"};
    for (size_t i = 0; i < command->count; i++)
        for (size_t o = 0; o < sizeof options / sizeof options[0]; o++)
            if (strncmp(command->arguments[i].text, options[o], strlen(options[o])) == 0)
                return true;
    return command->makes_depend;
}

bool refrain_parts_needed(const struct refrain_command *command) {
    const char *previous = NULL;
    bool several_directories = false;
    for (size_t i = 0; i < command->count; i++) {
        if (command->arguments[i].kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        if (previous && !same_directory(previous, command->arguments[i].text))
            several_directories = true;
        previous = command->arguments[i].text;
    }
    return several_directories && (command->mode == REFRAIN_COMMAND_COMPILE || !must_stay_whole(command));
}

struct refrain_list refrain_parts_arguments(const struct refrain_command *command, size_t source, const char *object) {
    struct refrain_list words = {0};
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        bool is_for_linking = argument->links || strncmp(argument->text, "-o", 2) == 0;
        bool is_kept = argument->kind == REFRAIN_ARGUMENT_OPTION && !(object && is_for_linking);
        if (!is_kept && i != source)
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
