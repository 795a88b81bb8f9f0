/* rewrite.c: writes the command with stand-ins and libraries (compiler_call.h). */
#include "compiler_call.h"
#include <string.h>

static const struct refrain_stand_in *stand_in_of(const struct refrain_compiler_call *call, size_t argument) {
    for (size_t i = 0; i < call->command.n_sources; i++)
        if (call->sources[i].argument == argument)
            return &call->sources[i];
    return NULL;
}

static void add_map(struct refrain_list *words, const char *kind, const char *from, const char *to) {
    refrain_list_format(words, "-f%s-prefix-map=%s=%s", kind, from, to);
}

/* Options that make the stand-in look as if it was in the directory of the source. */
static void add_disguise(struct refrain_list *words, const struct refrain_compiler_call *call,
                         const struct refrain_stand_in *source) {
    refrain_list_add(words, "-iquote");
    refrain_list_add(words, *source->directory ? source->directory : ".");
    add_map(words, "debug", source->path, call->command.arguments[source->argument].text);
    add_map(words, "macro", source->path, call->command.arguments[source->argument].text); /* __BASE_FILE__ */
    if (!*source->directory) {
        add_map(words, "debug", "./", "");
        add_map(words, "macro", "./", "");
    }
}

static void add_argument(struct refrain_list *words, const struct refrain_argument *argument) {
    refrain_list_add(words, argument->text);
    if (argument->value)
        refrain_list_add(words, argument->value);
}

static bool is_library_file(const char *text) {
    const char *name = refrain_text_basename(text), *dot = strrchr(name, '.');
    return (dot && strcmp(dot, ".a") == 0) || strstr(name, ".so") != NULL;
}

/* True for arguments before which the libraries of refrain are inserted. A word without a dash may be the value of
 * an option that command.c does not know. These arguments are certainly not values. */
static bool is_for_linker(const struct refrain_argument *argument) {
    return argument->links || argument->kind == REFRAIN_ARGUMENT_LIBRARY ||
           (argument->kind == REFRAIN_ARGUMENT_INPUT && is_library_file(argument->text));
}

static void add_libraries(const struct refrain_compiler_call *call, struct refrain_list *words) {
    for (size_t i = 0; i < call->libraries.count; i++)
        refrain_list_add(words, call->libraries.items[i]);
}

struct refrain_list refrain_compiler_call_command(const struct refrain_compiler_call *call, enum refrain_use use) {
    struct refrain_list words = {0};
    const struct refrain_command *command = &call->command;
    const struct refrain_list *compiler = call->shown_arguments ? &call->shown : &command->compiler;
    size_t n_before = call->shown_arguments ? call->shown_arguments : compiler->count;
    bool linked = false;
    for (size_t i = 0; i < n_before; i++)
        refrain_list_add(&words, compiler->items[i]);
    for (size_t i = 0; i < call->hooks.count; i++)
        refrain_list_add(&words, call->hooks.items[i]);
    for (size_t i = 0; use == REFRAIN_USE_STAND_IN && i < command->n_sources; i++)
        if (call->sources[i].path)
            add_disguise(&words, call, &call->sources[i]);
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        if (!linked && is_for_linker(argument)) {
            add_libraries(call, &words);
            linked = true;
        }
        const struct refrain_stand_in *source = use == REFRAIN_USE_STAND_IN ? stand_in_of(call, i) : NULL;
        if (source && source->path)
            refrain_list_add(&words, source->path);
        else
            add_argument(&words, argument);
    }
    if (!linked)
        add_libraries(call, &words);
    for (size_t i = n_before + 1; i < compiler->count; i++)
        refrain_list_add(&words, compiler->items[i]);
    return words;
}
