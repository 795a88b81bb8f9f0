/* The first part of an instrumented file: the declarations of unit.h under other names, so that the file may include
 * unit.h itself. Assembler names bind them to the symbols of the library. These are weak: an object linked without
 * the library runs as if it was not instrumented. */
#define REFRAIN__WEAK(symbol) __asm__(#symbol) __attribute__((__weak__))
#ifdef __OPTIMIZE__
#define REFRAIN__INLINE static __inline__ \
    __attribute__((__always_inline__, __artificial__, __unused__, __no_instrument_function__))
#else
/* Inline functions are the only ones that gcc leaves out if they are unused and it does not optimise. */
#define REFRAIN__INLINE static __inline__ __attribute__((__unused__, __no_instrument_function__))
#endif
/* For refrain.h. (The test prevents a warning about an unused macro.) */
#define REFRAIN_INSTRUMENTED 1
#ifdef REFRAIN_INSTRUMENTED
#endif
typedef struct refrain__frame { char place; } refrain__frame;
typedef struct refrain__late { int entered; refrain__frame *frame; } refrain__late;
struct refrain__site { int code, on; };
struct refrain__units {
    unsigned long version;
    void __const__ *units, *units_end;
    struct refrain__site __const__ *sites, *sites_end;
    void __const__ *tables;
    void *unit;
};
extern void refrain__do_register(struct refrain__units __const__ *units) REFRAIN__WEAK(refrain_register);
extern void refrain__do_unregister(struct refrain__units __const__ *units) REFRAIN__WEAK(refrain_unregister);
extern void refrain__do_probe(void *unit, unsigned int slot, void *place, unsigned long extra)
    REFRAIN__WEAK(refrain_probe_10);
extern struct refrain__site __const__ refrain__first_site[] REFRAIN__WEAK(__start_refrain_sites_10)
    __attribute__((__visibility__("hidden")));
extern struct refrain__site __const__ refrain__last_site[] REFRAIN__WEAK(__stop_refrain_sites_10)
    __attribute__((__visibility__("hidden")));
