/* walk.c: from libclang's cursors to constructs (construct.h). Children come without their roles and without those that
 * are absent, so that roles are found from the text (place.c). */
#include "construct.h"
#include "place.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_LOOP 64 /* iterations, known to the compiler, that do not make a function worth an event */

struct walker {
    struct refrain_constructs *constructs;
    const struct refrain_source *source;
    const struct refrain_instrument_options *options;
    unsigned function; /* index of the one being walked */
    unsigned parent;   /* construct the next one goes into */
    unsigned macro;    /* innermost MACRO construct, or REFRAIN_NO_INDEX */
    bool frozen;       /* no probes here */
    bool canonical;    /* the loop that comes next belongs to a pragma that prescribes its form */
    bool in_block;     /* the statement that comes next stands in a block, after labels at most */
};

struct children {
    CXCursor *items;
    size_t count, capacity;
};

static void walk(struct walker *walker, CXCursor cursor);
static void walk_statement(struct walker *walker, CXCursor cursor);

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct children *children = data;
    children->items =
        refrain_memory_grow(children->items, &children->capacity, children->count + 1, sizeof *children->items);
    children->items[children->count++] = cursor;
    return CXChildVisit_Continue;
}

static struct children children_of(CXCursor cursor) {
    struct children children = {0};
    clang_visitChildren(cursor, collect, &children);
    return children;
}

static struct refrain_span extent(const struct walker *walker, CXCursor cursor) {
    struct refrain_span span;
    if (!refrain_source_extent(walker->source, cursor, &span))
        span = (struct refrain_span){REFRAIN_NO_INDEX, 0};
    return span;
}

static bool spelled_with(CXCursor cursor, char *buffer, size_t size) {
    CXString name = clang_getCursorSpelling(cursor);
    const char *chars = clang_getCString(name);
    size_t n = chars ? strlen(chars) : 0;
    bool fits = n < size;
    if (fits) {
        memcpy(buffer, chars ? chars : "", n);
        buffer[n] = '\0';
    }
    clang_disposeString(name);
    return fits && n > 0;
}

static char *name_of(CXCursor cursor) {
    CXString name = clang_getCursorSpelling(cursor);
    const char *chars = clang_getCString(name);
    char *copy = refrain_text_copy(chars ? chars : "");
    clang_disposeString(name);
    return copy;
}

/* ---- constructs ---- */

static unsigned file_index(struct refrain_constructs *constructs, const char *name) {
    for (size_t i = constructs->files.count; i-- > 0;)
        if (strcmp(constructs->files.items[i], name) == 0)
            return (unsigned)i;
    refrain_list_add(&constructs->files, name);
    return (unsigned)constructs->files.count - 1;
}

static unsigned open_construct(struct walker *walker, enum refrain_node_kind kind, CXCursor cursor) {
    struct refrain_constructs *constructs = walker->constructs;
    constructs->items =
        refrain_memory_grow(constructs->items, &constructs->capacity, constructs->count + 1, sizeof *constructs->items);
    struct refrain_construct *construct = &constructs->items[constructs->count];
    *construct = (struct refrain_construct){.kind = kind,
                                            .parent = walker->parent,
                                            .after = (unsigned)constructs->count + 1,
                                            .function = walker->function,
                                            .callee = REFRAIN_NO_INDEX,
                                            .slot = REFRAIN_NO_SLOT};
    CXString file;
    clang_getPresumedLocation(clang_getCursorLocation(cursor), &file, &construct->line, &construct->column);
    const char *name = clang_getCString(file);
    construct->file = file_index(constructs, name ? name : "");
    clang_disposeString(file);
    walker->parent = (unsigned)constructs->count;
    return (unsigned)constructs->count++;
}

static struct refrain_construct *at(struct walker *walker, unsigned index) {
    return &walker->constructs->items[index];
}

static void close_construct(struct walker *walker, unsigned index) {
    at(walker, index)->after = (unsigned)walker->constructs->count;
    walker->parent = at(walker, index)->parent;
}

static void place(struct walker *walker, unsigned index, bool placed, struct refrain_span span) {
    at(walker, index)->placed = placed && !walker->frozen;
    at(walker, index)->at = span;
}

