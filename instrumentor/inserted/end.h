/* Parts common to all kinds of probes, and functions that run once. */
REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {
    if (value) {
        ++*count;
    } else {
        refrain__tell_count(frame, slot, *count);
        *count = 0;
    }
    return value;
}
/* The place of the MPI call that comes next is stored in refrain_place of the thread (unit.h), by the bytes of
 * mov %rax, %fs:(%rdx). If the unit is not traced, there may be no such variable. */
#if defined __OPTIMIZE__ && defined __x86_64__ && defined __ELF__ && !defined __ILP32__
REFRAIN__INLINE void refrain__call(unsigned int slot) {
    unsigned long __volatile__ *words = refrain__u.words;
    unsigned long slots = words[REFRAIN__SLOTS];
    if (slots)
        __asm__ __volatile__(".byte 0x64, 0x48, 0x89, 2" : : "a"(slots + slot * REFRAIN__SLOT_BYTES), "d"(words[REFRAIN__PLACE]));
}
#else
#define refrain__call(slot) refrain__at(&refrain__f, slot)
#ifdef refrain__call
#endif
#endif
/* Units that the linker does not list: a list with one unit. */
#ifndef REFRAIN__LISTED
static struct refrain__units refrain__units = {10ul, (void *)0, (void *)0, refrain__first_site, refrain__last_site,
    &refrain__tables, &refrain__u};
static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {
    if (refrain__do_register)
        refrain__do_register(&refrain__units);
}
static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {
    if (refrain__do_unregister)
        refrain__do_unregister(&refrain__units);
}
#endif
#undef REFRAIN__WEAK
#undef REFRAIN__INLINE
#undef REFRAIN__SITES
#undef REFRAIN__LISTED
#undef REFRAIN__KEEP_UNIT
#undef REFRAIN__LEAVES
#undef REFRAIN__ON
#undef REFRAIN__SLOTS
#undef REFRAIN__PLACE
#undef REFRAIN__SLOT_BYTES
#undef REFRAIN__ENTRIES
#undef REFRAIN__ENTRY
