/* wrapper.c: the compiler wrappers (wrapper.h).
 *
 *     settings -> command (command.c) -> instrument each C source into a stand-in -> compile it in place of the source
 *
 * Instrumenting never breaks a build. If the wrapper fails at it, or if the compiler rejects the instrumented file, the
 * command of the user runs unchanged, and its own messages, about the files of the user, are shown. */
#include "wrapper.h"
#include "build.h"
#include "help.h"
#include "run.h"
#include "toolchain.h"
#include "warn.h"
#include <refrain/variables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_switch_off(const char *text) {
    return text && (!strcmp(text, "off") || !strcmp(text, "no") || !strcmp(text, "false") || !strcmp(text, "0"));
}

static void set_detail(struct refrain_build *build, const char *text) {
    static const char *const names[] = {"calls", "communication", "all", "every"};
    build->detail = REFRAIN_DETAIL_COMMUNICATION;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            build->detail = (enum refrain_detail)i;
            return;
        }
    }
    refrain_build_warn(
        build, "detail '%s' is none of 'calls', 'communication', 'all' and 'every'; taken as 'communication'", text);
}

/* Handles an option of the wrapper itself, --<prefix>name. False for other options. */
static bool read_own_option(struct refrain_build *build, const char *text, const char *prefix) {
    size_t n = strlen(prefix);
    if (strncmp(text, prefix, n) != 0)
        return false;
    const char *name = text + n;
    if (strncmp(name, "detail=", 7) == 0)
        set_detail(build, name + 7);
    else if (strncmp(name, "filter=", 7) == 0)
        build->filter_path = name + 7;
    else if (strcmp(name, "verbose") == 0)
        build->verbose = true;
    else
        return false;
    return true;
}

/* True for an option that refrain-mpicc leaves to the compiler. The command line of refrain-mpicc does not name the
 * compiler, so nothing separates options of the wrapper from those of the compiler. */
static bool is_compilers_too(const char *text) {
    return strcmp(text, "--verbose") == 0;
}

static void read_environment(struct refrain_build *build) {
    extern char **environ;
    char message[256];
    for (char **entry = environ; *entry; entry++)
        if (!refrain_variable_is_known(*entry, message, sizeof message))
            refrain_build_warn(build, "%s", message);
    const char *detail = getenv("REFRAIN_DETAIL"), *filter = getenv("REFRAIN_FILTER");
    if (detail && *detail)
        set_detail(build, detail);
    if (filter && *filter)
        build->filter_path = filter;
}

static bool is_launcher(const char *word) {
    static const char *const launchers[] = {"ccache", "sccache", "distcc", "icecc", "fastcache", "buildcache"};
    const char *name = refrain_text_basename(word);
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (strcmp(name, launchers[i]) == 0)
            return true;
    return false;
}

static void complain_of_name(const struct refrain_build *build, const char *name) {
    fprintf(stderr,
            "%s: error: '%s' is a link to the wrapper and PATH has no other '%s' for it to run; install that compiler "
            "or add its directory to PATH\n",
            build->program, name, refrain_text_basename(name));
}

/* Adds `name` to the compiler. If it is a link to the wrapper under the name of a compiler, the next program with
 * that name on PATH is used. False after a message if there is none. */
static bool add_compiler(const struct refrain_build *build, const char *name, struct refrain_list *compiler) {
    struct refrain_text path = {0};
    bool ours = strncmp(refrain_text_basename(name), "refrain-", 8) == 0;
    if (ours || !refrain_toolchain_is_wrapper(name)) {
        refrain_list_add(compiler, name);
        return true;
    }
    bool found = refrain_toolchain_behind(name, &path);
    if (found)
        refrain_list_add(compiler, path.bytes);
    else
        complain_of_name(build, name);
    refrain_text_free(&path);
    return found;
}

/* True if the first argument is an option of refrain-cc's own, or a compiler. This is asked when refrain-cc is called
 * by the name of a link (mycc -> refrain-cc) for which no program mycc is found: "mycc gcc -c x.c" works all the same.
 */
