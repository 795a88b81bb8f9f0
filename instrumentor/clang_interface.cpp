/* clang_interface.cpp: what the instrumentor uses of libclang's C interface (clang-c/Index.h), on clang's static
 * libraries.
 *
 * Most of the time that a small file took with libclang was spent in loading it: half a million addresses are
 * relocated each time. A program that clang is linked into at fixed addresses has none. There is no static libclang,
 * but clang's own libraries are; what the instrumentor asks of them is little, and C only:
 *
 *     ASTUnit -> cursors: a declaration, statement or expression each, with what is written below it as its children
 *
 * A cursor shows what libclang's shows, with two exceptions, since the instrumentor passes over the rest: of types only
 * the expressions in them are children, and of macros' expansions only those in the file itself.
 * tests/test_same_clang.sh compares what is made of files with libclang and with this.
 */
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TypeLoc.h"
#include "clang/AST/TypeLocVisitor.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include <clang-c/Index.h>
#include <cstdlib>
#include <cstring>
#include <pwd.h>

using namespace clang;

struct CXTranslationUnitImpl {
    std::unique_ptr<ASTUnit> unit;
    std::vector<const StoredDiagnostic *> diagnostics; /* without notes, which belong to the one before */
};

namespace {

/* ---- cursors, locations, strings ---- */

/* data[0]: the declaration, statement, label, or entity of the preprocessing record; data[2]: the unit. */
CXCursor make_cursor(CXCursorKind kind, const void *node, CXTranslationUnit unit) {
    return CXCursor{kind, 0, {node, nullptr, unit}};
}

CXTranslationUnit unit_of(CXCursor cursor) {
    return static_cast<CXTranslationUnit>(const_cast<void *>(cursor.data[2]));
}

ASTContext &context_of(CXCursor cursor) {
    return unit_of(cursor)->unit->getASTContext();
}

const Decl *decl_of(CXCursor cursor) {
    return clang_isDeclaration(cursor.kind) ? static_cast<const Decl *>(cursor.data[0]) : nullptr;
}

const Stmt *stmt_of(CXCursor cursor) {
    bool is = clang_isExpression(cursor.kind) || clang_isStatement(cursor.kind);
    return is ? static_cast<const Stmt *>(cursor.data[0]) : nullptr;
}

const Expr *expr_of(CXCursor cursor) {
    return clang_isExpression(cursor.kind) ? static_cast<const Expr *>(cursor.data[0]) : nullptr;
}

template <class Node> const Node *entity_of(CXCursor cursor) {
    return static_cast<const Node *>(cursor.data[0]);
}

CXCursorKind kind_of(const Decl *decl) {
    switch (decl->getKind()) {
    case Decl::Function:
        return CXCursor_FunctionDecl;
    case Decl::Var:
        return CXCursor_VarDecl;
    case Decl::ParmVar:
        return CXCursor_ParmDecl;
    case Decl::Record:
        return cast<RecordDecl>(decl)->isUnion() ? CXCursor_UnionDecl : CXCursor_StructDecl;
    case Decl::Enum:
        return CXCursor_EnumDecl;
    case Decl::Typedef:
        return CXCursor_TypedefDecl;
    default:
        return CXCursor_UnexposedDecl;
    }
}

CXCursorKind kind_of(const Stmt *stmt) {
    switch (stmt->getStmtClass()) {
    case Stmt::CallExprClass:
        return CXCursor_CallExpr;
    case Stmt::DeclRefExprClass:
        return CXCursor_DeclRefExpr;
    case Stmt::ParenExprClass:
        return CXCursor_ParenExpr;
    case Stmt::BinaryOperatorClass:
        return CXCursor_BinaryOperator;
    case Stmt::CompoundAssignOperatorClass:
        return CXCursor_CompoundAssignOperator;
    case Stmt::ConditionalOperatorClass:
        return CXCursor_ConditionalOperator;
    case Stmt::UnaryExprOrTypeTraitExprClass:
        return CXCursor_UnaryExpr;
    case Stmt::LabelStmtClass:
        return CXCursor_LabelStmt;
    case Stmt::CompoundStmtClass:
        return CXCursor_CompoundStmt;
    case Stmt::CaseStmtClass:
        return CXCursor_CaseStmt;
    case Stmt::DefaultStmtClass:
        return CXCursor_DefaultStmt;
    case Stmt::IfStmtClass:
        return CXCursor_IfStmt;
    case Stmt::SwitchStmtClass:
        return CXCursor_SwitchStmt;
    case Stmt::WhileStmtClass:
        return CXCursor_WhileStmt;
    case Stmt::DoStmtClass:
        return CXCursor_DoStmt;
    case Stmt::ForStmtClass:
        return CXCursor_ForStmt;
    case Stmt::GotoStmtClass:
        return CXCursor_GotoStmt;
    case Stmt::IndirectGotoStmtClass:
        return CXCursor_IndirectGotoStmt;
    case Stmt::ContinueStmtClass:
        return CXCursor_ContinueStmt;
    case Stmt::BreakStmtClass:
        return CXCursor_BreakStmt;
    case Stmt::ReturnStmtClass:
        return CXCursor_ReturnStmt;
    case Stmt::NullStmtClass:
        return CXCursor_NullStmt;
    case Stmt::DeclStmtClass:
        return CXCursor_DeclStmt;
    default:
        return isa<Expr>(stmt) ? CXCursor_UnexposedExpr : CXCursor_UnexposedStmt;
    }
}

CXCursor make_cursor(const Decl *decl, CXTranslationUnit unit) {
    return decl ? make_cursor(kind_of(decl), decl, unit) : clang_getNullCursor();
}

/* What only marks an expression in clang's tree is not shown. */
CXCursor make_cursor(const Stmt *stmt, CXTranslationUnit unit) {
    if (const auto *constant = dyn_cast<ConstantExpr>(stmt))
        return make_cursor(constant->getSubExpr(), unit);
    if (const auto *opaque = dyn_cast<OpaqueValueExpr>(stmt))
        if (const Expr *source = opaque->getSourceExpr())
            return make_cursor(source, unit);
    return make_cursor(kind_of(stmt), stmt, unit);
}

CXSourceLocation make_location(const SourceManager &manager, const LangOptions &options, SourceLocation location) {
    return location.isValid() ? CXSourceLocation{{&manager, &options}, location.getRawEncoding()}
                              : CXSourceLocation{{nullptr, nullptr}, 0};
}

/* Most locations are in the file that is instrumented, and need no search among all that it includes. */
bool is_in_main(const SourceManager &manager, SourceLocation location, unsigned *offset) {
    return location.isFileID() && manager.isInFileID(location, manager.getMainFileID(), offset);
}

/* The length of a token that ends where it seems to: a bracket, comma or semicolon, or a word or number before one of
 * these or a blank. 0: it takes a lexer to say. */
unsigned plain_length(llvm::StringRef text, unsigned offset) {
    static const char ends[] = "()[]{};, \n";
    unsigned end = offset;
    while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_'))
        end++;
    if (end == text.size() || !memchr(ends, text[end], sizeof ends - 1))
        return 0;
    return end > offset ? end - offset : text[end] != ' ' && text[end] != '\n';
}

unsigned token_length(const SourceManager &manager, const LangOptions &options, SourceLocation location) {
    unsigned offset, length = 0;
    if (is_in_main(manager, location, &offset))
        length = plain_length(manager.getBufferData(manager.getMainFileID()), offset);
    return length ? length : Lexer::MeasureTokenLength(manager.getSpellingLoc(location), manager, options);
}

/* Converts a range of tokens, as clang keeps it, to one of characters, which ends after the last token. */
CXSourceRange make_range(ASTContext &context, SourceRange range) {
    const SourceManager &manager = context.getSourceManager();
    const LangOptions &options = context.getLangOpts();
    SourceLocation end = range.getEnd();
    bool of_tokens = true;
    if (end.isValid() && end.isMacroID() && !manager.isMacroArgExpansion(end)) {
        CharSourceRange expansion = manager.getExpansionRange(end);
        end = expansion.getEnd();
        of_tokens = expansion.isTokenRange();
    }
    if (of_tokens && end.isValid())
        end = end.getLocWithOffset((int)token_length(manager, options, end));
    return CXSourceRange{{&manager, &options}, range.getBegin().getRawEncoding(), end.getRawEncoding()};
}

const SourceManager *manager_of(CXSourceLocation location) {
    return static_cast<const SourceManager *>(location.ptr_data[0]);
}

SourceLocation location_of(CXSourceLocation location) {
    return SourceLocation::getFromRawEncoding(location.int_data);
}

/* A name lives as long as the unit. */
CXString make_string(const IdentifierInfo *name) {
    return CXString{name ? name->getNameStart() : "", 0};
}

CXString make_string(llvm::StringRef text) {
    char *copy = static_cast<char *>(malloc(text.size() + 1));
    memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return CXString{copy, 1};
}

/* ---- children ---- */

/* Shows a cursor's children to a visitor. */
struct Children {
    CXCursor parent;
    CXCursorVisitor visitor;
    CXClientData data;
    bool stopped;

