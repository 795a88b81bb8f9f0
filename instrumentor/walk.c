/* walk.c: makes constructs of libclang's cursors for calls and statements (walk.h). */
#include "walk.h"
#include "openmp.h"
#include "place.h"
#include <stdlib.h>
#include <string.h>

/* ---- calls ---- */

/* Copies the spelling of the cursor. False if it is empty or longer than the buffer. */
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

/* True for calls that must stay unchanged: they return twice, act on the frame of the caller, or are built in. Notes if
 * the file calls setjmp(), and that a function which calls vfork() gets no probes. */
static bool is_untouchable(struct refrain_walker *walker, const char *name) {
    static const char *const twice[] = {"setjmp",           "_setjmp",    "sigsetjmp", "__sigsetjmp",
                                        "__builtin_setjmp", "getcontext", "savectx"};
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

/* If the innermost open MACRO construct has no name, it gets the name of the macro that contains this call. */
static void charge_macro(struct refrain_walker *walker, unsigned begin) {
    if (walker->macro == REFRAIN_NO_INDEX || refrain_walk_at(walker, walker->macro)->name)
        return;
    const struct refrain_macro_use *macro = refrain_source_macro_at(walker->source, begin);
    refrain_walk_at(walker, walker->macro)->name = macro ? refrain_walk_name(macro->cursor) : NULL;
}

static void walk_call(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    bool direct = clang_getCursorKind(target) == CXCursor_FunctionDecl;
    char name[256] = "";
    if (direct && !spelled_with(target, name, sizeof name))
        name[0] = '\0';
    size_t first = direct ? 1 : 0; /* the name of a called function does not take its address */
    if (direct && is_untouchable(walker, name)) {
        for (size_t i = first; i < children.count; i++)
            refrain_walk_cursor(walker, children.items[i]);
        free(children.items);
        return;
    }
    bool mpi = strncmp(name, "MPI_", 4) == 0, ends = strcmp(name, "MPI_Abort") == 0;
    bool event = mpi || strncmp(name, "refrain_region_", 15) == 0;
    unsigned call = refrain_walk_open(walker, mpi ? REFRAIN_MPI_CALL : REFRAIN_CALL, cursor);
    struct refrain_span span = refrain_walk_extent(walker, cursor);
    refrain_walk_place(walker, call, refrain_place_call(walker->source, span), span);
    refrain_walk_at(walker, call)->name = name[0] ? refrain_text_copy(name) : NULL;
    const struct refrain_function *function = direct ? refrain_walk_find_function(walker->constructs, target) : NULL;
    if (function)
        refrain_walk_at(walker, call)->callee = (unsigned)(function - walker->constructs->functions);
    else
        refrain_walk_at(walker, call)->outside =
            !ends && (!direct || event || takes_function_pointer(target) ||
                      !clang_Location_isInSystemHeader(clang_getCursorLocation(target)));
    refrain_walk_at(walker, call)->ends = ends && !function;
    refrain_walk_at(walker, call)->elsewhere = refrain_walk_at(walker, call)->outside && direct && !event && name[0] &&
                                               !takes_function_pointer(target) &&
                                               clang_Cursor_isNull(clang_getCursorDefinition(target));
    if (refrain_walk_at(walker, call)->placed)
        refrain_openmp_note_lock(walker, name, span);
    else
        charge_macro(walker, span.begin);
    for (size_t i = first; i < children.count; i++)
        refrain_walk_cursor(walker, children.items[i]);
    refrain_walk_close(walker, call);
    free(children.items);
}

/* ---- statements ---- */

static void walk_children(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    for (size_t i = 0; i < children.count; i++)
        refrain_walk_cursor(walker, children.items[i]);
    free(children.items);
}

/* Applies the pragmas before a statement. Files are parsed without -fopenmp: with it, libclang hides the bodies of
 * parallel regions. */
static void apply_pragmas(struct refrain_walker *walker, unsigned begin) {
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
        static const char *const teams[] = {"parallel", "task", "taskloop", "teams"};
        static const char *const closed[] = {"simd", "atomic", "target", "scan"};
        struct refrain_span pragma = tokens->pragmas[i];
        if (refrain_directive_has_word(tokens->bytes, pragma, "acc"))
            walker->frozen = true;
        if (!refrain_directive_has_word(tokens->bytes, pragma, "omp"))
            continue;
        for (size_t w = 0; w < sizeof teams / sizeof teams[0]; w++)
            walker->shared |= refrain_directive_has_word(tokens->bytes, pragma, teams[w]);
        for (size_t w = 0; w < sizeof loops / sizeof loops[0]; w++)
            walker->canonical |= refrain_directive_has_word(tokens->bytes, pragma, loops[w]);
        for (size_t w = 0; w < sizeof closed / sizeof closed[0]; w++)
            walker->frozen |= refrain_directive_has_word(tokens->bytes, pragma, closed[w]);
        /* default(none): a probe would use variables that have no data-sharing clause. */
        walker->frozen |= refrain_lex_has_word(tokens->bytes, pragma, "none");
    }
}