static bool is_of_use(const char *first) {
    static const char *const own[] = {"--detail=", "--filter=", "--verbose", "--refrain-", "--help", "--version"};
    struct refrain_text path = {0};
    for (size_t i = 0; first && i < sizeof own / sizeof own[0]; i++)
        if (strncmp(first, own[i], strlen(own[i])) == 0)
            return true;
    bool runs = !first || (first[0] != '-' && (access(first, X_OK) == 0 || refrain_toolchain_behind(first, &path)));
    refrain_text_free(&path);
    return runs;
}

/* True if the wrapper was called through a link under the name of a compiler. */
static bool is_called_by_compilers_name(char *const *argv, bool mpi, struct refrain_text *behind) {
    if (strncmp(refrain_text_basename(argv[0]), "refrain-", 8) == 0)
        return false;
    return refrain_toolchain_behind(argv[0], behind) || (!mpi && !is_of_use(argv[1]));
}

/* Splits REFRAIN_MPICC, REFRAIN_MPICXX or REFRAIN_MPIFORT at blanks, as it may contain a launcher and options. */
static bool add_mpi_compiler(const struct refrain_build *build, const struct refrain_wrapper_names *names,
                             struct refrain_list *compiler) {
    const char *chosen = getenv(names->variable);
    char *copy = refrain_text_copy(chosen && *chosen ? chosen : names->compiler), *rest = NULL;
    bool good = true;
    for (char *word = strtok_r(copy, " \t", &rest); word && good; word = strtok_r(NULL, " \t", &rest))
        good = add_compiler(build, word, compiler);
    free(copy);
    return good;
}

int refrain_wrapper(int argc, char **argv, enum refrain_wrapper_kind kind) {
    bool mpi = kind != REFRAIN_WRAPPER_ANY;
    struct refrain_build build = {.program = refrain_wrapper_names[kind].program,
                                  .detail = REFRAIN_DETAIL_COMMUNICATION};
    struct refrain_list compiler = {0}, arguments = {0};
    struct refrain_text behind = {0};
    int next = 1;
    bool by_name = is_called_by_compilers_name(argv, mpi, &behind), good = true;
    read_environment(&build);
    while (!by_name && next < argc && !(mpi && is_compilers_too(argv[next])) &&
           (read_own_option(&build, argv[next], "--") || read_own_option(&build, argv[next], "--refrain-")))
        next++;
    bool alone = argc - next == 1;
    if (!by_name && (next >= argc || (alone && strcmp(argv[next], "--help") == 0))) {
        refrain_help_print(&refrain_wrapper_names[kind], next >= argc ? stderr : stdout);
        return next >= argc ? 2 : 0;
    }
    /* refrain-mpicc --version is passed to the compiler, because ./configure asks for it. */
    if (!by_name && alone && strcmp(argv[next], mpi ? "--refrain-version" : "--version") == 0) {
        printf("%s %s\n", build.program, REFRAIN_VERSION);
        return 0;
    }
    if (by_name) {
        good = behind.length > 0;
        if (good)
            refrain_list_add(&compiler, behind.bytes);
        else
            complain_of_name(&build, argv[0]);
        refrain_text_free(&behind);
    } else if (mpi) {
        good = add_mpi_compiler(&build, &refrain_wrapper_names[kind], &compiler);
    } else if (argv[next][0] == '-') {
        fprintf(stderr, "%s: error: '%s' is no option and no compiler; see %s --help\n", build.program, argv[next],
                build.program);
        return 2;
    } else {
        good = add_compiler(&build, argv[next++], &compiler);
        while (good && next < argc && is_launcher(compiler.items[compiler.count - 1]) && argv[next][0] != '-')
            good = add_compiler(&build, argv[next++], &compiler);
    }
    if (!good)
        return 127;
    for (; next < argc; next++)
        if (!read_own_option(&build, argv[next], "--refrain-"))
            refrain_list_add(&arguments, argv[next]);
    build.off = is_switch_off(getenv("REFRAIN_WRAPPER"));
    return refrain_build_run(&build, &compiler, &arguments);
}
