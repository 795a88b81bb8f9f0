/* hooks.c: decides which functions get probes, and inserts them (hooks.h).
 *
 * A function gets a probe if it may reach an event and is not small, as in C (choose.c, weigh.c). Its probe is enabled
 * from the start if it calls MPI or has a loop, or else if a function that it uses is enabled. A function without a
 * probe passes this on to its callers. */
#include "hooks.h"
#include "assembly.h"
#include "construct.h"
#include "hook_names.h"
#include <stdlib.h>
#include <string.h>

#define SMALL_INSTRUCTIONS 60u /* of a function that uses one other; about the 120 tokens of weigh.c */
#define ANYTHING "*"           /* stands for all functions that a call through a pointer may reach */

struct function {
    char *symbol; /* owned */
    char *body;   /* owned: the symbol of the function of which this is a part, else `symbol` once more */
    unsigned n_instructions, file, line;
    bool has_loop, is_event, catches;
    bool alone;               /* in its section */
    bool is_part;             /* of a function in this text, which calls it or was inlined into its callers */
    unsigned slot;            /* REFRAIN_NO_SLOT: no probe */
    struct refrain_list uses; /* symbols */
};

struct unit {
    struct function *functions;
    size_t n, capacity;
    struct refrain_list files;
    struct refrain_list data;    /* symbols whose address is taken */
    struct refrain_list aliases; /* pairs: the alias, the function */
    const char *source;
    bool fortran;
    unsigned *by_name; /* hash table of indices + 1 */
    size_t table_size;
};

/* ---- reading ---- */

/* Duplicates do no harm, so only the last ones are compared: vtables have thousands of entries. */
static void add_once(struct refrain_list *list, const char *name) {
    for (size_t i = list->count; i-- > 0 && i + 64 >= list->count;)
        if (strcmp(list->items[i], name) == 0)
            return;
    refrain_list_add(list, name);
}

static bool is_event_name(const char *symbol) {
    return strncasecmp(symbol, "mpi_", 4) == 0 || strncasecmp(symbol, "pmpi_", 5) == 0 ||
           strncmp(symbol, "refrain_", 8) == 0;
}

/* Functions of the run-time libraries, which lead to no event. */
static bool is_library_name(const char *symbol) {
    return strncmp(symbol, "_gfortran_", 10) == 0 || strncmp(symbol, "_Zn", 3) == 0 || strncmp(symbol, "_Zd", 3) == 0 ||
           strncmp(symbol, "__cxa_", 6) == 0 || strncmp(symbol, "_Unwind_", 8) == 0;
}

static void take_use(struct function *function, const struct refrain_assembly *line) {
    if (!line->name[0])
        add_once(&function->uses, ANYTHING);
    else if (is_event_name(line->name))
        function->is_event |= line->calls;
    else if (!is_library_name(line->name))
        add_once(&function->uses, line->name);
    function->catches |= strcmp(line->name, "__cxa_begin_catch") == 0;
}

static void take_file(struct unit *unit, const struct refrain_assembly *line) {
    struct refrain_text path = {0};
    while (unit->files.count <= line->number)
        refrain_list_add(&unit->files, "");
    if (line->alias[0] && line->name[0] != '/' && line->number > 0)
        refrain_text_format(&path, "%s/%s", line->alias, line->name);
    else
        refrain_text_string(&path, line->name);
    free(unit->files.items[line->number]);
    unit->files.items[line->number] = path.bytes;
}

static struct function *begin_function(struct unit *unit, const struct refrain_assembly *line) {
    const char *symbol = line->name;
    unit->functions = refrain_memory_grow(unit->functions, &unit->capacity, unit->n + 1, sizeof *unit->functions);
    struct function *function = &unit->functions[unit->n++];
    *function = (struct function){.symbol = refrain_text_copy(symbol), .alone = line->alone, .slot = REFRAIN_NO_SLOT};
    const char *part = strstr(symbol, ".part.");
    struct refrain_text body = {0};
    refrain_text_bytes(&body, symbol, part ? (size_t)(part - symbol) : strlen(symbol));
    function->body = body.bytes;
    return function;
}

