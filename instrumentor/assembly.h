/* assembly.h: reads the assembler text that gcc, g++ and gfortran write for x86-64 (AT&T syntax), line by line.
 *
 *     .type  f, @function     the next label with this name begins the function
 *     f:
 *     .LFB0:  .cfi_startproc  endbr64
 *                             <- REFRAIN_ASSEMBLY_FIRST: before the first instruction or the first target of a jump
 *     ...
 *     call   g@PLT            REFRAIN_ASSEMBLY_USE: names another function
 *     ret                     REFRAIN_ASSEMBLY_LEAVE
 *     .size  f, .-f           the function ends; its cold part, f.cold, lies before
 *
 * The text is of compilers that make no tail calls (-fno-optimize-sibling-calls): a function leaves by ret only. */
#ifndef REFRAIN_ASSEMBLY_H
#define REFRAIN_ASSEMBLY_H

#include "text.h"

#define REFRAIN_SYMBOL_BYTES 65536 /* of a name with its NUL; a function with a longer one is passed over */

enum refrain_assembly_kind {
    REFRAIN_ASSEMBLY_OTHER,
    REFRAIN_ASSEMBLY_BEGIN,       /* the label of a function: `name` */
    REFRAIN_ASSEMBLY_END,         /* the function has ended */
    REFRAIN_ASSEMBLY_INSTRUCTION, /* none of the following */
    REFRAIN_ASSEMBLY_USE,         /* calls `name`, or takes its address; `name` is empty for a call through a pointer */
    REFRAIN_ASSEMBLY_LEAVE,       /* ret */
    REFRAIN_ASSEMBLY_BACK,        /* a jump to a label before it in the same function: a loop */
    REFRAIN_ASSEMBLY_LINE,        /* .loc: `number` is the file, `line` the line */
    REFRAIN_ASSEMBLY_FILE,        /* .file: `number`, and `name`; without a number the name of the source */
    REFRAIN_ASSEMBLY_DATA,        /* an address in data: `name` */
    REFRAIN_ASSEMBLY_ALIAS        /* .set `alias`, `name` */
};

struct refrain_assembly {
    const char *text, *next; /* the line, and the one after it */
    size_t length;           /* of the line, without its end */
    enum refrain_assembly_kind kind;
    bool first; /* the entry of the function is before this line */
    bool calls; /* USE: it is a call, not only an address */
    bool alone; /* BEGIN: no other function is in its section (-ffunction-sections), and no group of sections */
    unsigned number, line;
    char name[REFRAIN_SYMBOL_BYTES], alias[REFRAIN_SYMBOL_BYTES];

    /* private */
    char pending[REFRAIN_SYMBOL_BYTES];  /* of the last .type */
    char function[REFRAIN_SYMBOL_BYTES]; /* the function that the line is in, or "" */
    bool own_section;                    /* the section is of one function */
    bool waits;                          /* for the first instruction */
    bool cold;     /* in the cold part of the function; its jumps back into the function are no loops */
    bool verbatim; /* between #APP and #NO_APP */
    unsigned n_functions;
    unsigned *labels; /* by number: the function in which the label was met */
    size_t n_labels;
};

/* Begins to read `text`, which ends with a NUL and stays the caller's. The reader must be zero. */
void refrain_assembly_open(struct refrain_assembly *assembly, const char *text);

/* Reads the next line. False at the end. */
bool refrain_assembly_next(struct refrain_assembly *assembly);

void refrain_assembly_close(struct refrain_assembly *assembly);

#endif
