/* sites.c: the places in this executable or library where a probe can be switched off (sites.h). Not instrumented. */
#define _GNU_SOURCE
#include "sites.h"
#include <dlfcn.h>
#include <refrain/unit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

extern const struct refrain_site __start_refrain_sites_10[] __attribute__((weak, visibility("hidden")));
extern const struct refrain_site __stop_refrain_sites_10[] __attribute__((weak, visibility("hidden")));

static const unsigned char *code_of(const struct refrain_site *site) {
    return (const unsigned char *)&site->code + site->code;
}

static unsigned char on_of(const struct refrain_site *site) {
    return ((const unsigned char *)&site->on)[site->on];
}

/* With SITES_DENY set, the kernel lets no code be changed from the start. */
static __attribute__((constructor(101))) void deny(void) {
    if (getenv("SITES_DENY") && prctl(PR_SET_MDWE, 1ul, 0ul, 0ul, 0ul) != 0)
        puts("not denied");
}

static int is_in(const struct refrain_site *site, const char *function) {
    Dl_info in = {0};
    return dladdr(code_of(site), &in) && in.dli_sname && strcmp(in.dli_sname, function) == 0;
}

/* One that is off is a call until it runs on, which most of main's never do. */
static int is_wrong(const struct refrain_site *site) {
    unsigned char code = *code_of(site), on = on_of(site);
    return code != (on ? REFRAIN_SITE_ON : REFRAIN_SITE_OFF) &&
           !(code == REFRAIN_SITE_ON && !on && is_in(site, "main"));
}

int sites_unsettled(void) {
    int off = 0, wrong = 0;
    for (const struct refrain_site *site = __start_refrain_sites_10; site < __stop_refrain_sites_10; site++) {
        off += *code_of(site) == REFRAIN_SITE_OFF;
        wrong += is_wrong(site);
    }
    return off > 0 ? wrong : 0;
}

void sites_print(const char *when) {
    int sites = 0, off = 0, wrong = 0;
    for (const struct refrain_site *site = __start_refrain_sites_10; site < __stop_refrain_sites_10; site++) {
        const unsigned char *code = code_of(site);
        Dl_info in = {0};
        sites++;
        off += *code == REFRAIN_SITE_OFF;
        wrong += is_wrong(site);
        if (getenv("SITES_NAMES"))
            printf("%s %02x %d\n", dladdr(code, &in) && in.dli_sname ? in.dli_sname : "?", *code, on_of(site));
    }
    printf("%s: %d sites, %d off, %d wrong\n", when, sites, off, wrong);
    fflush(stdout);
}

int sites_on_in(const char *function) {
    int on = 0;
    for (const struct refrain_site *site = __start_refrain_sites_10; site < __stop_refrain_sites_10; site++) {
        on += *code_of(site) == REFRAIN_SITE_ON && is_in(site, function);
    }
    return on;
}

void sites_print_maps(void) {
    const unsigned char *code = code_of(__start_refrain_sites_10);
    char line[4096], how[5] = "none";
    int both = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        char may[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, may) != 3)
            continue;
        both += may[1] == 'w' && may[2] == 'x';
        if ((unsigned long)code >= begin && (unsigned long)code < end)
            memcpy(how, may, sizeof how);
    }
    if (maps)
        fclose(maps);
    printf("%d writable and executable, code %s\n", both, how);
}
