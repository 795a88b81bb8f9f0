/* read_image.h: the image of a rank-N.trace for programs that damage it, packed or not. */
#ifndef REFRAIN_TEST_READ_REGION_H
#define REFRAIN_TEST_READ_REGION_H

#include "packed/packed_file.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads a whole file, which the caller frees. If it cannot be read, prints a line and returns null. */
static unsigned char *read_file(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0 && (*n = (size_t)ftell(file)) > 0) {
        rewind(file);
        bytes = aligned_alloc(16, (*n + 15) & ~(size_t)15);
        if (bytes && fread(bytes, 1, *n, file) != *n) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (!bytes)
        perror(path);
    if (file)
        fclose(file);
    return bytes;
}

/* The image of a packed file, whose checksum may be wrong; null when it cannot be unpacked. */
static unsigned char *unpack(const unsigned char *file, size_t length, size_t *n) {
    static struct refrain_packed_models models;
    const struct refrain_packed_header *header = (const void *)file;
    *n = (size_t)header->image_bytes;
    unsigned char *image = calloc(1, *n);
    if (image && refrain_packed_file_read(file, length, image, &models)) {
        free(image);
        image = NULL;
    }
    return image;
}

/* Reads the bytes of an image that are in use, which the caller frees. If there are none, prints a line and returns
 * null. */
static inline unsigned char *read_image(const char *path, size_t *n) {
    unsigned char *bytes = read_file(path, n);
    if (!bytes || !refrain_packed_is_file(bytes, *n))
        return bytes;
    unsigned char *image = unpack(bytes, *n, n);
    free(bytes);
    if (!image)
        fprintf(stderr, "%s: cannot be unpacked\n", path);
    return image;
}

#endif
