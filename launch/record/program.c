/* program.c: reads the facts of program.h from an ELF file, with libelf. */
#define _GNU_SOURCE
#include "program.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void read_interpreter(Elf *elf, const GElf_Phdr *header, struct refrain_program *program) {
    size_t bytes;
    const char *file = elf_rawfile(elf, &bytes);
    program->is_dynamic = true;
    if (file && header->p_offset < bytes && header->p_filesz <= bytes - header->p_offset)
        program->is_musl = memmem(file + header->p_offset, header->p_filesz, "ld-musl", 7) != NULL;
}

static void read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct refrain_program *program) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
            return;
        const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
        if (!name)
            continue;
        if (begins(name, "libopen-rte") || begins(name, "libprrte") || begins(name, "libopen-pal"))
            program->open_mpi_runtime = true;
        if (!begins(name, "libmpi"))
            continue;
        program->needs_mpi = true;
        if (!program->mpi_library[0] || begins(name, "libmpi.so") || begins(name, "libmpich.so"))
            snprintf(program->mpi_library, sizeof program->mpi_library, "%s", name);
    }
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct refrain_program *program) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < n && !program->contains_mpi; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
        program->contains_mpi = name && symbol.st_shndx != SHN_UNDEF && strcmp(name, "PMPI_Init") == 0;
    }
}

bool refrain_program_read(const char *path, struct refrain_program *program) {
    struct stat status;
    memset(program, 0, sizeof *program);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        program->is_set_id = status.st_mode & (S_ISUID | S_ISGID);
    elf_version(EV_CURRENT);
    Elf *elf = S_ISREG(status.st_mode) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    size_t n_headers = 0;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        program->is_elf = true;
        program->is_64_bit = gelf_getclass(elf) == ELFCLASS64;
        if (elf_getphdrnum(elf, &n_headers) != 0)
            n_headers = 0;
    }
    for (size_t i = 0; i < n_headers; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
            read_interpreter(elf, &header, program);
    }
    for (Elf_Scn *section = NULL; program->is_elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_needed(elf, section, &header, program);
        else if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_symbols(elf, section, &header, program);
    }
    if (elf)
        elf_end(elf);
    close(fd);
    return true;
}
