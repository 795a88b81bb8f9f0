/* count_quiet.h: how many sites of the program are quiet (monitor/sites/site_quiet.h). */
#ifndef REFRAIN_TESTS_COUNT_QUIET_H
#define REFRAIN_TESTS_COUNT_QUIET_H

#include <refrain/unit.h>

extern const struct refrain_site __start_refrain_sites_9[] __attribute__((weak));
extern const struct refrain_site __stop_refrain_sites_9[] __attribute__((weak));

/* Those that are out of the code although their probe is on. */
static unsigned count_quiet(void) {
    unsigned n = 0;
    for (const struct refrain_site *site = __start_refrain_sites_9; site < __stop_refrain_sites_9; site++)
        n += ((const unsigned char *)&site->on)[site->on] &&
             ((const unsigned char *)&site->code)[site->code] == REFRAIN_SITE_OFF;
    return n;
}

#endif
