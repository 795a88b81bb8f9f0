/* wrapper_names.h: what the wrappers are called, and what each stands for (wrapper.c, toolchain.c, help.c). */
#ifndef REFRAIN_WRAPPER_NAMES_H
#define REFRAIN_WRAPPER_NAMES_H

/* Which wrapper: refrain-cc takes the compiler as its first argument, the others stand for an MPI compiler. */
enum refrain_wrapper_kind {
    REFRAIN_WRAPPER_ANY,
    REFRAIN_WRAPPER_MPI_C,
    REFRAIN_WRAPPER_MPI_CXX,
    REFRAIN_WRAPPER_MPI_FORTRAN,
    REFRAIN_WRAPPERS
};

/* What they are called; of the MPI compilers the variable that names them, the one that is taken without it (else
 * null), and make's variable for compilers of the language. */
struct refrain_wrapper_names {
    const char *program, *variable, *compiler, *make_variable;
};
extern const struct refrain_wrapper_names refrain_wrapper_names[REFRAIN_WRAPPERS];

#endif
