/* view_page.c: writes the bundled page with a trace in it (view_page.h). */
#define _GNU_SOURCE
#include "view/view_page.h"
#include "view/view_about.h"
#include "view/view_ahead.h"
#include "view/view_compare.h"
#include "view/view_symbols.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* from view_html.S; empty if the page could not be bundled */
extern const char refrain_view_html[];
extern const char refrain_view_html_end[];
extern const char refrain_compare_html[];
extern const char refrain_compare_html_end[];

#define MARK "<!--DATA-->"

bool refrain_view_built(void) {
    return &refrain_view_html_end[0] > &refrain_view_html[0];
}

/* ---- bytes as compressed text ---- */

#define CHUNK_BYTES (3u << 14)

struct packer {
    FILE *file;
    z_stream stream;
    unsigned char bytes[CHUNK_BYTES]; /* a multiple of three, so that only the last chunk is padded */
    size_t n;
};

static void put_base64(struct packer *packer) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[CHUNK_BYTES / 3 * 4];
    size_t out = 0;
    for (size_t i = 0; i < packer->n; i += 3) {
        uint32_t three = (uint32_t)packer->bytes[i] << 16;
        if (i + 1 < packer->n)
            three |= (uint32_t)packer->bytes[i + 1] << 8;
        if (i + 2 < packer->n)
            three |= packer->bytes[i + 2];
        text[out++] = digits[three >> 18];
        text[out++] = digits[three >> 12 & 63];
        text[out++] = i + 1 < packer->n ? digits[three >> 6 & 63] : '=';
        text[out++] = i + 2 < packer->n ? digits[three & 63] : '=';
    }
    fwrite(text, 1, out, packer->file);
    packer->n = 0;
}

/* Compresses bytes. `flush` is Z_FINISH for the last ones. */
static void deflate_bytes(struct packer *packer, const void *bytes, size_t length, int flush) {
    const unsigned char *at = bytes;
    do {
        uInt step = length < (1u << 30) ? (uInt)length : 1u << 30;
        int how = step == length ? flush : Z_NO_FLUSH;
        packer->stream.next_in = (unsigned char *)at;
        packer->stream.avail_in = step;
        at += step;
        length -= step;
        int result;
        do {
            packer->stream.next_out = packer->bytes + packer->n;
            packer->stream.avail_out = (uInt)(CHUNK_BYTES - packer->n);
            result = deflate(&packer->stream, how);
            packer->n = CHUNK_BYTES - packer->stream.avail_out;
            if (packer->n == CHUNK_BYTES)
                put_base64(packer);
        } while (packer->stream.avail_in > 0 || (how == Z_FINISH && result != Z_STREAM_END));
    } while (length > 0);
}

/* Writes bytes, compressed and as text, in an element `id`. `more`: further bytes after them, if its length is not 0.
 */
static bool write_packed(FILE *file, const char *id, const void *bytes, size_t length, const void *more,
                         size_t more_length) {
    struct packer *packer = calloc(1, sizeof *packer);
    if (!packer || deflateInit(&packer->stream, 6) != Z_OK) {
        free(packer);
        return false;
    }
    packer->file = file;
    fprintf(file, "<script type=\"text/plain\" id=\"%s\">", id);
    deflate_bytes(packer, bytes, length, more_length ? Z_NO_FLUSH : Z_FINISH);
    if (more_length)
        deflate_bytes(packer, more, more_length, Z_FINISH);
    put_base64(packer);
    fputs("</script>\n", file);
    deflateEnd(&packer->stream);
    free(packer);
    return true;
}

/* ---- the page ---- */

/* Writes names of code addresses, and states of the replay that were saved. */
static enum refrain_status write_prepared(const struct refrain_trace *trace, FILE *file, struct refrain_error *error) {
    size_t n = 0, symbols_bytes;
    char *symbols = refrain_view_symbols_write(trace, &symbols_bytes);
    unsigned char *ahead = NULL;
    if (!symbols)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_view_ahead(trace, symbols, symbols_bytes, &ahead, &n, error);
    if (!status && (!write_packed(file, "data-symbols", symbols, symbols_bytes, NULL, 0) ||
                    (ahead && !write_packed(file, "data-ahead", ahead, n, NULL, 0))))
        status = REFRAIN_FAIL_MEMORY(error);
    free(ahead);
    free(symbols);
    return status;
}

