/* walk.h: shared by the files of the walk (construct.h).
 *
 *     walk_file.c        the functions of the file, one after the other
 *       walk.c           statements and calls
 *         walk_branch.c  decisions and loops
 *     walker.c           children, positions in the text, the array of constructs
 *
 * libclang returns children without their roles, and leaves out absent ones, so the roles are found from the text
 * (place.h). */
#ifndef REFRAIN_WALK_H
#define REFRAIN_WALK_H

#include "construct.h"

struct refrain_walker {
    struct refrain_constructs *constructs;
    const struct refrain_source *source;
    const struct refrain_instrument_options *options;
    struct refrain_openmp *openmp;
    unsigned function; /* index of the current function */
    unsigned parent;   /* construct that contains the next one */
    unsigned macro;    /* innermost MACRO construct, or REFRAIN_NO_INDEX */
    bool shared;       /* several threads may execute this code in one activation of the function */
    bool frozen;       /* no probes here */
    bool canonical;    /* a pragma prescribes the form of the next loop */
    bool bare;         /* the next && is an operand of || without parentheses */
    bool in_block;     /* the next statement is directly in a block, perhaps after labels */
};

struct refrain_children {
    CXCursor *items;
    size_t count, capacity;
};

/* Returns the children; the caller frees `items`. */
struct refrain_children refrain_walk_children(CXCursor cursor);

/* Extent in the file; `begin` is REFRAIN_NO_INDEX if the cursor is in another file. */
struct refrain_span refrain_walk_extent(const struct refrain_walker *walker, CXCursor cursor);

/* Spelling of the cursor; the caller frees it. */
char *refrain_walk_name(CXCursor cursor);

/* Adds a construct, which contains all constructs added before it is closed. Returns its index. */
unsigned refrain_walk_open(struct refrain_walker *walker, enum refrain_node_kind kind, CXCursor cursor);
void refrain_walk_close(struct refrain_walker *walker, unsigned index);

/* Valid until the next construct is added. */
struct refrain_construct *refrain_walk_at(struct refrain_walker *walker, unsigned index);

/* Sets the position of its probe, if it may have one. */
void refrain_walk_place(struct refrain_walker *walker, unsigned index, bool placed, struct refrain_span span);

/* The function of this file that `declaration` declares, or null. */
struct refrain_function *refrain_walk_find_function(const struct refrain_constructs *constructs, CXCursor declaration);

/* Notes that the address of a function is taken, if `reference` names one. */
void refrain_walk_note_address(struct refrain_walker *walker, CXCursor reference);

/* Walk any cursor; walk a statement, with the pragmas before it. */
void refrain_walk_cursor(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_statement(struct refrain_walker *walker, CXCursor cursor);

void refrain_walk_if(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_switch(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_conditional(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_operator(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_loop(struct refrain_walker *walker, CXCursor cursor, enum refrain_node_kind kind);

#endif