    void show(CXCursor child) {
        if (stopped)
            return;
        enum CXChildVisitResult result = visitor(child, parent, data);
        stopped = result == CXChildVisit_Break ||
                  (result == CXChildVisit_Recurse && clang_visitChildren(child, visitor, data));
    }

    void add(const Decl *decl) {
        if (!decl->isImplicit())
            show(make_cursor(decl, unit_of(parent)));
    }

    void add(const Stmt *stmt) {
        if (stmt)
            show(make_cursor(stmt, unit_of(parent)));
    }

    void add_written(const Stmt *parent) {
        for (const Stmt *child : parent->children())
            add(child);
    }

    /* The expressions in a type: lengths of arrays, operands of typeof. */
    void add_in(TypeSourceInfo *type) {
        if (type)
            add_in(type->getTypeLoc());
    }

    void add_in(TypeLoc type) {
        for (; type; type = type.getNextTypeLoc()) {
            if (auto function = type.getAs<FunctionTypeLoc>()) {
                add_in(function.getReturnLoc());
                for (const ParmVarDecl *parameter : function.getParams())
                    if (parameter)
                        add(parameter);
                return;
            }
            if (auto array = type.getAs<ArrayTypeLoc>()) {
                add_in(array.getElementLoc());
                add(array.getSizeExpr());
                return;
            }
            if (auto of = type.getAs<TypeOfExprTypeLoc>())
                add(of.getUnderlyingExpr());
        }
    }

