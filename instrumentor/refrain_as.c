/* refrain_as.c: stands where gcc, g++ and gfortran look for the assembler (-B). It adds probes to the text that the
 * compiler wrote, and runs the assembler on it. If that fails, the assembler gets the compiler's text as it was.
 *
 *     as --refrain-filter=FILE --refrain-all --refrain-verbose ARGUMENTS... file.s */
#include "hooks.h"
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_input(struct refrain_text *text, const char *path) {
    char buffer[65536];
    ssize_t n;
    if (path)
        return refrain_text_read(text, path);
    while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        refrain_text_bytes(text, buffer, (size_t)n);
    return n == 0;
}

/* Writes `text` to the file `made`, and runs the assembler on it. Returns the exit status. */
static int assemble(struct refrain_list *words, const struct refrain_text *text, const char *made, bool quiet) {
    if (!refrain_text_write(text, made)) {
        fprintf(stderr, "refrain: %s: %m\n", made);
        return 1;
    }
    refrain_list_add(words, made);
    int status = refrain_run(words->items, quiet ? "/dev/null" : NULL);
    free(words->items[--words->count]);
    words->items[words->count] = NULL;
    return status;
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
    struct refrain_text text = {0}, out = {0}, error = {0}, made = {0};
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
    if (!refrain_run_directory(&made, input ? input : "-")) {
        fprintf(stderr, "refrain: %s: %m\n", made.bytes);
        return 1;
    }
    refrain_text_format(&made, "/probes.s");
    bool probes = good && text.length > 0 && refrain_hooks_insert(text.bytes, &filter, all, &out);
    int status = probes ? assemble(&words, &out, made.bytes, true) : 1;
    if (probes && status != 0)
        fprintf(stderr, "refrain: the assembler rejects the probes of '%s'; it is compiled without them\n",
                input ? input : "-");
    else if (!probes && verbose)
        fprintf(stderr, "refrain: no function of '%s' gets a probe\n", input ? input : "-");
    if (status != 0)
        status = assemble(&words, &text, made.bytes, false);
    refrain_run_clean();
    return status;
}
