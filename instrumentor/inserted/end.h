/* What both kinds of probes share, and what runs once. */
REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {
    if (value) {
        ++*count;
    } else {
        refrain__tell_count(frame, slot, *count);
        *count = 0;
    }
    return value;
}
REFRAIN__ONCE void refrain__unpack(void) {
    unsigned char __const__ *at = (unsigned char __const__ *)refrain__packed;
    unsigned char __const__ *end = at + sizeof refrain__packed;
    unsigned int now[7] = {0, 0, 0, 0, 0, 0, 0}, value = 0, field = 0, digit;
    unsigned int *to = (unsigned int *)refrain__nodes;
    while (at < end) {
        digit = *at++;
        if (digit)
            value = value * 63 + digit % 64 - 1;
        if (digit == 0 || digit > 64)
            continue;
        now[field] = value % 2 ? now[field] - value / 2 : now[field] + value / 2;
        to[field] = now[field];
        value = 0;
        if (++field < 7)
            continue;
        field = 0;
        to[0] %= 32;
        to[2] = to[2] ? to[2] - 1 : 4294967295u;
        if (now[2])
            refrain__base[to[2]] = (unsigned char)(now[0] / 32);
        to += 7;
    }
}
static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {
    refrain__jump();
    if (refrain__do_register) {
        refrain__unpack();
        refrain__do_register(&refrain__u);
    }
}
static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {
    if (refrain__do_unregister)
        refrain__do_unregister(&refrain__u);
}
#undef REFRAIN__WEAK
#undef REFRAIN__INLINE
#undef REFRAIN__OUT
#undef REFRAIN__ONCE
#undef REFRAIN__SITES
#undef REFRAIN__LEAVES
