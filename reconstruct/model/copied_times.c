/* copied_times.c: compresses and expands times with libzstd, if refrain was built with it (copied_times.h). */
#include "model/copied_times.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef REFRAIN_HAVE_ZSTD
#include <zstd.h>
#endif

#define LEVEL 12 /* on the same bytes, level 3 gives 31 %, level 12 27 %, and level 19 24 % in ten times the time */

#ifdef REFRAIN_HAVE_ZSTD

bool refrain_copied_are_compressed(void) {
    return true;
}

size_t refrain_copied_most_bytes(size_t n) {
    return ZSTD_compressBound(n);
}

size_t refrain_copied_compress(const void *bytes, size_t n, void *to, size_t room) {
    size_t compressed = ZSTD_compress(to, room, bytes, n, LEVEL);
    return ZSTD_isError(compressed) || compressed >= n ? 0 : compressed;
}

unsigned char *refrain_copied_expand(const void *compressed, size_t n, size_t most, size_t *n_bytes,
                                     const char **wrong) {
    unsigned long long bytes = ZSTD_getFrameContentSize(compressed, n);
    *wrong = "its compressed times are not what they should be";
    if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes > most)
        return NULL;
    unsigned char *expanded = malloc(bytes ? (size_t)bytes : 1);
    if (!expanded) {
        *wrong = "there is no memory for its times";
        return NULL;
    }
    *n_bytes = ZSTD_decompress(expanded, (size_t)bytes, compressed, n);
    if (*n_bytes == bytes)
        return expanded;
    free(expanded);
    return NULL;
}

#else

bool refrain_copied_are_compressed(void) {
    return false;
}

size_t refrain_copied_most_bytes(size_t n) {
    return n;
}

size_t refrain_copied_compress(const void *bytes, size_t n, void *to, size_t room) {
    (void)bytes;
    (void)n;
    (void)to;
    (void)room;
    return 0;
}

unsigned char *refrain_copied_expand(const void *compressed, size_t n, size_t most, size_t *n_bytes,
                                     const char **wrong) {
    (void)compressed;
    (void)n;
    (void)most;
    (void)n_bytes;
    *wrong = "its times are compressed by libzstd, which this refrain was built without: build it where libzstd-dev is "
             "installed";
    return NULL;
}

#endif
