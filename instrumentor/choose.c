/* choose.c: decides which constructs get a probe (construct.h).
 *
 * By default, a construct gets a probe if it may lead to an event that no other probe would locate. These are MPI
 * calls, calls through pointers, loops around calls that may lead to an event, decisions around calls that certainly
 * do, and the functions that contain them. A call of a function with a probe of its own, or of a function in another
 * file that may have one, gets none. A function also gets probes if it contains a loop, or if its address is taken.
 * A file speaks of events if it declares an MPI function or a user region, or defines main. In any other file, only
 * functions with loops get probes.
 *
 * With --detail=all, decisions and loops without events get a probe if they have enough work to pay for it
 * (weigh.c). With --detail=every, all decisions and loops do, except for code that the compiler transforms: loops
 * over a few elements and decisions in them, as they are unrolled, and functions that are a single block.
 *
 * A probe that exists only because of functions in other files is not certain, since these may have no events. The
 * monitor enables it at program start if they have some (unit.h, struct refrain_dependency). With --detail=all, the
 * additional probes are not certain either: they are disabled if they run too often.
 *
 * Small functions are entered late or never, except with --detail=every (weigh.c). They have a slot, but no probe,
 * or only probes at MPI calls.
 *
 * MPI_Abort may stand wherever something can fail, but runs at most once. So it is no reason to trace a function or
 * to record a decision around it. If the function is traced anyway, the call gets its place. */
#include "construct.h"
#include "warn.h"

static bool reaches_event(const struct refrain_constructs *constructs, const struct refrain_construct *call, bool all) {
    if (!constructs->speaks_of_events && !all)
        return false;
    if (call->callee == REFRAIN_NO_INDEX)
        return call->outside;
    const struct refrain_function *function = &constructs->functions[call->callee];
    return function->traced || function->reaches;
}

static bool certainly_reaches(const struct refrain_constructs *constructs, const struct refrain_construct *call) {
    if (call->callee == REFRAIN_NO_INDEX)
        return call->outside && !call->elsewhere;
    return constructs->functions[call->callee].certain;
}

static bool is_call(const struct refrain_construct *construct) {
    return construct->kind == REFRAIN_CALL || construct->kind == REFRAIN_MPI_CALL;
}

/* True if the loop around the construct is one over a few elements, without events. */
static bool is_unrolled(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = refrain_loop_around(constructs, construct);
    return up != REFRAIN_NO_INDEX && constructs->items[up].few && !constructs->items[up].holds;
}

/* True for a decision or loop that deserves a probe although it leads to no event. */
static bool is_work(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    if (construct->kind < REFRAIN_IF || construct->kind > REFRAIN_SWITCH || !construct->placed || construct->constant)
        return false;
    return refrain_is_loop(construct) ? !construct->few : !is_unrolled(constructs, construct);
}

static bool does_work(const struct refrain_constructs *constructs, const struct refrain_function *function) {
    for (unsigned i = function->construct + 1; i < constructs->items[function->construct].after; i++)
        if (is_work(constructs, &constructs->items[i]))
            return true;
    return false;
}

static bool decide_function(const struct refrain_constructs *constructs, struct refrain_function *function, bool all) {
    if (function->construct == REFRAIN_NO_INDEX || (function->traced && function->reaches && function->certain))
        return false;
    const struct refrain_construct *top = &constructs->items[function->construct];
    bool reaches = function->reaches, traced = function->traced, certain = function->certain;
    for (unsigned i = function->construct + 1; !function->reaches && i < top->after; i++)
        function->reaches = is_call(&constructs->items[i]) && reaches_event(constructs, &constructs->items[i], all);
    for (unsigned i = function->construct + 1; !function->certain && i < top->after; i++)
        function->certain = is_call(&constructs->items[i]) && certainly_reaches(constructs, &constructs->items[i]);
    function->certain |= function->is_main;
    if (!function->left_alone)
        function->traced =
            (all && does_work(constructs, function)) || function->reaches || function->has_loop || function->is_main ||
            (all && function->address_taken && !function->is_inline) ||
            (constructs->speaks_of_events && function->address_taken && !function->is_inline && !function->small);
    return function->reaches != reaches || function->traced != traced || function->certain != certain;
}

/* Functions lead to events through each other: repeat until nothing changes. */
static void decide_functions(struct refrain_constructs *constructs, bool all) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = constructs->n_functions; i-- > 0;)
            changed |= decide_function(constructs, &constructs->functions[i], all);
    }
}

/* Marks interesting calls, and the constructs that contain them. If a call has no position for a probe, the macro
 * statement around it is marked. */
