/* walk.h: what the files of the walk share (construct.h).
 *
 *     walk_file.c        the file's functions, one after the other
 *       walk.c           statements and calls
 *         walk_branch.c  decisions and loops
 *     walker.c           children, positions in the text, the array of constructs
 *
 * Children come from libclang without their roles and without those that are absent, so that roles are found from the
 * text (place.h).
 */
#ifndef REFRAIN_WALK_H
#define REFRAIN_WALK_H

#include "construct.h"

struct refrain_walker {
    struct refrain_constructs *constructs;
    const struct refrain_source *source;
    const struct refrain_instrument_options *options;
    struct refrain_openmp *openmp;
    unsigned function; /* index of the one being walked */
    unsigned parent;   /* construct the next one goes into */
    unsigned macro;    /* innermost MACRO construct, or REFRAIN_NO_INDEX */
    bool shared;       /* several threads may run it in one activation of the function */
    bool frozen;       /* no probes here */
    bool canonical;    /* the loop that comes next belongs to a pragma that prescribes its form */
    bool bare;         /* the && that comes next stands in || without parentheses */
    bool in_block;     /* the statement that comes next stands in a block, after labels at most */
};

struct refrain_children {
    CXCursor *items;
    size_t count, capacity;
};

/* The children; `items` is the caller's to free. */
struct refrain_children refrain_walk_children(CXCursor cursor);

/* Where it stands in the file; `begin` is REFRAIN_NO_INDEX when that is elsewhere. */
struct refrain_span refrain_walk_extent(const struct refrain_walker *walker, CXCursor cursor);

/* The cursor's spelling, the caller's to free. */
char *refrain_walk_name(CXCursor cursor);

/* Adds a construct, which contains what is added until it is closed. Returns its index. */
unsigned refrain_walk_open(struct refrain_walker *walker, enum refrain_node_kind kind, CXCursor cursor);
void refrain_walk_close(struct refrain_walker *walker, unsigned index);

/* Valid until the next construct is added. */
struct refrain_construct *refrain_walk_at(struct refrain_walker *walker, unsigned index);

/* Sets where its probe goes, if it may have one. */
void refrain_walk_place(struct refrain_walker *walker, unsigned index, bool placed, struct refrain_span span);

/* The function of this file that `declaration` declares; null when it is defined elsewhere. */
struct refrain_function *refrain_walk_find_function(const struct refrain_constructs *constructs, CXCursor declaration);

/* Notes that a function's address is taken, where `reference` names one. */
void refrain_walk_note_address(struct refrain_walker *walker, CXCursor reference);

/* Walks anything; a statement, with what the pragmas before it say. */
void refrain_walk_cursor(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_statement(struct refrain_walker *walker, CXCursor cursor);

void refrain_walk_if(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_switch(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_conditional(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_operator(struct refrain_walker *walker, CXCursor cursor);
void refrain_walk_loop(struct refrain_walker *walker, CXCursor cursor, enum refrain_node_kind kind);

#endif
