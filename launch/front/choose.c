/* choose.c: loads the wrappers for the MPI library of this process, and fills in the rows of the functions that are
 * called (front.h). If processes cannot be traced, rank 0 says so once, as far as variables of the launcher tell it its
 * rank. */
#define _GNU_SOURCE
#include "front.h"
#include <refrain/speaks.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;
static struct refrain_front_objects objects;
static void *wrappers;   /* null: nothing is traced */
static bool loads;       /* the wrappers were, or are being, loaded by load_wrappers() */
static bool initialised; /* MPI_Init was called, or is about to be */

static void warn(const char *before, const char *name, const char *after) {
    char text[1024];
    int n = snprintf(text, sizeof text, "refrain: %s%s%s\n", before, name, after);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    if (refrain_speaks() && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* there is nowhere left to write it */
}

bool refrain_front_is_off(const char *variable) {
    static const char *const off[] = {"off", "false", "no", "0"};
    const char *value = getenv(variable);
    for (unsigned i = 0; value && i < sizeof off / sizeof *off; i++)
        if (strcasecmp(value, off[i]) == 0)
            return true;
    return false;
}

/* Loads the wrappers, which are in the directory of this library. */
static void load_wrappers(void) {
    Dl_info own;
    char path[4096 + 64];
    const char *slash;
    if (!dladdr((const void *)refrain_front_fill, &own) || !own.dli_fname || !(slash = strrchr(own.dli_fname, '/')))
        return;
    int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, objects.wrappers_name);
    if (n < 0 || (size_t)n >= sizeof path)
        return;
    loads = true; /* their constructors may start an OpenMP runtime (ompt.c) */
    wrappers = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!wrappers)
        warn("the program runs untraced: ", dlerror(), "");
}

static void choose(void) {
    refrain_front_look(&objects);
    if (!objects.mpi.handle || refrain_front_is_off("REFRAIN_MODE"))
        return;
    if (objects.wrappers.handle)
        wrappers = objects.wrappers.handle;
    else if (!objects.wrappers_name)
        warn("the program uses the MPI library ", objects.mpi.name,
             ", for which refrain was not built; the program runs untraced");
    else
        load_wrappers();
}

/* If MPI is loaded with the program, as in most cases, the monitor is ready before the first instruction of the
 * program. */
static __attribute__((constructor)) void start(void) {
    struct refrain_front_objects now;
    refrain_front_look(&now);
    if (now.mpi.handle)
        pthread_once(&once, choose);
}

void *refrain_front_wrappers(void) {
    struct refrain_front_objects now;
    if (!wrappers)
        refrain_front_look(&now);
    if (!wrappers && now.mpi.handle)
        pthread_once(&once, choose);
    return wrappers;
}

bool refrain_front_records(void) {
    struct refrain_front_objects now;
    refrain_front_look(&now);
    return now.mpi.handle && (loads || !now.wrappers.handle) && !refrain_front_is_off("REFRAIN_MODE");
}

static __attribute__((destructor)) void end(void) {
    if (wrappers && !initialised) {
        char path[4096];
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n < 0 ? 0 : n] = 0;
        warn("", path, " did not call MPI_Init: it was not traced");
    }
}

/* ---- rows ---- */

static const char *row_name(uint32_t row) {
    const char *name = refrain_front_names;
    for (; row > 0; row--)
        name += strlen(name) + 1;
    return name;
}

/* Extent of the code of a function, from the symbol table of its object. */
static void set_extent(const void *function, uintptr_t *begin, uintptr_t *bytes) {
    static int (*look_up)(const void *, Dl_info *, void **, int);
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    /* Looked up by name: musl's loader refuses to start a program if a library needs a function that musl lacks. */
    if (!look_up)
        *(void **)&look_up = dlsym(RTLD_DEFAULT, "dladdr1");
    if (!function || !look_up || !look_up(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return;
    *begin = (uintptr_t)function;
    *bytes = symbol->st_size;
}

/* Finds where the code of the function's two Fortran bindings lies in a library: mpi_x_ (mpif.h, module mpi) and
 * mpi_x_f08_ (module mpi_f08). */
static void find_bindings(struct refrain_front_row *row, const char *name) {
    char lower[128];
    size_t n = strlen(name);
    if (n + 8 >= sizeof lower)
        return;
    for (size_t i = 0; i <= n; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i];
    if (objects.fortran.handle) {
        strcpy(lower + n, "_");
        set_extent(dlsym(objects.fortran.handle, lower), &row->bindings[0].begin, &row->bindings[0].bytes);
    }
    void *f08 = objects.f08.handle ? objects.f08.handle : objects.fortran.handle;
    if (f08) {
        strcpy(lower + n, "_f08_");
        set_extent(dlsym(f08, lower), &row->bindings[1].begin, &row->bindings[1].bytes);
    }
}

/* Finds the function that the program would call without refrain: that of a tool, of the MPI library, or of a library
 * of stand-ins for serial runs; else that of an MPI library that was loaded later. */
static const void *elsewhere(const char *name) {
    const void *function = dlsym(RTLD_NEXT, name);
    if (!function && objects.mpi.handle)
        function = dlsym(objects.mpi.handle, name);
    return function;
}

static void missing(const char *name) {
    char text[256];
    int n = snprintf(text, sizeof text, "refrain: symbol lookup error: no library of this process has %s\n", name);
    if (write(STDERR_FILENO, text, (size_t)n) < 0)
        _exit(127);
    _exit(127);
}

void refrain_front_fill(uint32_t number) {
    pthread_once(&once, choose);
    pthread_mutex_lock(&filling);
    struct refrain_front_row *row = &refrain_front_table[number];
    const char *name = row_name(number);
    char pmpi_name[128];
    snprintf(pmpi_name, sizeof pmpi_name, "P%s", name);
    initialised = initialised || strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ||
                  strcmp(name, "MPI_Session_init") == 0;
    const void *plain = elsewhere(name);
    row->real = objects.mpi.handle ? dlsym(objects.mpi.handle, pmpi_name) : NULL;
    if (!row->real && !(row->real = elsewhere(pmpi_name)))
        row->real = plain;
    const void *wrapper = wrappers ? dlsym(wrappers, name) : NULL;
    if (!wrapper && !plain && !(plain = row->real))
        missing(name);
    const void *library = objects.mpi.handle ? dlsym(objects.mpi.handle, name) : NULL;
    row->below = plain && plain != library && plain != wrapper ? plain : row->real;
    const void *pmpi = row->real;
    if (wrapper) {
        find_bindings(row, name);
        if (row->below != row->real)
            set_extent(wrapper, &row->own.begin, &row->own.bytes);
        if (row->bindings[0].bytes || row->bindings[1].bytes || row->own.bytes)
            pmpi = row->check;
    }
    __atomic_store_n(&row->pmpi, pmpi, __ATOMIC_RELEASE);
    __atomic_store_n(&row->mpi, wrapper ? wrapper : plain, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&filling);
}
