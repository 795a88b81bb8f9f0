/* aside.c: options that a slow compiler script need not look at (call.h).
 *
 * MPICH's mpicc is a shell script that starts a process for each of its arguments, which takes longer than to
 * instrument a small function. What is for the compiler behind it alone goes into a file, @FILE, which that compiler
 * reads in its place:
 *
 *     mpicc -iquote src/ -fdebug-prefix-map=... -DN=5 -Iinclude -O2 -c file.c   ->   mpicc @FILE -O2 -c file.c
 */
#include "call.h"
#include "toolchain.h"
#include <stdio.h>
#include <string.h>

#define SCRIPT_MARK "#!" /* what a script begins with */

static bool is_script(const char *name) {
    struct refrain_text path = {0};
    if (strchr(name, '/'))
        refrain_text_string(&path, name);
    else
        refrain_toolchain_behind(name, &path);
    char mark[sizeof SCRIPT_MARK - 1];
    FILE *file = path.length ? fopen(path.bytes, "rb") : NULL;
    bool is = file && fread(mark, 1, sizeof mark, file) == sizeof mark && memcmp(mark, SCRIPT_MARK, sizeof mark) == 0;
    if (file)
        fclose(file);
    refrain_text_free(&path);
    return is;
}

bool refrain_call_sets_aside(const struct refrain_call *call) {
    const struct refrain_list *compiler = &call->command.compiler;
    return compiler->count == 1 && strncmp(refrain_text_basename(compiler->items[0]), "mpi", 3) == 0 &&
           is_script(compiler->items[0]);
}

/* Macros and directories of headers: their order among themselves is all that counts. */
bool refrain_call_may_set_aside(const struct refrain_argument *argument) {
    static const char *const kinds[] = {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter"};
    bool may = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        may |= argument->kind == REFRAIN_ARGUMENT_OPTION && strncmp(argument->text, kinds[i], strlen(kinds[i])) == 0;
    return may;
}

/* As compilers read them: blanks separate, and a backslash protects what follows. */
static void append_quoted(struct refrain_text *text, const char *word) {
    if (!*word)
        refrain_text_string(text, "\"\"");
    for (; *word; word++) {
        if (strchr(" \t\n\v\f\r'\"\\", *word))
            refrain_text_bytes(text, "\\", 1);
        refrain_text_bytes(text, word, 1);
    }
    refrain_text_bytes(text, "\n", 1);
}

void refrain_call_set_aside(const struct refrain_call *call, const struct refrain_list *options,
                            struct refrain_list *words) {
    struct refrain_text path = {0}, text = {0};
    refrain_text_format(&path, "%s/options", call->temporary.bytes);
    for (size_t i = 0; i < options->count; i++)
        append_quoted(&text, options->items[i]);
    bool written = text.length > 0 && refrain_text_write(&text, path.bytes);
    if (written)
        refrain_list_format(words, "@%s", path.bytes);
    for (size_t i = 0; !written && i < options->count; i++)
        refrain_list_add(words, options->items[i]);
    refrain_text_free(&text);
    refrain_text_free(&path);
}
