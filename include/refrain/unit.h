/* unit.h: what instrumented C carries and calls (instrumentor -> monitor).
 *
 * The instrumentor writes the declarations below, word for word, into the head of every file it edits (so that no
 * header is needed to compile it), and at its end the unit's tables:
 *
 *     refrain__tables    these tables as bytes (unit_tables.h): the program tree, parents before children, names, and
 *                        what switches probes on
 *     refrain__u         a struct refrain_unit, and behind it room for what the monitor unpacks; the object file has
 *                        only their size
 *     refrain_units_9    a section with a struct refrain_unit_distances for each unit, by which both are found
 *
 * and a constructor that calls refrain_register(), and a destructor: all units of an executable or library bring the
 * same ones, of which the linker keeps one each (instrumentor/inserted/units.h).
 *
 * Replay does not interpret C: a probe tells the monitor where control is, and the monitor learns, for each place, what
 * came next (yan-jin-schmidt section 3.2, "branch sequences": the order of the clocks gives the control flow). A place
 * is a *slot*. Each node that has a probe owns consecutive slots, numbered within the unit from 0:
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
 * A loop in which nothing else has a probe counts for itself and tells the count when it ends (refrain_count): then
 * [1] is never reached.
 *
 * Nothing has to be complete: what has no probe is absorbed by the place before it, and the order of everything that
 * has one is still exact. Threads: every function here may be called from any thread and, once tables are registered,
 * from a signal handler. None of them allocates, prints, changes errno or calls back.
 */
#ifndef REFRAIN_UNIT_H
#define REFRAIN_UNIT_H

#include <refrain/unit_tables.h>

enum refrain_node_kind {
    REFRAIN_UNIT = 0,        /* node 0 of every unit: name = source file as given to the compiler; with --detail=all
                                line = small functions, column = decisions and loops of a few instructions that have
                                no probe */
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
    REFRAIN_MACRO = 13,    /* statement made by a macro that may reach an event; name = the macro */
    REFRAIN_BREAK = 14,
    REFRAIN_CONTINUE = 15,
    REFRAIN_RETURN = 16,
    REFRAIN_GOTO = 17,  /* name = label, "" when computed */
    REFRAIN_LABEL = 18, /* name = label */
    REFRAIN_CASE = 19,  /* case or default */
    REFRAIN_LEFT = 20,  /* what the instrumentor leaves as it is: name = what it is, and why; parent 0, no slots */
    REFRAIN_NODE_KINDS
};

#define REFRAIN_NO_SLOT 0xffffffffu /* node without a probe */

/* Slots that a node of this kind owns where it has a probe. */
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

/* Plain types only, so that the instrumented file needs no header and no feature-test macro is disturbed.
 * unsigned int is 32 bits wide on every platform refrain supports. */
struct refrain_node {
    unsigned int kind;   /* enum refrain_node_kind */
    unsigned int parent; /* index of the enclosing node; 0 for node 0 itself */
    unsigned int slot;   /* first slot of this node within the unit, or REFRAIN_NO_SLOT */
    unsigned int line;   /* 1-based line in `file` as the compiler reports it (#line honoured) */
    unsigned int column; /* 1-based, 0 when unknown */
    unsigned int name;   /* offset in strings */
    unsigned int file;   /* offset in strings */
};

/* A probe that is of use only if certain functions make events is switched on when the program starts: functions in
 * other files are not known before the program is linked. `to` is switched on when `from` is on. */
struct refrain_dependency {
    unsigned int to, from; /* slots of the unit, or, n_slots and more, of its `speakers` */
};

/* A function that may make events, by which units tell each other: on in all units that name it, or in none. */
struct refrain_speaker {
    const char *name;
    unsigned long on;
    struct refrain_speaker *next; /* the monitor's */
};

/* A site: the place of a probe in optimised machine code for x86-64, an instruction of five bytes: REFRAIN_SITE_ON and
 * the distance to the unit's jump to refrain_site; or REFRAIN_SITE_OFF, an instruction of the same length without
 * effect but on the flags. Both addresses are relative to the member itself. The byte decides what the code should be.
 * A call for a probe that is off costs time and does nothing; all sites are calls before the monitor has come to them,
 * and stay calls where it may not change code. */
struct refrain_site {
    int code; /* the instruction */
    int on;   /* the byte, in `on` of the site's unit, of the slot that control reaches here (refrain_probe) */
};
#define REFRAIN_SITE_BYTES 5u
#define REFRAIN_SITE_ON 0xe8u /* call rel32 */
#define REFRAIN_SITE_OFF                                                                                               \
    0xa9u /* test imm32, eax: differs in one byte, so that it may be changed while others run it                       \
           */

/* Of all that instrumented files and the monitor know of each other. Units of different versions are in lists of their
 * own: it is in the names of the sections and of the group (instrumentor/inserted/units.h). It is also in the names by
 * which probes call the monitor: those of a unit of another version find nobody, and are off. */
