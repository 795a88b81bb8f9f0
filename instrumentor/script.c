/* script.c: what MPICH's compiler script runs, so that it is asked once and not run again (compiler_call.h).
 *
 * MPICH's mpicc is a shell script that starts a process for each of its arguments, which takes longer than to
 * instrument a small file. Where libclang needs its directories of headers it is asked for them anyway, and what it
 * answers is the whole command but for the arguments:
 *
 *     mpicc -show -c          ->   gcc -c -I/usr/include/mpich
 *     mpicc -O2 -c file.c     is   gcc -O2 -c file.c -I/usr/include/mpich
 *
 * Only scripts that are known to be MPICH's are replaced so: another one may set the compiler's environment as well.
 */
#include "compiler_call.h"
#include "toolchain.h"
#include <stdio.h>
#include <string.h>

/* Stands for the arguments of a link, to a preprocessor without a meaning. */
#define HERE "-DREFRAIN__ARGUMENTS"

/* Compilers are read no further: they are large. */
static bool is_script(const char *path) {
    char begin[2] = "";
    FILE *file = fopen(path, "re");
    bool is = file && fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, "#!", 2) == 0;
    if (file)
        fclose(file);
    return is;
}

static bool is_mpich_script(const char *name) {
    struct refrain_text path = {0}, text = {0};
    if (strchr(name, '/'))
        refrain_text_string(&path, name);
    else
        refrain_toolchain_behind(name, &path);
    bool is = path.length && is_script(path.bytes) && refrain_text_read(&text, path.bytes) &&
              strstr(text.bytes, "\nMPICH_VERSION=") && strstr(text.bytes, "Show=echo");
    refrain_text_free(&text);
    refrain_text_free(&path);
    return is;
}

/* Does the script do more with this argument than to pass it on? */
static bool is_for_script(const char *text) {
    static const char *const whole[] = {"-static", "-static-mpi", "-echo", "-v", "-nativelinking", "-help"};
    static const char *const beginnings[] = {"-cc=", "-config=", "-profile=", "-show", "-compile", "-link"};
    bool is = false;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        is |= strcmp(text, whole[i]) == 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        is |= strncmp(text, beginnings[i], strlen(beginnings[i])) == 0;
    return is;
}

static bool may_be_replaced(const struct refrain_command *command) {
    if (command->compiler.count != 1 || command->n_sources == 0 || !is_mpich_script(command->compiler.items[0]))
        return false;
    for (size_t i = 0; i < command->words.count; i++)
        if (is_for_script(command->words.items[i]))
            return false;
    return true;
}

/* What is shown is separated by blanks, as the script's shell separates it; but a shell finds files by patterns. */
static bool is_command(const struct refrain_list *shown) {
    for (size_t i = 0; i < shown->count; i++)
        if (strpbrk(shown->items[i], "*?["))
            return false;
    return shown->count > 0 && refrain_toolchain_is_program(shown->items[0]);
}

void refrain_compiler_call_ask_compiler(struct refrain_compiler_call *call) {
    const struct refrain_command *command = &call->command;
    const char *here = !may_be_replaced(command) ? NULL : command->mode == REFRAIN_COMMAND_COMPILE ? "-c" : HERE;
    refrain_toolchain_show(&command->compiler, here, &call->shown);
    if (!here || !is_command(&call->shown))
        return;
    for (size_t i = 1; i < call->shown.count && !call->shown_arguments; i++)
        if (strcmp(call->shown.items[i], here) == 0)
            call->shown_arguments = i;
}
