/* build.c: one call of the compiler, carried out with its sources instrumented (build.h). */
#include "build.h"
#include "command.h"
#include "instrument.h"
#include "parts.h"
#include "run.h"
#include "toolchain.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A source of the command and what stands in for it. */
struct stand_in {
    size_t argument;
    char *directory; /* of the source as written, with its slash; "" when it has none */
    char *path;      /* the instrumented file; null: the source itself is compiled */
};

struct call {
    const struct refrain_build *build;
    struct refrain_command command;
    struct refrain_list shown; /* what the MPI compiler adds */
    struct refrain_list libraries;
    struct refrain_list own_flags; /* for libclang */
    struct refrain_filter filter;
    struct refrain_text temporary; /* directory */
    struct stand_in *sources;
};

enum use { USE_ORIGINAL, USE_STAND_IN };

void refrain_build_warn(const struct refrain_build *build, const char *format, ...) {
    va_list arguments;
    struct refrain_text line = {0};
    char message[2048];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    refrain_text_format(&line, "%s: warning: %s\n", build->program, message);
    if (write(STDERR_FILENO, line.bytes, line.length) < 0)
        errno = 0; /* nowhere left to say it */
    refrain_text_free(&line);
}

/* ---- linking ---- */

/* Before the program's own libraries, so that MPI calls reach refrain before the MPI library; kept although the objects
 * refer to it weakly. */
static void find_libraries(struct call *call) {
    static const char *const parts[] = {NULL, "refrain-mpich", "refrain-openmpi"};
    struct refrain_text core = {0}, part = {0};
    const struct refrain_command *command = &call->command;
    if (command->mode != REFRAIN_COMMAND_LINK || command->partial || command->bare)
        return;
    if (command->is_static) {
        refrain_build_warn(call->build, "librefrain is a shared library: what is linked with -static runs untraced");
        return;
    }
    if (!refrain_toolchain_library("refrain", &core)) {
        refrain_build_warn(call->build, "librefrain.so is not where the wrapper was installed; the program will run "
                                        "untraced (set REFRAIN_LIBDIR)");
        return;
    }
    refrain_list_add(&call->libraries, "-Wl,--push-state,--no-as-needed");
    const char *name = parts[refrain_toolchain_mpi(&call->shown, command)];
    if (name) {
        if (refrain_toolchain_library(name, &part)) {
            refrain_list_add(&call->libraries, "-Xlinker");
            refrain_list_add(&call->libraries, part.bytes);
        } else {
            refrain_build_warn(call->build, "lib%s.so is not beside librefrain.so; MPI calls will not be traced", name);
        }
    }
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, core.bytes);
    refrain_list_add(&call->libraries, "-Wl,--pop-state");
    core.bytes[core.length - strlen(refrain_text_basename(core.bytes)) - 1] = '\0';
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, "-rpath");
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, core.bytes);
    refrain_text_free(&core);
    refrain_text_free(&part);
}

/* ---- writing commands ---- */

static const struct stand_in *stand_in_of(const struct call *call, size_t argument) {
    for (size_t i = 0; i < call->command.n_sources; i++)
        if (call->sources[i].argument == argument)
            return &call->sources[i];
    return NULL;
}

static void add_map(struct refrain_list *words, const char *kind, const char *from, const char *to) {
    refrain_list_format(words, "-f%s-prefix-map=%s=%s", kind, from, to);
}

/* What makes the temporary look as if it stood where the source stands. */
static void add_disguise(struct refrain_list *words, const struct call *call, const struct stand_in *source) {
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

static bool is_depend_option(const struct refrain_argument *argument) {
    return strncmp(argument->text, "-M", 2) == 0 || strncmp(argument->text, "-Wp,-M", 6) == 0;
}

/* The whole command, with the sources or what stands in for them. */
static struct refrain_list whole_command(const struct call *call, enum use use) {
    struct refrain_list words = {0};
    const struct refrain_command *command = &call->command;
    bool linked = call->libraries.count == 0;
    for (size_t i = 0; i < command->compiler.count; i++)
        refrain_list_add(&words, command->compiler.items[i]);
    for (size_t i = 0; use == USE_STAND_IN && i < command->n_sources; i++)
        if (call->sources[i].path)
            add_disguise(&words, call, &call->sources[i]);
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        if (!linked && argument->kind != REFRAIN_ARGUMENT_OPTION) {
            for (size_t l = 0; l < call->libraries.count; l++)
                refrain_list_add(&words, call->libraries.items[l]);
            linked = true;
        }
        const struct stand_in *source = use == USE_STAND_IN ? stand_in_of(call, i) : NULL;
        if (source && source->path)
            refrain_list_add(&words, source->path);
        else
            add_argument(&words, argument);
    }
    return words;
}