    void add_of(const Decl *decl) {
        if (const auto *function = dyn_cast<FunctionDecl>(decl)) {
            if (function->doesThisDeclarationHaveABody())
                add(function->getBody());
        } else if (const auto *declarator = dyn_cast<DeclaratorDecl>(decl)) {
            add_in(declarator->getTypeSourceInfo());
            if (const auto *variable = dyn_cast<VarDecl>(decl))
                add(variable->getInit());
        }
    }

    void add_of(const Stmt *stmt) {
        if (const auto *declaration = dyn_cast<DeclStmt>(stmt)) {
            for (const Decl *decl : declaration->decls())
                add(decl);
        } else if (const auto *jump = dyn_cast<GotoStmt>(stmt)) {
            show(make_cursor(CXCursor_LabelRef, jump->getLabel(), unit_of(parent)));
        } else if (const auto *list = dyn_cast<InitListExpr>(stmt)) {
            add_written(list->getSyntacticForm() ? list->getSyntacticForm() : list);
        } else if (const auto *designated = dyn_cast<DesignatedInitExpr>(stmt)) {
            for (unsigned i = 1; i < designated->getNumSubExprs(); i++) /* indices; the first is what is assigned */
                add(designated->getSubExpr(i));
            add(designated->getInit());
        } else if (const auto *selection = dyn_cast<GenericSelectionExpr>(stmt)) {
            add_selection(selection);
        } else {
            if (const auto *cast = dyn_cast<ExplicitCastExpr>(stmt))
                add_in(cast->getTypeInfoAsWritten());
            else if (const auto *literal = dyn_cast<CompoundLiteralExpr>(stmt))
                add_in(literal->getTypeSourceInfo());
            else if (const auto *argument = dyn_cast<VAArgExpr>(stmt))
                add_in(argument->getWrittenTypeInfo());
            add_written(stmt);
        }
    }

    /* libclang has them from the last to the first. */
    void add_selection(const GenericSelectionExpr *selection) {
        std::vector<const Stmt *> written{selection->getControllingExpr()};
        for (unsigned i = 0; i < selection->getNumAssocs(); i++)
            written.push_back(selection->getAssocExprs()[i]);
        while (!written.empty()) {
            add(written.back());
            written.pop_back();
        }
    }

