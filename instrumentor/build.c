/* build.c: runs one call of the compiler with instrumented sources (build.h). */
#include "compiler_call.h"
#include "parts.h"
#include "run.h"
#include "toolchain.h"
#include "warn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* True if something is left to do after the compiler has run. */
static bool checks_filter(const struct refrain_compiler_call *call) {
    return call->build->filter_path && call->build->detail != REFRAIN_DETAIL_CALLS &&
           call->command.mode == REFRAIN_COMMAND_LINK && !call->command.partial;
}

/* True for a link that drops sections. Lists of sites refer to functions, so GNU ld keeps these. */
static bool drops_sections(const struct refrain_compiler_call *call) {
    bool drops = false;
    for (size_t i = 0; i < call->command.count && call->libraries.count > 0; i++)
        drops |= call->command.arguments[i].links && strstr(call->command.arguments[i].text, "--gc-sections");
    return drops;
}

static int become_original(struct refrain_compiler_call *call) {
    struct refrain_list words = refrain_compiler_call_command(call, REFRAIN_USE_ORIGINAL);
    if (!checks_filter(call) && !drops_sections(call))
        return refrain_run_become(words.items);
    refrain_run_clean();
    int status = refrain_run(words.items, NULL);
    refrain_list_free(&words);
    if (status != 0 && drops_sections(call))
        refrain_build_warn(call->build, "--gc-sections keeps functions with probes; if only an unused function refers "
                                        "to what is missing, add -Wl,-z,start-stop-gc");
    return status;
}

/* Second attempt, without warnings as errors. A function with its own level of optimisation may reject the sites of
 * probes (emit.c); this attempt does without sites. */
static bool run_again(struct refrain_list *words, const char *messages) {
    refrain_list_add(words, "-w");
    refrain_list_add(words, "-Wno-error");
    if (refrain_run(words->items, messages) == 0)
        return true;
    refrain_list_add(words, "-DREFRAIN__NO_SITES");
    return refrain_run(words->items, messages) == 0;
}

/* Compiles the stand-ins once and passes the messages on. Only if that fails, compiles the user's own files; then
 * their messages count. */
static int run_instrumented(struct refrain_compiler_call *call) {
    struct refrain_text messages = {0};
    struct refrain_list words = refrain_compiler_call_command(call, REFRAIN_USE_STAND_IN);
    refrain_compiler_call_keep_colours(call, &words);
    refrain_text_format(&messages, "%s/messages", call->temporary.bytes);
    int status = refrain_run(words.items, messages.bytes);
    if (status == 0) {
        refrain_compiler_call_relay(call, messages.bytes);
        refrain_compiler_call_mend_dependencies(call);
    } else {
        struct refrain_list original = refrain_compiler_call_command(call, REFRAIN_USE_ORIGINAL);
        status = refrain_run(original.items, NULL);
        if (status == 0) { /* the messages were shown already */
            if (run_again(&words, messages.bytes)) {
                refrain_compiler_call_mend_dependencies(call);
            } else {
                refrain_build_warn(call->build,
                                   "the compiler rejects what the instrumentor made of '%s'; it is compiled "
                                   "as it was",
                                   call->command.arguments[call->sources[0].argument].text);
                status = refrain_run(original.items, messages.bytes);
            }
        }
        refrain_list_free(&original);
    }
    refrain_list_free(&words);
    refrain_text_free(&messages);
    return status;
}

/* ---- in parts: a separate call for each source ---- */

static int compile_in_child(const struct refrain_build *build, const struct refrain_command *command, size_t source,
                            const char *object) {
    pid_t child = fork();
    if (child == 0) {
        struct refrain_list words = refrain_parts_arguments(command, source, object), compiler = {0};
        for (size_t i = 0; i < command->compiler.count; i++)
            refrain_list_add(&compiler, command->compiler.items[i]);
        refrain_run_forget();
        _exit(refrain_build_run(build, &compiler, &words));
    }
    int status = 0;
    if (child < 0)
        return 127;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        refrain_run_check_signal();
    refrain_run_check_signal();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* If the command links, objects go to the temporary directory, and take the places of the sources in the link.
 * Returns the first status that is not 0, else 0. */
static int compile_parts(struct refrain_compiler_call *call) {
    struct refrain_command *command = &call->command;
    bool links = command->mode == REFRAIN_COMMAND_LINK;
    int result = 0;
    for (size_t i = 0; i < command->count; i++) {
        if (command->arguments[i].kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        struct refrain_text object = {0};
        if (links)
            refrain_text_format(&object, "%s/%zu-%s.o", call->temporary.bytes, i,
                                refrain_text_basename(command->arguments[i].text));
        int status = compile_in_child(call->build, command, i, object.bytes);
        if (status != 0 && result == 0)
            result = status;
        if (links)
            refrain_parts_replace(command, i, object.bytes);
        refrain_text_free(&object);
    }
    return result;
}

static int run_parts(struct refrain_compiler_call *call) {
    refrain_compiler_call_load();
    if (!refrain_compiler_call_make_directory(call))
        return become_original(call);
    int status = compile_parts(call);
    if (status == 0 && call->command.mode == REFRAIN_COMMAND_LINK) {
        struct refrain_list words = refrain_compiler_call_command(call, REFRAIN_USE_ORIGINAL);
        status = refrain_run(words.items, NULL);
        refrain_list_free(&words);
    }
    refrain_run_clean();
    return status;
}

/* ---- the whole call ---- */

static int run_call(struct refrain_compiler_call *call) {
    if (call->build->detail == REFRAIN_DETAIL_CALLS)
        return become_original(call);
    if (refrain_parts_needed(&call->command))
        return run_parts(call);
    if (call->command.n_sources == 0 || !refrain_compiler_call_prepare(call) ||
        refrain_compiler_call_instrument(call) == 0)
        return become_original(call);
    int status = run_instrumented(call);
    refrain_run_clean();
    return status;
}

/* True if the command of the MPI compiler is needed: for a link, and for parsing a source. */
static bool asks_compiler(const struct refrain_compiler_call *call) {
    return call->command.mode == REFRAIN_COMMAND_LINK ||
           (call->build->detail != REFRAIN_DETAIL_CALLS && call->command.n_sources + call->command.n_compiled > 0);
}

int refrain_build_run(const struct refrain_build *build, struct refrain_list *compiler,
                      struct refrain_list *arguments) {
    struct refrain_compiler_call call = {.build = build};
    refrain_command_read(&call.command, compiler->items, compiler->count, arguments->items, arguments->count);
    if (!build->off)
        refrain_toolchain_offer_header();
    if (build->off || call.command.mode == REFRAIN_COMMAND_STRAIGHT) {
        for (size_t i = 0; i < arguments->count; i++)
            refrain_list_add(compiler, arguments->items[i]);
        return refrain_run_become(compiler->items);
    }
    setenv("REFRAIN_WRAPPER", "off", 1); /* the compiler may call another one by a name that leads to the wrapper */
    if (asks_compiler(&call))
        refrain_compiler_call_ask_compiler(&call);
    refrain_compiler_call_find_libraries(&call);
    refrain_compiler_call_add_hooks(&call);
    int status = run_call(&call);
    if (status == 0 && checks_filter(&call))
        refrain_compiler_call_check_filter(&call);
    return status;
}
