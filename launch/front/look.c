/* look.c: finds the MPI library, its layers and the monitor that are loaded in this process (front.h). */
#define _GNU_SOURCE
#include "front.h"
#include <front_mpis.h>

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

/* front_mpis.h: names of the MPI libraries that refrain was built for, and of their wrappers. */
static const struct { const char *library, *wrappers; } known[] = {REFRAIN_FRONT_MPIS};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_in(const struct dl_phdr_info *info, uintptr_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && address - info->dlpi_addr - header->p_vaddr < header->p_memsz)
            return true;
    }
    return false;
}

/* The DT_SONAME of an object, or the name of its file if it has none. The loader may or may not have relocated the
 * addresses in the object's dynamic section. It never relocates those of the vdso, which may even lie outside of the
 * object. */
static const char *object_name(const struct dl_phdr_info *info) {
    const char *strings = NULL;
    uintptr_t name = 0;
    bool has_name = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; dynamic->d_tag != DT_NULL; dynamic++) {
            if (dynamic->d_tag == DT_STRTAB) {
                uintptr_t at = dynamic->d_un.d_ptr;
                strings = (const char *)(is_in(info, at) ? at : at + info->dlpi_addr);
            } else if (dynamic->d_tag == DT_SONAME) {
                name = dynamic->d_un.d_val;
                has_name = true;
            }
        }
    }
    if (has_name && strings && is_in(info, (uintptr_t)strings + name))
        return strings + name;
    const char *slash = strrchr(info->dlpi_name, '/');
    return slash ? slash + 1 : info->dlpi_name;
}

struct found {
    char path[4096];
    struct refrain_front_object *object;
};

struct search {
    struct refrain_front_objects *objects;
    struct found found[4];
    unsigned n;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    struct refrain_front_objects *objects = search->objects;
    struct refrain_front_object *object = NULL;
    const char *name = object_name(info);
    if (begins(name, "libmpi.so") || begins(name, "libmpich.so") || begins(name, "libmpi_mt.so"))
        object = &objects->mpi;
    else if (begins(name, "libmpi_mpifh") || begins(name, "libmpichfort.so") || begins(name, "libmpifort.so"))
        object = &objects->fortran;
    else if (begins(name, "libmpi_usempif08"))
        object = &objects->f08;
    for (unsigned i = 0; !object && i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].wrappers) == 0)
            object = &objects->wrappers;
    if (!object || object->name[0] || search->n == 4 || strlen(name) >= sizeof object->name ||
        strlen(info->dlpi_name) >= sizeof search->found[0].path)
        return 0;
    strcpy(object->name, name);
    strcpy(search->found[search->n].path, info->dlpi_name);
    search->found[search->n++].object = object;
    return 0;
}

void refrain_front_look(struct refrain_front_objects *objects) {
    struct search search;
    memset(objects, 0, sizeof *objects);
    search.objects = objects;
    search.n = 0;
    dl_iterate_phdr(look_at, &search);
    /* Only after the loop over the list of the loader: dlopen takes the same lock. */
    for (unsigned i = 0; i < search.n; i++)
        search.found[i].object->handle = dlopen(search.found[i].path, RTLD_LAZY | RTLD_NOLOAD);
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(objects->mpi.name, known[i].library) == 0)
            objects->wrappers_name = known[i].wrappers;
}