static enum refrain_status write_data(struct refrain_trace *trace, FILE *file, struct refrain_error *error) {
    json_t *about;
    enum refrain_status status = refrain_view_about(trace, &about, error);
    if (status)
        return status;
    char *text = json_dumps(about, JSON_COMPACT);
    json_decref(about);
    if (!text || !write_packed(file, "data-about", text, strlen(text), NULL, 0))
        status = REFRAIN_FAIL_MEMORY(error);
    free(text);
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        char id[32];
        snprintf(id, sizeof id, "data-rank-%zu", i);
        /* A trace without formulas has only recorded events. The page gets them after the trace file (engine_add). */
        size_t events = process->header->mode == REFRAIN_MODE_EVENTS ? process->events_bytes : 0;
        if (!write_packed(file, id, process->image, (size_t)process->header->pool_used, process->events, events))
            status = REFRAIN_FAIL_MEMORY(error);
    }
    return status ? status : write_prepared(trace, file, error);
}

/* Writes the part of the bundled page after the data. */
static enum refrain_status write_end(const char *html, const char *end, FILE *file, const char *path,
                                     struct refrain_error *error) {
    const char *rest = (const char *)memmem(html, (size_t)(end - html), MARK, sizeof MARK - 1) + sizeof MARK - 1;
    fwrite(rest, 1, (size_t)(end - rest), file);
    if (fflush(file) != 0 || ferror(file))
        return REFRAIN_FAIL(error, "%s: cannot be written: %s", path, strerror(errno));
    return REFRAIN_OK;
}

/* Writes the part of the bundled page before the data. */
static enum refrain_status write_begin(const char *html, const char *end, FILE *file, struct refrain_error *error) {
    const char *mark = memmem(html, (size_t)(end - html), MARK, sizeof MARK - 1);
    if (!mark)
        return REFRAIN_FAIL(error, "the page that refrain was built with has no mark for the data (" MARK
                                   "): build refrain again");
    fwrite(html, 1, (size_t)(mark - html), file);
    return REFRAIN_OK;
}

enum refrain_status refrain_view_write(struct refrain_trace *trace, FILE *file, const char *path,
                                       struct refrain_error *error) {
    enum refrain_status status = write_begin(refrain_view_html, refrain_view_html_end, file, error);
    if (!status)
        status = write_data(trace, file, error);
    return status ? status : write_end(refrain_view_html, refrain_view_html_end, file, path, error);
}

/* Writes the whole page of a trace, as data of another page. */
static enum refrain_status write_inner(struct refrain_trace *trace, const char *id, FILE *file,
                                       struct refrain_error *error) {
    char *page = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&page, &bytes);
    if (!memory)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_view_write(trace, memory, "memory", error);
    if (fclose(memory) != 0 && !status)
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status && !write_packed(file, id, page, bytes, NULL, 0))
        status = REFRAIN_FAIL_MEMORY(error);
    free(page);
    return status;
}

enum refrain_status refrain_view_write_two(struct refrain_trace *const traces[2], FILE *file, const char *path,
                                           struct refrain_error *error) {
    json_t *compared;
    enum refrain_status status = refrain_view_compare(traces, &compared, error);
    if (status)
        return status;
    char *text = json_dumps(compared, JSON_COMPACT);
    json_decref(compared);
    status = write_begin(refrain_compare_html, refrain_compare_html_end, file, error);
    if (!status && (!text || !write_packed(file, "data-compare", text, strlen(text), NULL, 0)))
        status = REFRAIN_FAIL_MEMORY(error);
    free(text);
    if (!status)
        status = write_inner(traces[0], "page-0", file, error);
    if (!status)
        status = write_inner(traces[1], "page-1", file, error);
    return status ? status : write_end(refrain_compare_html, refrain_compare_html_end, file, path, error);
}
