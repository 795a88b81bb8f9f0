/* otf2_samples.c: see otf2_samples.h. */
#include "formats/otf2_samples.h"
#include "analysis/sample_rows.h"

#include <stdlib.h>

struct definer {
    OTF2_GlobalDefWriter *writer;
    const struct refrain_sample_rows *rows;
    OTF2_RegionRef first_region; /* of the first function */
    OTF2_StringRef (*string)(void *data, const char *text);
    void *data;
};

/* An interrupt after each period of a thread's processor time. */
static OTF2_ErrorCode define_interrupts(const struct definer *definer) {
    const OTF2_StringRef name = definer->string(definer->data, "processor time of a thread");
    return OTF2_GlobalDefWriter_WriteInterruptGenerator(definer->writer, 0, name, OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                                        OTF2_BASE_DECIMAL, -9,
                                                        UINT64_C(1000000000) / definer->rows->hz);
}

static OTF2_ErrorCode define_functions(const struct definer *definer, OTF2_StringRef nothing) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; !code && i < definer->rows->n_functions; i++) {
        const struct refrain_sample_function *function = &definer->rows->functions[i];
        const OTF2_StringRef name = definer->string(definer->data, *function->name ? function->name : "unknown");
        const OTF2_StringRef file = definer->string(definer->data, *function->file ? function->file : function->object);
        code = OTF2_GlobalDefWriter_WriteRegion(definer->writer, definer->first_region + (OTF2_RegionRef)i, name, name,
                                                nothing, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                                OTF2_REGION_FLAG_NONE, file, function->line, 0);
    }
    return code;
}

static OTF2_ErrorCode define_number(const struct definer *definer, size_t path, OTF2_StringRef name, uint64_t number) {
    const OTF2_AttributeValue value = {.uint64 = number};
    return OTF2_GlobalDefWriter_WriteCallingContextProperty(definer->writer, (OTF2_CallingContextRef)path, name,
                                                            OTF2_TYPE_UINT64, value);
}

static OTF2_ErrorCode define_paths(const struct definer *definer, const uint64_t *outside) {
    const OTF2_StringRef samples = definer->string(definer->data, "samples");
    const OTF2_StringRef of_outside = definer->string(definer->data, "samples outside of MPI calls");
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; !code && i < definer->rows->n_paths; i++) {
        const struct refrain_sample_path *path = &definer->rows->paths[i];
        code = OTF2_GlobalDefWriter_WriteCallingContext(
            definer->writer, (OTF2_CallingContextRef)i, definer->first_region + path->function,
            OTF2_UNDEFINED_SOURCE_CODE_LOCATION, path->parent ? path->parent - 1 : OTF2_UNDEFINED_CALLING_CONTEXT);
        if (!code && path->own)
            code = define_number(definer, i, samples, path->own);
        if (!code && outside[i])
            code = define_number(definer, i, of_outside, outside[i]);
    }
    return code;
}

OTF2_ErrorCode refrain_otf2_define_samples(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                           OTF2_StringRef (*string)(void *data, const char *text), void *data) {
    struct refrain_sample_rows rows;
    struct refrain_error error;
    if (refrain_sample_rows_make(trace, -1, &rows, &error))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    const struct definer definer = {writer, &rows, (OTF2_RegionRef)trace->n_regions + 1, string, data};
    uint64_t *outside = calloc(rows.n_paths + 1, sizeof *outside);
    OTF2_ErrorCode code = outside ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (size_t i = 0; outside && i < rows.n_moments; i++)
        if (!rows.moments[i].inside)
            outside[rows.moments[i].path] += rows.moments[i].own;
    if (!code && rows.hz)
        code = define_interrupts(&definer);
    if (!code && rows.hz)
        code = define_functions(&definer, string(data, ""));
    if (!code && rows.hz)
        code = define_paths(&definer, outside);
    free(outside);
    refrain_sample_rows_free(&rows);
    return code;
}
