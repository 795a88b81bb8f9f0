/* site.c: probes that are off are taken out of the program's code (site.h). */
#define _GNU_SOURCE
#include "site.h"
#include "configure.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MODULES 256u

static struct refrain_sites modules[MODULES];
static unsigned n_modules;
static bool forbidden; /* the system lets no code be changed */

/* Code that is written at once: what is between sites that lie close together is written as it is. */
#define PIECE_BYTES 4096u
#define GAP_BYTES 64u
static struct {
    unsigned char *begin;
    size_t n;
    unsigned char bytes[PIECE_BYTES];
} piece; /* under the lock */

static unsigned char *code_of(const struct refrain_site *site) {
    return (unsigned char *)&site->code + site->code;
}

static unsigned char wanted(const struct refrain_sites *module, const struct refrain_site *site) {
    size_t number = (size_t)(site - module->first);
    bool quiet = module->quiet && module->quiet[number / 8] >> number % 8 & 1;
    return ((const unsigned char *)&site->on)[site->on] && !quiet ? REFRAIN_SITE_ON : REFRAIN_SITE_OFF;
}

static uintptr_t page_bytes(void) {
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *page_of(uintptr_t address) {
    return (unsigned char *)(address & ~(page_bytes() - 1));
}

/* Are all pages of `data`, sites, in one segment that may be read and executed, but not written? */
static int is_plain_code(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct refrain_sites *sites = data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_LOAD && segment->p_flags == (PF_R | PF_X) && sites->pages >= page_of(begin) &&
            sites->pages_end <= page_of(end + page_bytes() - 1)) {
            sites->text = begin;
            sites->text_end = end;
            sites->is_executable = !info->dlpi_name || !*info->dlpi_name;
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

/* Something else, a breakpoint say, is left alone. */
static bool is_to_change(const struct refrain_sites *module, const struct refrain_site *site) {
    unsigned char now = *code_of(site);
    return now != wanted(module, site) && (now == REFRAIN_SITE_ON || now == REFRAIN_SITE_OFF);
}

/* Is nothing to become code that was data (PR_SET_MDWE)? Who wants that wants its code as it is. */
static bool is_code_denied(void) {
#ifdef PR_GET_MDWE
    int operation = PR_GET_MDWE;
#else
    int operation = 66;
#endif
    return prctl(operation, 0ul, 0ul, 0ul, 0ul) > 0;
}

static bool write_piece(int memory) {
    size_t n = piece.n;
    piece.n = 0;
    return n == 0 || pwrite(memory, piece.bytes, n, (off_t)(uintptr_t)piece.begin) == (ssize_t)n;
}

/* Adds the site to what is written at once; where it lies too far off that is written, and another begun. */
static bool change(int memory, const struct refrain_sites *module, const struct refrain_site *site) {
    unsigned char *code = code_of(site);
    size_t at = (size_t)(code - piece.begin);
    bool fits = piece.n > 0 && code >= piece.begin && at < PIECE_BYTES && at < piece.n + GAP_BYTES;
    if (!fits) {
        if (!write_piece(memory))
            return false;
        piece.begin = code;
        at = 0;
    }
    for (; piece.n <= at; piece.n++)
        piece.bytes[piece.n] = piece.begin[piece.n];
    piece.bytes[at] = wanted(module, site);
    return true;
}

/* Code is written by way of the process's memory as a file: it is never writable where it is executed. */
static void place(const struct refrain_sites *module) {
    const struct refrain_site *site = module->first;
    while (site < module->end && !is_to_change(module, site))
        site++;
    if (site == module->end)
        return;
    int memory = is_code_denied() ? -1 : open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    if (memory < 0) {
        forbidden = errno != EMFILE && errno != ENFILE; /* of files: it may be possible the next time */
        return;
    }
    bool written = true;
    piece.n = 0;
    for (; written && site < module->end; site++)
        if (is_to_change(module, site))
            written = change(memory, module, site);
    if (!written || !write_piece(memory))
        forbidden = true;
    close(memory);
}

void refrain_sites_place(const struct refrain_unit *unit) {
    int kept = errno;
    errno = 0;
    for (unsigned i = 0; refrain_configuration.patch && i < n_modules && !forbidden; i++)
        if (!unit || unit->sites == modules[i].first)
            place(&modules[i]);
    if (forbidden && refrain_trace_file.header)
        refrain_trace_file.header->code_is_kept = 1;
    errno = kept;
}

/* ---- sites that are quiet ---- */

static size_t quiet_bytes(const struct refrain_sites *module) {
    return (size_t)(module->end - module->first + 7) / 8;
}

/* It is one of the first: libraries that come with it are started before it, those that it loads come later. */
static struct refrain_sites *executable(void) {
    for (unsigned i = 0; i < n_modules; i++)
        if (modules[i].is_executable)
            return &modules[i];
    return NULL;
}

bool refrain_sites_have_call(uintptr_t address) {
    const struct refrain_sites *module = executable();
    return module && refrain_configuration.patch && !forbidden && address > module->text && address <= module->text_end;
}

bool refrain_sites_number(uintptr_t address, uint32_t *number) {
    const struct refrain_sites *module = executable();
    for (const struct refrain_site *site = module ? module->first : NULL; module && site < module->end; site++)
        if ((uintptr_t)code_of(site) + REFRAIN_SITE_BYTES == address) {
            *number = (uint32_t)(site - module->first);
            return true;
        }
    return false;
}

/* Two rows of bits: sites that are quiet, and those that are not to be. */
static struct refrain_sites *with_bits(void) {
    struct refrain_sites *module = executable();
    if (module && !module->quiet)
        module->quiet = refrain_pool_take(2 * quiet_bytes(module), REFRAIN_POOL_FIRST_MET);
    if (module && !module->quiet)
        module->is_executable = false;
    return module && module->quiet ? module : NULL;
}

bool refrain_sites_quiet(uint32_t number, bool quiet) {
    struct refrain_sites *module = with_bits();
    unsigned char bit = (unsigned char)(1u << number % 8);
    if (!module || (quiet && module->quiet[quiet_bytes(module) + number / 8] & bit))
        return false;
    bool before = module->quiet[number / 8] & bit;
    if (before != quiet)
        module->quiet[number / 8] ^= bit;
    return before != quiet;
}

void refrain_sites_keep(uint32_t number) {
    struct refrain_sites *module = with_bits();
    if (module)
        module->quiet[quiet_bytes(module) + number / 8] |= (unsigned char)(1u << number % 8);
}
