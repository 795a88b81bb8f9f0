/* symbols.c: return addresses to functions and source lines, by elfutils' libdw, which also finds debug information in
 * files of its own. Without debug information the function is the symbol in front of the address and the distance. */
#define _GNU_SOURCE
#include "trace_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_NAME 1024u
#define MOST_INLINED 16u
#define MOST_DEPTH 64u

static char *keep(struct refrain_trace *trace, const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = refrain_trace_allocate(trace, n, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* ---- names from debug information ---- */

static void append(char *text, const char *more) {
    size_t n = strlen(text);
    snprintf(text + n, MOST_NAME - n, "%s", more);
}

static bool is_cplusplus(Dwarf_Die *unit) {
    int language = dwarf_srclang(unit);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

/* Where the function was declared: that entry, not the one of the code, lies in its class and name space. */
static void go_to_declaration(Dwarf_Die *die) {
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die target;
        if (dwarf_attr(die, links[i], &attribute) && dwarf_formref_die(&attribute, &target))
            *die = target;
    }
}

/* The function's name; in C++ with the classes and name spaces around it, in others as it is written. */
static void append_function(char *text, Dwarf_Die function, Dwarf_Die *unit) {
    Dwarf_Die *scopes = NULL;
    go_to_declaration(&function);
    int n = is_cplusplus(unit) ? dwarf_getscopes_die(&function, &scopes) : 0;
    for (int i = n - 1; i > 0; i--) {
        int tag = dwarf_tag(&scopes[i]);
        const char *name = dwarf_diename(&scopes[i]);
        if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
            tag == DW_TAG_union_type) {
            append(text, name ? name : "(anonymous)");
            append(text, "::");
        }
    }
    free(scopes);
    const char *name = dwarf_diename(&function);
    append(text, name ? name : "(unnamed)");
}

/* The functions around the address, from the outermost, in which the inner ones were inlined. dwarf_getscopes does not
 * look into the modules of Fortran. */
struct chain {
    Dwarf_Addr address;
    Dwarf_Die functions[MOST_INLINED];
    unsigned n;
};

static void descend(struct chain *chain, Dwarf_Die *parent, unsigned depth) {
    Dwarf_Die child;
    if (depth == MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        bool is_block = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
        if (tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
            tag == DW_TAG_structure_type) {
            descend(chain, &child, depth + 1);
            if (chain->n > 0)
                return;
        } else if ((is_function || is_block) && dwarf_haspc(&child, chain->address) == 1) {
            if (is_function && chain->n < MOST_INLINED)
                chain->functions[chain->n++] = child;
            descend(chain, &child, depth + 1);
            return;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* "f", or "f, inlined into g" where the compiler put f's code into g; `outermost`: g in either case. */
static bool describe(char *text, Dwarf_Die *unit, Dwarf_Addr address, bool outermost) {
    struct chain chain = {.address = address};
    descend(&chain, unit, 0);
    text[0] = 0;
    chain.n = outermost && chain.n > 1 ? 1 : chain.n;
    for (unsigned i = chain.n; i > 0; i--) {
        append_function(text, chain.functions[i - 1], unit);
        append(text, i > 1 ? ", inlined into " : "");
    }
    return chain.n > 0;
}

/* The compilation unit with the address: by the object's index, or one after the other where it has none. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias) {
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

/* ---- names from the symbol table ---- */

static bool describe_symbol(char *text, Dwfl_Module *module, Dwarf_Addr address, bool is_function) {
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name)
        return false;
    char *plain = cplus_demangle(name, DMGL_ANSI | DMGL_AUTO);
    if (is_function && offset == 0)
        snprintf(text, MOST_NAME, "%s", plain ? plain : name);
    else
        snprintf(text, MOST_NAME, "%s+0x%" PRIx64, plain ? plain : name, (uint64_t)offset);
    free(plain);
    return true;
}

/* ---- objects ---- */

static void resolve(struct refrain_trace *trace, Dwfl_Module *module, struct refrain_symbol *symbol) {
    char text[MOST_NAME];
    Dwarf_Addr bias = 0, address = symbol->address - !symbol->is_function; /* the call is before its return address */
    Dwarf_Die *unit = find_unit(module, address, &bias);
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    int number = 0;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (file && dwarf_lineno(line, &number) == 0 && number > 0) {
        symbol->file = keep(trace, file);
        symbol->line = (uint32_t)number;
    }
    if ((!unit || !describe(text, unit, address - bias, symbol->is_function)) &&
        !describe_symbol(text, module, symbol->address, symbol->is_function)) {
        const char *slash = strrchr(symbol->object, '/');
        snprintf(text, sizeof text, "%s+0x%" PRIx64, slash ? slash + 1 : symbol->object, symbol->address);
    }
    symbol->function = keep(trace, text);
}

/* Resolves the symbols of one object, from `i` on. */
static void resolve_object(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n, size_t i) {
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    struct stat status;
    const char *object = symbols[i].object;
    if (stat(object, &status) != 0 || (uint64_t)status.st_mtime * 1000000000u > symbols[i].not_before)
        return;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module = NULL;
    if (dwfl) {
        dwfl_report_begin(dwfl);
        module = dwfl_report_elf(dwfl, object, object, -1, 0, true);
        dwfl_report_end(dwfl, NULL, NULL);
    }
    for (size_t j = i; module && j < n; j++)
        if (strcmp(symbols[j].object, object) == 0)
            resolve(trace, module, &symbols[j]);
    if (dwfl)
        dwfl_end(dwfl);
}

void refrain_symbols_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool done = false;
        for (size_t j = 0; j < i && !done; j++)
            done = strcmp(symbols[j].object, symbols[i].object) == 0;
        if (!done)
            resolve_object(trace, symbols, n, i);
    }
}
