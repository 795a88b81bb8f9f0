/* compiler_call.h: the state of one call of the compiler, and its steps (build.c).
 *
 *     link.c          the libraries that a link gets
 *     hook_options.c  the options with which gcc runs refrain's assembler
 *     transform.c     makes a stand-in for each source: the instrumented file
 *     rewrite.c       the command with stand-ins and libraries
 *     script.c        the command that a compiler script runs
 *     messages.c      makes compiler messages about stand-ins look like messages about the sources
 *     dependencies.c  puts the names of the sources into dependency files
 *     unmatched.c     patterns of the filter that match nothing in the program
 *     warn.c          messages of the wrapper itself */
#ifndef REFRAIN_COMPILER_CALL_H
#define REFRAIN_COMPILER_CALL_H

#include "build.h"
#include "command.h"
#include "filter.h"

/* A source of the command and its stand-in. */
struct refrain_stand_in {
    size_t argument;
    char *directory;              /* directory of the source as written, with its slash; "" if it has none */
    char *path;                   /* the instrumented file; null: the source itself is compiled */
    struct refrain_list included; /* files that the source includes and that are part of the stand-in (unite.h) */
};

struct refrain_compiler_call {
    const struct refrain_build *build;
    struct refrain_command command;
    struct refrain_list shown; /* the command that the MPI compiler runs */
    size_t shown_arguments;    /* index of the word that stands for the arguments; 0: run the compiler itself */
    struct refrain_list libraries;
    struct refrain_list hooks;     /* options of gcc for C++ and Fortran */
    struct refrain_list own_flags; /* for libclang */
    struct refrain_filter filter;
    struct refrain_text temporary; /* directory */
    struct refrain_stand_in *sources;
};

enum refrain_use { REFRAIN_USE_ORIGINAL, REFRAIN_USE_STAND_IN };

/* Asks an MPI compiler for the command that it runs (script.c). */
void refrain_compiler_call_ask_compiler(struct refrain_compiler_call *call);

/* Finds the libraries of refrain for a link. If they are missing, says why in one line (link.c). */
void refrain_compiler_call_find_libraries(struct refrain_compiler_call *call);

/* Finds the options with which gcc runs refrain's assembler for C++ and Fortran, and sets the environment of that
 * assembler. If there are probes in no such file of a link, says why in one line (hook_options.c). */
void refrain_compiler_call_add_hooks(struct refrain_compiler_call *call);

/* Makes the directory for temporary files of this call. False after a message if that fails (transform.c). */
bool refrain_compiler_call_make_directory(struct refrain_compiler_call *call);

/* Loads libclang once for the children of this process, if they use it (transform.c). */
void refrain_compiler_call_load(void);

/* Reads the filter, collects libclang's flags and makes the directory. False after a message (transform.c). */
bool refrain_compiler_call_prepare(struct refrain_compiler_call *call);

/* Instruments each source in a child process. Returns how many have a stand-in (transform.c). */
size_t refrain_compiler_call_instrument(struct refrain_compiler_call *call);

/* The whole command, with sources or their stand-ins (rewrite.c). */
struct refrain_list refrain_compiler_call_command(const struct refrain_compiler_call *call, enum refrain_use use);

/* Puts the names of the sources into all dependency files that the command made (dependencies.c). */
void refrain_compiler_call_mend_dependencies(const struct refrain_compiler_call *call);

/* Adds options with which a compiler writes the same messages to a file as to a terminal (messages.c). */
void refrain_compiler_call_keep_colours(const struct refrain_compiler_call *call, struct refrain_list *words);

/* Reports patterns of the filter that match nothing in the linked program (unmatched.c). */
void refrain_compiler_call_check_filter(const struct refrain_compiler_call *call);

/* Passes the messages in the file `path` on to standard error (messages.c). */
void refrain_compiler_call_relay(const struct refrain_compiler_call *call, const char *path);

#endif
