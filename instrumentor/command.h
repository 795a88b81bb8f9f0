/* command.h: the command line of a compiler, parsed as far as the wrapper needs it (argv -> wrapper.c).
 *
 * Arguments keep their order and spelling, so that the command can be written again with single arguments replaced. */
#ifndef REFRAIN_COMMAND_H
#define REFRAIN_COMMAND_H

#include "text.h"

enum refrain_argument_kind {
    REFRAIN_ARGUMENT_OPTION,
    REFRAIN_ARGUMENT_SOURCE, /* C, to be instrumented */
    REFRAIN_ARGUMENT_INPUT,  /* any other file */
    REFRAIN_ARGUMENT_LIBRARY /* -l */
};

struct refrain_argument {
    enum refrain_argument_kind kind;
    unsigned flags;    /* flags of the option (command.c) */
    bool links;        /* of use to the linker only */
    const char *text;  /* as given */
    const char *value; /* the next argument, if it belongs to this one; else null */
};

enum refrain_command_mode {
    REFRAIN_COMMAND_STRAIGHT, /* nothing to instrument: preprocessing, queries, standard input, no input */
    REFRAIN_COMMAND_COMPILE,  /* -c, -S */
    REFRAIN_COMMAND_LINK
};

struct refrain_command {
    struct refrain_list compiler; /* with its launcher: ccache gcc */
    struct refrain_list words;    /* the arguments, response files expanded; owns their text */
    struct refrain_argument *arguments;
    size_t count, capacity;
    enum refrain_command_mode mode;
    size_t n_sources;
    size_t n_compiled;  /* sources in C++ and Fortran */
    size_t n_assembled; /* sources in assembler */
    const char *output; /* of -o, or null */
    const char *depend; /* of -MF or -Wp,-MD, or null */
    bool makes_depend;  /* -MD, -MMD, -Wp,-MD, ... */
    bool partial;       /* -r */
    bool is_static;     /* -static */
    bool bare;          /* -nostdlib, -nodefaultlibs */
    bool lto;           /* -flto */
    bool no_hooks;      /* an option with which hooks.h adds no probes */
};

/* Reads compiler[n_compiler] and the arguments after it. */
void refrain_command_read(struct refrain_command *command, char *const *compiler, size_t n_compiler,
                          char *const *arguments, size_t n_arguments);

/* Appends the options that libclang needs to `flags`. */
void refrain_command_flags(const struct refrain_command *command, struct refrain_list *flags);

/* As refrain_command_flags(), for a list of arguments without inputs. */
void refrain_command_flags_of(char *const *arguments, size_t n_arguments, struct refrain_list *flags);

void refrain_command_free(struct refrain_command *command);

#endif
