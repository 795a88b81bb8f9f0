/* walk_branch.c: makes constructs of decisions and loops (walk.h). */
#include "place.h"
#include "walk.h"
#include <limits.h>
#include <stdlib.h>

#define SHORT_LOOP 64 /* a loop with a known number of iterations up to this is no reason to trace a function */

static bool is_constant(CXCursor condition) {
    CXEvalResult result = clang_Cursor_Evaluate(condition);
    bool constant = result && clang_EvalResult_getKind(result) != CXEval_UnExposed;
    if (result)
        clang_EvalResult_dispose(result);
    return constant;
}

/* The operator, if it is spelled in the file and among `operators`; else null. */
static const char *spelled_operator(const struct refrain_walker *walker, CXCursor cursor,
                                    const char *const *operators) {
    const char *found = NULL;
    struct refrain_children children = {0};
    if (clang_getCursorKind(cursor) == CXCursor_BinaryOperator ||
        clang_getCursorKind(cursor) == CXCursor_CompoundAssignOperator)
        children = refrain_walk_children(cursor);
    if (children.count == 2) {
        size_t token = refrain_place_operator(walker->source, refrain_walk_extent(walker, children.items[0]),
                                              refrain_walk_extent(walker, children.items[1]).begin);
        for (; *operators && !found; operators++)
            found = refrain_lex_is(&walker->source->tokens, token, *operators) ? *operators : NULL;
    }
    free(children.items);
    return found;
}

/* Compilers warn about an assignment as a condition, and would not inside the parentheses of a probe. So it gets no
 * probe. */
static bool is_bare_assignment(const struct refrain_walker *walker, CXCursor condition) {
    static const char *const assignments[] = {"=", "|=", NULL};
    return spelled_operator(walker, condition, assignments) != NULL;
}

/* Compilers also warn about && inside || without parentheses, and would not with the parentheses of a probe. */
static bool is_bare_and(const struct refrain_walker *walker, CXCursor operand) {
    static const char *const ands[] = {"&&", NULL};
    return spelled_operator(walker, operand, ands) != NULL;
}

/* ---- decisions ---- */

static void walk_block(struct refrain_walker *walker, CXCursor cursor) {
    unsigned block = refrain_walk_open(walker, REFRAIN_BLOCK, cursor);
    refrain_walk_statement(walker, cursor);
    refrain_walk_close(walker, block);
}

/* A condition, and a block for each of its branches. */
static void walk_branches(struct refrain_walker *walker, const struct refrain_children *children) {
    for (size_t i = 0; i < children->count; i++) {
        if (i == 0)
            refrain_walk_cursor(walker, children->items[i]);
        else
            walk_block(walker, children->items[i]);
    }
}

/* The condition in the parentheses after `keyword`, between the first two children. */
static bool place_condition(const struct refrain_walker *walker, CXCursor cursor, const char *keyword,
                            const struct refrain_children *children, struct refrain_span *span) {
    return refrain_place_condition(walker->source, refrain_walk_extent(walker, cursor).begin, keyword,
                                   refrain_walk_extent(walker, children->items[0]),
                                   refrain_walk_extent(walker, children->items[1]).begin, span);
}

void refrain_walk_if(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned branch = refrain_walk_open(walker, REFRAIN_IF, cursor);
    struct refrain_span span = {0};
    bool placed = children.count >= 2 && place_condition(walker, cursor, "if", &children, &span) &&
                  !is_bare_assignment(walker, children.items[0]);
    refrain_walk_place(walker, branch, placed, span);
    if (children.count)
        refrain_walk_at(walker, branch)->constant = is_constant(children.items[0]);
    walk_branches(walker, &children);
    refrain_walk_close(walker, branch);
    free(children.items);
}

void refrain_walk_switch(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned branch = refrain_walk_open(walker, REFRAIN_SWITCH, cursor);
    struct refrain_span span = {0};
    bool placed = children.count == 2 && place_condition(walker, cursor, "switch", &children, &span);
    refrain_walk_place(walker, branch, placed, span);
    for (size_t i = 0; i < children.count; i++)
        refrain_walk_cursor(walker, children.items[i]);
    refrain_walk_close(walker, branch);
    free(children.items);
}

void refrain_walk_conditional(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned branch = refrain_walk_open(walker, REFRAIN_CONDITIONAL, cursor);
    struct refrain_span span = {0};
    bool placed = false;
    if (children.count == 3) {
        struct refrain_span left = refrain_walk_extent(walker, children.items[0]);
        size_t operator=
            refrain_place_operator(walker->source, left, refrain_walk_extent(walker, children.items[1]).begin);
        placed = refrain_lex_is(&walker->source->tokens, operator, "?") &&
                 refrain_place_operand(walker->source, left, operator, & span);
        refrain_walk_at(walker, branch)->constant = is_constant(children.items[0]);
    }
    refrain_walk_place(walker, branch, placed, span);
    walk_branches(walker, &children);
    refrain_walk_close(walker, branch);
    free(children.items);
}