    /* What the preprocessor saw comes first. */
    void add_of_unit() {
        CXTranslationUnit unit = unit_of(parent);
        const SourceManager &manager = unit->unit->getSourceManager();
        if (PreprocessingRecord *record = unit->unit->getPreprocessor().getPreprocessingRecord()) {
            for (PreprocessedEntity *entity : *record) {
                auto *expansion = dyn_cast_or_null<MacroExpansion>(entity);
                if (expansion && is_in_main(manager, expansion->getSourceRange().getBegin(), nullptr))
                    show(make_cursor(CXCursor_MacroExpansion, expansion, unit));
                else if (auto *definition = dyn_cast_or_null<MacroDefinitionRecord>(entity))
                    show(make_cursor(CXCursor_MacroDefinition, definition, unit));
            }
        }
        const TranslationUnitDecl *whole = context_of(parent).getTranslationUnitDecl();
        for (const Decl *decl : whole->decls()) {
            if (stopped)
                break;
            if (decl->getLexicalDeclContext() == whole)
                add(decl);
        }
    }
};

/* What an expression refers to. */
const Decl *referenced(const Stmt *stmt) {
    if (const auto *cast = dyn_cast<ImplicitCastExpr>(stmt))
        return referenced(cast->getSubExpr());
    if (const auto *reference = dyn_cast<DeclRefExpr>(stmt))
        return reference->getDecl();
    if (const auto *member = dyn_cast<MemberExpr>(stmt))
        return member->getMemberDecl();
    if (const auto *call = dyn_cast<CallExpr>(stmt))
        return referenced(call->getCallee());
    return nullptr;
}

SourceRange extent_of(CXCursor cursor) {
    if (const Decl *decl = decl_of(cursor))
        return decl->getSourceRange();
    if (const Stmt *stmt = stmt_of(cursor))
        return stmt->getSourceRange();
    if (cursor.kind == CXCursor_MacroExpansion)
        return entity_of<MacroExpansion>(cursor)->getSourceRange();
    if (cursor.kind == CXCursor_MacroDefinition)
        return entity_of<MacroDefinitionRecord>(cursor)->getSourceRange();
    return SourceRange();
}

SourceLocation place_of(const Stmt *stmt) {
    if (const auto *cast = dyn_cast<ImplicitCastExpr>(stmt))
        return place_of(cast->getSubExpr());
    if (const auto *member = dyn_cast<MemberExpr>(stmt))
        return member->getMemberLoc();
    return stmt->getBeginLoc();
}

/* ---- types ---- */

CXType make_type(QualType type, CXTranslationUnit unit) {
    CXTypeKind kind = CXType_Invalid;
    if (!type.isNull()) {
        const Type *bare = type.getTypePtr();
        kind = isa<PointerType>(bare)           ? CXType_Pointer
               : isa<FunctionProtoType>(bare)   ? CXType_FunctionProto
               : isa<FunctionNoProtoType>(bare) ? CXType_FunctionNoProto
                                                : CXType_Unexposed;
    }
    return CXType{kind, {type.getAsOpaquePtr(), unit}};
}

QualType type_of(CXType type) {
    return QualType::getFromOpaquePtr(type.data[0]);
}

CXTranslationUnit unit_of(CXType type) {
    return static_cast<CXTranslationUnit>(type.data[1]);
}

/* ---- values ---- */

struct Value {
    CXEvalResultKind kind;
    long long number;
};

Value *evaluate(const Expr *expr, ASTContext &context) {
    Expr::EvalResult result;
    expr = expr->IgnoreParens();
    if (expr->isValueDependent())
        return nullptr;
    if (expr->EvaluateAsRValue(result, context)) {
        if (result.Val.isInt()) {
            const llvm::APSInt &value = result.Val.getInt();
            return new Value{CXEval_Int,
                             value.isUnsigned() ? (long long)value.getZExtValue() : (long long)value.getSExtValue()};
        }
        if (result.Val.isFloat())
            return new Value{CXEval_Float, 0};
    }
    const Expr *written = expr;
    if (const auto *cast = dyn_cast<ImplicitCastExpr>(expr))
        written = cast->getSubExprAsWritten();
    if (isa<StringLiteral>(written))
        return new Value{CXEval_StrLiteral, 0};
    if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
        if (isa<FunctionDecl>(reference->getDecl()))
            return new Value{CXEval_Other, 0};
    return nullptr;
}

} // namespace

/* ---- the interface ---- */

extern "C" {

/* clang could load plugins and ask for users' directories. Nothing here makes it do so, and a program that is linked
 * statically cannot: the linker gives it these (static_clang.cmake). */
void *__wrap_dlopen(const char *, int) {
    return nullptr;
}

struct passwd *__wrap_getpwnam(const char *) {
    return nullptr;
}

struct passwd *__wrap_getpwuid(uid_t) {
    return nullptr;
}

int __wrap_getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd **found) {
    *found = nullptr;
    return 0;
}

