/* loaded.c: loads the instrumentor when it is needed (instrument.h). */
#include "instrument.h"
#include "toolchain.h"
#include <dlfcn.h>
#include <string.h>

refrain_instrument_function *refrain_instrument_load(struct refrain_text *reason) {
    static refrain_instrument_function *loaded;
    struct refrain_text path = {0};
    if (loaded)
        return loaded;
    if (!refrain_toolchain_library("refrain-instrument", &path)) {
        refrain_text_string(reason,
                            "librefrain-instrument.so is not where the wrapper was installed (set REFRAIN_LIBDIR)");
        return NULL;
    }
    void *library = dlopen(path.bytes, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "refrain_instrument") : NULL;
    if (symbol)
        memcpy(&loaded, &symbol, sizeof loaded);
    else
        refrain_text_string(reason, dlerror());
    refrain_text_free(&path);
    return loaded;
}
