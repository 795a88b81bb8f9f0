/* include.c: finds the files of #include lines (include.h). */
#include "include.h"
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

size_t refrain_include_name(const char *line, bool angled, const char **name) {
    line += strspn(line, " \t");
    if (*line++ != '#')
        return 0;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return 0;
    line += 7;
    line += strspn(line, " \t");
    if (*line != (angled ? '<' : '"'))
        return 0;
    *name = line + 1;
    size_t length = strcspn(line + 1, angled ? ">\n" : "\"\n");
    return line[length + 1] == (angled ? '>' : '"') ? length : 0;
}

bool refrain_include_beside(const char *from, const char *name, struct refrain_text *path) {
    refrain_text_format(path, "%.*s%s", name[0] == '/' ? 0 : (int)(refrain_text_basename(from) - from), from, name);
    return is_file(path->bytes);
}

bool refrain_include_in(const char *const *flags, size_t n_flags, const char *kind, const char *name,
                        struct refrain_text *path) {
    size_t n = strlen(kind);
    for (size_t i = 0; i < n_flags; i++) {
        const char *directory = flags[i] + n;
        if (strncmp(flags[i], kind, n) != 0)
            continue;
        if (!*directory)
            directory = i + 1 < n_flags ? flags[i + 1] : "";
        refrain_text_free(path);
        refrain_text_format(path, "%s/%s", directory, name);
        if (is_file(path->bytes))
            return true;
    }
    return false;
}