/* ---- dependencies ---- */

static void append_make_quoted(struct refrain_text *text, const char *path) {
    for (; *path; path++) {
        if (*path == ' ' || *path == '\t' || *path == '#')
            refrain_text_bytes(text, "\\", 1);
        if (*path == '$')
            refrain_text_bytes(text, "$", 1);
        refrain_text_bytes(text, path, 1);
    }
}

/* Puts the sources' own names into a dependency file. */
static void mend_dependencies(const struct call *call, const char *path) {
    struct refrain_text text = {0}, mended = {0};
    bool changed = false;
    if (!refrain_text_read(&text, path)) {
        refrain_text_free(&text);
        return;
    }
    for (const char *at = text.bytes; *at;) {
        const struct stand_in *found = NULL;
        size_t n = 0;
        for (size_t i = 0; i < call->command.n_sources && !found; i++) {
            const char *temporary = call->sources[i].path;
            n = temporary ? strlen(temporary) - strlen(refrain_text_basename(temporary)) : 0;
            if (n && strncmp(at, temporary, n) == 0)
                found = &call->sources[i];
        }
        if (found) {
            append_make_quoted(&mended, found->directory);
            at += n;
            changed = true;
        } else {
            refrain_text_bytes(&mended, at++, 1);
        }
    }
    if (changed && !refrain_text_write(&mended, path))
        refrain_build_warn(call->build, "cannot write the dependencies to '%s': %s", path, strerror(errno));
    refrain_text_free(&text);
    refrain_text_free(&mended);
}

static void mend_beside(const struct call *call, const char *path, const char *infix) {
    const char *base = refrain_text_basename(path), *dot = strrchr(base, '.');
    struct refrain_text name = {0};
    refrain_text_bytes(&name, path, dot ? (size_t)(dot - path) : strlen(path));
    refrain_text_format(&name, "%s.d", infix);
    mend_dependencies(call, name.bytes);
    refrain_text_free(&name);
}

/* Where compilers put them: as told, beside the output, or in the working directory. */
static void mend_all_dependencies(const struct call *call) {
    const struct refrain_command *command = &call->command;
    const char *environment = getenv("DEPENDENCIES_OUTPUT");
    if (environment) {
        struct refrain_text name = {0};
        refrain_text_bytes(&name, environment, strcspn(environment, " "));
        mend_dependencies(call, name.bytes);
        refrain_text_free(&name);
    }
    if (!command->makes_depend)
        return;
    if (command->depend) {
        mend_dependencies(call, command->depend);
        return;
    }
    if (command->output)
        mend_beside(call, command->output, "");
    for (size_t i = 0; i < command->n_sources; i++) {
        const char *base = refrain_text_basename(command->arguments[call->sources[i].argument].text);
        mend_beside(call, base, "");
        if (command->mode == REFRAIN_COMMAND_LINK) {
            struct refrain_text infix = {0};
            refrain_text_format(&infix, "-%.*s", (int)(strrchr(base, '.') ? strrchr(base, '.') - base : 0), base);
            mend_beside(call, command->output ? command->output : "a", infix.bytes);
            refrain_text_free(&infix);
        }
    }
}

/* ---- instrumenting ---- */

#define INSTRUMENT_LIMIT_SECONDS 120 /* of processor time for one file; far beyond what any takes */

