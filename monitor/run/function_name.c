/* function_name.c: finds the function that contains an address by the symbols of an ELF file (function_name.h). */
#define _GNU_SOURCE
#include "run/function_name.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const unsigned char *bytes;
    uint64_t n;
};

/* Returns `count` elements of `bytes` bytes at this offset. Null if they do not lie in the file, or are not aligned. */
static const void *at(const struct file *file, uint64_t offset, uint64_t count, uint64_t bytes) {
    bool inside = offset <= file->n && offset % 8 == 0 && count <= (file->n - offset) / bytes;
    return inside ? file->bytes + offset : NULL;
}

/* Searches one symbol table. */
static bool find(const struct file *file, const Elf64_Shdr *table, const Elf64_Shdr *texts, uint64_t address,
                 char *name, size_t name_bytes) {
    uint64_t n = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = at(file, table->sh_offset, n, sizeof *symbols);
    bool has_texts = texts->sh_offset <= file->n && texts->sh_size <= file->n - texts->sh_offset && texts->sh_size > 0;
    for (uint64_t i = 0; symbols && has_texts && i < n; i++) {
        const Elf64_Sym *symbol = &symbols[i];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || address < symbol->st_value ||
            address - symbol->st_value >= (symbol->st_size ? symbol->st_size : 1) || symbol->st_name >= texts->sh_size)
            continue;
        const char *text = (const char *)file->bytes + texts->sh_offset + symbol->st_name;
        size_t length = strnlen(text, texts->sh_size - symbol->st_name);
        if (length == 0 || length >= name_bytes)
            continue;
        memcpy(name, text, length);
        name[length] = 0;
        return true;
    }
    return false;
}

/* Searches the full symbol table first, since that of the loader has only exported functions. */
static bool find_in(const struct file *file, uint64_t address, char *name, size_t name_bytes) {
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    const Elf64_Ehdr *header = at(file, 0, 1, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections = at(file, header->e_shoff, header->e_shnum, sizeof *sections);
    for (unsigned t = 0; sections && t < 2; t++)
        for (unsigned i = 0; i < header->e_shnum; i++)
            if (sections[i].sh_type == types[t] && sections[i].sh_link < header->e_shnum &&
                find(file, &sections[i], &sections[sections[i].sh_link], address, name, name_bytes))
                return true;
    return false;
}

bool refrain_function_name(const char *path, uint64_t address, char *name, size_t name_bytes) {
    int saved = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool found = false;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        struct file file = {mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0),
                            (uint64_t)status.st_size};
        if (file.bytes != MAP_FAILED) {
            found = find_in(&file, address, name, name_bytes);
            munmap((void *)(uintptr_t)file.bytes, (size_t)status.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    errno = saved;
    return found;
}
