/* test_import_text.c: a text that grows while it is read. It is read twice, and the second reading may find events of
 * ranks that the first one did not see. */
#define _GNU_SOURCE
#include "check.h"
#include "import/import_source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 65536 /* progress is reported after this number of lines, in the second pass */

static const char *const path = "growing.txt", *const directory = "growing.refrain";
static bool has_grown;

static void write_line(FILE *file, int rank, int line) {
    fprintf(file, "%d\t%d.5\tmarker\tstep\tvalue=%d\n", rank, line, line);
}

static void grow(void *data, uint64_t events, int64_t time_ns) {
    FILE *file = has_grown ? NULL : fopen(path, "a");
    (void)data, (void)events, (void)time_ns;
    if (file) {
        write_line(file, 1000000, LINES);
        has_grown = fclose(file) == 0;
    }
}

int main(void) {
    char place[] = "/tmp/refrain-import.XXXXXX";
    struct refrain_import_request request = {.path = path, .directory = directory, .progress = grow};
    struct refrain_import_result result;
    struct refrain_error error = {0};
    FILE *file = mkdtemp(place) && chdir(place) == 0 ? fopen(path, "w") : NULL;
    if (!file)
        return 1;
    for (int line = 0; line < LINES; line++)
        write_line(file, 0, line);
    fclose(file);
    enum refrain_status status = refrain_import_text(&request, &result, &error);
    CHECK(has_grown, "the text did not grow");
    CHECK(status == REFRAIN_ERROR && strstr(error.message, "line 65537: names a rank that the file did not have when it was read first"),
          "status %d, said %s", status, error.message);
    CHECK(access(directory, F_OK) != 0, "a trace is left");
    unlink(path);
    rmdir(place);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
