/* names.c: looks up the names of code addresses: first those stored with the trace, then in the files that ran
 * (trace_files.h).
 *
 *     stored names --> table of each file --> symbols
 *                        ^ missing names: code_file.c, symbols.c; then the table is stored */
#define _GNU_SOURCE
#ifdef REFRAIN_HAVE_DW
#include "files/code_file.h"
#endif
#include "files/names_file.h"
#include "files/names_store.h"
#include "files/trace_files.h"
#include "model/trace_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct refrain_trace *trace;
    struct refrain_names names;
    bool changed; /* since it was stored */
#ifdef REFRAIN_HAVE_DW
    struct refrain_debuginfod debuginfod;
#endif
};

/* ---- the table ---- */

/* True if the symbol belongs to this file. Files with the same build id are the same, whatever their paths. */
static bool is_of(const struct refrain_names_code *code, const struct refrain_symbol *symbol) {
    if (*symbol->build_id)
        return strcmp(code->build_id, symbol->build_id) == 0;
    return !*code->build_id && strcmp(code->path, symbol->object) == 0 && code->file_bytes == symbol->file_bytes &&
           code->changed_ns == symbol->changed_ns;
}

/* True if the trace can tell the file from another one at the same path. */
static bool is_known(const struct refrain_symbol *symbol) {
    return *symbol->build_id || symbol->changed_ns;
}

/* The entry of the symbol's file in the table, added if it is missing. There must be room for it. */
static struct refrain_names_code *code_of(struct refrain_names *names, const struct refrain_symbol *symbol) {
    for (size_t i = 0; i < names->n; i++)
        if (is_of(&names->codes[i], symbol))
            return &names->codes[i];
    struct refrain_names_code *code = &names->codes[names->n++];
    *code = (struct refrain_names_code){.path = symbol->object,
                                        .build_id = symbol->build_id,
                                        .file_bytes = symbol->file_bytes,
                                        .changed_ns = symbol->changed_ns};
    return code;
}

static int by_address(const void *a, const void *b) {
    const struct refrain_names_address *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->is_function - y->is_function;
}

static struct refrain_names_address *address_of(const struct refrain_names_code *code,
                                                const struct refrain_symbol *symbol) {
    const struct refrain_names_address key = {.address = symbol->address, .is_function = symbol->is_function};
    return code->n ? bsearch(&key, code->addresses, code->n, sizeof key, by_address) : NULL;
}

/* Adds the addresses that the table lacks. Returns how many; SIZE_MAX without memory. */
static size_t add_addresses(struct refrain_trace *trace, struct refrain_names_code *code,
                            const struct refrain_symbol *symbols, size_t n) {
    size_t known = code->n, added = 0;
    struct refrain_names_address *all = refrain_trace_allocate(trace, known + n, sizeof *all);
    if (!all)
        return SIZE_MAX;
    if (known)
        memcpy(all, code->addresses, known * sizeof *all);
    for (size_t i = 0; i < n; i++)
        if (!address_of(code, &symbols[i]))
            all[known + added++] =
                (struct refrain_names_address){.address = symbols[i].address, .is_function = symbols[i].is_function};
    code->addresses = all;
    code->n = known + added;
    qsort(all, code->n, sizeof *all, by_address);
    return added;
}

/* ---- looking up ---- */

#ifdef REFRAIN_HAVE_DW
static void look_up_address(struct work *work, const struct refrain_code_file *file,
                            struct refrain_names_address *address) {
    struct refrain_names_frame frames[REFRAIN_NAMES_MOST_FRAMES];
    unsigned n = refrain_code_file_frames(work->trace, file, address, frames);
    address->frames = refrain_trace_allocate(work->trace, n, sizeof *frames);
    address->n_frames = address->frames ? n : 0;
    address->is_tried = address->frames != NULL;
    if (address->n_frames)
        memcpy(address->frames, frames, n * sizeof *frames);
}

/* Looks up the new addresses or, if better information is available now, all addresses. */
static enum refrain_code_state look_up(struct work *work, struct refrain_names_code *code,
                                       const struct refrain_symbol *symbol) {
    struct refrain_code_file file;
    uint64_t asked_s = code->asked_s;
    enum refrain_code_state state = refrain_code_file_open(&file, symbol, &work->debuginfod, &code->asked_s);
    if (state == REFRAIN_CODE_FOUND) {
        unsigned level = file.has_lines ? REFRAIN_NAMES_LINES : REFRAIN_NAMES_SYMBOLS;
        for (size_t i = 0; i < code->n; i++)
            if (!code->addresses[i].is_tried || level > code->level) {
                look_up_address(work, &file, &code->addresses[i]);
                work->changed = true;
            }
        code->level = level > code->level ? level : code->level;
    }
    work->changed |= asked_s != code->asked_s;
    refrain_code_file_close(&file);
    return state;
}

static bool there_may_be_more(const struct refrain_names_code *code, const struct refrain_symbol *symbol) {
    return code->level < REFRAIN_NAMES_LINES && is_known(symbol) &&
           (refrain_code_file_is_apart(symbol) || (*symbol->build_id && refrain_debuginfod_may_ask(code->asked_s)));
}

