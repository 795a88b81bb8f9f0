/* count_malloc.c: a preloaded library that counts the calls of malloc and its relatives from librefrain, by the
 * caller's address. Calls from MPI and the program are not counted. Prints the number to standard error at exit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_ulong from_refrain, all;
static uintptr_t begins[8], ends[8];
static int n_ranges;

static int find_refrain(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    if (strstr(info->dlpi_name, "/librefrain"))
        for (int i = 0; i < info->dlpi_phnum; i++)
            if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X && n_ranges < 8) {
                begins[n_ranges] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                ends[n_ranges++] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
            }
    return 0;
}

static __attribute__((constructor)) void begin(void) {
    dl_iterate_phdr(find_refrain, NULL);
}

static void count(void *caller) {
    atomic_fetch_add(&all, 1);
    for (int i = 0; i < n_ranges; i++)
        if ((uintptr_t)caller >= begins[i] && (uintptr_t)caller < ends[i])
            atomic_fetch_add(&from_refrain, 1);
}

void *malloc(size_t n) {
    count(__builtin_return_address(0));
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t each) {
    count(__builtin_return_address(0));
    return __libc_calloc(n, each);
}

void *realloc(void *p, size_t n) {
    count(__builtin_return_address(0));
    return __libc_realloc(p, n);
}

static __attribute__((destructor)) void end(void) {
    fprintf(stderr, "refrain-mallocs %lu of %lu, %d ranges\n", atomic_load(&from_refrain), atomic_load(&all), n_ranges);
}