/* In a child: a crash, an endless loop or lack of memory in there must not stop the build. */
static int instrument_in_child(struct call *call, const char *source, const char *target) {
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){INSTRUMENT_LIMIT_SECONDS, INSTRUMENT_LIMIT_SECONDS});
        struct refrain_text out = {0}, reason = {0};
        struct refrain_instrument_options options = {.program = call->build->program,
                                                     .source = source,
                                                     .flags = (const char *const *)call->own_flags.items,
                                                     .n_flags = call->own_flags.count,
                                                     .filter = &call->filter,
                                                     .all = call->build->detail == REFRAIN_DETAIL_ALL,
                                                     .late = call->command.late,
                                                     .verbose = call->build->verbose};
        enum refrain_instrument_status status = refrain_instrument(&options, &out, &reason);
        if (status == REFRAIN_INSTRUMENT_DONE && !refrain_text_write(&out, target)) {
            refrain_build_warn(call->build, "%s is compiled as it was: cannot write '%s': %s", source, target,
                               strerror(errno));
            _exit(REFRAIN_INSTRUMENT_LEFT_ALONE);
        }
        if (status != REFRAIN_INSTRUMENT_DONE && call->build->verbose)
            refrain_build_warn(call->build, "%s is compiled as it was: %s", source, reason.bytes ? reason.bytes : "");
        _exit((int)status);
    }
    int status = 0;
    if (child < 0)
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        refrain_run_check_signal();
    refrain_run_check_signal();
    if (!WIFEXITED(status) || WEXITSTATUS(status) > REFRAIN_INSTRUMENT_LEFT_ALONE) {
        refrain_build_warn(call->build, "%s is compiled as it was: the instrumentor failed on it", source);
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    return WEXITSTATUS(status);
}

/* The temporary bears the source's name and time, for debuggers, the object's symbol table and __TIMESTAMP__. */
static bool instrument_source(struct call *call, struct stand_in *source, size_t number) {
    const char *path = call->command.arguments[source->argument].text;
    struct refrain_text target = {0};
    struct stat status;
    refrain_text_format(&target, "%s/%zu", call->temporary.bytes, number);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || mkdir(target.bytes, 0700) != 0) {
        refrain_text_free(&target);
        return false;
    }
    refrain_text_format(&target, "/%s", refrain_text_basename(path));
    bool done = instrument_in_child(call, path, target.bytes) == REFRAIN_INSTRUMENT_DONE;
    if (done) {
        utimensat(AT_FDCWD, target.bytes, (struct timespec[]){status.st_atim, status.st_mtim}, 0);
        source->path = target.bytes;
    } else {
        refrain_text_free(&target);
    }
    return done;
}

/* The directory for this call's temporary files. */
static bool make_directory(struct call *call) {
    struct refrain_text seed = {0};
    char *directory = getcwd(NULL, 0);
    refrain_text_string(&seed, directory ? directory : "");
    free(directory);
    for (size_t i = 0; i < call->command.words.count; i++)
        refrain_text_format(&seed, "\n%s", call->command.words.items[i]);
    bool made = refrain_run_directory(&call->temporary, seed.bytes);
    if (!made)
        refrain_build_warn(call->build, "no temporary directory (%s); compiling without instrumentation",
                           strerror(errno));
    refrain_text_free(&seed);
    return made;
}

static bool prepare(struct call *call) {
    struct refrain_text text = {0};
    if (call->build->filter_path && !refrain_filter_read(&call->filter, call->build->filter_path, &text)) {
        refrain_build_warn(call->build, "%s; compiling without instrumentation", text.bytes);
        refrain_text_free(&text);
        return false;
    }
    refrain_list_add(&call->own_flags, "-xc");
    if (!refrain_toolchain_headers(&call->own_flags, &text)) {
        refrain_build_warn(call->build, "%s; compiling without instrumentation", text.bytes);
        refrain_text_free(&text);
        return false;
    }
    refrain_command_flags(&call->command, &call->own_flags);
    if (call->shown.count)
        refrain_command_flags_of(call->shown.items + 1, call->shown.count - 1, &call->own_flags);
    return make_directory(call);
}