void refrain_walk_statement(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_walker before = *walker;
    struct refrain_span span = refrain_walk_extent(walker, cursor);
    if (span.begin != REFRAIN_NO_INDEX) {
        apply_pragmas(walker, span.begin);
        refrain_openmp_note_statement(walker, cursor, span);
    }
    if (clang_getCursorKind(cursor) != CXCursor_ForStmt && clang_getCursorKind(cursor) != CXCursor_CompoundStmt)
        walker->canonical = false;
    refrain_walk_cursor(walker, cursor);
    walker->frozen = before.frozen;
    walker->canonical = before.canonical;
    walker->shared = before.shared;
}

static bool is_label(enum CXCursorKind kind) {
    return kind == CXCursor_LabelStmt || kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

static bool is_loop_or_block(enum CXCursorKind kind) {
    return kind == CXCursor_CompoundStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
           kind == CXCursor_ForStmt;
}

/* True if a macro may make calls in this statement that get no probe of their own, and a probe can be inserted
 * before it. A loop or block that is written outside of macros is not
 * marked: its statements are, one by one. */
static bool is_marked(const struct refrain_walker *walker, CXCursor statement, struct refrain_span span,
                      unsigned previous) {
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

static void walk_in_block(struct refrain_walker *walker, CXCursor statement, unsigned previous) {
    struct refrain_span span = refrain_walk_extent(walker, statement);
    unsigned outer = walker->macro;
    if (is_marked(walker, statement, span, previous)) {
        unsigned macro = refrain_walk_open(walker, REFRAIN_MACRO, statement);
        refrain_walk_place(walker, macro, true, (struct refrain_span){span.begin, span.begin});
        walker->macro = macro;
        refrain_walk_statement(walker, statement);
        refrain_walk_close(walker, macro);
        walker->macro = outer;
    } else {
        walker->in_block = is_label(clang_getCursorKind(statement));
        refrain_walk_statement(walker, statement);
        walker->in_block = false;
    }
}

static void walk_compound(struct refrain_walker *walker, CXCursor cursor) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned previous = refrain_walk_extent(walker, cursor).begin;
    for (size_t i = 0; i < children.count; i++) {
        struct refrain_span span = refrain_walk_extent(walker, children.items[i]);
        walk_in_block(walker, children.items[i], previous);
        if (span.begin != REFRAIN_NO_INDEX && span.end > previous)
            previous = span.end;
    }
    free(children.items);
}

static void walk_jump(struct refrain_walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    unsigned jump = refrain_walk_open(walker, kind, cursor);
    if (kind == REFRAIN_GOTO) {
        struct refrain_children children = refrain_walk_children(cursor);
        if (clang_getCursorKind(cursor) == CXCursor_GotoStmt && children.count == 1)
            refrain_walk_at(walker, jump)->name = refrain_walk_name(children.items[0]);
        free(children.items);
    }
    walk_children(walker, cursor);
    refrain_walk_close(walker, jump);
}

/* For libclang only the first statement after a label is its child. Label and statement become siblings here, as the
 * later statements are. */
static void walk_label(struct refrain_walker *walker, CXCursor cursor, enum refrain_node_kind kind) {
    struct refrain_children children = refrain_walk_children(cursor);
    unsigned label = refrain_walk_open(walker, kind, cursor);
    if (kind == REFRAIN_LABEL)
        refrain_walk_at(walker, label)->name = refrain_walk_name(cursor);
    refrain_walk_close(walker, label);
    bool in_block = walker->in_block;
    walker->in_block = false;
    if (children.count && in_block) /* the last child is the statement; before it may be the constant of a case */
        walk_in_block(walker, children.items[children.count - 1], refrain_walk_extent(walker, cursor).begin);
    else if (children.count)
        refrain_walk_statement(walker, children.items[children.count - 1]);
    free(children.items);
}

static void walk_variable(struct refrain_walker *walker, CXCursor cursor) {
    bool frozen = walker->frozen;
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    walker->frozen = frozen || storage == CX_SC_Static || storage == CX_SC_Extern;
    walk_children(walker, cursor);
    walker->frozen = frozen;
}

void refrain_walk_cursor(struct refrain_walker *walker, CXCursor cursor) {
    switch ((int)clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr:
        walk_call(walker, cursor);
        break;
    case CXCursor_IfStmt:
        refrain_walk_if(walker, cursor);
        break;
    case CXCursor_ConditionalOperator:
        refrain_walk_conditional(walker, cursor);
        break;
    case CXCursor_BinaryOperator:
        refrain_walk_operator(walker, cursor);
        break;
    case CXCursor_SwitchStmt:
        refrain_walk_switch(walker, cursor);
        break;
    case CXCursor_WhileStmt:
        refrain_walk_loop(walker, cursor, REFRAIN_WHILE);
        break;
    case CXCursor_ForStmt:
        refrain_walk_loop(walker, cursor, REFRAIN_FOR);
        break;
    case CXCursor_DoStmt:
        refrain_walk_loop(walker, cursor, REFRAIN_DO);
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
        refrain_walk_note_address(walker, cursor);
        break;
    case CXCursor_UnaryExpr: /* sizeof and similar operators */
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
