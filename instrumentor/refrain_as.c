/* refrain_as.c: stands where gcc, g++ and gfortran look for the assembler (-B). It adds probes to the text that the
 * compiler wrote, and runs the assembler on it. If that fails, the assembler gets the compiler's text as it was.
 *
 *     as --refrain-filter=FILE --refrain-all --refrain-verbose ARGUMENTS... file.s */
#include "hooks.h"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char made[] = "/tmp/refrain-XXXXXX.s";

static bool read_input(struct refrain_text *text, const char *path) {
    char buffer[65536];
    ssize_t n;
    if (path)
        return refrain_text_read(text, path);
    while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        refrain_text_bytes(text, buffer, (size_t)n);
    return n == 0;
}

/* Writes `text` to the temporary file, and runs the assembler on it. Returns the exit status, or 127. */
static int assemble(struct refrain_list *words, const struct refrain_text *text, bool quiet) {
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_t actions;
    if (!refrain_text_write(text, made))
        return 127;
    refrain_list_add(words, made);
    posix_spawn_file_actions_init(&actions);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    bool started = posix_spawnp(&child, words->items[0], &actions, NULL, words->items, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (started)
        waitpid(child, &status, 0);
    free(words->items[--words->count]);
    words->items[words->count] = NULL;
    return started && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* Appends the directory of -I, the output of -o, or another option. Returns the input if the argument is one. */
static const char *take_argument(struct refrain_list *words, char **argv, int argc, int *i) {
    const char *text = argv[*i], *name = strrchr(text, '.');
    if (text[0] != '-' && name && (strcmp(name, ".s") == 0 || strcmp(name, ".S") == 0))
        return text;
    refrain_list_add(words, text);
    if ((strcmp(text, "-o") == 0 || strcmp(text, "-I") == 0) && *i + 1 < argc)
        refrain_list_add(words, argv[++*i]);
    return NULL;
}

int main(int argc, char **argv) {
    struct refrain_list words = {0};
    struct refrain_filter filter = {0};
    struct refrain_text text = {0}, out = {0}, error = {0};
    const char *input = NULL, *filter_path = NULL;
    bool all = false, verbose = false;
    refrain_list_add(&words, "as");
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--refrain-filter=", 17) == 0)
            filter_path = argv[i] + 17;
        else if (strcmp(argv[i], "--refrain-all") == 0)
            all = true;
        else if (strcmp(argv[i], "--refrain-verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "-") != 0) {
            const char *found = take_argument(&words, argv, argc, &i);
            input = found ? found : input;
        }
    }
    bool good = !filter_path || refrain_filter_read(&filter, filter_path, &error);
    if (!good)
        fprintf(stderr, "refrain: %s; C++ and Fortran are compiled without probes\n", error.bytes);
    if (!read_input(&text, input)) {
        fprintf(stderr, "refrain: cannot read the assembler text '%s'\n", input ? input : "-");
        return 1;
    }
    int file = mkstemps(made, 2);
    if (file < 0) {
        perror("refrain: cannot make a temporary file in /tmp");
        return 1;
    }
    close(file);
    bool probes = good && text.length > 0 && refrain_hooks_insert(text.bytes, &filter, all, &out);
    int status = probes ? assemble(&words, &out, true) : 1;
    if (probes && status != 0)
        fprintf(stderr, "refrain: the assembler rejects the probes of '%s'; it is compiled without them\n",
                input ? input : "-");
    else if (!probes && verbose)
        fprintf(stderr, "refrain: no function of '%s' gets a probe\n", input ? input : "-");
    if (status != 0)
        status = assemble(&words, &text, false);
    unlink(made);
    return status;
}
