/* symbols.c: finds functions and source lines of code addresses with elfutils' libdw (code_file.h). Without debug
 * information, the function is the symbol before the address, plus the distance. */
#define _GNU_SOURCE
#include "files/code_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAME 1024u
#define MOST_DEPTH 64u

/* Copies a text without control characters, which readers of stored names reject. "" without memory. */
static const char *keep(struct refrain_trace *trace, const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = refrain_trace_allocate(trace, n, 1);
    for (size_t i = 0; copy && i + 1 < n; i++)
        copy[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    return copy ? copy : "";
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

/* Moves to the declaration of a function. Unlike the entry of its code, the declaration is inside its class and
 * namespace. */
static void go_to_declaration(Dwarf_Die *die) {
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die target;
        if (dwarf_attr(die, links[i], &attribute) && dwarf_formref_die(&attribute, &target))
            *die = target;
    }
}

/* Appends the name of the function; in C++ with its classes and namespaces, in other languages as it is written. */
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

/* The functions around an address, from the outermost, into which the inner ones were inlined. (dwarf_getscopes does
 * not search the modules of Fortran.) */
struct chain {
    Dwarf_Addr address;
    Dwarf_Die functions[REFRAIN_NAMES_MOST_FRAMES];
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
            if (is_function && chain->n < REFRAIN_NAMES_MOST_FRAMES)
                chain->functions[chain->n++] = child;
            descend(chain, &child, depth + 1);
            return;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* The compilation unit of the address: by the index of the object, or by a search if it has no index. */
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

/* ---- frames ---- */

/* Sets the line of an address. False if the debug information has none. */
static bool find_line(struct refrain_trace *trace, Dwarf_Die *unit, Dwarf_Addr address,
                      struct refrain_names_frame *frame) {
    int number = 0;
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
        return false;
    frame->file = keep(trace, file);
    frame->line = (uint32_t)number;
    return true;
}

/* Sets the line on which an inlined function is called. */
static void find_call_line(struct refrain_trace *trace, Dwarf_Die *unit, Dwarf_Die *inlined,
                           struct refrain_names_frame *frame) {
    Dwarf_Attribute attribute;
    Dwarf_Word file_number, line;
    Dwarf_Files *files;
    if (!dwarf_attr(inlined, DW_AT_call_file, &attribute) || dwarf_formudata(&attribute, &file_number) != 0 ||
        !dwarf_attr(inlined, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, NULL) != 0)
        return;
    const char *file = dwarf_filesrc(files, file_number, NULL, NULL);
    if (!file || line == 0 || line > UINT32_MAX)
        return;
    frame->file = keep(trace, file);
    frame->line = (uint32_t)line;
}

/* Sets the frames of an address. The first instruction of a function belongs to the outermost function, whatever was
 * inlined there. */
static unsigned find_frames(struct refrain_trace *trace, Dwarf_Die *unit, Dwarf_Addr address, bool is_function,
                            struct refrain_names_frame *frames) {
    struct chain chain = {.address = address};
    char text[MOST_NAME];
    descend(&chain, unit, 0);
    unsigned n = is_function && chain.n > 1 ? 1 : chain.n;
    for (unsigned i = 0; i < n; i++) {
        Dwarf_Die *function = &chain.functions[n - 1 - i];
        text[0] = 0;
        append_function(text, *function, unit);
        frames[i].function = keep(trace, text);
        if (i > 0)
            find_call_line(trace, unit, function + 1, &frames[i]);
    }
    return n;
}

unsigned refrain_code_file_frames(struct refrain_trace *trace, const struct refrain_code_file *file,
                                  const struct refrain_names_address *wanted,
                                  struct refrain_names_frame frames[REFRAIN_NAMES_MOST_FRAMES]) {
    char text[MOST_NAME];
    Dwarf_Addr bias = 0, address = wanted->address - !wanted->is_function; /* the call is before its return address */
    Dwarf_Die *unit = find_unit(file->module, address, &bias);
    for (unsigned i = 0; i < REFRAIN_NAMES_MOST_FRAMES; i++)
        frames[i] = (struct refrain_names_frame){"", "", 0};
    unsigned n = unit ? find_frames(trace, unit, address - bias, wanted->is_function, frames) : 0;
    bool has_line = unit && find_line(trace, unit, address - bias, &frames[0]);
    if (n == 0 && describe_symbol(text, file->module, wanted->address, wanted->is_function)) {
        frames[0].function = keep(trace, text);
        n = 1;
    }
    return n || !has_line ? n : 1;
}
