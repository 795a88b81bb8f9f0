/* refrain_as.c: stands where gcc, g++ and gfortran look for the assembler (-B). It adds probes to the text that the
 * compiler wrote, and runs the compiler's assembler on it. If that fails, or if there is nothing to add, the assembler
 * gets the arguments as they were.
 *
 *     REFRAIN_HOOKS=av:FILTER as ARGUMENTS... file.s     a: --detail=all, v: --refrain-verbose (hook_options.c) */
#include "hooks.h"
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct call {
    struct refrain_list words; /* the assembler and its arguments, without the input */
    const char *input;         /* null: standard input */
    struct refrain_text text, directory;
};

/* ---- the compiler's assembler ---- */

static bool is_other_program(const char *path) {
    struct stat self, status;
    return stat("/proc/self/exe", &self) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, X_OK) == 0 && (status.st_ino != self.st_ino || status.st_dev != self.st_dev);
}

static bool find_assembler(const char *directories, struct refrain_text *path) {
    for (const char *at = directories; at; at = *at ? at + 1 : NULL) {
        int n = (int)strcspn(at, ":");
        refrain_text_free(path);
        refrain_text_format(path, "%.*s/as", n ? n : 1, n ? at : ".");
        if (is_other_program(path->bytes))
            return true;
        at += n;
    }
    return false;
}

/* gcc looks into the directories of COMPILER_PATH, which it sets for its programs, and then of PATH. */
static bool take_assembler(struct call *call) {
    struct refrain_text path = {0};
    bool found = find_assembler(getenv("COMPILER_PATH"), &path) || find_assembler(getenv("PATH"), &path);
    if (found)
        refrain_list_add(&call->words, path.bytes);
    refrain_text_free(&path);
    return found;
}

/* ---- arguments ---- */

static void take_arguments(struct call *call, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i], *dot = strrchr(text, '.');
        if (text[0] != '-' && dot && (strcmp(dot, ".s") == 0 || strcmp(dot, ".S") == 0)) {
            call->input = text;
        } else if (strcmp(text, "-") != 0) {
            refrain_list_add(&call->words, text);
            if ((strcmp(text, "-o") == 0 || strcmp(text, "-I") == 0) && i + 1 < argc)
                refrain_list_add(&call->words, argv[++i]);
        }
    }
}

static bool read_input(struct call *call) {
    char buffer[65536];
    ssize_t n;
    if (call->input)
        return refrain_text_read(&call->text, call->input);
    while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        refrain_text_bytes(&call->text, buffer, (size_t)n);
    return n == 0;
}

/* ---- running it ---- */

/* Appends `n` words for one run of the assembler. Returns its status. */
static int assemble(struct call *call, const char *const *words, size_t n, const char *messages) {
    size_t before = call->words.count;
    for (size_t i = 0; i < n; i++)
        refrain_list_add(&call->words, words[i]);
    int status = refrain_run(call->words.items, messages);
    while (call->words.count > before)
        free(call->words.items[--call->words.count]);
    call->words.items[before] = NULL;
    return status;
}

/* Writes `text` to a file `name` in the directory of this run, and appends its path. */
static bool write_file(struct call *call, const char *name, const struct refrain_text *text,
                       struct refrain_text *path) {
    refrain_text_format(path, "%s/%s", call->directory.bytes, name);
    bool good = refrain_text_write(text, path->bytes);
    if (!good)
        fprintf(stderr, "refrain: %s: %m\n", path->bytes);
    return good;
}

/* Assembles the compiler's text. With `output` that is a second run, for messages about the lines of that text. */
static int assemble_original(struct call *call, const char *output) {
    struct refrain_text path = {0};
    int status = 1;
    if (call->input)
        refrain_text_string(&path, call->input);
    if (call->input || write_file(call, "text.s", &call->text, &path))
        status = assemble(call, (const char *const[]){path.bytes, "-o", output}, output ? 3 : 1, NULL);
    refrain_text_free(&path);
    return status;
}

/* Assembles the text with probes. False if the assembler rejects it. */
static bool assemble_probes(struct call *call, const struct refrain_text *probes) {
    struct refrain_text path = {0}, messages = {0}, said = {0}, plain = {0};
    refrain_text_format(&messages, "%s/messages", call->directory.bytes);
    refrain_text_format(&plain, "%s/plain.o", call->directory.bytes);
    bool good = write_file(call, "probes.s", probes, &path) &&
                assemble(call, (const char *const[]){path.bytes}, 1, messages.bytes) == 0;
    if (good && refrain_text_read(&said, messages.bytes) && said.length > 0)
        assemble_original(call, plain.bytes);
    refrain_text_free(&path);
    refrain_text_free(&messages);
    refrain_text_free(&said);
    refrain_text_free(&plain);
    return good;
}

/* Returns the status of the assembler. */
static int run(struct call *call, const char *settings) {
    struct refrain_filter filter = {0};
    struct refrain_text out = {0}, error = {0};
    const char *name = call->input ? call->input : "-", *path = settings + strcspn(settings, ":");
    bool verbose = memchr(settings, 'v', (size_t)(path - settings)), done = false;
    if (*path && path[1] && !refrain_filter_read(&filter, path + 1, &error))
        fprintf(stderr, "refrain: %s; C++ and Fortran are compiled without probes\n", error.bytes);
    else if (refrain_hooks_insert(&call->text, &filter, memchr(settings, 'a', (size_t)(path - settings)), &out)) {
        done = assemble_probes(call, &out);
        if (!done)
            fprintf(stderr, "refrain: the assembler rejects the probes of '%s'; it is compiled without them\n", name);
    } else if (verbose) {
        fprintf(stderr, "refrain: no function of '%s' gets a probe\n", name);
    }
    refrain_filter_free(&filter);
    refrain_text_free(&out);
    refrain_text_free(&error);
    return done ? 0 : assemble_original(call, NULL);
}

int main(int argc, char **argv) {
    struct call call = {0};
    const char *settings = getenv("REFRAIN_HOOKS");
    if (!take_assembler(&call)) {
        fprintf(stderr, "refrain: there is no assembler 'as' on PATH; install binutils\n");
        return 1;
    }
    if (!settings) {
        argv[0] = call.words.items[0];
        return refrain_run_become(argv);
    }
    take_arguments(&call, argc, argv);
    if (!read_input(&call)) {
        fprintf(stderr, "refrain: cannot read the assembler text '%s': %m\n", call.input ? call.input : "-");
        return 1;
    }
    if (!refrain_run_directory(&call.directory, call.input ? call.input : "-")) {
        fprintf(stderr, "refrain: %s: %m\n", call.directory.bytes ? call.directory.bytes : "/tmp");
        return 1;
    }
    int status = run(&call, settings);
    refrain_run_clean();
    return status;
}
