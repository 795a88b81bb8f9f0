/* sites.h: what the programs of test_sites.sh ask about their own code (sites.c). */
#ifndef SITES_H
#define SITES_H

/* Prints "WHEN: N sites, N off, N wrong": the places of this executable or library where a probe can be switched off,
 * those where it is, and those where the code is not what the probe's byte says. With SITES_NAMES set, a line before
 * for each: the exported function it is in, the code's byte, the probe's byte. */
void sites_print(const char *when);

/* How many places have a code that is not what the probe's byte says; 0 where no code is off, as it may not be changed.
 */
int sites_unsettled(void);

/* How many places of the exported function have a code that is on. */
int sites_on_in(const char *function);

/* Prints how many mappings of the process may be both written and executed, and how the code with the sites is mapped.
 */
void sites_print_maps(void);

#endif