int __wrap_getpwuid_r(uid_t, struct passwd *, char *, size_t, struct passwd **found) {
    *found = nullptr;
    return 0;
}

CXIndex clang_createIndex(int, int) {
    return new std::shared_ptr<PCHContainerOperations>(new PCHContainerOperations);
}

void clang_disposeIndex(CXIndex index) {
    delete static_cast<std::shared_ptr<PCHContainerOperations> *>(index);
}

enum CXErrorCode clang_parseTranslationUnit2(CXIndex index, const char *path, const char *const *flags, int n_flags,
                                             struct CXUnsavedFile *unsaved, unsigned n_unsaved, unsigned options,
                                             CXTranslationUnit *out) {
    IntrusiveRefCntPtr<DiagnosticsEngine> diagnostics(
        CompilerInstance::createDiagnostics(new DiagnosticOptions, new IgnoringDiagConsumer));
    if (options & CXTranslationUnit_KeepGoing)
        diagnostics->setFatalsAsError(true);
    std::vector<const char *> arguments{"clang", "-fno-spell-checking"};
    arguments.insert(arguments.end(), flags, flags + n_flags);
    arguments.insert(arguments.end(),
                     {path, "-Xclang", "-detailed-preprocessing-record", "-fallow-editor-placeholders"});
    std::vector<ASTUnit::RemappedFile> texts;
    for (unsigned i = 0; i < n_unsaved; i++)
        texts.emplace_back(unsaved[i].Filename,
                           llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(unsaved[i].Contents, unsaved[i].Length),
                                                                unsaved[i].Filename)
                               .release());
    std::unique_ptr<ASTUnit> failed;
    std::unique_ptr<ASTUnit> unit(ASTUnit::LoadFromCommandLine(
        arguments.data(), arguments.data() + arguments.size(),
        *static_cast<std::shared_ptr<PCHContainerOperations> *>(index), diagnostics, "",
#if CLANG_VERSION_MAJOR >= 17
        /*StorePreamblesInMemory=*/false, /*PreambleStoragePath=*/"",
#endif
        /*OnlyLocalDecls=*/false, CaptureDiagsKind::All, texts, /*RemappedFilesKeepOriginalName=*/true,
        /*PrecompilePreambleAfterNParses=*/0, TU_Complete, /*CacheCodeCompletionResults=*/false,
        /*IncludeBriefCommentsInCodeCompletion=*/false,
        /*AllowPCHWithCompilerErrors=*/true, SkipFunctionBodiesScope::None, /*SingleFileParse=*/false,
        /*UserFilesAreVolatile=*/true, /*ForSerialization=*/false, /*RetainExcludedConditionalBlocks=*/false,
        /*ModuleFormat=*/{}, &failed));
    *out = nullptr;
    if (!unit)
        return failed ? CXError_Failure : CXError_ASTReadError;
    *out = new CXTranslationUnitImpl{std::move(unit), {}};
    ASTUnit &ast = *(*out)->unit;
    for (auto each = ast.stored_diag_begin(); each != ast.stored_diag_end(); ++each)
        if (each->getLevel() != DiagnosticsEngine::Note)
            (*out)->diagnostics.push_back(&*each);
    return CXError_Success;
}

void clang_disposeTranslationUnit(CXTranslationUnit unit) {
    delete unit;
}

/* ---- diagnostics ---- */

unsigned clang_getNumDiagnostics(CXTranslationUnit unit) {
    return (unsigned)unit->diagnostics.size();
}

CXDiagnostic clang_getDiagnostic(CXTranslationUnit unit, unsigned i) {
    return const_cast<StoredDiagnostic *>(unit->diagnostics[i]);
}

void clang_disposeDiagnostic(CXDiagnostic) {
}

enum CXDiagnosticSeverity clang_getDiagnosticSeverity(CXDiagnostic diagnostic) {
    switch (static_cast<StoredDiagnostic *>(diagnostic)->getLevel()) {
    case DiagnosticsEngine::Ignored:
        return CXDiagnostic_Ignored;
    case DiagnosticsEngine::Note:
        return CXDiagnostic_Note;
    case DiagnosticsEngine::Remark:
    case DiagnosticsEngine::Warning:
        return CXDiagnostic_Warning;
    case DiagnosticsEngine::Error:
        return CXDiagnostic_Error;
    default:
        return CXDiagnostic_Fatal;
    }
}