/* && and || become constructs if they are spelled in the file. Of other operators, only the operands are walked. */
void refrain_walk_operator(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned branch = REFRAIN_NO_INDEX;
    bool bare = walker->bare, is_or = false;
    walker->bare = false;
    if (children.count == 2) {
        const struct refrain_tokens *tokens = &walker->source->tokens;
        struct refrain_span left = refrain_walk_extent(walker, children.items[0]), span = {0};
        size_t spelled =
            refrain_place_operator(walker->source, left, refrain_walk_extent(walker, children.items[1]).begin);
        bool is_and = refrain_lex_is(tokens, spelled, "&&");
        is_or = refrain_lex_is(tokens, spelled, "||");
        if (is_and || is_or) {
            bool placed = refrain_place_operand(walker->source, left, spelled, &span) && !bare &&
                          !(is_or && is_bare_and(walker, children.items[0]));
            branch = refrain_walk_open(walker, is_and ? REFRAIN_AND : REFRAIN_OR, cursor);
            refrain_walk_place(walker, branch, placed, span);
            refrain_walk_at(walker, branch)->constant = is_constant(children.items[0]);
        }
    }
    for (size_t i = 0; i < children.count; i++) {
        if (i == 1 && branch != REFRAIN_NO_INDEX)
            refrain_walk_at(walker, branch)->right = (unsigned)walker->constructs->count;
        walker->bare = is_or && is_bare_and(walker, children.items[i]);
        refrain_walk_cursor(walker, children.items[i]);
    }
    if (branch != REFRAIN_NO_INDEX)
        refrain_walk_close(walker, branch);
    free(children.items);
}

/* ---- loops ---- */

/* True if `statement`, the body of a loop, is just a loop, perhaps in braces: collapse clauses of OpenMP apply to
 * it. */
static bool is_only_a_loop(CXCursor statement) {
    struct refrain_children children = {0};
    bool only = clang_getCursorKind(statement) == CXCursor_ForStmt;
    if (clang_getCursorKind(statement) == CXCursor_CompoundStmt) {
        children = refrain_walk_children(statement);
        only = children.count == 1 && is_only_a_loop(children.items[0]);
        free(children.items);
    }
    return only;
}

/* True if the condition is 0: do { } while (0) is no loop. */
static bool is_false(CXCursor condition) {
    CXEvalResult result = clang_Cursor_Evaluate(condition);
    bool is_false =
        result && clang_EvalResult_getKind(result) == CXEval_Int && clang_EvalResult_getAsLongLong(result) == 0;
    if (result)
        clang_EvalResult_dispose(result);
    return is_false;
}

/* True if the condition of a loop compares with a small constant: a loop over the axes of a vector is no work of its
 * own. */
static bool is_short(CXCursor condition) {
    struct refrain_children children = refrain_walk_children(condition);
    bool is_short = false;
    if (clang_getCursorKind(condition) == CXCursor_BinaryOperator && children.count == 2) {
        CXEvalResult result = clang_Cursor_Evaluate(children.items[1]);
        if (result) {
            long long bound =
                clang_EvalResult_getKind(result) == CXEval_Int ? clang_EvalResult_getAsLongLong(result) : LLONG_MAX;
            is_short = bound >= -SHORT_LOOP && bound <= SHORT_LOOP;
            clang_EvalResult_dispose(result);
        }
    }
    free(children.items);
    return is_short;
}

void refrain_walk_loop(struct refrain_walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    struct refrain_children children = refrain_walk_children(cursor);
    bool canonical = walker->canonical;
    walker->canonical = false;
    bool few = false;
    unsigned loop = refrain_walk_open(walker, kind, cursor);
    struct refrain_span span = {0}, whole = refrain_walk_extent(walker, cursor);
    bool placed = false, constant = true;
    size_t body = 0;
    if (children.count > 0) {
        body = kind == REFRAIN_DO ? 0 : children.count - 1;
        struct refrain_span body_span = refrain_walk_extent(walker, children.items[body]);
        if (kind == REFRAIN_FOR) {
            placed = refrain_place_for(walker->source, whole.begin, body_span.begin, &span) && span.begin < span.end;
            for (size_t i = 0; placed && i < body; i++) {
                struct refrain_span part = refrain_walk_extent(walker, children.items[i]);
                if (part.begin >= span.begin && part.end <= span.end) {
                    constant = is_constant(children.items[i]);
                    few = is_short(children.items[i]);
                    placed &= !is_bare_assignment(walker, children.items[i]);
                }
            }
            /* A loop from a macro: if it has all its parts, the second one is the condition. */
            if (!placed && children.count == 4)
                few = is_short(children.items[1]);
        } else if (children.count == 2) {
            CXCursor condition = children.items[1 - body];
            constant = is_constant(condition);
            few = kind == REFRAIN_DO && is_false(condition);
            placed = kind == REFRAIN_DO
                         ? refrain_place_do(walker->source, body_span, refrain_walk_extent(walker, condition), &span)
                         : refrain_place_condition(walker->source, whole.begin, "while",
                                                   refrain_walk_extent(walker, condition), body_span.begin, &span);
            placed = placed && !is_bare_assignment(walker, condition);
        }
    }
    refrain_walk_place(walker, loop, placed && !canonical, span);
    refrain_walk_at(walker, loop)->constant = constant;
    refrain_walk_at(walker, loop)->few = few;
    refrain_walk_at(walker, loop)->shared = walker->shared;
    walker->constructs->functions[walker->function].has_loop |= !few;
    for (size_t i = 0; i < children.count; i++) {
        if (i == body) {
            walker->canonical = canonical && is_only_a_loop(children.items[i]);
            walk_block(walker, children.items[i]);
            walker->canonical = false;
        } else {
            bool frozen = walker->frozen;
            walker->frozen = frozen || canonical;
            refrain_walk_cursor(walker, children.items[i]);
            walker->frozen = frozen;
        }
    }
    refrain_walk_close(walker, loop);
    free(children.items);
}