static void read_unit(struct unit *unit, const char *text) {
    struct refrain_assembly line = {0};
    struct function *function = NULL;
    refrain_assembly_open(&line, text);
    while (refrain_assembly_next(&line)) {
        if (line.kind == REFRAIN_ASSEMBLY_BEGIN)
            function = begin_function(unit, &line);
        else if (line.kind == REFRAIN_ASSEMBLY_END)
            function = NULL;
        else if (line.kind == REFRAIN_ASSEMBLY_FILE)
            take_file(unit, &line);
        else if (line.kind == REFRAIN_ASSEMBLY_DATA)
            add_once(&unit->data, line.name);
        else if (line.kind == REFRAIN_ASSEMBLY_ALIAS) {
            refrain_list_add(&unit->aliases, line.alias);
            refrain_list_add(&unit->aliases, line.name);
        }
        if (!function)
            continue;
        function->n_instructions += line.kind >= REFRAIN_ASSEMBLY_INSTRUCTION && line.kind <= REFRAIN_ASSEMBLY_BACK;
        function->has_loop |= line.kind == REFRAIN_ASSEMBLY_BACK;
        if (line.kind == REFRAIN_ASSEMBLY_USE)
            take_use(function, &line);
        if (line.kind == REFRAIN_ASSEMBLY_USE && !line.calls)
            add_once(&unit->data, line.name);
        if (line.kind == REFRAIN_ASSEMBLY_LINE && function->line == 0) {
            function->file = line.number;
            function->line = line.line;
        }
    }
    refrain_assembly_close(&line);
}

/* ---- functions by name ---- */

static unsigned *entry_of(const struct unit *unit, const char *symbol) {
    size_t i = refrain_text_hash(symbol) % unit->table_size;
    while (unit->by_name[i] && strcmp(unit->functions[unit->by_name[i] - 1].symbol, symbol) != 0)
        i = (i + 1) % unit->table_size;
    return &unit->by_name[i];
}

static struct function *find_function(const struct unit *unit, const char *symbol) {
    unsigned index = *entry_of(unit, symbol);
    return index ? &unit->functions[index - 1] : NULL;
}

static void index_functions(struct unit *unit) {
    size_t capacity = 0;
    unit->table_size = unit->n * 2 + 61;
    unit->by_name = refrain_memory_grow(NULL, &capacity, unit->table_size, sizeof *unit->by_name);
    memset(unit->by_name, 0, unit->table_size * sizeof *unit->by_name);
    for (size_t i = 0; i < unit->n; i++)
        *entry_of(unit, unit->functions[i].symbol) = (unsigned)i + 1;
}

/* gcc splits functions: f calls f.part.0. A part has no probe, and counts for its function. */
static void join_parts(struct unit *unit) {
    for (size_t i = 0; i < unit->n; i++) {
        struct function *part = &unit->functions[i], *whole = find_function(unit, part->body);
        if (!whole || whole == part)
            continue;
        part->is_part = true;
        whole->n_instructions += part->n_instructions;
        whole->has_loop |= part->has_loop;
        whole->is_event |= part->is_event;
        whole->catches |= part->catches;
        for (size_t u = 0; u < part->uses.count; u++)
            add_once(&whole->uses, part->uses.items[u]);
    }
}

/* ---- the tables ---- */

static struct refrain_construct *add_construct(struct refrain_constructs *constructs, enum refrain_node_kind kind,
                                               unsigned parent, const char *name) {
    constructs->items =
        refrain_memory_grow(constructs->items, &constructs->capacity, constructs->count + 1, sizeof *constructs->items);
    struct refrain_construct *construct = &constructs->items[constructs->count++];
    *construct = (struct refrain_construct){.kind = kind,
                                            .parent = parent,
                                            .callee = REFRAIN_NO_INDEX,
                                            .name = refrain_text_copy(name),
                                            .slot = REFRAIN_NO_SLOT};
    return construct;
}

static struct refrain_function *add_function(struct refrain_constructs *constructs, const char *name) {
    constructs->functions = refrain_memory_grow(constructs->functions, &constructs->function_capacity,
                                                constructs->n_functions + 1, sizeof *constructs->functions);
    struct refrain_function *function = &constructs->functions[constructs->n_functions++];
    *function = (struct refrain_function){.name = refrain_text_copy(name), .construct = REFRAIN_NO_INDEX};
    return function;
}

/* `to`, a function or ANYTHING without a probe, is on if `from` is. */
static void pass(struct refrain_constructs *constructs, const char *to, const char *from) {
    struct refrain_function *function = add_function(constructs, to);
    function->passes = true;
    function->construct = (unsigned)constructs->count;
    struct refrain_construct *use = add_construct(constructs, REFRAIN_CALL, REFRAIN_NO_INDEX, from);
    use->interesting = true;
    use->function = (unsigned)constructs->n_functions - 1;
}