CXString clang_getDiagnosticSpelling(CXDiagnostic diagnostic) {
    return make_string(static_cast<StoredDiagnostic *>(diagnostic)->getMessage());
}

CXSourceLocation clang_getDiagnosticLocation(CXDiagnostic diagnostic) {
    static const LangOptions none;
    const FullSourceLoc &location = static_cast<StoredDiagnostic *>(diagnostic)->getLocation();
    return location.isValid() ? make_location(location.getManager(), none, location)
                              : CXSourceLocation{{nullptr, nullptr}, 0};
}

CXString clang_formatDiagnostic(CXDiagnostic diagnostic, unsigned) {
    static const char *const severities[] = {"ignored", "note", "warning", "error", "fatal error"};
    const auto *stored = static_cast<StoredDiagnostic *>(diagnostic);
    std::string text;
    if (stored->getLocation().isValid()) {
        const SourceManager &manager = stored->getLocation().getManager();
        PresumedLoc place = manager.getPresumedLoc(manager.getFileLoc(stored->getLocation()), false);
        if (place.isValid())
            text = std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ": ";
    }
    text += severities[clang_getDiagnosticSeverity(diagnostic)];
    return make_string(text + ": " + stored->getMessage().str());
}

/* ---- strings, files, locations ---- */

const char *clang_getCString(CXString string) {
    return static_cast<const char *>(string.data);
}

void clang_disposeString(CXString string) {
    if (string.private_flags)
        free(const_cast<void *>(string.data));
}

CXFile clang_getFile(CXTranslationUnit unit, const char *name) {
    auto file = unit->unit->getFileManager().getFile(name);
    return file ? const_cast<FileEntry *>(*file) : nullptr;
}

const char *clang_getFileContents(CXTranslationUnit unit, CXFile file, size_t *size) {
    const SourceManager &manager = unit->unit->getSourceManager();
    auto buffer = manager.getBufferOrNone(manager.translateFile(static_cast<const FileEntry *>(file)));
    *size = buffer ? buffer->getBufferSize() : 0;
    return buffer ? buffer->getBufferStart() : nullptr;
}

void clang_getInclusions(CXTranslationUnit unit, CXInclusionVisitor visitor, CXClientData data) {
    const SourceManager &manager = unit->unit->getSourceManager();
    for (unsigned i = 0; i < manager.local_sloc_entry_size(); i++) {
        const SrcMgr::SLocEntry &entry = manager.getLocalSLocEntry(i);
        const FileEntry *file = entry.isFile() ? manager.getFileEntryForSLocEntry(entry) : nullptr;
        if (!file)
            continue;
        std::vector<CXSourceLocation> stack;
        SourceLocation from = entry.getFile().getIncludeLoc();
        for (; from.isValid(); from = manager.getIncludeLoc(manager.getFileID(from)))
            stack.push_back(CXSourceLocation{{&manager, nullptr}, from.getRawEncoding()});
        visitor(const_cast<FileEntry *>(file), stack.data(), (unsigned)stack.size(), data);
    }
}

CXSourceRangeList *clang_getSkippedRanges(CXTranslationUnit unit, CXFile file) {
    const SourceManager &manager = unit->unit->getSourceManager();
    PreprocessingRecord *record = unit->unit->getPreprocessor().getPreprocessingRecord();
    FileID id = manager.translateFile(static_cast<const FileEntry *>(file));
    auto *list = new CXSourceRangeList{0, nullptr};
    if (!record)
        return list;
    const std::vector<SourceRange> &ranges = record->getSkippedRanges();
    list->ranges = new CXSourceRange[ranges.size() + 1];
    for (const SourceRange &range : ranges)
        if (manager.getFileID(range.getBegin()) == id || manager.getFileID(range.getEnd()) == id)
            list->ranges[list->count++] = make_range(unit->unit->getASTContext(), range);
    return list;
}

void clang_disposeSourceRangeList(CXSourceRangeList *list) {
    delete[] list->ranges;
    delete list;
}

CXSourceLocation clang_getLocationForOffset(CXTranslationUnit unit, CXFile file, unsigned offset) {
    ASTUnit &ast = *unit->unit;
    return make_location(ast.getSourceManager(), ast.getLangOpts(),
                         ast.getLocation(static_cast<const FileEntry *>(file), offset));
}

CXSourceLocation clang_getRangeStart(CXSourceRange range) {
    return CXSourceLocation{{range.ptr_data[0], range.ptr_data[1]}, range.begin_int_data};
}

