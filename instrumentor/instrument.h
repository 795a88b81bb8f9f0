/* instrument.h: one C file in, the same file with probes and the unit's tables out.
 *
 *     source.c (libclang, tokens) -> walk.h (constructs; place.c: where a probe may stand) -> choose.c (which get one)
 *         -> emit.c (edits, declarations, tables)
 */
#ifndef REFRAIN_INSTRUMENT_H
#define REFRAIN_INSTRUMENT_H

#include "filter.h"
#include "text.h"

struct refrain_instrument_options {
    const char *program;      /* prefix of messages */
    const char *source;       /* as given to the compiler: __FILE__ and the unit's name */
    const char *const *flags; /* for libclang: -I, -D, -std=, ... */
    size_t n_flags;
    const struct refrain_filter *filter; /* null: none */
    bool all;                            /* --detail=all, or every */
    bool every;                          /* --detail=every */
    bool late;                           /* code is made when the program is linked (-flto) */
    bool strict;                         /* a file with any error is left alone, not only the functions with errors */
    struct refrain_list *included;       /* gets the C files that are part of the unit's text (unite.h); or null */
    bool verbose;                        /* say on standard error what was left alone and why */
};

enum refrain_instrument_status {
    REFRAIN_INSTRUMENT_DONE,      /* `out` holds the edited file */
    REFRAIN_INSTRUMENT_NOTHING,   /* nothing in it is worth a probe */
    REFRAIN_INSTRUMENT_LEFT_ALONE /* it cannot be handled; `reason` says why */
};

/* Instruments a file. `reason` is filled with one line, without the file's name, for LEFT_ALONE and NOTHING. */
typedef enum refrain_instrument_status refrain_instrument_function(const struct refrain_instrument_options *options,
                                                                   struct refrain_text *out,
                                                                   struct refrain_text *reason);
__attribute__((visibility("default"))) refrain_instrument_function refrain_instrument;

/* refrain_instrument() out of librefrain-instrument.so, which is loaded, with libclang, by the first call (loaded.c).
 * Null, with one line in `reason`, when it cannot be. */
refrain_instrument_function *refrain_instrument_load(struct refrain_text *reason);

#endif
