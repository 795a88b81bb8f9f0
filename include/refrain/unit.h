/* unit.h: data and functions of instrumented C (instrumentor -> monitor).
 *
 * The instrumentor writes the declarations below, word for word, into the head of every file it edits (so that no
 * header is needed to compile it), and at its end the tables of the unit:
 *
 *     refrain__tables    the tables as bytes (unit_tables.h): the program tree, parents before children, names, and
 *                        dependencies of probes
 *     refrain__u         a struct refrain_unit, followed by memory into which the monitor unpacks the tables; it takes
 *                        no space in the object file
 *     refrain_units_10    a section with a struct refrain_unit_distances for each unit, by which both are found
 *
 * It also writes a constructor that calls refrain_register(), and a destructor. All units of an executable or
 * library have the same ones, of which the linker keeps one each (instrumentor/inserted/units.h).
 *
 * Replay does not interpret C. A probe tells the monitor where control is, and the monitor learns, for each place,
 * which place came next (yan-jin-schmidt section 3.2, "branch sequences": the order of the clocks gives the control
 * flow). A place is a *slot*. Each node that has a probe owns consecutive slots, numbered within the unit from 0:
 *
 *     kind                        slots  meaning
 *     REFRAIN_FUNCTION              2    [0] the body has begun, [1] whole activations: their count and duration
 *     REFRAIN_IF, _CONDITIONAL,     3    [0] the decision (sequence of 0 and 1), [1] true was chosen, [2] false
 *       _AND, _OR
 *     REFRAIN_WHILE, _FOR, _DO      3    [0] the loop count, [1] the condition held, [2] it did not
 *     REFRAIN_CALL, _MPI_CALL,      2    [0] about to call, [1] a call has returned
 *       _MACRO
 *     REFRAIN_SWITCH                1    about to choose a label
 *
 * A loop without other probes inside counts its iterations in a local variable, and records the count when it ends
 * (refrain_count): then [1] is never reached.
 *
 * Probes need not be complete: code without a probe belongs to the place before it, and the order of all places is
 * still exact. Threads: every function here may be called from any thread and, once tables are registered, from a
 * signal handler. None of them allocates, prints, changes errno or calls back. */
#ifndef REFRAIN_UNIT_H
#define REFRAIN_UNIT_H

#include <refrain/unit_tables.h>

enum refrain_node_kind {
    REFRAIN_UNIT =
        0, /* node 0 of every unit: name = source file as given to the compiler; with --detail=all, line = number of
              small functions, column = number of decisions and loops with little work, which have no probe */
    REFRAIN_FUNCTION = 1,    /* name = function */
    REFRAIN_BLOCK = 2,       /* sequential block; no slots */
    REFRAIN_IF = 3,          /* if (c) */
    REFRAIN_CONDITIONAL = 4, /* c ? a : b */
    REFRAIN_AND = 5,         /* a && b: decision = value of a */
    REFRAIN_OR = 6,          /* a || b: decision = value of a */
    REFRAIN_WHILE = 7,
    REFRAIN_FOR = 8,
    REFRAIN_DO = 9,
    REFRAIN_SWITCH = 10,
    REFRAIN_CALL = 11,     /* name = callee, "" through a pointer */
    REFRAIN_MPI_CALL = 12, /* name = MPI function */
    REFRAIN_MACRO = 13,    /* statement made by a macro that may lead to an event; name = the macro */
    REFRAIN_BREAK = 14,
    REFRAIN_CONTINUE = 15,
    REFRAIN_RETURN = 16,
    REFRAIN_GOTO = 17,  /* name = label, "" if computed */
    REFRAIN_LABEL = 18, /* name = label */
    REFRAIN_CASE = 19,  /* case or default */
    REFRAIN_LEFT = 20,  /* a construct that is not instrumented: name = its kind and the reason; parent 0, no slots */
    REFRAIN_NODE_KINDS
};

#define REFRAIN_NO_SLOT 0xffffffffu /* node without a probe */

/* 1 if nodes of this kind are loops, else 0. */
static inline int refrain_kind_is_loop(unsigned int kind) {
    return kind >= REFRAIN_WHILE && kind <= REFRAIN_DO;
}