CXSourceLocation clang_getRangeEnd(CXSourceRange range) {
    return CXSourceLocation{{range.ptr_data[0], range.ptr_data[1]}, range.end_int_data};
}

void clang_getFileLocation(CXSourceLocation location, CXFile *file, unsigned *, unsigned *, unsigned *offset) {
    const SourceManager *manager = manager_of(location);
    if (file)
        *file = nullptr;
    if (offset)
        *offset = 0;
    if (!manager || location_of(location).isInvalid())
        return;
    std::pair<FileID, unsigned> place{manager->getMainFileID(), 0};
    if (!is_in_main(*manager, location_of(location), &place.second))
        place = manager->getDecomposedLoc(manager->getFileLoc(location_of(location)));
    if (file)
        *file = const_cast<FileEntry *>(manager->getFileEntryForID(place.first));
    if (offset)
        *offset = place.second;
}

void clang_getPresumedLocation(CXSourceLocation location, CXString *file, unsigned *line, unsigned *column) {
    const SourceManager *manager = manager_of(location);
    PresumedLoc place;
    if (manager && location_of(location).isValid())
        place = manager->getPresumedLoc(location_of(location));
    if (file)
        *file = CXString{place.isValid() ? place.getFilename() : "", 0};
    if (line)
        *line = place.isValid() ? place.getLine() : 0;
    if (column)
        *column = place.isValid() ? place.getColumn() : 0;
}

int clang_Location_isInSystemHeader(CXSourceLocation location) {
    const SourceManager *manager = manager_of(location);
    return manager && location_of(location).isValid() && manager->isInSystemHeader(location_of(location));
}

/* ---- cursors ---- */

CXCursor clang_getNullCursor(void) {
    return make_cursor(CXCursor_InvalidFile, nullptr, nullptr);
}

CXCursor clang_getTranslationUnitCursor(CXTranslationUnit unit) {
    return make_cursor(CXCursor_TranslationUnit, nullptr, unit);
}

enum CXCursorKind clang_getCursorKind(CXCursor cursor) {
    return cursor.kind;
}

unsigned clang_isDeclaration(enum CXCursorKind kind) {
    return kind >= CXCursor_FirstDecl && kind <= CXCursor_LastDecl;
}

unsigned clang_isExpression(enum CXCursorKind kind) {
    return kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr;
}

unsigned clang_isStatement(enum CXCursorKind kind) {
    return kind >= CXCursor_FirstStmt && kind <= CXCursor_LastStmt;
}

unsigned clang_equalCursors(CXCursor a, CXCursor b) {
    return a.kind == b.kind && a.data[0] == b.data[0];
}

unsigned clang_hashCursor(CXCursor cursor) {
    return (unsigned)((uintptr_t)cursor.data[0] >> 4) * 2654435761u + (unsigned)cursor.kind;
}

int clang_Cursor_isNull(CXCursor cursor) {
    return clang_equalCursors(cursor, clang_getNullCursor());
}

unsigned clang_visitChildren(CXCursor parent, CXCursorVisitor visitor, CXClientData data) {
    Children children{parent, visitor, data, false};
    if (parent.kind == CXCursor_TranslationUnit)
        children.add_of_unit();
    else if (const Decl *decl = decl_of(parent))
        children.add_of(decl);
    else if (const Stmt *stmt = stmt_of(parent))
        children.add_of(stmt);
    return children.stopped;
}

CXSourceRange clang_getCursorExtent(CXCursor cursor) {
    SourceRange range = extent_of(cursor);
    return range.isValid() ? make_range(context_of(cursor), range) : CXSourceRange{{nullptr, nullptr}, 0, 0};
}

CXSourceLocation clang_getCursorLocation(CXCursor cursor) {
    SourceLocation location;
    if (const Decl *decl = decl_of(cursor))
        location = decl->getLocation();
    else if (const Stmt *stmt = stmt_of(cursor))
        location = place_of(stmt);
    if (location.isInvalid())
        return CXSourceLocation{{nullptr, nullptr}, 0};
    ASTContext &context = context_of(cursor);
    return make_location(context.getSourceManager(), context.getLangOpts(), location);
}