static bool is_constant(CXCursor condition) {
    CXEvalResult result = clang_Cursor_Evaluate(condition);
    bool constant = result && clang_EvalResult_getKind(result) != CXEval_UnExposed;
    if (result)
        clang_EvalResult_dispose(result);
    return constant;
}

/* ---- functions ---- */

static struct refrain_function *find_function(const struct refrain_constructs *constructs, CXCursor declaration) {
    if (!constructs->table_size)
        return NULL;
    CXCursor canonical = clang_getCanonicalCursor(declaration);
    size_t i = clang_hashCursor(canonical) % constructs->table_size;
    for (; constructs->table[i]; i = (i + 1) % constructs->table_size) {
        struct refrain_function *function = &constructs->functions[constructs->table[i] - 1];
        if (clang_equalCursors(function->canonical, canonical))
            return function;
    }
    return NULL;
}

static void note_address(struct walker *walker, CXCursor reference) {
    CXCursor target = clang_getCursorReferenced(reference);
    if (clang_getCursorKind(target) == CXCursor_FunctionDecl) {
        struct refrain_function *function = find_function(walker->constructs, target);
        if (function)
            function->address_taken = true;
    }
}

/* ---- calls ---- */

static bool takes_function_pointer(CXCursor function) {
    CXType type = clang_getCursorType(function);
    int n = clang_getNumArgTypes(type);
    for (int i = 0; i < n; i++) {
        CXType argument = clang_getCanonicalType(clang_getArgType(type, (unsigned)i));
        if (argument.kind == CXType_Pointer) {
            CXType pointee = clang_getCanonicalType(clang_getPointeeType(argument));
            if (pointee.kind == CXType_FunctionProto || pointee.kind == CXType_FunctionNoProto)
                return true;
        }
    }
    return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Calls that must stay as they are: they return twice, or act on the caller's own frame. */
static bool is_untouchable(struct walker *walker, const char *name) {
    static const char *const twice[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "savectx"};
    static const char *const frame[] = {"alloca", "__alloca", "swapcontext"};
    if (is_one_of(name, twice, sizeof twice / sizeof twice[0])) {
        walker->constructs->calls_setjmp = true;
        return true;
    }
    if (strcmp(name, "vfork") == 0) {
        walker->constructs->functions[walker->function].left_alone = "it calls vfork";
        return true;
    }
    return strncmp(name, "__builtin_", 10) == 0 || is_one_of(name, frame, sizeof frame / sizeof frame[0]);
}

/* The innermost statement that a macro makes this call in gets its name. */
static void charge_macro(struct walker *walker, unsigned begin) {
    if (walker->macro == REFRAIN_NO_INDEX || at(walker, walker->macro)->name)
        return;
    const struct refrain_macro_use *macro = refrain_source_macro_at(walker->source, begin);
    at(walker, walker->macro)->name = macro ? name_of(macro->cursor) : NULL;
}

static void walk_call(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    bool direct = clang_getCursorKind(target) == CXCursor_FunctionDecl;
    char name[256] = "";
    if (direct && !spelled_with(target, name, sizeof name))
        name[0] = '\0';
    size_t first = direct ? 1 : 0; /* a function's name as callee does not take its address */
    if (direct && is_untouchable(walker, name)) {
        for (size_t i = first; i < children.count; i++)
            walk(walker, children.items[i]);
        free(children.items);
        return;
    }
    bool mpi = strncmp(name, "MPI_", 4) == 0;
    unsigned call = open_construct(walker, mpi ? REFRAIN_MPI_CALL : REFRAIN_CALL, cursor);
    struct refrain_span span = extent(walker, cursor);
    place(walker, call, refrain_place_call(walker->source, span), span);
    at(walker, call)->name = name[0] ? refrain_text_copy(name) : NULL;
    const struct refrain_function *function = direct ? find_function(walker->constructs, target) : NULL;
    if (function)
        at(walker, call)->callee = (unsigned)(function - walker->constructs->functions);
    else
        at(walker, call)->outside = !direct || mpi || takes_function_pointer(target) ||
                                    !clang_Location_isInSystemHeader(clang_getCursorLocation(target));
    at(walker, call)->elsewhere = at(walker, call)->outside && direct && !mpi && name[0] &&
                                  !takes_function_pointer(target) &&
                                  clang_Cursor_isNull(clang_getCursorDefinition(target));
    if (!at(walker, call)->placed)
        charge_macro(walker, span.begin);
    for (size_t i = first; i < children.count; i++)
        walk(walker, children.items[i]);
    close_construct(walker, call);
    free(children.items);
}

/* ---- decisions ---- */

static void walk_block(struct walker *walker, CXCursor cursor) {
    unsigned block = open_construct(walker, REFRAIN_BLOCK, cursor);
    walk_statement(walker, cursor);
    close_construct(walker, block);
}

static void walk_if(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    unsigned branch = open_construct(walker, REFRAIN_IF, cursor);
    struct refrain_span span = {0};
    bool placed = children.count >= 2 && refrain_place_condition(walker->source, extent(walker, cursor).begin, "if",
                                                                 extent(walker, children.items[0]),
                                                                 extent(walker, children.items[1]).begin, &span);
    place(walker, branch, placed, span);
    if (children.count)
        at(walker, branch)->constant = is_constant(children.items[0]);
    for (size_t i = 0; i < children.count; i++) {
        if (i == 0)
            walk(walker, children.items[i]);
        else
            walk_block(walker, children.items[i]);
    }
    close_construct(walker, branch);
    free(children.items);
}

static void walk_switch(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    unsigned branch = open_construct(walker, REFRAIN_SWITCH, cursor);
    struct refrain_span span = {0};
    bool placed = children.count == 2 && refrain_place_condition(walker->source, extent(walker, cursor).begin, "switch",
                                                                 extent(walker, children.items[0]),
                                                                 extent(walker, children.items[1]).begin, &span);
    place(walker, branch, placed, span);
    for (size_t i = 0; i < children.count; i++)
        walk(walker, children.items[i]);
    close_construct(walker, branch);
    free(children.items);
}

static void walk_conditional(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    unsigned branch = open_construct(walker, REFRAIN_CONDITIONAL, cursor);
    struct refrain_span span = {0};
    bool placed = false;
    if (children.count == 3) {
        struct refrain_span left = extent(walker, children.items[0]);
        size_t operator= refrain_place_operator(walker->source, left, extent(walker, children.items[1]).begin);
        placed = refrain_lex_is(&walker->source->tokens, operator, "?") &&
                 refrain_place_operand(walker->source, left, operator, & span);
        at(walker, branch)->constant = is_constant(children.items[0]);
    }
    place(walker, branch, placed, span);
    for (size_t i = 0; i < children.count; i++) {
        if (i == 0)
            walk(walker, children.items[i]);
        else
            walk_block(walker, children.items[i]);
    }
    close_construct(walker, branch);
    free(children.items);
}

/* && and || where they are spelled; every other operator is nothing but its operands. */
static void walk_operator(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    unsigned branch = REFRAIN_NO_INDEX;
    if (children.count == 2) {
        const struct refrain_tokens *tokens = &walker->source->tokens;
        struct refrain_span left = extent(walker, children.items[0]), span = {0};
        size_t operator= refrain_place_operator(walker->source, left, extent(walker, children.items[1]).begin);
        bool and = refrain_lex_is(tokens, operator, "&&"), or = refrain_lex_is(tokens, operator, "||");
        if (and || or) {
            bool placed = refrain_place_operand(walker->source, left, operator, & span);
            branch = open_construct(walker, and? REFRAIN_AND : REFRAIN_OR, cursor);
            place(walker, branch, placed, span);
            at(walker, branch)->constant = is_constant(children.items[0]);
        }
    }
    for (size_t i = 0; i < children.count; i++) {
        if (i == 1 && branch != REFRAIN_NO_INDEX)
            at(walker, branch)->right = (unsigned)walker->constructs->count;
        walk(walker, children.items[i]);
    }
    if (branch != REFRAIN_NO_INDEX)
        close_construct(walker, branch);
    free(children.items);
}

/* ---- loops ---- */

/* Whether `statement`, a loop's body, is a loop with nothing around it but braces: OpenMP's collapse reaches into it.
 */
static bool is_only_a_loop(CXCursor statement) {
    struct children children = {0};
    bool only = clang_getCursorKind(statement) == CXCursor_ForStmt;
    if (clang_getCursorKind(statement) == CXCursor_CompoundStmt) {
        children = children_of(statement);
        only = children.count == 1 && is_only_a_loop(children.items[0]);
        free(children.items);
    }
    return only;
}

/* Whether a loop's condition compares with a small constant: a loop over the axes of a vector is no work of its own. */
static bool is_short(CXCursor condition) {
    struct children children = children_of(condition);
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

static void walk_loop(struct walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    struct children children = children_of(cursor);
    bool canonical = walker->canonical;
    walker->canonical = false;
    bool few = false;
    unsigned loop = open_construct(walker, kind, cursor);
    struct refrain_span span = {0}, whole = extent(walker, cursor);
    bool placed = false, constant = true;
    size_t body = 0;
    if (children.count > 0) {
        body = kind == REFRAIN_DO ? 0 : children.count - 1;
        struct refrain_span body_span = extent(walker, children.items[body]);
        if (kind == REFRAIN_FOR) {
            placed = refrain_place_for(walker->source, whole.begin, body_span.begin, &span) && span.begin < span.end;
            for (size_t i = 0; placed && i < body; i++) {
                struct refrain_span part = extent(walker, children.items[i]);
                if (part.begin >= span.begin && part.end <= span.end) {
                    constant = is_constant(children.items[i]);
                    few = is_short(children.items[i]);
                }
            }
        } else if (children.count == 2) {
            CXCursor condition = children.items[1 - body];
            constant = is_constant(condition);
            placed = kind == REFRAIN_DO ? refrain_place_do(walker->source, body_span, extent(walker, condition), &span)
                                        : refrain_place_condition(walker->source, whole.begin, "while",
                                                                  extent(walker, condition), body_span.begin, &span);
        }
    }
    place(walker, loop, placed && !canonical, span);
    at(walker, loop)->constant = constant;
    at(walker, loop)->few = few;
    walker->constructs->functions[walker->function].has_loop |= !few;
    for (size_t i = 0; i < children.count; i++) {
        if (i == body) {
            walker->canonical = canonical && is_only_a_loop(children.items[i]);
            walk_block(walker, children.items[i]);
            walker->canonical = false;
        } else {
            bool frozen = walker->frozen;
            walker->frozen = frozen || canonical;
            walk(walker, children.items[i]);
            walker->frozen = frozen;
        }
    }
    close_construct(walker, loop);
    free(children.items);
}

/* ---- statements ---- */

static void walk_children(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    for (size_t i = 0; i < children.count; i++)
        walk(walker, children.items[i]);
    free(children.items);
}

/* What the pragmas before a statement ask of it. Parsing goes without -fopenmp, since libclang then hides the bodies of
 * parallel regions. */
static void apply_pragmas(struct walker *walker, unsigned begin) {
    const struct refrain_tokens *tokens = &walker->source->tokens;
    size_t token = refrain_lex_at(tokens, begin);
    if (token == tokens->count || tokens->items[token].begin != begin)
        return;
    const struct refrain_macro_use *macro =
        token > 0 ? refrain_source_macro_at(walker->source, tokens->items[token - 1].begin) : NULL;
    if (macro && macro->end <= begin && refrain_source_macro_has_word(walker->source, macro, "_Pragma"))
        walker->frozen = true;
    unsigned earlier = token > 0 ? tokens->items[token - 1].end : 0;
    for (unsigned i = tokens->items[token].pragma; i-- > 0 && tokens->pragmas[i].begin >= earlier;) {
        static const char *const loops[] = {"for", "taskloop", "distribute", "loop", "tile", "unroll"};
        static const char *const closed[] = {"simd", "atomic", "target", "scan", "none"};
        struct refrain_span pragma = tokens->pragmas[i];
        if (refrain_lex_has_word(tokens->bytes, pragma, "acc"))
            walker->frozen = true;
        if (!refrain_lex_has_word(tokens->bytes, pragma, "omp"))
            continue;
        for (size_t w = 0; w < sizeof loops / sizeof loops[0]; w++)
            walker->canonical |= refrain_lex_has_word(tokens->bytes, pragma, loops[w]);
        for (size_t w = 0; w < sizeof closed / sizeof closed[0]; w++)
            walker->frozen |= refrain_lex_has_word(tokens->bytes, pragma, closed[w]);
    }
}

static void walk_statement(struct walker *walker, CXCursor cursor) {
    struct walker before = *walker;
    struct refrain_span span = extent(walker, cursor);
    if (span.begin != REFRAIN_NO_INDEX)
        apply_pragmas(walker, span.begin);
    if (clang_getCursorKind(cursor) != CXCursor_ForStmt && clang_getCursorKind(cursor) != CXCursor_CompoundStmt)
        walker->canonical = false;
    walk(walker, cursor);
    walker->frozen = before.frozen;
    walker->canonical = before.canonical;
}

static bool is_label(enum CXCursorKind kind) {
    return kind == CXCursor_LabelStmt || kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

static bool is_loop_or_block(enum CXCursorKind kind) {
    return kind == CXCursor_CompoundStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
           kind == CXCursor_ForStmt;
}

/* Whether a macro may make calls in this statement that get no probe of their own, and a probe may stand before it.
 * What is in a block that is spelled here is marked there. */
static bool is_marked(const struct walker *walker, CXCursor statement, struct refrain_span span, unsigned previous) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (span.begin == REFRAIN_NO_INDEX || walker->frozen || is_label(kind) || kind == CXCursor_DeclStmt ||
        kind == CXCursor_NullStmt)
        return false;
    if (!refrain_source_macro_within(walker->source, span))
        return false;
    if (is_loop_or_block(kind) && !refrain_source_macro_at(walker->source, span.begin))
        return false;
    return refrain_place_statement(walker->source, span.begin, previous);
}

static void walk_in_block(struct walker *walker, CXCursor statement, unsigned previous) {
    struct refrain_span span = extent(walker, statement);
    unsigned outer = walker->macro;
    if (is_marked(walker, statement, span, previous)) {
        unsigned macro = open_construct(walker, REFRAIN_MACRO, statement);
        place(walker, macro, true, (struct refrain_span){span.begin, span.begin});
        walker->macro = macro;
        walk_statement(walker, statement);
        close_construct(walker, macro);
        walker->macro = outer;
    } else {
        walker->in_block = is_label(clang_getCursorKind(statement));
        walk_statement(walker, statement);
        walker->in_block = false;
    }
}

static void walk_compound(struct walker *walker, CXCursor cursor) {
    struct children children = children_of(cursor);
    unsigned previous = extent(walker, cursor).begin;
    for (size_t i = 0; i < children.count; i++) {
        struct refrain_span span = extent(walker, children.items[i]);
        walk_in_block(walker, children.items[i], previous);
        if (span.begin != REFRAIN_NO_INDEX && span.end > previous)
            previous = span.end;
    }
    free(children.items);
}

static void walk_jump(struct walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    unsigned jump = open_construct(walker, kind, cursor);
    if (kind == REFRAIN_GOTO) {
        struct children children = children_of(cursor);
        if (clang_getCursorKind(cursor) == CXCursor_GotoStmt && children.count == 1)
            at(walker, jump)->name = name_of(children.items[0]);
        free(children.items);
    }
    walk_children(walker, cursor);
    close_construct(walker, jump);
}

/* A label and its statement: siblings in the tree, since only the first statement after it belongs to it. */
static void walk_label(struct walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    struct children children = children_of(cursor);
    unsigned label = open_construct(walker, kind, cursor);
    if (kind == REFRAIN_LABEL)
        at(walker, label)->name = name_of(cursor);
    close_construct(walker, label);
    bool in_block = walker->in_block;
    walker->in_block = false;
    if (children.count && in_block) /* what comes before is a constant */
        walk_in_block(walker, children.items[children.count - 1], extent(walker, cursor).begin);
    else if (children.count)
        walk_statement(walker, children.items[children.count - 1]);
    free(children.items);
}

static void walk_variable(struct walker *walker, CXCursor cursor) {
    bool frozen = walker->frozen;
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    walker->frozen = frozen || storage == CX_SC_Static || storage == CX_SC_Extern;
    walk_children(walker, cursor);
    walker->frozen = frozen;
}

static void walk(struct walker *walker, CXCursor cursor) {
    switch ((int)clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr:
        walk_call(walker, cursor);
        break;
    case CXCursor_IfStmt:
        walk_if(walker, cursor);
        break;
    case CXCursor_ConditionalOperator:
        walk_conditional(walker, cursor);
        break;
    case CXCursor_BinaryOperator:
        walk_operator(walker, cursor);
        break;
    case CXCursor_SwitchStmt:
        walk_switch(walker, cursor);
        break;
    case CXCursor_WhileStmt:
        walk_loop(walker, cursor, REFRAIN_WHILE);
        break;
    case CXCursor_ForStmt:
        walk_loop(walker, cursor, REFRAIN_FOR);
        break;
    case CXCursor_DoStmt:
        walk_loop(walker, cursor, REFRAIN_DO);
        break;
    case CXCursor_CompoundStmt:
        walk_compound(walker, cursor);
        break;
    case CXCursor_BreakStmt:
        walk_jump(walker, cursor, REFRAIN_BREAK);
        break;
    case CXCursor_ContinueStmt:
        walk_jump(walker, cursor, REFRAIN_CONTINUE);
        break;
    case CXCursor_ReturnStmt:
        walk_jump(walker, cursor, REFRAIN_RETURN);
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        walk_jump(walker, cursor, REFRAIN_GOTO);
        break;
    case CXCursor_LabelStmt:
        walk_label(walker, cursor, REFRAIN_LABEL);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        walk_label(walker, cursor, REFRAIN_CASE);
        break;
    case CXCursor_VarDecl:
        walk_variable(walker, cursor);
        break;
    case CXCursor_DeclRefExpr:
        note_address(walker, cursor);
        break;
    case CXCursor_UnaryExpr: /* sizeof and the like */
    case CXCursor_FunctionDecl:
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeRef:
        break;
    default:
        walk_children(walker, cursor);
        break;
    }
}

/* ---- the file ---- */

static bool head_has_word(const struct refrain_source *source, struct refrain_span head, const char *word) {
    return refrain_lex_has_word(source->bytes, head, word);
}

static const char *reason_to_leave(const struct walker *walker, CXCursor cursor,
                                   const struct refrain_function *function, struct refrain_span whole,
                                   struct refrain_span body) {
    static const char *const attributes[] = {
        "naked",         "__naked__",  "no_instrument_function", "__no_instrument_function__", "interrupt",
        "__interrupt__", "gnu_inline", "__gnu_inline__"};
    const struct refrain_source *source = walker->source;
    struct refrain_span head = {whole.begin, body.begin};
    if (function->is_inline && clang_Cursor_getStorageClass(cursor) != CX_SC_Static)
        return "an inline function that other files see may not refer to this file's tables";
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (head_has_word(source, head, attributes[i]))
            return "its attributes forbid it";
    for (size_t i = 0; i < source->n_errors; i++)
        if (source->errors[i].begin >= whole.begin && source->errors[i].begin <= whole.end)
            return "libclang does not understand it";
    size_t token = refrain_lex_at(&source->tokens, whole.begin);
    if (token < source->tokens.count && source->tokens.items[token].begin == whole.begin) {
        unsigned pragma = source->tokens.items[token].pragma;
        if (pragma && head_has_word(source, source->tokens.pragmas[pragma - 1], "declare"))
            return "a pragma makes variants of it";
    }
    if (refrain_source_macro_at(source, body.begin))
        return "a macro begins its body";
    if (!refrain_filter_takes_function(walker->options->filter, function->name))
        return "the filter file excludes it";
    return NULL;
}

/* Functions that stand in for others before the program is relocated can call nothing. */
static bool is_resolver(const struct refrain_source *source, const char *name) {
    const struct refrain_tokens *tokens = &source->tokens;
    if (!memmem(source->bytes, source->length, "ifunc", 5))
        return false;
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        if (!refrain_lex_is(tokens, i, "ifunc") && !refrain_lex_is(tokens, i, "__ifunc__"))
            continue;
        const struct refrain_token *text = &tokens->items[i + 2];
        if (text->end - text->begin == strlen(name) + 2 &&
            memcmp(tokens->bytes + text->begin + 1, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

static void walk_function(struct walker *walker, CXCursor cursor) {
    struct refrain_function *function = find_function(walker->constructs, cursor);
    struct children children = children_of(cursor);
    CXCursor body = children.count ? children.items[children.count - 1] : clang_getNullCursor();
    free(children.items);
    if (!function || clang_getCursorKind(body) != CXCursor_CompoundStmt)
        return;
    struct refrain_span whole = extent(walker, cursor), body_span = extent(walker, body);
    bool here = whole.begin != REFRAIN_NO_INDEX && body_span.begin != REFRAIN_NO_INDEX;
    function->is_inline = clang_Cursor_isFunctionInlined(cursor);
    function->is_static = clang_getCursorLinkage(cursor) != CXLinkage_External;
    function->is_main = strcmp(function->name, "main") == 0;
    function->left_alone = here ? reason_to_leave(walker, cursor, function, whole, body_span) : "it is in a header";
    function->head_offset = REFRAIN_NO_INDEX;
    if (here && !function->left_alone && is_resolver(walker->source, function->name))
        function->left_alone = "it runs before the program is relocated";
    if (here && !function->left_alone && !refrain_place_frame(walker->source, body_span.begin, &function->frame_offset))
        function->left_alone = "its body does not begin with a brace that is spelled";
    if (here && !function->is_inline && !refrain_source_macro_at(walker->source, whole.begin) &&
        clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        function->head_offset = whole.begin;
    walker->function = (unsigned)(function - walker->constructs->functions);
    walker->parent = walker->macro = REFRAIN_NO_INDEX;
    walker->frozen = walker->canonical = false;
    unsigned construct = open_construct(walker, REFRAIN_FUNCTION, cursor);
    function->construct = construct;
    function->line = at(walker, construct)->line;
    at(walker, construct)->name = refrain_text_copy(function->name);
    walk(walker, body);
    close_construct(walker, construct);
}

static enum CXChildVisitResult find_definitions(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct refrain_constructs *constructs = data;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    constructs->functions = refrain_memory_grow(constructs->functions, &constructs->function_capacity,
                                                constructs->n_functions + 1, sizeof *constructs->functions);
    constructs->functions[constructs->n_functions++] = (struct refrain_function){
        .canonical = clang_getCanonicalCursor(cursor), .name = name_of(cursor), .construct = REFRAIN_NO_INDEX};
    return CXChildVisit_Continue;
}

static void build_table(struct refrain_constructs *constructs) {
    size_t size = constructs->n_functions * 2 + 1, capacity = 0;
    constructs->table = refrain_memory_grow(NULL, &capacity, size, sizeof *constructs->table);
    constructs->table_size = size;
    memset(constructs->table, 0, size * sizeof *constructs->table);
    for (size_t f = 0; f < constructs->n_functions; f++) {
        size_t i = clang_hashCursor(constructs->functions[f].canonical) % size;
        while (constructs->table[i])
            i = (i + 1) % size;
        constructs->table[i] = (unsigned)f + 1;
    }
}

static enum CXChildVisitResult take_addresses(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        note_address(data, cursor);
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult walk_top(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor))
        walk_function(data, cursor);
    else if (kind == CXCursor_VarDecl && !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        clang_visitChildren(cursor, take_addresses, data);
    return CXChildVisit_Continue;
}

void refrain_walk(struct refrain_constructs *constructs, const struct refrain_source *source,
                  const struct refrain_instrument_options *options) {
    struct walker walker = {.constructs = constructs, .source = source, .options = options};
    CXCursor unit = clang_getTranslationUnitCursor(source->unit);
    *constructs = (struct refrain_constructs){0};
    clang_visitChildren(unit, find_definitions, constructs);
    build_table(constructs);
    clang_visitChildren(unit, walk_top, &walker);
}

void refrain_constructs_free(struct refrain_constructs *constructs) {
    for (size_t i = 0; i < constructs->count; i++)
        free(constructs->items[i].name);
    for (size_t i = 0; i < constructs->n_functions; i++)
        free(constructs->functions[i].name);
    free(constructs->items);
    free(constructs->functions);
    free(constructs->table);
    refrain_list_free(&constructs->files);
    *constructs = (struct refrain_constructs){0};
}
