/* parts.c: a command with sources from several directories (parts.h). */
#include "parts.h"
#include "run.h"
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static bool same_directory(const char *a, const char *b) {
    size_t n = (size_t)(refrain_text_basename(a) - a);
    return n == (size_t)(refrain_text_basename(b) - b) && memcmp(a, b, n) == 0;
}

/* Options that make files whose names follow from the output's, or that do not go with objects. */
static bool must_stay_whole(const struct refrain_command *command) {
    static const char *const options[] = {"-save-temps",   "--coverage",    "-ftest-coverage", "-fprofile-",
                                          "-gsplit-dwarf", "-fstack-usage", "-fdump-",         "-fcallgraph-info"};
    for (size_t i = 0; i < command->count; i++)
        for (size_t o = 0; o < sizeof options / sizeof options[0]; o++)
            if (strncmp(command->arguments[i].text, options[o], strlen(options[o])) == 0)
                return true;
    for (size_t i = 0; i < command->count; i++)
        if (strncmp(command->arguments[i].text, "-x", 2) == 0) /* would be in force for the objects */
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

/* The arguments for one source: no other input, nothing for the linker. */
static struct refrain_list part(const struct refrain_command *command, size_t source, const char *object) {
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

static int compile_in_child(const struct refrain_build *build, const struct refrain_command *command, size_t source,
                            const char *object) {
    pid_t child = fork();
    if (child == 0) {
        struct refrain_list words = part(command, source, object), compiler = {0};
        for (size_t i = 0; i < command->compiler.count; i++)
            refrain_list_add(&compiler, command->compiler.items[i]);
        refrain_run_forget();
        _exit(refrain_build_run(build, &compiler, &words));
    }
    int status = 0;
    if (child < 0)
        return 127;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        refrain_run_check_signal();
    refrain_run_check_signal();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int refrain_parts_compile(const struct refrain_build *build, struct refrain_command *command, const char *directory) {
    bool links = command->mode == REFRAIN_COMMAND_LINK;
    int result = 0;
    for (size_t i = 0; i < command->count; i++) {
        struct refrain_argument *argument = &command->arguments[i];
        if (argument->kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        struct refrain_text object = {0};
        if (links)
            refrain_text_format(&object, "%s/%zu-%s.o", directory, i, refrain_text_basename(argument->text));
        int status = compile_in_child(build, command, i, object.bytes);
        if (status != 0 && result == 0)
            result = status;
        if (links) {
            refrain_list_add(&command->words, object.bytes);
            argument->text = command->words.items[command->words.count - 1];
            argument->kind = REFRAIN_ARGUMENT_INPUT;
        }
        refrain_text_free(&object);
    }
    return result;
}
