/* site.c: removes probes that are off from the program's machine code (site.h). */
#define _GNU_SOURCE
#include "sites/site.h"
#include "run/configure.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include "sites/site_table.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MODULES 256u

static struct refrain_sites modules[MODULES];
static unsigned n_modules;
static bool forbidden; /* the system does not allow code to be changed */
static bool behind;    /* the code of some sites does not match their bytes */

/* A piece of code that is written by one system call. Bytes between sites that lie close together are written
 * unchanged. */
#define PIECE_BYTES 4096u
#define GAP_BYTES 512u
static struct {
    unsigned char *begin;
    size_t n;
    unsigned char bytes[PIECE_BYTES];
} piece; /* the caller holds the lock */

static unsigned char *code_of(const struct refrain_site *site) {
    return (unsigned char *)&site->code + site->code;
}

static unsigned char wanted(const struct refrain_site *site) {
    return ((const unsigned char *)&site->on)[site->on] ? REFRAIN_SITE_ON : REFRAIN_SITE_OFF;
}

static uintptr_t page_bytes(void) {
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *page_of(uintptr_t address) {
    return (unsigned char *)(address & ~(page_bytes() - 1));
}

/* True if all pages of `data`, the sites, lie in one segment that is readable and executable, but not writable. */
static int is_plain_code(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct refrain_sites *sites = data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_LOAD && segment->p_flags == (PF_R | PF_X) && sites->pages >= page_of(begin) &&
            sites->pages_end <= page_of(end + page_bytes() - 1)) {
            return 1;
        }
    }
    return 0;
}

bool refrain_sites_find(const struct refrain_units *units, struct refrain_sites *sites) {
    *sites = (struct refrain_sites){.first = units->sites, .end = units->sites_end};
    if (!sites->first || sites->first == sites->end)
        return false;
    unsigned char *low = code_of(sites->first), *high = low;
    for (const struct refrain_site *site = sites->first; site < sites->end; site++) {
        unsigned char *code = code_of(site);
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    sites->pages = page_of((uintptr_t)low);
    sites->pages_end = page_of((uintptr_t)high) + page_bytes();
    return dl_iterate_phdr(is_plain_code, sites) != 0;
}

void refrain_sites_add(const struct refrain_sites *sites) {
    if (n_modules < MODULES)
        modules[n_modules++] = *sites;
}

void refrain_sites_drop(const struct refrain_site *first) {
    for (unsigned i = 0; i < n_modules; i++)
        if (modules[i].first == first)
            modules[i--] = modules[--n_modules];
}

/* False for any other instruction, such as the breakpoint of a debugger, which stays. */
static bool is_to_change(const struct refrain_site *site) {
    unsigned char now = *code_of(site);
    return now != wanted(site) && (now == REFRAIN_SITE_ON || now == REFRAIN_SITE_OFF);
}

/* True if the process must not turn data into code (PR_SET_MDWE). Then its code is not changed either. */
static bool is_code_denied(void) {
#ifdef PR_GET_MDWE
    int operation = PR_GET_MDWE;
#else
    int operation = 66;
#endif
    return prctl(operation, 0ul, 0ul, 0ul, 0ul) > 0;
}

/* The process's memory as a file, open while there is something to write. Code is written through it, so it is never
 * writable and executable at the same time. */
static int memory = -1;

static bool write_piece(void) {
    size_t n = piece.n;
    piece.n = 0;
    return n == 0 || pwrite(memory, piece.bytes, n, (off_t)(uintptr_t)piece.begin) == (ssize_t)n;
}

/* Adds the site to the piece. If it lies too far away, writes the piece and begins a new one. */
static bool change(const struct refrain_site *site) {
    unsigned char *code = code_of(site);
    size_t at = (size_t)(code - piece.begin);
    bool fits = piece.n > 0 && code >= piece.begin && at < PIECE_BYTES && at < piece.n + GAP_BYTES;
    if (!fits) {
        if (!write_piece())
            return false;
        piece.begin = code;
        at = 0;
    }
    for (; piece.n <= at; piece.n++)
        piece.bytes[piece.n] = piece.begin[piece.n];
    piece.bytes[at] = wanted(site);
    return true;
}

static bool open_memory(void) {
    if (memory >= 0)
        return true;
    errno = 0;
    memory = is_code_denied() ? -1 : open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    behind = memory < 0;
    if (behind)
        forbidden = errno != EMFILE && errno != ENFILE; /* too many open files is an error that may pass */
    return !behind;
}

/* Writes the code of one site. False if code cannot be changed. */
static bool place(const struct refrain_site *site) {
    if (!is_to_change(site))
        return true;
    if (!open_memory())
        return false;
    forbidden |= !change(site);
    return !forbidden;
}

static void close_memory(void) {
    if (memory >= 0) {
        forbidden |= !write_piece();
        close(memory);
        memory = -1;
    }
    if (forbidden && refrain_trace_file.header)
        refrain_trace_file.header->code_is_kept = 1;
}

/* Sites that were found, to be written in the order of their addresses, so neighbours share a piece. */
static struct {
    unsigned n;
    const struct refrain_site *sites[256];
} found; /* the caller holds the lock */

static bool place_found(void) {
    bool may = true;
    for (unsigned i = 1; i < found.n; i++) {
        const struct refrain_site *site = found.sites[i];
        unsigned at = i;
        for (; at > 0 && code_of(found.sites[at - 1]) > code_of(site); at--)
            found.sites[at] = found.sites[at - 1];
        found.sites[at] = site;
    }
    for (unsigned i = 0; may && i < found.n; i++)
        may = place(found.sites[i]);
    found.n = 0;
    return may;
}

/* Finds the sites of a slot in one executable or library. */
static bool find_slot(const struct refrain_sites *module, const struct refrain_site_table *table, uint32_t slot) {
    bool may = true;
    for (uint32_t site = refrain_site_first(table, slot); may && site; site = refrain_site_next(table, site)) {
        found.sites[found.n++] = &module->first[site - 1];
        if (found.n == sizeof found.sites / sizeof *found.sites)
            may = place_found();
    }
    return may;
}

/* The table of a module's sites. Null if it has no chains. */
static const struct refrain_site_table *chains_of(const struct refrain_sites *module) {
    for (uint32_t t = 0; t < refrain_n_site_tables; t++) {
        struct refrain_site_table *table = &refrain_site_tables[t];
        if (table->sites == module->first && table->span > 0)
            return refrain_site_table_chain(table, (uint32_t)(module->end - module->first)) ? table : NULL;
    }
    return NULL;
}

/* Writes the sites of some slots. Without chains it compares all sites. */
static bool place_slots(const struct refrain_sites *module, const struct refrain_site_table *chains,
                        const uint32_t *slots, unsigned n) {
    bool may = true;
    for (unsigned i = 0; chains && may && i < n; i++)
        may = find_slot(module, chains, slots[i]);
    may = may && place_found();
    for (const struct refrain_site *site = module->first; !chains && may && site < module->end; site++)
        may = place(site);
    return may;
}

void refrain_sites_place_slots(const uint32_t *slots, unsigned n) {
    int kept = errno;
    bool may = refrain_configuration.patch && !forbidden, all = !slots || behind;
    for (unsigned i = 0; may && i < n_modules; i++)
        may = place_slots(&modules[i], !all ? chains_of(&modules[i]) : NULL, slots, n);
    close_memory();
    errno = kept;
}

void refrain_sites_place(void) {
    refrain_sites_place_slots(NULL, 0);
}
