/* instrument.h: reads a C file, and writes the same file with probes and the tables of the unit.
 *
 *     source.c (libclang, tokens) -> walk.h (constructs; place.c: positions for probes) -> choose.c (which get one)
 *         -> emit.c (edits, declarations, tables) */
#ifndef REFRAIN_INSTRUMENT_H
#define REFRAIN_INSTRUMENT_H

#include "filter.h"
#include "text.h"

struct refrain_instrument_options {
    const char *program;      /* prefix of messages */
    const char *source;       /* as given to the compiler: __FILE__ and the name of the unit */
    const char *const *flags; /* for libclang: -I, -D, -std=, ... */
    size_t n_flags;
    const struct refrain_filter *filter; /* null: none */
    bool all;                            /* --detail=all, or every */
    bool every;                          /* --detail=every */
    bool assembler;                      /* write the tables as assembler (hooks.c) */
    bool lto;                            /* code is generated when the program is linked (-flto) */
    bool strict; /* after any error the whole file is not instrumented, instead of the functions with errors */
    struct refrain_list *included; /* gets the C files that are part of the unit's text (unite.h); may be null */
    bool verbose;                  /* report on standard error which constructs were not instrumented, and why */
};

enum refrain_instrument_status {
    REFRAIN_INSTRUMENT_DONE,      /* `out` holds the edited file */
    REFRAIN_INSTRUMENT_NOTHING,   /* nothing in it deserves a probe */
    REFRAIN_INSTRUMENT_LEFT_ALONE /* it cannot be instrumented; `reason` says why */
};

/* Instruments a file. For LEFT_ALONE and NOTHING, `reason` gets one line, without the name of the file. */
typedef enum refrain_instrument_status refrain_instrument_function(const struct refrain_instrument_options *options,
                                                                   struct refrain_text *out,
                                                                   struct refrain_text *reason);
__attribute__((visibility("default"))) refrain_instrument_function refrain_instrument;

/* refrain_instrument() from librefrain-instrument.so. The first call loads it, with libclang (loaded.c). Null after
 * a failure, with one line in `reason`. */
refrain_instrument_function *refrain_instrument_load(struct refrain_text *reason);

#endif
