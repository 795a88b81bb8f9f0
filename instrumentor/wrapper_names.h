/* wrapper_names.h: names of the wrappers and of their compilers (wrapper.c, toolchain.c, help.c). */
#ifndef REFRAIN_WRAPPER_NAMES_H
#define REFRAIN_WRAPPER_NAMES_H

/* Kind of wrapper: refrain-cc gets the compiler as its first argument, the others stand for an MPI compiler. */
enum refrain_wrapper_kind {
    REFRAIN_WRAPPER_ANY,
    REFRAIN_WRAPPER_MPI_C,
    REFRAIN_WRAPPER_MPI_CXX,
    REFRAIN_WRAPPER_MPI_FORTRAN,
    REFRAIN_WRAPPERS
};

/* Name of a wrapper. For those of MPI compilers: the variable that names the compiler, the compiler used without it
 * (else null), and the variable of make for compilers of the language. */
struct refrain_wrapper_names {
    const char *program, *variable, *compiler, *make_variable;
};
extern const struct refrain_wrapper_names refrain_wrapper_names[REFRAIN_WRAPPERS];

#endif