static bool is_main(const struct unit *unit, const struct function *function) {
    return strcmp(function->symbol, "MAIN__") == 0 ||
           (strcmp(function->symbol, "main") == 0 && !find_function(unit, "MAIN__"));
}

/* Made by the compiler, or from a header of the system. The dynamic linker calls resolvers of functions with several
 * versions before the program is loaded. */
static bool is_foreign(const struct unit *unit, const struct function *function) {
    static const char *const symbols[] = {
        "_GLOBAL__sub_", "_Z41__static_initialization_and_destruction_0", "_ZTh", "_ZTv", "_ZTW", "_ZTH"};
    static const char *const directories[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    const char *file = function->file < unit->files.count ? unit->files.items[function->file] : "";
    bool foreign = (strcmp(function->symbol, "main") == 0 && !is_main(unit, function)) ||
                   strstr(function->symbol, ".resolver") || strstr(file, "/include/c++/");
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        foreign |= strncmp(function->symbol, symbols[i], strlen(symbols[i])) == 0;
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        foreign |= strncmp(file, directories[i], strlen(directories[i])) == 0;
    return foreign;
}

static const char *file_of(const struct unit *unit, const struct function *function) {
    bool known = function->line > 0 && function->file < unit->files.count && *unit->files.items[function->file];
    return known ? unit->files.items[function->file] : unit->source;
}

static bool gets_probe(const struct unit *unit, const struct function *function, const char *name,
                       const struct refrain_filter *filter) {
    bool certain = is_main(unit, function) || function->is_event || function->has_loop;
    bool large =
        function->uses.count > 1 || (function->uses.count == 1 && function->n_instructions > SMALL_INSTRUCTIONS);
    return !function->is_part && (certain || large) && !is_foreign(unit, function) &&
           refrain_filter_takes_function(filter, name) && refrain_filter_takes_file(filter, file_of(unit, function));
}

static void use_functions(struct refrain_constructs *constructs, const struct function *function, unsigned top) {
    for (size_t u = 0; u < function->uses.count; u++) {
        if (top == REFRAIN_NO_INDEX) {
            pass(constructs, function->symbol, function->uses.items[u]);
            continue;
        }
        struct refrain_construct *use = add_construct(constructs, REFRAIN_CALL, top, function->uses.items[u]);
        use->interesting = true;
    }
}

/* Adds a function with its construct, and returns the next free slot. */
static unsigned describe(struct refrain_constructs *constructs, struct unit *unit, struct function *function,
                         const char *name, unsigned slot) {
    unsigned top = (unsigned)constructs->count;
    struct refrain_construct *construct = add_construct(constructs, REFRAIN_FUNCTION, REFRAIN_NO_INDEX, name);
    construct->line = function->line;
    construct->file = refrain_constructs_file(constructs, file_of(unit, function));
    construct->wanted = construct->kept = true;
    construct->certain = is_main(unit, function) || function->is_event || function->has_loop;
    construct->slot = function->slot = slot;
    struct refrain_function *entry = add_function(constructs, function->symbol);
    entry->traced = true;
    entry->construct = top;
    use_functions(constructs, function, top);
    if (function->catches) {
        struct refrain_construct *catching = add_construct(constructs, REFRAIN_CALL, top, "catch");
        catching->line = function->line;
        catching->file = constructs->items[top].file;
        catching->wanted = catching->kept = catching->follows = true;
        catching->certain = constructs->items[top].certain;
        catching->slot = slot + 2;
    }
    return slot + (function->catches ? 4 : 2);
}

/* Returns the number of slots. */
static unsigned choose(struct refrain_constructs *constructs, struct unit *unit, const struct refrain_filter *filter) {
    unsigned n_slots = 0;
    for (size_t i = 0; i < unit->n; i++) {
        struct function *function = &unit->functions[i];
        char *name = refrain_hook_name(function->body, unit->fortran);
        if (gets_probe(unit, function, name, filter))
            n_slots = describe(constructs, unit, function, name, n_slots);
        else
            use_functions(constructs, function, REFRAIN_NO_INDEX);
        free(name);
    }
    for (size_t i = 0; i + 1 < unit->aliases.count; i += 2)
        pass(constructs, unit->aliases.items[i], unit->aliases.items[i + 1]);
    for (size_t i = 0; i < unit->data.count; i++)
        if (strncmp(unit->data.items[i], "_ZT", 3) != 0) /* tables and names of types */
            pass(constructs, ANYTHING, unit->data.items[i]);
    return n_slots;
}

/* ---- the text ---- */

/* A site. The section of a list of sites belongs to the group of the function, so that the linker drops both if another
 * object has the function, too ("?"). A function with its own section has its own list, and refers to it. */
static void write_site(struct refrain_text *out, const struct function *function, unsigned probe) {
    refrain_text_string(out, "661:\tcall .Lrefrain_hook\n");
    if (function->alone && probe == 0)
        refrain_text_format(out, "\t.reloc ., R_X86_64_NONE, .Lrefrain_sites_%u\n", function->slot);
    refrain_text_string(out, "\t.pushsection " REFRAIN_SITES_SECTION ", \"a?\", @progbits");
    if (function->alone)
        refrain_text_format(out, ", unique, %u", function->slot);
    if (function->alone && probe == 0)
        refrain_text_format(out, "\n.Lrefrain_sites_%u:", function->slot);
    refrain_text_format(out, "\n\t.long 661b - .\n\t.long refrain__on + %u - .\n\t.popsection\n",
                        function->slot + probe);
}

/* The jump of the unit to the monitor, as in inserted/sites.h; the frame is where the return address is. */
static const char hook[] =
    "\t.weak refrain_site_10\n\t.pushsection .text.refrain, \"ax\", @progbits\n.Lrefrain_hook:\n"
    "\t.reloc ., R_X86_64_NONE, .Lrefrain_distances\n\t.reloc ., R_X86_64_NONE, .Lrefrain_sites\n"
    "\tleaq 8(%rsp), %r11\n"
    "\tcmpq $0, refrain_site_10@GOTPCREL(%rip)\n\tje 1f\n\tjmp *refrain_site_10@GOTPCREL(%rip)\n1:\tret\n"
    "\t.popsection\n\t.pushsection " REFRAIN_SITES_SECTION ", \"a\", @progbits\n.Lrefrain_sites:\n\t.popsection\n";

static void write_text(const struct unit *unit, const char *text, struct refrain_text *out) {
    struct refrain_assembly line = {0};
    const struct function *function = NULL;
    refrain_assembly_open(&line, text);
    while (refrain_assembly_next(&line)) {
        if (line.kind == REFRAIN_ASSEMBLY_BEGIN)
            function = find_function(unit, line.name);
        else if (line.kind == REFRAIN_ASSEMBLY_END)
            function = NULL;
        if (function && function->slot != REFRAIN_NO_SLOT) {
            if (line.first)
                write_site(out, function, 0);
            if (line.kind == REFRAIN_ASSEMBLY_LEAVE)
                write_site(out, function, 1);
            if (line.calls && strcmp(line.name, "__cxa_begin_catch") == 0)
                write_site(out, function, 2);
        }
        refrain_text_bytes(out, line.text, (size_t)(line.next - line.text));
    }
    refrain_assembly_close(&line);
    refrain_text_string(out, hook);
}

static void free_unit(struct unit *unit) {
    for (size_t i = 0; i < unit->n; i++) {
        free(unit->functions[i].symbol);
        free(unit->functions[i].body);
        refrain_list_free(&unit->functions[i].uses);
    }
    free(unit->functions);
    free(unit->by_name);
    refrain_list_free(&unit->files);
    refrain_list_free(&unit->data);
    refrain_list_free(&unit->aliases);
}

bool refrain_hooks_insert(const struct refrain_text *text, const struct refrain_filter *filter, bool all,
                          struct refrain_text *out) {
    struct unit unit = {0};
    struct refrain_constructs constructs = {0};
    if (text->length == 0 || memchr(text->bytes, '\0', text->length) || strstr(text->bytes, "\nrefrain__tables:"))
        return false;
    read_unit(&unit, text->bytes);
    index_functions(&unit);
    join_parts(&unit);
    unit.source = unit.files.count > 0 && *unit.files.items[0] ? unit.files.items[0] : "";
    unit.fortran = refrain_hook_is_fortran(unit.source) || find_function(&unit, "MAIN__");
    unsigned n_slots = choose(&constructs, &unit, filter);
    if (n_slots > 0) {
        struct refrain_instrument_options options = {.source = unit.source, .all = all, .assembler = true};
        write_text(&unit, text->bytes, out);
        refrain_tables_write(&constructs, &options, n_slots, out);
    }
    refrain_constructs_free(&constructs);
    free_unit(&unit);
    return n_slots > 0;
}
