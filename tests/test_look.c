/* test_look.c: objects made by hand, as loaders of other systems describe them, and the names that
 * librefrain-record.so finds in them. It looks at all objects of a process, so none may crash it. */
#define _GNU_SOURCE
#include "front.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A mapped object: its dynamic section and its names. */
struct image {
    ElfW(Dyn) dynamic[3];
    char names[64];
};

static struct image images[3];
static ElfW(Phdr) headers[3][2];
static struct dl_phdr_info objects[3];
static unsigned passed, failed;

static void check(bool condition, const char *what) {
    passed += condition;
    failed += !condition;
    if (!condition)
        printf("FAILED: %s\n", what);
}

/* An object that was linked for address `linked`, and has the address of its names as `names`. */
static void make(unsigned i, const char *soname, uintptr_t linked, uintptr_t names) {
    snprintf(images[i].names, sizeof images[i].names, ".%s", soname);
    images[i].dynamic[0] = (ElfW(Dyn)){.d_tag = DT_STRTAB, .d_un.d_ptr = names};
    images[i].dynamic[1] = (ElfW(Dyn)){.d_tag = DT_SONAME, .d_un.d_val = 1};
    images[i].dynamic[2] = (ElfW(Dyn)){.d_tag = DT_NULL};
    headers[i][0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_vaddr = linked, .p_memsz = sizeof images[i]};
    headers[i][1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_vaddr = linked, .p_memsz = sizeof images[i].dynamic};
    objects[i] = (struct dl_phdr_info){
        .dlpi_addr = (uintptr_t)&images[i] - linked, .dlpi_name = "", .dlpi_phdr = headers[i], .dlpi_phnum = 2};
}

/* In place of the C library's. */
int dl_iterate_phdr(int (*look)(struct dl_phdr_info *, size_t, void *), void *data) {
    int stop = 0;
    for (unsigned i = 0; i < 3 && !stop; i++)
        stop = look(&objects[i], sizeof objects[i], data);
    return stop;
}

int main(void) {
    static struct refrain_front_objects found;
    const uintptr_t kernel = (uintptr_t)-0x900000; /* address of the vdso in Linux before 3.16 and in user-mode Linux */
    const uintptr_t names = offsetof(struct image, names);
    make(0, "linux-vdso.so.1", kernel, kernel + names);
    make(1, "libmpich.so.12", 0, (uintptr_t)images[1].names);
    make(2, "libmpichfort.so.12", 0, names);
    refrain_front_look(&found);
    check(strcmp(found.mpi.name, "libmpich.so.12") == 0, "addresses that were relocated");
    check(strcmp(found.fortran.name, "libmpichfort.so.12") == 0, "addresses that were not");
    check(!found.f08.name[0] && !found.wrappers.name[0], "the kernel's is neither");
    make(0, "libmpi_usempif08.so.40", kernel, kernel + names);
    refrain_front_look(&found);
    check(strcmp(found.f08.name, "libmpi_usempif08.so.40") == 0,
          "addresses that were not, of an object linked elsewhere");
    make(0, "linux-vdso.so.1", kernel, 0x1000);
    refrain_front_look(&found);
    check(!found.f08.name[0], "names that are nowhere");
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
