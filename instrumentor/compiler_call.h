/* compiler_call.h: what the steps of one call of the compiler share (build.c).
 *
 *     link.c          the libraries that a link gets
 *     transform.c     each source to its stand-in, the instrumented file
 *     rewrite.c       the command with stand-ins and libraries
 *     script.c        what a compiler script runs
 *     messages.c      what the compiler says about stand-ins, as if it were about the sources
 *     dependencies.c  the sources' names in dependency files
 *     unmatched.c     patterns of the filter that match nothing in the program
 *     warn.c          what the wrapper says itself
 */
#ifndef REFRAIN_COMPILER_CALL_H
#define REFRAIN_COMPILER_CALL_H

#include "build.h"
#include "command.h"
#include "filter.h"

/* A source of the command and what stands in for it. */
struct refrain_stand_in {
    size_t argument;
    char *directory;              /* of the source as written, with its slash; "" when it has none */
    char *path;                   /* the instrumented file; null: the source itself is compiled */
    struct refrain_list included; /* files that are part of it, which the source includes (unite.h) */
};

struct refrain_compiler_call {
    const struct refrain_build *build;
    struct refrain_command command;
    struct refrain_list shown; /* what the MPI compiler runs */
    size_t shown_arguments;    /* the word of it that stands for the arguments; 0: the compiler itself is to be run */
    struct refrain_list libraries;
    struct refrain_list own_flags; /* for libclang */
    struct refrain_filter filter;
    struct refrain_text temporary; /* directory */
    struct refrain_stand_in *sources;
};

enum refrain_use { REFRAIN_USE_ORIGINAL, REFRAIN_USE_STAND_IN };

/* Asks an MPI compiler what it runs (script.c). */
void refrain_compiler_call_ask_compiler(struct refrain_compiler_call *call);

/* Finds refrain's libraries for a link; says in one line why there are none where there should be (link.c). */
void refrain_compiler_call_find_libraries(struct refrain_compiler_call *call);

/* Makes the directory for this call's temporary files; false with a line said when it cannot (transform.c). */
bool refrain_compiler_call_make_directory(struct refrain_compiler_call *call);

/* Loads libclang once for the children of this process, if it is they who do the work (transform.c). */
void refrain_compiler_call_load(void);

/* Reads the filter, collects libclang's flags and makes the directory; false with a line said (transform.c). */
bool refrain_compiler_call_prepare(struct refrain_compiler_call *call);

/* Instruments each source in a child process; returns how many have a stand-in (transform.c). */
size_t refrain_compiler_call_instrument(struct refrain_compiler_call *call);

/* The whole command, with the sources or what stands in for them (rewrite.c). */
struct refrain_list refrain_compiler_call_command(const struct refrain_compiler_call *call, enum refrain_use use);

/* Puts the sources' own names into all dependency files that the command made (dependencies.c). */
void refrain_compiler_call_mend_dependencies(const struct refrain_compiler_call *call);

/* Adds what makes a compiler whose messages go to a file write them as it would to standard error (messages.c). */
void refrain_compiler_call_keep_colours(const struct refrain_compiler_call *call, struct refrain_list *words);

/* Says which patterns of the filter match nothing in the program that was linked (unmatched.c). */
void refrain_compiler_call_check_filter(const struct refrain_compiler_call *call);

/* Passes the messages in the file `path` on to standard error (messages.c). */
void refrain_compiler_call_relay(const struct refrain_compiler_call *call, const char *path);

#endif
