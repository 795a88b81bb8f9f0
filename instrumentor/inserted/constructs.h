/* OpenMP constructs as regions of the trace: only in files with such constructs. */
#ifdef __OPTIMIZE__
#define REFRAIN__INLINE static __inline__ \
    __attribute__((__always_inline__, __artificial__, __unused__, __no_instrument_function__))
#else
#define REFRAIN__INLINE static __inline__ __attribute__((__unused__, __no_instrument_function__))
#endif
extern void refrain__do_begin_region(char __const__ *name) __asm__("refrain_region_begin") __attribute__((__weak__));
extern void refrain__do_end_region(void) __asm__("refrain_region_end") __attribute__((__weak__));
REFRAIN__INLINE void refrain__begin_construct(char __const__ *name) {
    if (refrain__do_begin_region)
        refrain__do_begin_region(name);
}
REFRAIN__INLINE void refrain__end_construct(void) {
    if (refrain__do_end_region)
        refrain__do_end_region();
}
#undef REFRAIN__INLINE
