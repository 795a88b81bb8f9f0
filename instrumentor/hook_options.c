/* hook_options.c: makes gcc run refrain's assembler for C++ and Fortran (compiler_call.h, refrain_as.c).
 *
 * Options with -Wa would also reach the assembler of another compiler and cost a build, so settings are in the
 * environment. ccache does not see that: it gets the files that count, and another spelling of the directory. */
#include "compiler_call.h"
#include "toolchain.h"
#include "warn.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ASSEMBLER "refrain-assembler/as"

/* True if the program behind the name is clang: c++ may lead to it. */
static bool is_clang(const char *name) {
    struct refrain_text path = {0};
    char real[PATH_MAX];
    if (strchr(name, '/'))
        refrain_text_string(&path, name);
    else
        refrain_toolchain_behind(name, &path);
    bool is = strstr(refrain_text_basename(name), "clang") ||
              (path.length && realpath(path.bytes, real) && strstr(refrain_text_basename(real), "clang"));
    refrain_text_free(&path);
    return is;
}

/* True for the compilers whose assembler text hooks.h reads. */
static bool is_gcc(const char *path) {
    const char *name = refrain_text_basename(path);
    bool by_name = strstr(name, "g++") || strstr(name, "gfortran") || strstr(name, "gcc") || strcmp(name, "c++") == 0;
    return by_name && !is_clang(path);
}

static bool is_cxx_or_fortran(const char *path) {
    const char *name = refrain_text_basename(path);
    return strstr(name, "++") || strstr(name, "fort");
}

/* Some builds of gcc have a fixed assembler, and look for no other. */
static bool runs_our_assembler(char *compiler, char *directory, const char *assembler) {
    static char query[] = "-print-prog-name=as";
    struct refrain_text answer = {0};
    char *arguments[] = {compiler, directory, query, NULL}, real[PATH_MAX];
    bool runs = refrain_toolchain_output(arguments, &answer) == 0 && answer.length > 0;
    if (runs) {
        answer.bytes[strcspn(answer.bytes, "\n")] = '\0';
        runs = realpath(answer.bytes, real) && strcmp(real, assembler) == 0;
    }
    refrain_text_free(&answer);
    return runs;
}

static void add_file_for_ccache(const char *path) {
    const char *before = getenv("CCACHE_EXTRAFILES");
    struct refrain_text files = {0};
    refrain_text_format(&files, "%s%s%s", before ? before : "", before && *before ? ":" : "", path);
    setenv("CCACHE_EXTRAFILES", files.bytes, 1);
    refrain_text_free(&files);
}

/* Sets what refrain_as.c reads: REFRAIN_HOOKS, letters and the path of the filter. */
static void set_environment(const struct refrain_build *build, const char *assembler) {
    struct refrain_text settings = {0};
    refrain_text_format(&settings, "%s%s:%s", build->detail >= REFRAIN_DETAIL_ALL ? "a" : "", build->verbose ? "v" : "",
                        build->filter_path ? build->filter_path : "");
    setenv("REFRAIN_HOOKS", settings.bytes, 1);
    refrain_text_free(&settings);
    add_file_for_ccache(assembler);
    if (build->filter_path)
        add_file_for_ccache(build->filter_path);
}

/* Why C++ and Fortran get no probes, or null. */
static const char *reason_against(const struct refrain_command *command, const char *compiler) {
#if defined __x86_64__ && !defined __ILP32__
    if (!is_gcc(compiler))
        return "the compiler is neither g++ nor gfortran";
    if (command->lto)
        return "-flto writes code only when it links";
    if (command->no_hooks)
        return "an option selects machine code that refrain does not read (-m32, -masm=, -mcmodel= ...)";
    if (command->n_assembled > 0)
        return "the same command assembles a file";
    return NULL;
#else
    (void)command;
    (void)compiler;
    return "they have probes on x86-64 only";
#endif
}

void refrain_compiler_call_add_hooks(struct refrain_compiler_call *call) {
    const struct refrain_command *command = &call->command;
    const struct refrain_build *build = call->build;
    struct refrain_text path = {0}, directory = {0};
    bool links = command->mode == REFRAIN_COMMAND_LINK;
    char *compiler = call->shown.count ? call->shown.items[0] : command->compiler.items[command->compiler.count - 1];
    if (build->detail == REFRAIN_DETAIL_CALLS || (command->n_compiled == 0 && !links))
        return;
    const char *reason = reason_against(command, compiler);
    if (reason && ((links && command->lto && is_cxx_or_fortran(compiler)) || (build->verbose && command->n_compiled)))
        refrain_build_warn(build, "%s, so C++ and Fortran get no probes; the trace has their MPI calls", reason);
    if (reason || command->n_compiled == 0 || !refrain_toolchain_file(ASSEMBLER, &path))
        return;
    refrain_text_format(&directory, "-B%.*s%s", (int)(path.length - strlen("as")), path.bytes,
                        build->detail >= REFRAIN_DETAIL_ALL ? "./" : "");
    if (runs_our_assembler(compiler, directory.bytes, path.bytes)) {
        set_environment(build, path.bytes);
        refrain_list_add(&call->hooks, directory.bytes);
        refrain_list_add(&call->hooks, "-g1"); /* for lines; an option -g of the user comes later and counts */
        refrain_list_add(&call->hooks, "-fno-optimize-sibling-calls");
        refrain_list_add(&call->hooks, "-fno-ipa-ra"); /* else a caller may keep a value in r11, which probes change */
    } else {
        refrain_build_warn(build,
                           "'%s' has an assembler of its own that -B does not replace, so C++ and Fortran get no "
                           "probes; the trace has their MPI calls",
                           compiler);
    }
    refrain_text_free(&directory);
    refrain_text_free(&path);
}
