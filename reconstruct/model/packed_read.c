/* packed_read.c: makes an image of a packed file (trace_parts.h). */
#include "model/trace_parts.h"
#include "packed/packed_file.h"

#include <stdlib.h>
#include <string.h>

static void release_image(struct refrain_process *process) {
    free(process->mapped);
}

bool refrain_image_is_packed(const void *bytes, size_t length) {
    return refrain_packed_is_file(bytes, length);
}

enum refrain_status refrain_image_unpack(struct refrain_process *process, const void *bytes, size_t length,
                                         struct refrain_error *error) {
    uint64_t image_bytes;
    struct refrain_packed_header header;
    if (length >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        if (refrain_image_check_version(process->path, header.version, error))
            return REFRAIN_ERROR;
    }
    const char *wrong = refrain_packed_file_check(bytes, length, &image_bytes);
    if (wrong)
        return REFRAIN_FAIL(error, "%s: %s (%zu bytes)", process->path, wrong, length);
    struct refrain_packed_models *models = malloc(sizeof *models);
    void *image = image_bytes <= SIZE_MAX / 2 ? calloc(1, (size_t)image_bytes) : NULL;
    if (!models || !image) {
        free(image);
        free(models);
        return REFRAIN_FAIL_MEMORY(error);
    }
    process->mapped = image;
    process->mapped_bytes = (size_t)image_bytes;
    process->release = release_image;
    wrong = refrain_packed_file_read(bytes, length, image, models);
    free(models);
    if (wrong)
        return REFRAIN_FAIL(error, "%s: damaged: %s", process->path, wrong);
    process->image = image;
    process->header = image;
    process->image_bytes = (size_t)image_bytes;
    process->file_bytes = length;
    return refrain_image_check(process->path, process->header, image_bytes, error);
}
