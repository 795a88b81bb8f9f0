/* program.c: running the instrumentor as a program of its own (program.h). */
#include "program.h"
#include "toolchain.h"
#include <stdlib.h>
#include <unistd.h>

bool refrain_program_path(struct refrain_text *path) {
#ifdef REFRAIN_HAS_PROGRAM
    return refrain_toolchain_file("refrain-instrumentor", path) && access(path->bytes, X_OK) == 0;
#else
    (void)path;
    return false;
#endif
}

static void become(struct refrain_list *words) {
    char **arguments = NULL;
    size_t capacity = 0;
    arguments = refrain_memory_grow(arguments, &capacity, words->count + 1, sizeof *arguments);
    for (size_t i = 0; i < words->count; i++)
        arguments[i] = words->items[i];
    arguments[words->count] = NULL;
    execv(arguments[0], arguments);
    free(arguments);
}

void refrain_program_do(const struct refrain_job *job) {
    struct refrain_text path = {0};
    struct refrain_list words = {0};
    if (refrain_program_path(&path)) {
        refrain_list_add(&words, path.bytes);
        refrain_job_write(job, &words);
        become(&words);
    }
    refrain_list_free(&words);
    refrain_text_free(&path);
}
