/* program.c: runs the instrumentor as a separate program (program.h). */
#include "program.h"
#include "toolchain.h"
#include <spawn.h>
#include <unistd.h>

bool refrain_program_path(struct refrain_text *path) {
#ifdef REFRAIN_HAS_PROGRAM
    return refrain_toolchain_file("refrain-instrumentor", path) && access(path->bytes, X_OK) == 0;
#else
    (void)path;
    return false;
#endif
}

pid_t refrain_program_start(const struct refrain_job *job) {
    struct refrain_text path = {0};
    struct refrain_list words = {0};
    pid_t child = -1;
    if (refrain_program_path(&path)) {
        refrain_list_add(&words, path.bytes);
        refrain_job_write(job, &words);
        if (posix_spawn(&child, path.bytes, NULL, NULL, words.items, environ) != 0)
            child = -1;
    }
    refrain_list_free(&words);
    refrain_text_free(&path);
    return child;
}