/* Slots of a node of this kind with a probe. */
static inline unsigned int refrain_slots_of_node(unsigned int kind) {
    switch (kind) {
    case REFRAIN_SWITCH:
        return 1;
    case REFRAIN_FUNCTION:
    case REFRAIN_CALL:
    case REFRAIN_MPI_CALL:
    case REFRAIN_MACRO:
        return 2;
    case REFRAIN_IF:
    case REFRAIN_CONDITIONAL:
    case REFRAIN_AND:
    case REFRAIN_OR:
    case REFRAIN_WHILE:
    case REFRAIN_FOR:
    case REFRAIN_DO:
        return 3;
    default:
        return 0;
    }
}

/* Plain types only, so that the instrumented file needs no header, and no feature-test macro is affected. unsigned
 * int has 32 bits on every platform that refrain supports. */
struct refrain_node {
    unsigned int kind;   /* enum refrain_node_kind */
    unsigned int parent; /* index of the enclosing node; 0 for node 0 itself */
    unsigned int slot;   /* first slot of this node within the unit, or REFRAIN_NO_SLOT */
    unsigned int line;   /* 1-based line in `file` as the compiler reports it (#line honoured) */
    unsigned int column; /* 1-based, 0 when unknown */
    unsigned int name;   /* offset in strings */
    unsigned int file;   /* offset in strings */
};

/* A probe that is useful only if certain functions make events is enabled at program start, since functions in other
 * files are known only after linking. `to` is enabled if `from` is. */
struct refrain_dependency {
    unsigned int to, from; /* slots of the unit; numbers from n_slots on are its `speakers` */
};

/* A function that may make events, known by name in all units: it is enabled in all units that name it, or in none. */
struct refrain_speaker {
    const char *name;
    unsigned long on;
    struct refrain_speaker *next; /* for use by the monitor */
};

/* A site: a probe in optimised machine code for x86-64, an instruction of five bytes: REFRAIN_SITE_ON and the
 * distance to the jump of the unit to refrain_site; or REFRAIN_SITE_OFF, an instruction of the same length that only
 * changes flags. Both addresses are relative to the member itself. The byte decides which of the two the code should
 * be. The call of a disabled probe costs time and does nothing. All sites begin as calls, and stay calls if the
 * monitor must not change code. */
struct refrain_site {
    int code; /* the instruction */
    int on;   /* the byte that enables the probe: in `on` of its unit, at the slot that control reaches here
                 (refrain_probe) */
};
#define REFRAIN_SITE_BYTES 5u
#define REFRAIN_SITE_ON 0xe8u /* call rel32 */
#define REFRAIN_SITE_OFF                                                                                               \
    0xa9u /* test imm32, eax: differs in one byte, so that it may be changed while others run it                       \
           */

/* Version of all that instrumented files and the monitor share. Units of different versions are in different lists,
 * as the version is in the names of the sections and of the group (instrumentor/inserted/units.h). It is also in the
 * names by which probes call the monitor: probes of another version find no monitor, and are disabled. */
#define REFRAIN_UNIT_VERSION 10u
#define REFRAIN_SITES_SECTION "refrain_sites_10" /* lists the sites of a unit */

struct refrain_unit {
    unsigned int n_nodes;
    unsigned int n_slots;
    unsigned int strings_bytes;
    unsigned int n_dependencies;
    unsigned int n_speakers;
    unsigned int unused;
    const struct refrain_node *nodes;
    const char *strings; /* NUL-terminated names, given by byte offset; offset 0 is "" */
    struct refrain_speaker *speakers;
    const struct refrain_dependency *dependencies;
    unsigned char *on;         /* by slot: 1 if the probe that reaches it is enabled; written by the monitor */
    const unsigned char *base; /* by first slot of a probe: 1: enabled from the start, 0: if a dependency is. Null: all
                                  are always enabled */
    const struct refrain_site *sites, *sites_end; /* those of all units of the executable or library; or null */
    unsigned long record; /* offset of the record of this unit in the trace file, 0 while it has none */
    void *slots;          /* this unit's slots of the first thread; null if the unit is not traced */
    long place;           /* distance from the thread pointer to refrain_place, set before `slots`; 0 if no inserted
                             code stores to it */
    struct refrain_unit *next;
};

