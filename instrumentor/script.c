/* script.c: replaces the compiler script of MPICH by the command that it would run (compiler_call.h).
 *
 * The mpicc of MPICH is a shell script that starts a process for each of its arguments. This takes longer than
 * instrumenting a small file. The script has to be called once with -show in any case, since libclang needs the header
 * directories that it adds. It prints the whole command of the compiler. This command is then run with the user's
 * arguments in the place of -c (`shown_arguments`), without the script:
 *
 *     mpicc -show -c          ->   gcc -c -I/usr/include/mpich
 *     mpicc -O2 -c file.c     so   gcc -O2 -c file.c -I/usr/include/mpich
 *
 * Only scripts known to be those of MPICH are replaced. Another script may also change the compiler's environment,
 * which -show does not print. */
#include "compiler_call.h"
#include "toolchain.h"
#include <stdio.h>
#include <string.h>

/* Placeholder for the arguments of a link, since with -c the script would leave out the libraries. The macro that it
 * defines has no effect. */
#define LINK_PLACEHOLDER "-DREFRAIN__ARGUMENTS"

/* Only the beginning is read, since compilers are large files. */
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

/* True if the script interprets this argument itself, so it cannot be left out. */
static bool is_for_script(const char *text) {
    static const char *const whole[] = {"-static", "-static-mpi", "-echo", "-v", "-nativelinking", "-help"};
    static const char *const beginnings[] = {
        "-cc=", "-cxx=", "-CC=", "-fc=", "-f90=", "-f77=", "-config=", "-profile=", "-show", "-compile", "-link"};
    bool is = false;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        is |= strcmp(text, whole[i]) == 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        is |= strncmp(text, beginnings[i], strlen(beginnings[i])) == 0;
    return is;
}

static bool may_be_replaced(const struct refrain_command *command) {
    if (command->compiler.count != 1 || command->n_sources + command->n_compiled == 0 ||
        !is_mpich_script(command->compiler.items[0]))
        return false;
    for (size_t i = 0; i < command->words.count; i++)
        if (is_for_script(command->words.items[i]))
            return false;
    return true;
}

/* True if the answer, split at blanks, is a command. The script's shell would also expand patterns of file names, so
 * there must be none. */
static bool is_command(const struct refrain_list *shown) {
    for (size_t i = 0; i < shown->count; i++)
        if (strpbrk(shown->items[i], "*?["))
            return false;
    return shown->count > 0 && refrain_toolchain_is_program(shown->items[0]);
}

void refrain_compiler_call_ask_compiler(struct refrain_compiler_call *call) {
    const struct refrain_command *command = &call->command;
    const char *placeholder = !may_be_replaced(command)                  ? NULL
                              : command->mode == REFRAIN_COMMAND_COMPILE ? "-c"
                                                                         : LINK_PLACEHOLDER;
    refrain_toolchain_show(&command->compiler, placeholder, &call->shown);
    if (!placeholder || !is_command(&call->shown))
        return;
    for (size_t i = 1; i < call->shown.count && !call->shown_arguments; i++)
        if (strcmp(call->shown.items[i], placeholder) == 0)
            call->shown_arguments = i;
}
