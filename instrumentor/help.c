/* help.c: the help texts of the wrappers (help.h). */
#include "help.h"

void refrain_help_print(const struct refrain_wrapper_names *names, FILE *file) {
    const char *mpi = names->compiler;
    fprintf(file,
            "NAME\n"
            "    %s - compile programs with refrain in them: C, C++ and Fortran with probes\n\n"
            "SYNOPSIS\n"
            "    %s %s\n\n"
            "DESCRIPTION\n",
            names->program, names->program,
            mpi ? "ARGUMENTS..." : "[--detail=D] [--filter=FILE] [--verbose] COMPILER ARGUMENTS...");
    if (mpi)
        fprintf(file,
                "    Stands where the MPI compiler stood, with the same arguments: %s=%s make. The compiler that\n"
                "    does the work is %s, or what %s names.\n",
                names->make_variable, names->program, mpi, names->variable);
    else
        fputs("    Stands in front of the compiler: CC=\"refrain-cc gcc\" make. A launcher may stand before the "
              "compiler:\n"
              "    refrain-cc ccache gcc.\n",
              file);
    fputs("    Each C source is instrumented into a temporary file that is compiled in its place, under its own name; "
          "each\n"
          "    link gets librefrain and the part of it for the MPI in use, so that MPI calls of all languages are "
          "traced.\n"
          "    In C++ and Fortran, g++ and gfortran run an assembler of refrain's, which adds probes to functions. "
          "Assembler\n"
          "    sources, standard input, -E and -M run as they are. A file that cannot be instrumented is compiled as "
          "it was.\n"
          "    Messages are the compiler's own, about the original file.\n\n"
          "OPTIONS\n"
          "    --refrain-detail=calls|communication|all|every\n"
          "                             what gets a probe\n"
          "                             calls: nothing; the trace has MPI calls and user regions only\n"
          "                             communication: what can reach an MPI call (default)\n"
          "                             all: also decisions and loops that reach none, but for those of a few\n"
          "                             instructions\n"
          "                             every: those, too, whatever it costs\n"
          "    --refrain-filter=FILE    functions and files to leave out, in Score-P's filter syntax\n"
          "    --refrain-verbose        say what was left alone, and why\n",
          file);
    fputs(mpi ? "    In front of all other arguments they may be written --detail= and --filter=.\n"
              : "    In front of the compiler they may be written --detail=, --filter= and --verbose.\n",
          file);
    fputs(mpi ? "    --refrain-version        say which refrain this is (--version is the compiler's)\n"
              : "    --version                say which refrain this is, with no compiler behind it\n",
          file);
    fputs("    All other arguments are the compiler's.\n\n"
          "ENVIRONMENT\n"
          "    REFRAIN_WRAPPER=off         run the compiler as if the wrapper were not there (./configure steps)\n"
          "    REFRAIN_DETAIL              as --refrain-detail\n"
          "    REFRAIN_FILTER              as --refrain-filter\n"
          "    REFRAIN_MPICC, REFRAIN_MPICXX, REFRAIN_MPIFORT\n"
          "                                the MPI compilers behind refrain-mpicc, refrain-mpicxx and refrain-mpifort\n"
          "    REFRAIN_LIBDIR              where librefrain.so is\n"
          "    REFRAIN_CLANG_RESOURCE_DIR  where clang's own headers are\n\n"
          "EXIT STATUS\n"
          "    The compiler's.\n",
          file);
}
