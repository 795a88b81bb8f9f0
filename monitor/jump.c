/* jump.c: probes that are off are taken out of the program's code (jump.h). */
#define _GNU_SOURCE
#include "jump.h"
#include "configure.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULES 256u

static struct refrain_jumps modules[MODULES];
static unsigned n_modules;
static bool forbidden; /* the system lets no code be changed */

static unsigned char *code_of(const struct refrain_jump *jump) {
    return (unsigned char *)&jump->code + jump->code;
}

static unsigned char wanted(const struct refrain_jump *jump) {
    return ((const unsigned char *)&jump->on)[jump->on] ? REFRAIN_JUMP : REFRAIN_NO_JUMP;
}

static uintptr_t page_bytes(void) {
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *page_of(uintptr_t address) {
    return (unsigned char *)(address & ~(page_bytes() - 1));
}

/* Are all pages of `data`, jumps, in one segment that may be read and executed, but not written? Its protection can be
 * given back then. */
static int is_plain_code(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const struct refrain_jumps *jumps = data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_LOAD && segment->p_flags == (PF_R | PF_X) && jumps->pages >= page_of(begin) &&
            jumps->pages_end <= page_of(end + page_bytes() - 1))
            return 1;
    }
    return 0;
}

bool refrain_jumps_find(const struct refrain_unit *unit, struct refrain_jumps *jumps) {
    *jumps = (struct refrain_jumps){.first = unit->jumps, .end = unit->jumps_end};
    if (!jumps->first || jumps->first == jumps->end)
        return false;
    unsigned char *low = code_of(jumps->first), *high = low;
    for (const struct refrain_jump *jump = jumps->first; jump < jumps->end; jump++) {
        unsigned char *code = code_of(jump);
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    jumps->pages = page_of((uintptr_t)low);
    jumps->pages_end = page_of((uintptr_t)high) + page_bytes();
    return dl_iterate_phdr(is_plain_code, jumps) != 0;
}

void refrain_jumps_add(const struct refrain_jumps *jumps) {
    if (n_modules < MODULES)
        modules[n_modules++] = *jumps;
}

void refrain_jumps_drop(const struct refrain_unit *unit) {
    for (unsigned i = 0; i < n_modules; i++)
        if (modules[i].first == unit->jumps)
            modules[i--] = modules[--n_modules];
}

/* Something else, a breakpoint say, is left alone. */
static bool is_to_change(const struct refrain_jump *jump) {
    unsigned char now = *code_of(jump);
    return now != wanted(jump) && (now == REFRAIN_JUMP || now == REFRAIN_NO_JUMP);
}

static void place(const struct refrain_jumps *module) {
    const struct refrain_jump *jump = module->first;
    while (jump < module->end && !is_to_change(jump))
        jump++;
    if (jump == module->end)
        return;
    size_t bytes = (size_t)(module->pages_end - module->pages);
    if (mprotect(module->pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        forbidden = true;
        return;
    }
    for (; jump < module->end; jump++)
        if (is_to_change(jump))
            __atomic_store_n(code_of(jump), wanted(jump), __ATOMIC_RELAXED);
    mprotect(module->pages, bytes, PROT_READ | PROT_EXEC);
}

void refrain_jumps_place(const struct refrain_unit *unit) {
    int kept = errno;
    for (unsigned i = 0; refrain_configuration.patch && i < n_modules && !forbidden; i++)
        if (!unit || unit->jumps == modules[i].first)
            place(&modules[i]);
    errno = kept;
}
