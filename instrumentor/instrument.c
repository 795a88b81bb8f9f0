/* instrument.c: instruments one C file (instrument.h). */
#include "construct.h"
#include "heap.h"
#include "openmp.h"
#include <string.h>

/* libclang may not know the processor that -march= names, and parse the file without it. */
static bool open_without_processor(struct refrain_source *source, const struct refrain_instrument_options *options) {
    struct refrain_list flags = {0};
    struct refrain_text reason = {0};
    bool opened = false;
    for (size_t i = 0; i < options->n_flags; i++)
        if (strncmp(options->flags[i], "-march=", 7) != 0)
            refrain_list_add(&flags, options->flags[i]);
    if (flags.count < options->n_flags) {
        refrain_source_close(source);
        opened = refrain_source_open(source, options->source, (const char *const *)flags.items, flags.count,
                                     options->strict, &reason);
    }
    refrain_list_free(&flags);
    refrain_text_free(&reason);
    return opened;
}

enum refrain_instrument_status refrain_instrument(const struct refrain_instrument_options *options,
                                                  struct refrain_text *out, struct refrain_text *reason) {
    struct refrain_source source;
    struct refrain_constructs constructs;
    struct refrain_openmp openmp = {0};
    if (!refrain_filter_takes_file(options->filter, options->source)) {
        refrain_text_string(reason, "the filter file excludes it");
        return REFRAIN_INSTRUMENT_NOTHING;
    }
    refrain_heap_prepare();
    if (!refrain_source_open(&source, options->source, options->flags, options->n_flags, options->strict, reason) &&
        !open_without_processor(&source, options)) {
        refrain_source_close(&source);
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    refrain_walk(&constructs, &openmp, &source, options);
    unsigned n_slots = refrain_choose(&constructs, options);
    if (n_slots > 0)
        refrain_emit(&constructs, &source, options, n_slots, out);
    else
        refrain_text_string(reason, "nothing in it is worth a probe");
    for (size_t i = 0; options->included && i < source.included.count; i++)
        refrain_list_add(options->included, source.included.items[i]);
    refrain_constructs_free(&constructs);
    refrain_openmp_free(&openmp);
    refrain_source_close(&source);
    return n_slots > 0 ? REFRAIN_INSTRUMENT_DONE : REFRAIN_INSTRUMENT_NOTHING;
}
