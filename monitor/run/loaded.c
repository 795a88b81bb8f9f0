/* loaded.c: see loaded.h. */
#define _GNU_SOURCE
#include "run/loaded.h"

#include <link.h>

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
