/* unmatched.c: reports patterns of the filter that match nothing in the linked program (compiler_call.h).
 *
 * A filter applies to a whole program, so a pattern without a match in one file is normal. A filter may also be
 * meant for several programs: if no name is similar to the pattern, it is reported with --verbose only. The symbol
 * table of the linked program has the names of its functions and files. Functions that were inlined everywhere are
 * in the strings of the tables of refrain (tables.c), which the symbol table lists as well. */
#include "compiler_call.h"
#include "warn.h"
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <refrain/suggest.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct program {
    const char *bytes;
    size_t length;
    struct refrain_list functions, files; /* names */
};

/* True if `count` objects of `size` bytes at `offset` are inside the file. */
static bool holds(const struct program *program, uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= program->length && count <= (program->length - offset) / size;
}

/* Adds the strings of the tables of a unit: functions, and others that do no harm. The packed numbers follow them:
 * their first byte is 1, as the kind of the first node is 0 (tables.c), and no name begins with this byte. */
static void add_strings(struct program *program, const Elf64_Shdr *section, const Elf64_Sym *symbol) {
    uint64_t offset = section->sh_offset + (symbol->st_value - section->sh_addr);
    if (section->sh_type != SHT_PROGBITS || symbol->st_size == 0 || !holds(program, offset, symbol->st_size, 1) ||
        program->bytes[offset + symbol->st_size - 1] != '\0')
        return;
    const char *at = program->bytes + offset, *end = at + symbol->st_size;
    for (; at < end && *at != '\1'; at += strlen(at) + 1)
        if (*at)
            refrain_list_add(&program->functions, at);
}

static void take_symbol(struct program *program, const Elf64_Shdr *sections, unsigned n_sections,
                        const Elf64_Sym *symbol, const char *name) {
    bool here = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < n_sections;
    switch (ELF64_ST_TYPE(symbol->st_info)) {
    case STT_FILE:
        if (*name)
            refrain_list_add(&program->files, name);
        break;
    case STT_FUNC: /* not f.part.0 */
        if (here)
            refrain_list_format(&program->functions, "%.*s", (int)strcspn(name, "."), name);
        break;
    case STT_OBJECT:
        if (here && strcmp(name, "refrain__tables") == 0)
            add_strings(program, &sections[symbol->st_shndx], symbol);
        break;
    default:
        break;
    }
}

static void take_table(struct program *program, const Elf64_Shdr *sections, unsigned n_sections,
                       const Elf64_Shdr *table) {
    if (table->sh_link >= n_sections || table->sh_offset % sizeof(uint64_t) != 0)
        return;
    const Elf64_Shdr *names = &sections[table->sh_link];
    if (!holds(program, table->sh_offset, table->sh_size, 1) || !holds(program, names->sh_offset, names->sh_size, 1) ||
        names->sh_size == 0 || program->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(program->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_name < names->sh_size)
            take_symbol(program, sections, n_sections, &symbols[i],
                        program->bytes + names->sh_offset + symbols[i].st_name);
}

static void take_names(struct program *program) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)program->bytes;
    if (program->length < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shoff % sizeof(uint64_t) != 0 ||
        !holds(program, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr)))
        return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(program->bytes + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            take_table(program, sections, head->e_shnum, &sections[i]);
}

static bool open_program(struct program *program, const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    if (good) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        good = bytes != MAP_FAILED;
        if (good) {
            program->bytes = bytes;
            program->length = (size_t)status.st_size;
        }
    }
    if (file >= 0)
        close(file);
    return good;
}

static void check_rule(const struct refrain_compiler_call *call, const struct program *program,
                       const struct refrain_filter_rule *rule) {
    /* Symbol tables list files without directories. */
    const char *pattern = rule->files ? refrain_text_basename(rule->pattern) : rule->pattern;
    const struct refrain_list *names = rule->files ? &program->files : &program->functions;
    struct refrain_suggestion nearest = {.typed = pattern};
    for (size_t i = 0; i < names->count; i++) {
        if (fnmatch(pattern, names->items[i], 0) == 0)
            return;
        refrain_suggest(&nearest, names->items[i]);
    }
    const char *kind = rule->files ? "file" : "function";
    if (nearest.name)
        refrain_build_warn(call->build, "%s: '%s' matches no %s of the program; did you mean '%s'?",
                           call->build->filter_path, rule->pattern, kind, nearest.name);
    else if (call->build->verbose)
        refrain_build_warn(call->build, "%s: '%s' matches no %s of the program", call->build->filter_path,
                           rule->pattern, kind);
}

void refrain_compiler_call_check_filter(const struct refrain_compiler_call *call) {
    struct refrain_filter filter = {0};
    struct refrain_text error = {0};
    struct program program = {0};
    if (open_program(&program, call->command.output ? call->command.output : "a.out") &&
        refrain_filter_read(&filter, call->build->filter_path, &error))
        take_names(&program);
    for (size_t i = 0; program.functions.count && i < filter.count; i++) /* the program is stripped */
        check_rule(call, &program, &filter.rules[i]);
    if (program.bytes)
        munmap((void *)(uintptr_t)program.bytes, program.length);
    refrain_list_free(&program.functions);
    refrain_list_free(&program.files);
    refrain_filter_free(&filter);
    refrain_text_free(&error);
}