CXString clang_getCursorSpelling(CXCursor cursor) {
    if (const auto *named = dyn_cast_or_null<NamedDecl>(decl_of(cursor)))
        return make_string(named->getIdentifier());
    if (cursor.kind == CXCursor_LabelRef)
        return make_string(entity_of<LabelDecl>(cursor)->getIdentifier());
    if (cursor.kind == CXCursor_LabelStmt)
        return make_string(entity_of<LabelStmt>(cursor)->getDecl()->getIdentifier());
    if (cursor.kind == CXCursor_MacroExpansion)
        return make_string(entity_of<MacroExpansion>(cursor)->getName());
    if (cursor.kind == CXCursor_MacroDefinition)
        return make_string(entity_of<MacroDefinitionRecord>(cursor)->getName());
    return CXString{"", 0};
}

CXCursor clang_getCursorReferenced(CXCursor cursor) {
    if (cursor.kind == CXCursor_MacroExpansion) {
        const MacroDefinitionRecord *definition = entity_of<MacroExpansion>(cursor)->getDefinition();
        return definition ? make_cursor(CXCursor_MacroDefinition, definition, unit_of(cursor)) : clang_getNullCursor();
    }
    const Stmt *stmt = stmt_of(cursor);
    return make_cursor(stmt ? referenced(stmt) : decl_of(cursor), unit_of(cursor));
}

CXCursor clang_getCursorDefinition(CXCursor cursor) {
    const FunctionDecl *definition = nullptr;
    if (const auto *function = dyn_cast_or_null<FunctionDecl>(decl_of(cursor)))
        function->getBody(definition);
    return make_cursor(definition, unit_of(cursor));
}

unsigned clang_isCursorDefinition(CXCursor cursor) {
    return clang_equalCursors(cursor, clang_getCursorDefinition(cursor));
}

CXCursor clang_getCanonicalCursor(CXCursor cursor) {
    const Decl *decl = decl_of(cursor);
    return decl ? make_cursor(decl->getCanonicalDecl(), unit_of(cursor)) : cursor;
}

enum CXLinkageKind clang_getCursorLinkage(CXCursor cursor) {
    const auto *named = dyn_cast_or_null<NamedDecl>(decl_of(cursor));
    return named && named->hasExternalFormalLinkage() ? CXLinkage_External : CXLinkage_Internal;
}

enum CX_StorageClass clang_Cursor_getStorageClass(CXCursor cursor) {
    StorageClass storage = SC_None;
    if (const auto *variable = dyn_cast_or_null<VarDecl>(decl_of(cursor)))
        storage = variable->getStorageClass();
    else if (const auto *function = dyn_cast_or_null<FunctionDecl>(decl_of(cursor)))
        storage = function->getStorageClass();
    return storage == SC_Static ? CX_SC_Static : storage == SC_Extern ? CX_SC_Extern : CX_SC_None;
}

unsigned clang_Cursor_isFunctionInlined(CXCursor cursor) {
    const auto *function = dyn_cast_or_null<FunctionDecl>(decl_of(cursor));
    return function && function->isInlined();
}

/* ---- types and values ---- */

CXType clang_getCursorType(CXCursor cursor) {
    const auto *value = dyn_cast_or_null<ValueDecl>(decl_of(cursor));
    return make_type(value ? value->getType() : QualType(), unit_of(cursor));
}

int clang_getNumArgTypes(CXType type) {
    QualType bare = type_of(type);
    if (bare.isNull())
        return -1;
    if (const auto *function = bare->getAs<FunctionProtoType>())
        return (int)function->getNumParams();
    return bare->getAs<FunctionNoProtoType>() ? 0 : -1;
}

CXType clang_getArgType(CXType type, unsigned i) {
    return make_type(type_of(type)->getAs<FunctionProtoType>()->getParamType(i), unit_of(type));
}

CXType clang_getCanonicalType(CXType type) {
    return make_type(type_of(type).isNull() ? QualType() : type_of(type).getCanonicalType(), unit_of(type));
}

CXType clang_getPointeeType(CXType type) {
    return make_type(type_of(type)->getPointeeType(), unit_of(type));
}

CXEvalResult clang_Cursor_Evaluate(CXCursor cursor) {
    const Expr *expr = expr_of(cursor);
    return expr ? evaluate(expr, context_of(cursor)) : nullptr;
}

CXEvalResultKind clang_EvalResult_getKind(CXEvalResult result) {
    return static_cast<Value *>(result)->kind;
}

long long clang_EvalResult_getAsLongLong(CXEvalResult result) {
    return static_cast<Value *>(result)->number;
}

void clang_EvalResult_dispose(CXEvalResult result) {
    delete static_cast<Value *>(result);
}

} // extern "C"
