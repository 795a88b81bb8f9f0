/* What an instrumented file begins with: the declarations of unit.h under names of their own, bound to the library's
 * symbols by assembler names, so that the file may include unit.h itself. They are weak: an object that is linked
 * without the library runs as if it had never been instrumented. */
#define REFRAIN__WEAK(symbol) __asm__(#symbol) __attribute__((__weak__))
#ifdef __OPTIMIZE__
#define REFRAIN__INLINE static __inline__ \
    __attribute__((__always_inline__, __artificial__, __unused__, __no_instrument_function__))
#else
#define REFRAIN__INLINE static __attribute__((__unused__, __no_instrument_function__))
#endif
#define REFRAIN__OUT static __attribute__((__noinline__, __unused__, __no_instrument_function__))
/* refrain.h asks for it; asked for here as well, it is no unused macro to the compiler. */
#define REFRAIN_INSTRUMENTED 1
#ifdef REFRAIN_INSTRUMENTED
#endif
typedef struct refrain__frame { char place; } refrain__frame;
typedef struct refrain__late { int entered; refrain__frame *frame; } refrain__late;
struct refrain__node { unsigned int kind, parent, slot, line, column, name, file; };
struct refrain__dependency { unsigned int to, from; };
struct refrain__site { int code, on; };
struct refrain__unit {
    unsigned int version, n_nodes, n_slots, strings_bytes;
    unsigned int packed_bytes, n_dependencies;
    struct refrain__node __const__ *nodes;
    char __const__ *strings;
    unsigned char *__const__ *speakers;
    struct refrain__site __const__ *sites, *sites_end;
    struct refrain__dependency __const__ *dependencies;
    unsigned char *on;
    unsigned char __const__ *base;
    unsigned long record;
    void *slots;
    struct refrain__unit *next;
};
extern void refrain__do_register(struct refrain__unit *unit) REFRAIN__WEAK(refrain_register);
extern void refrain__do_unregister(struct refrain__unit *unit) REFRAIN__WEAK(refrain_unregister);
extern void refrain__do_probe(struct refrain__unit *unit, unsigned int slot, void *place, unsigned long extra)
    REFRAIN__WEAK(refrain_probe);
extern struct refrain__site __const__ refrain__first_site[] REFRAIN__WEAK(__start_refrain_sites)
    __attribute__((__visibility__("hidden")));
extern struct refrain__site __const__ refrain__last_site[] REFRAIN__WEAK(__stop_refrain_sites)
    __attribute__((__visibility__("hidden")));
