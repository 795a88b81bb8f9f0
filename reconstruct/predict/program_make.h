/* program_make.h: traces -> a program (program.h). */
#ifndef REFRAIN_PROGRAM_MAKE_H
#define REFRAIN_PROGRAM_MAKE_H

#include "model/trace_read.h"
#include "predict/program.h"

/* Makes the program of traces of one program on different numbers of ranks. The traces must stay open while it is used;
 * the caller frees it, also after a failure. The error says why a trace cannot be used: ranks without a file, without
 * formulas or killed, approximate order, calls in several threads, communicators that the program cannot make. */
enum refrain_status refrain_program_make(struct refrain_program *program, struct refrain_trace *const *traces,
                                         size_t n_traces, struct refrain_error *error);

#endif