static void find_interest(struct refrain_constructs *constructs, bool all) {
    for (size_t i = constructs->count; i-- > 0;) {
        struct refrain_construct *construct = &constructs->items[i];
        if (is_call(construct)) {
            construct->interesting = reaches_event(constructs, construct, all);
            construct->certain = certainly_reaches(constructs, construct);
        }
        if (is_call(construct) && !construct->placed && (construct->interesting || construct->ends)) {
            unsigned up = refrain_macro_around(constructs, construct);
            if (up != REFRAIN_NO_INDEX) {
                constructs->items[up].interesting |= construct->interesting;
                constructs->items[up].ends |= construct->ends;
                constructs->items[up].certain |= construct->certain;
            }
        }
        if (construct->parent != REFRAIN_NO_INDEX)
            constructs->items[construct->parent].certain |= construct->certain;
        if ((construct->interesting || construct->holds) && construct->parent != REFRAIN_NO_INDEX)
            constructs->items[construct->parent].holds = true;
    }
}

static bool right_holds(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    for (unsigned i = construct->right; i < construct->after; i++)
        if (constructs->items[i].interesting)
            return true;
    return false;
}

/* True if the called function has a probe of its own. */
static bool callee_has_probe(const struct refrain_constructs *constructs, const struct refrain_construct *call) {
    return call->elsewhere || (call->callee != REFRAIN_NO_INDEX && constructs->functions[call->callee].traced);
}

/* A loop that only calls functions that are never entered is as small as these. The events that they lead to have
 * their own probes. */
static bool holds_only_small(const struct refrain_constructs *constructs, const struct refrain_construct *loop) {
    for (unsigned i = (unsigned)(loop - constructs->items) + 1; i < loop->after; i++) {
        const struct refrain_construct *inside = &constructs->items[i];
        if (!is_call(inside) || !(inside->interesting || inside->ends))
            continue;
        if (inside->callee == REFRAIN_NO_INDEX || constructs->functions[inside->callee].entry != REFRAIN_NEVER_ENTERED)
            return false;
    }
    return true;
}

/* Until a function is entered late, only the MPI calls that enter it have probes. */
static bool is_wanted_late(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    bool own = construct->kind == REFRAIN_MPI_CALL;
    for (unsigned i = (unsigned)(construct - constructs->items);
         construct->kind == REFRAIN_MACRO && i < construct->after; i++)
        own |= constructs->items[i].kind == REFRAIN_MPI_CALL && !constructs->items[i].placed;
    return own && construct->placed && construct->interesting;
}

static bool is_wanted(const struct refrain_constructs *constructs, const struct refrain_construct *construct,
                      const struct refrain_instrument_options *options) {
    bool all = options->all;
    enum refrain_entry_kind entry = constructs->functions[construct->function].entry;
    if (entry != REFRAIN_ENTERED && construct->kind != REFRAIN_FUNCTION)
        return entry == REFRAIN_ENTERED_LATE && is_wanted_late(constructs, construct);
    if (construct->left_out)
        return false;
    switch (construct->kind) {
    case REFRAIN_FUNCTION:
        return true;
    case REFRAIN_CALL:
        if (!options->every && !construct->ends && callee_has_probe(constructs, construct))
            return false;
        return construct->placed && (construct->interesting || construct->ends);
    case REFRAIN_MPI_CALL:
    case REFRAIN_MACRO:
        return construct->placed && (construct->interesting || construct->ends);
    case REFRAIN_AND:
    case REFRAIN_OR:
        return construct->placed && !construct->constant &&
               ((all && is_work(constructs, construct)) ||
                (right_holds(constructs, construct) && (all || construct->certain)));
    case REFRAIN_IF:
    case REFRAIN_CONDITIONAL:
    case REFRAIN_SWITCH:
        return construct->placed && !construct->constant &&
               ((all && is_work(constructs, construct)) || (construct->holds && (all || construct->certain)));
    case REFRAIN_WHILE:
    case REFRAIN_FOR:
    case REFRAIN_DO:
        return construct->placed && !construct->constant &&
               (construct->holds ? !holds_only_small(constructs, construct) : all && is_work(constructs, construct));
    default:
        return false;
    }
}

static bool is_jump(enum refrain_node_kind kind) {
    return kind >= REFRAIN_BREAK && kind <= REFRAIN_CASE;
}

