/* formats.c: the trace formats of format_list.def (format.h). */
#include "formats/file_writer.h"
#include "formats/format.h"

#include <stdio.h>
#include <string.h>

#define REFRAIN_FORMAT(name) extern const struct refrain_format refrain_format_##name;
#include "format_list.def"
#undef REFRAIN_FORMAT

const struct refrain_format *const refrain_formats[] = {
#define REFRAIN_FORMAT(name) &refrain_format_##name,
#include "format_list.def"
#undef REFRAIN_FORMAT
    NULL,
};

enum refrain_status refrain_format_open(const struct refrain_format *format,
                                        const struct refrain_format_request *request, struct refrain_writer **writer,
                                        struct refrain_error *error) {
    return format->open ? format->open(request, writer, error)
                        : refrain_file_writer_open(request, &format->file, writer, error);
}

const struct refrain_format *refrain_format_named(const char *name) {
    for (size_t i = 0; refrain_formats[i]; i++)
        if (strcmp(refrain_formats[i]->name, name) == 0)
            return refrain_formats[i];
    return NULL;
}

const struct refrain_format *refrain_format_of_path(const char *path) {
    size_t n = strlen(path);
    for (size_t i = 0; refrain_formats[i]; i++) {
        const char *suffix = refrain_formats[i]->suffix;
        size_t m = suffix ? strlen(suffix) : 0;
        if (m > 0 && n > m && strcmp(path + n - m, suffix) == 0)
            return refrain_formats[i];
    }
    return NULL;
}

const char *refrain_format_names(void) {
    static char names[1024];
    size_t n = 0;
    for (size_t i = 0; refrain_formats[i] && n < sizeof names; i++) {
        const char *before = i == 0 ? "" : refrain_formats[i + 1] ? ", " : " and ";
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", before, refrain_formats[i]->name);
    }
    return names;
}
