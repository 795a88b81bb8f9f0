/* hook_names.c: names of functions from their symbols (hook_names.h). */
#include "hook_names.h"
#include "text.h"
#ifdef REFRAIN_HAS_IBERTY
#include <libiberty/demangle.h>
#endif
#include <stdlib.h>
#include <string.h>

/* Removes suffixes of copies that the compiler makes (.constprop.0, .isra.0, .lto_priv.0), and .0 of inner procedures.
 */
static void cut_suffixes(char *symbol) {
    static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".lto_priv", ".localalias"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *at = strstr(symbol, suffixes[i]);
        if (at)
            *at = '\0';
    }
    char *dot = strrchr(symbol, '.');
    if (dot && dot > symbol && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) && !strstr(symbol, "_omp_fn"))
        *dot = '\0';
}

static char *fortran_name(const char *symbol) {
    struct refrain_text name = {0};
    const char *module = strncmp(symbol, "__", 2) == 0 ? strstr(symbol, "_MOD_") : NULL;
    size_t n = strlen(symbol);
    if (strcmp(symbol, "MAIN__") == 0)
        refrain_text_string(&name, "main");
    else if (module)
        refrain_text_format(&name, "%.*s::%s", (int)(module - symbol - 2), symbol + 2, module + strlen("_MOD_"));
    else
        refrain_text_format(&name, "%.*s", (int)(n > 1 && symbol[n - 1] == '_' && symbol[n - 2] != '_' ? n - 1 : n),
                            symbol);
    return name.bytes;
}

static char *cxx_name(const char *symbol) {
#ifdef REFRAIN_HAS_IBERTY
    char *plain = strncmp(symbol, "_Z", 2) == 0 ? cplus_demangle(symbol, DMGL_ANSI | DMGL_AUTO) : NULL;
    if (plain)
        return plain;
#endif
    return refrain_text_copy(symbol);
}

char *refrain_hook_name(const char *symbol, bool fortran) {
    char *base = refrain_text_copy(symbol);
    cut_suffixes(base);
    char *name = fortran ? fortran_name(base) : cxx_name(base);
    free(base);
    return name;
}

bool refrain_hook_is_fortran(const char *source) {
    static const char *const endings[] = {".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".fpp"};
    const char *dot = strrchr(refrain_text_basename(source), '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return false;
}
