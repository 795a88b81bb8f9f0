/* untraced.c: finds why a command left no trace (record.h). The program may be any word of the command, after
 * wrappers. */
#define _GNU_SOURCE
#include "program.h"
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reasons, the most specific first. */
enum reason { STATIC_MPI, SET_ID, MUSL, NOT_64_BIT, MPI_NOT_CALLED, STATIC, NO_MPI, REASONS };

static const char *const texts[REASONS] = {
    [STATIC_MPI] =
        "contains the MPI library (it was linked statically), and refrain comes in by preloading: link it with "
        "shared libraries, or with refrain-mpicc",
    [SET_ID] = "is set-user-ID or set-group-ID, and the system lets no library be preloaded there: run a copy without "
               "that bit",
    [MUSL] = "uses the C library musl, for which refrain was not built",
    [NOT_64_BIT] = "is no 64-bit program, and refrain's libraries are for those only",
    [MPI_NOT_CALLED] =
        "is linked with MPI, but left no trace: it did not call MPI_Init, or its environment was cleared on "
        "the way, or a line above says why",
    [STATIC] = "is linked statically, so that nothing can be preloaded: link it with shared libraries",
    [NO_MPI] =
        "is not linked with an MPI library, and no other process of the command called MPI; programs without MPI "
        "are traced when they are built with refrain-cc",
};

static enum reason reason_of(const struct refrain_program *program) {
    if (program->contains_mpi)
        return STATIC_MPI;
    if (program->is_set_id)
        return SET_ID;
    if (program->is_musl)
        return MUSL;
    if (!program->is_64_bit)
        return NOT_64_BIT;
    if (program->needs_mpi)
        return MPI_NOT_CALLED;
    return program->is_dynamic ? NO_MPI : STATIC;
}

/* True if this word is a program other than the launcher. */
static bool read_word(char **argv, int i, struct refrain_program *program) {
    char *path = i == 0 || argv[i][0] != '-' ? refrain_find_program(argv[i]) : NULL;
    bool is = path && refrain_program_read(path, program) && program->is_elf && !program->open_mpi_runtime;
    free(path);
    return is;
}

bool refrain_record_is_possible(int argc, char **argv) {
    struct refrain_program program;
    for (int i = 0; i < argc; i++)
        if (read_word(argv, i, &program) && (program.needs_mpi || program.contains_mpi) &&
            reason_of(&program) < MPI_NOT_CALLED)
            return false;
    return true;
}

/* Exit statuses by which launchers and shells say that they could not run a program. */
static bool is_of_launcher(int exit_status) {
    return exit_status == 126 || exit_status == 127 || exit_status == 255;
}

void refrain_record_explain(int argc, char **argv, int exit_status) {
    enum reason best = REASONS;
    const char *name = NULL;
    for (int i = 0; i < argc; i++) {
        struct refrain_program program;
        if (read_word(argv, i, &program)) {
            enum reason reason = reason_of(&program);
            /* Of several programs without MPI, the last one is meant; the others are launcher and wrappers. */
            if (reason < best || (reason == best && reason == NO_MPI)) {
                best = reason;
                name = argv[i];
            }
        }
    }
    bool is_guess = !name || best == MPI_NOT_CALLED || best == NO_MPI;
    if (is_guess && is_of_launcher(exit_status))
        fprintf(stderr, "refrain record: nothing was traced: %s failed with status %d before any process called MPI\n",
                argv[0], exit_status);
    else if (name)
        fprintf(stderr, "refrain record: nothing was traced: %s %s\n", name, texts[best]);
    else
        fprintf(stderr,
                "refrain record: nothing was traced: no process of %s called MPI with the environment that it "
                "was given\n",
                argv[0]);
}
