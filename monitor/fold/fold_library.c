/* fold_library.c: lists the functions of folding by which the monitor calls this library (fold_library.h). */
#include "fold_library.h"

extern const struct refrain_fold_library refrain_fold_library;
__attribute__((visibility("default"))) const struct refrain_fold_library refrain_fold_library = {
    .version = REFRAIN_TRACE_VERSION,
    .of_trace_file = refrain_sheet_of_trace_file,
    .add = refrain_sheet_add,
    .to_bytes = refrain_sheet_to_bytes,
    .from_bytes = refrain_sheet_from_bytes,
    .head = refrain_sheet_head,
    .free_sheet = refrain_sheet_free,
    .allocate = refrain_fold_allocate,
    .free = refrain_fold_free,
};