static void end(struct work *work) {
    size_t n = strlen(work->debuginfod.trouble) + 1;
    char *trouble = n > 1 ? refrain_trace_allocate(work->trace, n, 1) : NULL;
    if (trouble)
        work->trace->names.debuginfod = memcpy(trouble, work->debuginfod.trouble, n);
    refrain_debuginfod_close(&work->debuginfod);
}
#else
static enum refrain_code_state look_up(struct work *work, struct refrain_names_code *code,
                                       const struct refrain_symbol *symbol) {
    (void)work;
    (void)code;
    (void)symbol;
    return REFRAIN_CODE_UNLOOKED;
}

static bool there_may_be_more(const struct refrain_names_code *code, const struct refrain_symbol *symbol) {
    (void)code;
    (void)symbol;
    return false;
}

static void end(struct work *work) {
    (void)work;
}
#endif

/* ---- symbols ---- */

/* "f", or "f, inlined into g" if the compiler inlined f into g. Null if the address is unknown, and without memory. */
static const char *join(struct refrain_trace *trace, const struct refrain_names_address *address) {
    size_t bytes = 1;
    for (unsigned i = 0; i < address->n_frames; i++)
        bytes += strlen(address->frames[i].function) + sizeof REFRAIN_INLINED_INTO;
    char *text = refrain_trace_allocate(trace, bytes, 1), *end = text;
    for (unsigned i = 0; text && i < address->n_frames; i++)
        end = stpcpy(stpcpy(end, i ? REFRAIN_INLINED_INTO : ""), address->frames[i].function);
    return text && *text ? text : NULL;
}

/* Fills in the symbol from its address in the table. */
static void fill(struct refrain_trace *trace, struct refrain_symbol *symbol,
                 const struct refrain_names_address *address, struct refrain_code_info *info) {
    if (address && address->n_frames && address->frames[0].line) {
        symbol->file = address->frames[0].file;
        symbol->line = address->frames[0].line;
    }
    symbol->function = address ? join(trace, address) : NULL;
    info->places++;
    info->lined += symbol->file || symbol->has_source;
    info->named += symbol->function || symbol->has_source;
}

/* Looks up the symbols of one file. */
static void resolve_file(struct work *work, struct refrain_symbol *symbols, size_t n, struct refrain_code_info *info) {
    *info = (struct refrain_code_info){.path = symbols->object, .build_id = symbols->build_id};
    if (!is_known(symbols)) {
        info->state = REFRAIN_CODE_UNKNOWN;
        for (size_t i = 0; i < n; i++)
            fill(work->trace, &symbols[i], NULL, info);
        return;
    }
    struct refrain_names_code *code = code_of(&work->names, symbols);
    size_t added = add_addresses(work->trace, code, symbols, n);
    if (added == SIZE_MAX)
        return;
    if (added || there_may_be_more(code, symbols))
        info->state = look_up(work, code, symbols);
    if (!added) /* nothing new: the stored result counts */
        info->state = REFRAIN_CODE_FOUND;
    info->has_lines = code->level == REFRAIN_NAMES_LINES;
    for (size_t i = 0; i < n; i++)
        fill(work->trace, &symbols[i], address_of(code, &symbols[i]), info);
}

/* True if names may be stored with the trace: its directory is the final one. */
static bool may_store(const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].header->rank < 0) /* its directory will be renamed */
            return false;
    return trace->n_damaged == 0;
}

/* Makes room for the files of `n` symbols in the table that was read. */
static bool make_room(struct work *work, size_t n) {
    struct refrain_names_code *all = refrain_trace_allocate(work->trace, work->names.n + n, sizeof *all);
    if (all && work->names.n)
        memcpy(all, work->names.codes, work->names.n * sizeof *all);
    work->names.codes = all;
    return all != NULL;
}

static void store(struct work *work) {
    struct refrain_names_info *info = &work->trace->names;
    info->bytes = refrain_names_write(work->trace, &work->names, &info->n_bytes);
    if (info->bytes && may_store(work->trace))
        info->not_stored = refrain_names_store(work->trace, info->bytes, info->n_bytes);
}

void refrain_names_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n) {
    struct work work = {.trace = trace};
    struct refrain_names_info *info = &trace->names;
    info->files = refrain_trace_allocate(trace, n, sizeof *info->files);
    info->bytes = n ? refrain_names_load(trace, &info->n_bytes) : NULL;
    if (info->bytes && refrain_names_read(trace, &work.names, info->bytes, info->n_bytes))
        info->bytes = NULL; /* made again when needed */
    if (!info->files || !make_room(&work, n))
        return;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && refrain_symbol_compare_files(&symbols[i], &symbols[next]) == 0;)
            next++;
        resolve_file(&work, &symbols[i], next - i, &info->files[info->n_files++]);
    }
    end(&work);
    if (work.changed)
        store(&work);
    if (!info->bytes)
        info->n_bytes = 0;
}
