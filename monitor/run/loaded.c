/* loaded.c: finds the executable or library that contains an address (loaded.h). */
#define _GNU_SOURCE
#include "run/loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

bool refrain_loaded_holds(const struct refrain_loaded *loaded, uintptr_t begin, size_t bytes) {
    const ElfW(Phdr) *segments = loaded->segments;
    for (unsigned i = 0; i < loaded->n_segments; i++) {
        uintptr_t first = loaded->load_address + segments[i].p_vaddr;
        if (segments[i].p_type == PT_LOAD && begin - first < segments[i].p_memsz &&
            bytes <= segments[i].p_memsz - (begin - first))
            return true;
    }
    return false;
}

struct search {
    uintptr_t address;
    struct refrain_loaded *loaded;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    struct refrain_loaded loaded = {info->dlpi_name, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
    if (!refrain_loaded_holds(&loaded, search->address, 1))
        return 0;
    *search->loaded = loaded;
    return 1;
}

bool refrain_loaded_find(uintptr_t address, struct refrain_loaded *loaded) {
    struct search search = {address, loaded};
    *loaded = (struct refrain_loaded){.path = ""};
    return dl_iterate_phdr(look_at, &search) != 0;
}

#if defined DLFO_STRUCT_HAS_EH_COUNT /* glibc 2.35 */
int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));

bool refrain_loaded_find_at_once(uintptr_t address, struct refrain_loaded *loaded) {
    struct dl_find_object found;
    *loaded = (struct refrain_loaded){.path = ""};
    if (!_dl_find_object || _dl_find_object((void *)address, &found) != 0 || !found.dlfo_link_map)
        return false;
    const struct link_map *map = found.dlfo_link_map;
    if (!map->l_name[0]) { /* The executable: where its segments have gaps between them, *found is one segment only. */
        *loaded = (struct refrain_loaded){"", map->l_addr, (const void *)getauxval(AT_PHDR), getauxval(AT_PHNUM)};
        return loaded->segments;
    }
    /* The program headers follow the ELF header, where the file's beginning is mapped, as linkers do it. */
    const ElfW(Ehdr) *head = found.dlfo_map_start;
    uintptr_t bytes = (uintptr_t)found.dlfo_map_end - (uintptr_t)head;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phoff > bytes ||
        head->e_phnum > (bytes - head->e_phoff) / sizeof(ElfW(Phdr)))
        return false;
    *loaded =
        (struct refrain_loaded){map->l_name, map->l_addr, (const unsigned char *)head + head->e_phoff, head->e_phnum};
    return true;
}
#else
bool refrain_loaded_find_at_once(uintptr_t address, struct refrain_loaded *loaded) {
    (void)address;
    *loaded = (struct refrain_loaded){.path = ""};
    return false;
}
#endif

enum refrain_loaded_owner refrain_loaded_owner(const struct refrain_loaded *loaded) {
    static const struct {
        const char *beginning;
        enum refrain_loaded_owner owner;
    } names[] = {
        {"libmpi", REFRAIN_OF_MPI},         {"mca_", REFRAIN_OF_MPI},          {"libopen-", REFRAIN_OF_MPI},
        {"librefrain", REFRAIN_OF_MPI},     {"libpmi", REFRAIN_OF_RUNTIME},    {"libprrte", REFRAIN_OF_RUNTIME},
        {"libhwloc", REFRAIN_OF_RUNTIME},   {"libucp.", REFRAIN_OF_RUNTIME},   {"libuct", REFRAIN_OF_RUNTIME},
        {"libucs.", REFRAIN_OF_RUNTIME},    {"libucm", REFRAIN_OF_RUNTIME},    {"libfabric", REFRAIN_OF_RUNTIME},
        {"libevent", REFRAIN_OF_RUNTIME},   {"libpsm", REFRAIN_OF_RUNTIME},    {"libibverbs", REFRAIN_OF_RUNTIME},
        {"libmunge.", REFRAIN_OF_RUNTIME},  {"libslurm", REFRAIN_OF_RUNTIME},  {"libgomp.", REFRAIN_OF_RUNTIME},
        {"libomp.", REFRAIN_OF_RUNTIME},    {"libiomp5.", REFRAIN_OF_RUNTIME}, {"libc.so", REFRAIN_OF_SYSTEM},
        {"libpthread.", REFRAIN_OF_SYSTEM}, {"ld-linux", REFRAIN_OF_SYSTEM},
    };
    const char *slash = strrchr(loaded->path, '/'), *name = slash ? slash + 1 : loaded->path;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i].beginning, strlen(names[i].beginning)) == 0)
            return names[i].owner;
    return REFRAIN_OF_PROGRAM;
}
