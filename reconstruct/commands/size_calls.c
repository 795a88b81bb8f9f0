/* size_calls.c: counts calls of MPI functions in x86-64 machine code (size_calls.h). */
#include "commands/size_calls.h"
#include "common/array.h"
#include "model/mpi_call.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DISTANCE_BYTES 4u /* after the instruction's other bytes; the distance counts from its end */

/* Addresses; ascending after the search. */
struct addresses {
    uint64_t *at;
    size_t n, room;
};

struct code {
    const unsigned char *bytes;
    uint64_t size, address;
};

static void add(struct addresses *addresses, uint64_t address) {
    if (REFRAIN_ARRAY_ROOM(addresses->at, addresses->n, addresses->room))
        addresses->at[addresses->n++] = address;
}

static int compare(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static bool has(const struct addresses *addresses, uint64_t address) {
    return addresses->n > 0 && bsearch(&address, addresses->at, addresses->n, sizeof address, compare);
}

/* Finds where the loader stores the addresses of MPI functions. */
static void find_pointers(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct addresses *pointers) {
    Elf_Scn *names = elf_getscn(elf, header->sh_link);
    Elf_Data *relocations = elf_getdata(section, NULL), *symbols = names ? elf_getdata(names, NULL) : NULL;
    GElf_Shdr of_names;
    if (!relocations || !symbols || !gelf_getshdr(names, &of_names) || header->sh_entsize == 0)
        return;
    for (uint64_t i = 0; i < header->sh_size / header->sh_entsize && i < INT32_MAX; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (!gelf_getrela(relocations, (int)i, &relocation) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
            continue;
        uint64_t type = GELF_R_TYPE(relocation.r_info);
        const char *name = elf_strptr(elf, of_names.sh_link, symbol.st_name);
        if (name && (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) && refrain_mpi_call_named(name) >= 0)
            add(pointers, relocation.r_offset);
    }
}

/* The target of the instruction at `i`, which has `own` bytes before the distance. */
static uint64_t target(const struct code *code, uint64_t i, unsigned own) {
    int32_t distance;
    memcpy(&distance, code->bytes + i + own, sizeof distance);
    return code->address + i + own + DISTANCE_BYTES + (uint64_t)(int64_t)distance;
}

/* Finds entries of the procedure linkage table. An entry begins with a jump through a pointer; a mark for indirect
 * branches (endbr64) and a prefix (bnd) may come before the jump. */
static void find_entries(const struct code *code, const struct addresses *pointers, struct addresses *entries) {
    static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
    for (uint64_t i = 0; i + 2 + DISTANCE_BYTES <= code->size; i++) {
        if (code->bytes[i] != 0xff || code->bytes[i + 1] != 0x25 || !has(pointers, target(code, i, 2)))
            continue;
        uint64_t begin = i > 0 && code->bytes[i - 1] == 0xf2 ? i - 1 : i;
        if (begin >= sizeof mark && memcmp(code->bytes + begin - sizeof mark, mark, sizeof mark) == 0)
            begin -= sizeof mark;
        add(entries, code->address + begin);
    }
}

static uint64_t count(const struct code *code, const struct addresses *pointers, const struct addresses *entries) {
    uint64_t n = 0;
    for (uint64_t i = 0; i + 2 + DISTANCE_BYTES <= code->size; i++) {
        unsigned first = code->bytes[i], second = code->bytes[i + 1];
        n += (first == 0xe8 || first == 0xe9) && has(entries, target(code, i, 1));
        n += first == 0xff && second == 0x15 && has(pointers, target(code, i, 2));
    }
    return n;
}

/* True if the section is code; sets *code to its bytes. */
static bool is_code(Elf_Scn *section, const GElf_Shdr *header, struct code *code) {
    Elf_Data *data = elf_getdata(section, NULL);
    if (header->sh_type != SHT_PROGBITS || !(header->sh_flags & SHF_EXECINSTR) || !data || !data->d_buf)
        return false;
    *code = (struct code){data->d_buf, data->d_size, header->sh_addr};
    return true;
}

uint64_t refrain_size_calls(Elf *elf) {
    struct addresses pointers = {0}, entries = {0};
    enum { POINTERS, ENTRIES, CALLS, STEPS };
    GElf_Ehdr file;
    uint64_t n = 0;
    if (!gelf_getehdr(elf, &file) || file.e_machine != EM_X86_64)
        return 0;
    for (int step = POINTERS; step < STEPS; step++) {
        Elf_Scn *section = NULL;
        while ((section = elf_nextscn(elf, section))) {
            GElf_Shdr header;
            struct code code;
            if (!gelf_getshdr(section, &header))
                continue;
            if (step == POINTERS && header.sh_type == SHT_RELA)
                find_pointers(elf, section, &header, &pointers);
            else if (step == ENTRIES && is_code(section, &header, &code))
                find_entries(&code, &pointers, &entries);
            else if (step == CALLS && is_code(section, &header, &code))
                n += count(&code, &pointers, &entries);
        }
        struct addresses *found = step == POINTERS ? &pointers : &entries;
        if (found->n > 0)
            qsort(found->at, found->n, sizeof *found->at, compare);
    }
    free(pointers.at);
    free(entries.at);
    return n;
}
