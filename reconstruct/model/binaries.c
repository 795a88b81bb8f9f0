/* binaries.c: reads which files contain the code of each process (trace_parts.h). */
#include "model/trace_parts.h"

#include <string.h>

enum refrain_status refrain_process_read_binaries(struct refrain_trace *trace, struct refrain_process *process,
                                                  struct refrain_error *error) {
    size_t n = 0, most = process->image_bytes / sizeof(struct refrain_binary);
    const struct refrain_binary *binary;
    for (uint64_t reference = process->header->binaries; reference; reference = binary->next) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        binary = refrain_process_at(process, at, sizeof *binary, "a file with code", error);
        if (!binary || refrain_process_check_name(process, binary->path, "the name of a file with code", error) ||
            refrain_process_check_name(process, binary->build_id, "a build id", error))
            return REFRAIN_ERROR;
        if (n++ == most)
            return refrain_process_damaged(process, at, "a list of records runs in circles", error);
    }
    process->binaries = refrain_trace_allocate(trace, n, sizeof *process->binaries);
    if (!process->binaries)
        return REFRAIN_FAIL_MEMORY(error);
    for (uint64_t reference = process->header->binaries; reference; reference = binary->next) {
        binary = (const struct refrain_binary *)(process->image + reference * REFRAIN_ALIGNMENT_BYTES);
        process->binaries[process->n_binaries++] = binary;
    }
    return REFRAIN_OK;
}

const struct refrain_binary *refrain_process_binary(const struct refrain_process *process, uint32_t path) {
    for (size_t i = 0; i < process->n_binaries; i++)
        if (process->binaries[i]->path == path)
            return process->binaries[i];
    const char *name = refrain_process_name(process, path); /* a name may occur twice in the image */
    for (size_t i = 0; i < process->n_binaries; i++)
        if (strcmp(refrain_process_name(process, process->binaries[i]->path), name) == 0)
            return process->binaries[i];
    return NULL;
}
