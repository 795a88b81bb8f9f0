/* dependencies.c: puts the names of the sources into dependency files (compiler_call.h). */
#include "compiler_call.h"
#include "warn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void append_make_quoted(struct refrain_text *text, const char *path) {
    for (; *path; path++) {
        if (*path == ' ' || *path == '\t' || *path == '#')
            refrain_text_bytes(text, "\\", 1);
        if (*path == '$')
            refrain_text_bytes(text, "$", 1);
        refrain_text_bytes(text, path, 1);
    }
}

/* Replaces the directory of stand-ins by that of their sources in a dependency file, and adds the files whose text a
 * stand-in contains (unite.h), which the compiler did not open. */
static void mend_dependencies(const struct refrain_compiler_call *call, const char *path) {
    struct refrain_text text = {0}, mended = {0};
    const struct refrain_stand_in *named = NULL; /* the stand-in whose name has just begun */
    bool changed = false;
    if (!refrain_text_read(&text, path)) {
        refrain_text_free(&text);
        return;
    }
    for (const char *at = text.bytes; *at;) {
        const struct refrain_stand_in *found = NULL;
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
            named = found;
            changed = true;
        } else {
            refrain_text_bytes(&mended, at++, 1);
        }
        if (named && (*at == '\0' || *at == ' ' || *at == '\n') && at[-1] != '\\') {
            for (size_t i = 0; i < named->included.count; i++) {
                refrain_text_string(&mended, " ");
                append_make_quoted(&mended, named->included.items[i]);
            }
            named = NULL;
        }
    }
    if (changed && !refrain_text_write(&mended, path))
        refrain_build_warn(call->build, "cannot write the dependencies to '%s': %s", path, strerror(errno));
    refrain_text_free(&text);
    refrain_text_free(&mended);
}

static void mend_beside(const struct refrain_compiler_call *call, const char *path, const char *infix) {
    const char *base = refrain_text_basename(path), *dot = strrchr(base, '.');
    struct refrain_text name = {0};
    refrain_text_bytes(&name, path, dot ? (size_t)(dot - path) : strlen(path));
    refrain_text_format(&name, "%s.d", infix);
    mend_dependencies(call, name.bytes);
    refrain_text_free(&name);
}

/* Compilers write dependency files where $DEPENDENCIES_OUTPUT says, and where an option says; without such an option
 * beside the output, or to the working directory. */
void refrain_compiler_call_mend_dependencies(const struct refrain_compiler_call *call) {
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