/* Keeps as nodes: constructs with a probe, constructs that contain one, and jumps among them. */
static void keep(struct refrain_constructs *constructs, unsigned first, unsigned after) {
    for (unsigned i = after; i-- > first;) {
        struct refrain_construct *construct = &constructs->items[i];
        construct->kept |= construct->wanted;
        if (construct->kept && construct->parent != REFRAIN_NO_INDEX)
            constructs->items[construct->parent].kept = true;
    }
    for (unsigned i = first; i < after; i++) {
        struct refrain_construct *construct = &constructs->items[i];
        if (construct->parent == REFRAIN_NO_INDEX)
            continue;
        const struct refrain_construct *parent = &constructs->items[construct->parent];
        if (is_jump(construct->kind) || (construct->kind == REFRAIN_BLOCK && parent->wanted))
            construct->kept |= parent->kept;
        if ((construct->kind == REFRAIN_MACRO || is_call(construct)) && !construct->wanted)
            construct->kept = false; /* its contents belong to its parent */
    }
}

/* True if the macro statement around the construct has a probe that stands for it. */
static bool marked_by_macro(const struct refrain_constructs *constructs, const struct refrain_construct *construct) {
    unsigned up = refrain_macro_around(constructs, construct);
    return up != REFRAIN_NO_INDEX && constructs->items[up].wanted;
}

/* True for a loop without other probes inside, whose count belongs to one thread. */
static bool is_counted(const struct refrain_constructs *constructs, unsigned loop) {
    const struct refrain_construct *construct = &constructs->items[loop];
    if (!refrain_is_loop(construct) || construct->shared || construct->certain || construct->holds ||
        constructs->calls_setjmp)
        return false;
    for (unsigned i = loop + 1; i < construct->after; i++)
        if (constructs->items[i].wanted)
            return false;
    return true;
}

/* Reports that a construct gets no probe, now and in the tables of the unit. Frees the text. */
static void leave(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                  const struct refrain_construct *construct, struct refrain_text *text) {
    refrain_note(options, construct->line, "%s", text->bytes);
    refrain_constructs_leave(constructs, constructs->files.items[construct->file], construct->line, text->bytes);
    refrain_text_free(text);
}

static void leave_function(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                           const struct refrain_function *function) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "function '%s' is left alone: %s", function->name, function->left_alone);
    leave(constructs, options, &constructs->items[function->construct], &text);
}

static void leave_call(struct refrain_constructs *constructs, const struct refrain_instrument_options *options,
                       const struct refrain_construct *call) {
    struct refrain_text text = {0};
    refrain_text_format(&text, "call of '%s' stays without a probe of its own", call->name ? call->name : "a pointer");
    leave(constructs, options, call, &text);
}

unsigned refrain_choose(struct refrain_constructs *constructs, const struct refrain_instrument_options *options) {
    unsigned slots = 0;
    if (!options->every)
        refrain_find_small(constructs);
    decide_functions(constructs, options->all);
    bool light = options->all && !options->every;
    if (light)
        refrain_find_leaves(constructs);
    find_interest(constructs, options->all);
    refrain_weigh(constructs);
    if (light)
        refrain_find_light(constructs);
    for (size_t f = 0; f < constructs->n_functions; f++) {
        const struct refrain_function *function = &constructs->functions[f];
        if (function->construct == REFRAIN_NO_INDEX)
            continue;
        if (!function->traced) {
            if (function->left_alone && (function->misunderstood || constructs->items[function->construct].holds))
                leave_function(constructs, options, function);
            continue;
        }
        constructs->n_small_functions += options->all && function->entry == REFRAIN_NEVER_ENTERED;
        unsigned after = constructs->items[function->construct].after;
        for (unsigned i = function->construct; i < after; i++) {
            struct refrain_construct *construct = &constructs->items[i];
            construct->wanted = is_wanted(constructs, construct, options);
            construct->certain |= construct->ends; /* its own probe is always enabled */
            if (construct->kind == REFRAIN_FUNCTION)
                construct->certain |= function->certain || function->has_loop || function->address_taken;
            if (construct->wanted) {
                construct->slot = slots;
                slots += refrain_slots_of_node(construct->kind);
            } else if (options->all && is_work(constructs, construct)) {
                constructs->n_light++;
            } else if (function->entry != REFRAIN_NEVER_ENTERED && construct->interesting && !construct->placed &&
                       !marked_by_macro(constructs, construct) && !callee_has_probe(constructs, construct)) {
                leave_call(constructs, options, construct);
            }
        }
        for (unsigned i = function->construct; options->all && i < after; i++)
            constructs->items[i].counted = constructs->items[i].wanted && is_counted(constructs, i);
        keep(constructs, function->construct, after);
    }
    return slots;
}