static size_t instrument_sources(struct call *call) {
    const struct refrain_command *command = &call->command;
    size_t capacity = 0, n = 0, done = 0;
    call->sources = refrain_memory_grow(NULL, &capacity, command->n_sources, sizeof *call->sources);
    for (size_t i = 0; i < command->count; i++) {
        if (command->arguments[i].kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        const char *path = command->arguments[i].text;
        struct refrain_text directory = {0};
        refrain_text_bytes(&directory, path, (size_t)(refrain_text_basename(path) - path));
        call->sources[n] = (struct stand_in){i, directory.bytes, NULL};
        done += instrument_source(call, &call->sources[n], n);
        n++;
    }
    return done;
}

/* ---- running ---- */

static int become_original(struct call *call) {
    struct refrain_list words = whole_command(call, USE_ORIGINAL);
    return refrain_run_become(words.items);
}

/* Runs the original command for its messages; what it makes goes to the temporary directory. */
static int show_messages(const struct call *call) {
    struct refrain_list words = {0};
    const struct refrain_command *command = &call->command;
    for (size_t i = 0; i < command->compiler.count; i++)
        refrain_list_add(&words, command->compiler.items[i]);
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        if (strncmp(argument->text, "-o", 2) != 0 && !is_depend_option(argument))
            add_argument(&words, argument);
    }
    if (command->n_sources == 1) {
        refrain_list_add(&words, "-o");
        refrain_list_format(&words, "%s/messages.o", call->temporary.bytes);
    }
    int status = refrain_run(words.items, NULL);
    refrain_list_free(&words);
    return status;
}

static bool is_empty(const char *path) {
    struct stat status;
    return stat(path, &status) != 0 || status.st_size == 0;
}

/* Quietly, with warnings no errors. A function with a level of optimisation of its own may not take probes'
 * sites (emit.c): the second attempt does without. */
static bool run_again(struct refrain_list *words, const char *messages) {
    refrain_list_add(words, "-w");
    refrain_list_add(words, "-Wno-error");
    if (refrain_run(words->items, messages) == 0)
        return true;
    refrain_list_add(words, "-DREFRAIN__NO_SITES");
    return refrain_run(words->items, messages) == 0;
}

static int run_instrumented(struct call *call) {
    struct refrain_text messages = {0};
    struct refrain_list words = whole_command(call, USE_STAND_IN);
    refrain_text_format(&messages, "%s/messages", call->temporary.bytes);
    int status = refrain_run(words.items, messages.bytes);
    if (status == 0 && is_empty(messages.bytes)) {
        mend_all_dependencies(call);
    } else if (status == 0 && call->command.mode == REFRAIN_COMMAND_COMPILE && call->command.n_sources == 1) {
        mend_all_dependencies(call);
        status = show_messages(call);
    } else {
        struct refrain_list original = whole_command(call, USE_ORIGINAL);
        int plain = refrain_run(original.items, NULL);
        if (plain == 0) { /* the messages were seen */
            if (run_again(&words, messages.bytes)) {
                mend_all_dependencies(call);
            } else {
                refrain_build_warn(call->build,
                                   "the compiler rejects what the instrumentor made of '%s'; it is compiled "
                                   "as it was",
                                   call->command.arguments[call->sources[0].argument].text);
                plain = refrain_run(original.items, messages.bytes);
            }
        }
        status = plain;
        refrain_list_free(&original);
    }
    refrain_list_free(&words);
    refrain_text_free(&messages);
    return status;
}

static int run_parts(struct call *call) {
    if (!make_directory(call))
        return become_original(call);
    int status = refrain_parts_compile(call->build, &call->command, call->temporary.bytes);
    if (status == 0 && call->command.mode == REFRAIN_COMMAND_LINK) {
        struct refrain_list words = whole_command(call, USE_ORIGINAL);
        status = refrain_run(words.items, NULL);
        refrain_list_free(&words);
    }
    refrain_run_clean();
    return status;
}

int refrain_build_run(const struct refrain_build *build, struct refrain_list *compiler,
                      struct refrain_list *arguments) {
    struct call call = {.build = build};
    refrain_command_read(&call.command, compiler->items, compiler->count, arguments->items, arguments->count);
    if (build->off || call.command.mode == REFRAIN_COMMAND_STRAIGHT) {
        for (size_t i = 0; i < arguments->count; i++)
            refrain_list_add(compiler, arguments->items[i]);
        return refrain_run_become(compiler->items);
    }
    setenv("REFRAIN_WRAPPER", "off", 1); /* the compiler may call another by a name that leads to the wrapper */
    refrain_toolchain_show(compiler, &call.shown);
    find_libraries(&call);
    if (build->detail == REFRAIN_DETAIL_CALLS)
        return become_original(&call);
    if (refrain_parts_needed(&call.command))
        return run_parts(&call);
    if (call.command.n_sources == 0 || !prepare(&call) || instrument_sources(&call) == 0)
        return become_original(&call);
    int status = run_instrumented(&call);
    refrain_run_clean();
    return status;
}