#define REFRAIN_UNIT_VERSION 9u
#define REFRAIN_SITES_SECTION "refrain_sites_9" /* where the sites of a unit are listed */

struct refrain_unit {
    unsigned int n_nodes;
    unsigned int n_slots;
    unsigned int strings_bytes;
    unsigned int n_dependencies;
    unsigned int n_speakers;
    unsigned int unused;
    const struct refrain_node *nodes;
    const char *strings; /* NUL-terminated names, addressed by byte offset; offset 0 is "" */
    struct refrain_speaker *speakers;
    const struct refrain_dependency *dependencies;
    unsigned char *on;         /* by slot: is the probe that reaches it to be run? The monitor writes it */
    const unsigned char *base; /* by first slot of a probe: 1 on from the start, 0 when a dependency is on. Null: all
                                  are on, always */
    const struct refrain_site *sites, *sites_end; /* those of the unit's executable or library, all units; or null */
    unsigned long record; /* offset of this unit's record in the trace file, 0 while it has none */
    void *slots;          /* this unit's slots of the first thread */
    struct refrain_unit *next;
};

/* The words of refrain__u, which holds, in this order, the unit, its speakers, nodes and dependencies. Behind them are
 * n_slots + 1 bytes `on`, and `base`. */
static inline unsigned long refrain_unit_words(const unsigned int sizes[REFRAIN_TABLES_SIZES]) {
    unsigned long bytes = sizeof(struct refrain_unit) +
                          sizes[REFRAIN_TABLES_SPEAKERS] * sizeof(struct refrain_speaker) +
                          sizes[REFRAIN_TABLES_NODES] * sizeof(struct refrain_node) +
                          sizes[REFRAIN_TABLES_DEPENDENCIES] * sizeof(struct refrain_dependency);
    return (bytes + sizeof(unsigned long) - 1) / sizeof(unsigned long);
}

/* Where a unit is: distances from the members themselves, which need no relocation. */
struct refrain_unit_distances {
    int tables; /* to refrain__tables */
    int unit;   /* to refrain__u */
};

/* The units of an executable or library, or one of them where the linker makes no list: with link-time optimisation,
 * and for other machines than x86-64. */
struct refrain_units {
    unsigned long version; /* REFRAIN_UNIT_VERSION. Of another version no other member is known */
    const struct refrain_unit_distances *units, *end; /* section refrain_units_9; null: no list */
    const struct refrain_site *sites, *sites_end;     /* all those of the executable or library; or null */
    const char *tables;                               /* of the one unit; null: the unit is as it is */
    struct refrain_unit *unit;                        /* the one unit; or null */
};

/* An object in the frame of an instrumented function: its address names the activation. Nothing is written to it, so
 * that an activation whose probes are off costs nothing:
 *
 *     struct refrain_frame refrain__f __attribute__((__cleanup__(LEAVE)));    LEAVE: refrain_probe(..., slot + 1, ...)
 *     refrain_probe(&refrain__u, slot, ...)                                   or a site
 */
struct refrain_frame {
    char place;
};

/* Adds the tables of units to the run, and unpacks them. Called by a constructor (priority 101), once; a dlopen'ed
 * object may come at any time. What no longer fits the trace file is counted and left untraced. */
void refrain_register(const struct refrain_units *units);

/* Takes them out of the list when their object is unloaded; what was learned stays in the trace. Called by a destructor
 * (priority 101). */
void refrain_unregister(const struct refrain_units *units);

/* A probe. `slot` is the one that control reaches, which tells what the probe is:
 *
 *     of a function     [0] it has been entered; `extra`: the address of its struct refrain_frame
 *                       [1] it is left, after the return expression was evaluated; `extra` as above
 *     of a decision     [1] it was true, [2] it was false
 *     of a loop         [1] its condition held, [2] it did not; before (while, for) or after (do) each iteration
 *                       [0] a loop without other probes in it has ended after `extra` iterations
 *     of anything else  [0] control is there
 *
 * `frame`: an address in the activation's own frame, below which lie the frames of all that it calls, so that
 * activations abandoned by longjmp are found. The address given at its entry is the highest that its probes give.
 * Probes of an activation whose entry was not told are ignored, except those of MPI calls: they tell the place of the
 * call on behalf of the innermost activation whose entry was told. */
void refrain_probe(struct refrain_unit *unit, unsigned int slot, const void *frame,
                   unsigned long extra) __asm__("refrain_probe_9");

/* The same for sites (struct refrain_site), not to be called from C: the site is told by the address that it returns
 * to, `place` is the stack pointer there. In r11 the address of the struct refrain_frame, in rax the count, where they
 * are needed. All registers are kept but the flags. */
void refrain_site(void) __asm__("refrain_site_9");

#endif