/* Size in longs of refrain__u, which contains the unit, its speakers, nodes and dependencies, in this order. After
 * them come n_slots + 1 bytes `on`, and `base`. */
static inline unsigned long refrain_unit_words(const unsigned int sizes[REFRAIN_TABLES_SIZES]) {
    unsigned long bytes = sizeof(struct refrain_unit) +
                          sizes[REFRAIN_TABLES_SPEAKERS] * sizeof(struct refrain_speaker) +
                          sizes[REFRAIN_TABLES_NODES] * sizeof(struct refrain_node) +
                          sizes[REFRAIN_TABLES_DEPENDENCIES] * sizeof(struct refrain_dependency);
    return (bytes + sizeof(unsigned long) - 1) / sizeof(unsigned long);
}

/* Position of a unit: distances from the members themselves, which need no relocation. */
struct refrain_unit_distances {
    int tables; /* to refrain__tables */
    int unit;   /* to refrain__u */
};

/* The units of an executable or library; or one of them, if the linker makes no list: with link-time optimisation,
 * and on machines other than x86-64. */
struct refrain_units {
    unsigned long version; /* REFRAIN_UNIT_VERSION. If it is another version, the other members are unknown */
    const struct refrain_unit_distances *units, *end; /* section refrain_units_10; null: no list */
    const struct refrain_site *sites, *sites_end;     /* all those of the executable or library; or null */
    const char *tables;                               /* of the one unit; null: the unit is unpacked already */
    struct refrain_unit *unit;                        /* the one unit; or null */
};

/* An object in the frame of an instrumented function. Its address identifies the activation. Nothing is written to
 * it, so an activation with disabled probes costs nothing:
 *
 *     struct refrain_frame refrain__f __attribute__((__cleanup__(LEAVE)));    LEAVE: refrain_probe(..., slot + 1, ...)
 *     refrain_probe(&refrain__u, slot, ...)                                   or a site */
struct refrain_frame {
    char place;
};

/* The place of the MPI call that the thread makes next: slot [0] of a REFRAIN_MPI_CALL, of the first thread. The
 * program stores it before the call, and each wrapper reads and clears it. Each probe clears it, too, so that no later
 * call is recorded at a place that was stored before. Optimised code for x86-64 stores it without a call if the unit
 * has slots; other code calls refrain_probe(), which stores it. Null: the return address of the call identifies it. */
extern __thread const void *refrain_place __asm__("refrain_place_10");

#define REFRAIN_UNIT_SLOT_BYTES 96u /* of a slot (struct refrain_slot), by which the program computes the place */

/* Adds the tables of units to the run, and unpacks them. Called once by a constructor (priority 101); a dlopen'ed
 * object may do so at any time. Tables that do not fit the trace file are counted, and their units are not traced. */
void refrain_register(const struct refrain_units *units);

/* Removes units from the list when their object is unloaded. Their learners stay in the trace. Called by a
 * destructor (priority 101). */
void refrain_unregister(const struct refrain_units *units);

/* A probe. `slot` is the slot that control reaches. It gives the kind of probe:
 *
 *     of a function     [0] it has been entered; `extra`: the address of its struct refrain_frame
 *                       [1] it is left, after the return expression was evaluated; `extra` as above
 *     of a decision     [1] it was true, [2] it was false
 *     of a loop         [1] its condition held, [2] it did not; before (while, for) or after (do) each iteration
 *                       [0] a loop without other probes in it has ended after `extra` iterations
 *     of an MPI call    [0] it is about to be made: stores refrain_place
 *     of anything else  [0] control is there
 *
 * `frame`: an address in the frame of the activation. Frames of all its callees are below it, so activations
 * abandoned by longjmp are found. The address at the entry is the highest that its probes pass. Probes of an
 * activation whose entry was not recorded are ignored. The place of an MPI call in it belongs to the innermost
 * activation whose entry was recorded. */
void refrain_probe(struct refrain_unit *unit, unsigned int slot, const void *frame,
                   unsigned long extra) __asm__("refrain_probe_10");

/* The same for sites (struct refrain_site); not to be called from C. The return address identifies the site, and the
 * stack pointer there is `frame`. r11 has the address of the struct refrain_frame, and rax the count, if they are
 * needed. All registers are kept except the flags. */
void refrain_site(void) __asm__("refrain_site_10");

#endif
