/* whole_file.c: an output file that takes its name when it is complete (whole_file.h). */
#define _GNU_SOURCE
#include "commands/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum refrain_status fail(const struct refrain_whole_file *whole, struct refrain_error *error) {
    return REFRAIN_FAIL(error, "%s: cannot be written: %s", whole->path, strerror(errno));
}

enum refrain_status refrain_whole_file_open(struct refrain_whole_file *whole, const char *path, bool replace,
                                            struct refrain_error *error) {
    struct stat there;
    *whole = (struct refrain_whole_file){.path = path};
    if (!path || strcmp(path, "-") == 0) {
        whole->file = stdout;
        return REFRAIN_OK;
    }
    bool exists = stat(path, &there) == 0;
    if (exists && !replace)
        return REFRAIN_FAIL(error, "%s: exists; --force overwrites it", path);
    if ((!exists || S_ISREG(there.st_mode)) && asprintf(&whole->beside, "%s.part", path) < 0)
        return REFRAIN_FAIL_MEMORY(error);
    whole->file = fopen(whole->beside ? whole->beside : path, "we");
    if (whole->file)
        return REFRAIN_OK;
    enum refrain_status status = fail(whole, error);
    free(whole->beside);
    return status;
}

enum refrain_status refrain_whole_file_close(struct refrain_whole_file *whole, enum refrain_status status,
                                             struct refrain_error *error) {
    if (whole->file == stdout)
        return status;
    bool failed = ferror(whole->file) != 0;
    if ((fclose(whole->file) != 0 || failed) && !status)
        status = fail(whole, error);
    if (!status && whole->beside && rename(whole->beside, whole->path) != 0)
        status = fail(whole, error);
    if (status && whole->beside)
        unlink(whole->beside);
    free(whole->beside);
    return status;
}
