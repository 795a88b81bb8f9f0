/* code_file.c: finds the file that ran, and its debug information (code_file.h). */
#define _GNU_SOURCE
#include "files/code_file.h"
#include "common/path.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORIES "/usr/lib/debug" /* where distributions put separate files */

static const char *debug_directories(void) {
    const char *value = getenv("REFRAIN_DEBUG_DIRECTORIES");
    return value && *value ? value : DIRECTORIES;
}

/* ---- separate files ---- */

/* Makes the path of a file that may exist: "%.*s" is the directory. False if the path is too long. */
typedef bool path_function(char path[PATH_MAX], const char *directory, size_t length, const void *data);

/* True if one of the directories has such a file. Its path goes to `path`, if that is not null. */
static bool is_in_one(path_function *make, const void *data, char *path) {
    char other[PATH_MAX];
    path = path ? path : other;
    for (const char *at = debug_directories(); *at;) {
        size_t n = strcspn(at, ":");
        if (n > 0 && make(path, at, n, data) && access(path, R_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static bool fits(int n) {
    return n > 0 && n < PATH_MAX;
}

static bool path_by_id(char path[PATH_MAX], const char *directory, size_t length, const void *data) {
    const char *build_id = data;
    return strlen(build_id) > 2 && fits(snprintf(path, PATH_MAX, "%.*s/.build-id/%.2s/%s.debug", (int)length, directory,
                                                 build_id, build_id + 2));
}

/* A separate file by its link: the program `path` names the file `name`. */
struct link {
    const char *path, *name;
};

static bool path_by_link(char path[PATH_MAX], const char *directory, size_t length, const void *data) {
    const struct link *link = data;
    int within = (int)refrain_directory_bytes(link->path);
    return fits(snprintf(path, PATH_MAX, "%.*s%.*s%s", (int)length, directory, within, link->path, link->name));
}

static bool is_linked(const char *program, const char *name) {
    char usual[NAME_MAX + 16], path[PATH_MAX];
    snprintf(usual, sizeof usual, "%.255s.debug", refrain_base_name(program));
    struct link link = {program, name ? name : usual};
    int within = (int)refrain_directory_bytes(program);
    return (fits(snprintf(path, sizeof path, "%.*s%s", within, program, link.name)) && access(path, R_OK) == 0) ||
           (fits(snprintf(path, sizeof path, "%.*s.debug/%s", within, program, link.name)) &&
            access(path, R_OK) == 0) ||
           is_in_one(path_by_link, &link, NULL);
}

/* The original path of the file of a symbol. False if it is too long. */
static bool full_path(const struct refrain_symbol *symbol, char path[PATH_MAX]) {
    bool is_relative = symbol->object[0] != '/' && symbol->directory[0];
    return fits(snprintf(path, PATH_MAX, "%s%s%s", is_relative ? symbol->directory : "", is_relative ? "/" : "",
                         symbol->object));
}

bool refrain_code_file_is_apart(const struct refrain_symbol *symbol) {
    char path[PATH_MAX];
    return is_in_one(path_by_id, symbol->build_id, NULL) || (full_path(symbol, path) && is_linked(path, NULL));
}

/* ---- callback of libdw ---- */

/* Finds separate debug information. libdw searches directories. debuginfod is asked here, because libdw would ask it
 * without a time limit. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *program,
                          const char *link, GElf_Word checksum, char **path) {
    struct refrain_code_file *file = *data;
    if (!program || is_in_one(path_by_id, file->build_id, NULL) || is_linked(program, link)) {
        int fd = dwfl_standard_find_debuginfo(module, data, name, base, program, link, checksum, path);
        if (fd >= 0 || !program)
            return fd;
    }
    if (!*file->build_id || !refrain_debuginfod_may_ask(*file->asked_s))
        return -1;
    return refrain_debuginfod_find(file->debuginfod, file->build_id, false, file->asked_s, path);
}

/* ---- which file ---- */

/* Opens a regular file. Nothing else is opened, since reading it might block. */
static int open_regular(const char *path) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        errno = EINVAL;
        fd = -1;
    }
    return fd;
}

static bool has_id(Dwfl_Module *module, const char *build_id) {
    const unsigned char *bits;
    GElf_Addr address;
    int n = dwfl_module_build_id(module, &bits, &address);
    if (n < 0 || strlen(build_id) != 2 * (size_t)n)
        return false;
    for (int i = 0; i < n; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bits[i]);
        if (memcmp(digits, build_id + 2 * i, 2) != 0)
            return false;
    }
    return true;
}

/* Makes the open file the module of libdw, and closes it. False if it is no ELF file. */
static bool report(struct refrain_code_file *file, const char *path, int fd) {
    void **data;
    dwfl_report_begin(file->dwfl); /* drops what was reported before */
    file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
    dwfl_report_end(file->dwfl, NULL, NULL);
    if (!file->module) {
        close(fd);
        return false;
    }
    dwfl_module_info(file->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
    *data = file;
    return true;
}

/* Uses the file at the path in the trace, if it is the file that ran. */
static enum refrain_code_state take_own(struct refrain_code_file *file, const struct refrain_symbol *symbol) {
    char path[PATH_MAX];
    struct stat status;
    int fd = full_path(symbol, path) ? open_regular(path) : -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        return REFRAIN_CODE_GONE;
    bool is_same_size =
        symbol->file_bytes == (uint64_t)status.st_size &&
        symbol->changed_ns == (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    if (!report(file, path, fd))
        return REFRAIN_CODE_REPLACED;
    if (*symbol->build_id)
        return has_id(file->module, symbol->build_id) ? REFRAIN_CODE_FOUND : REFRAIN_CODE_REPLACED;
    return has_id(file->module, "") && is_same_size ? REFRAIN_CODE_FOUND : REFRAIN_CODE_CHANGED;
}

/* Uses a file found by the build id. Separate debug information has symbols and lines, too. */
static bool take_other(struct refrain_code_file *file) {
    char path[PATH_MAX];
    int fd = is_in_one(path_by_id, file->build_id, path) ? open_regular(path) : -1;
    if (fd >= 0 && report(file, path, fd) && has_id(file->module, file->build_id))
        return true;
    bool may_ask = refrain_debuginfod_may_ask(*file->asked_s);
    for (int executable = 0; may_ask && executable < 2; executable++) {
        char *kept = NULL;
        fd = refrain_debuginfod_find(file->debuginfod, file->build_id, executable, file->asked_s, &kept);
        bool found = fd >= 0 && report(file, kept, fd) && has_id(file->module, file->build_id);
        free(kept);
        if (found)
            return true;
    }
    return false;
}

static bool begin(struct refrain_code_file *file) {
    Dwfl_Callbacks *callbacks = file->callbacks = malloc(sizeof *callbacks);
    if (!callbacks || asprintf(&file->search_path, ":.debug:%s", debug_directories()) < 0) {
        file->search_path = NULL;
        return false;
    }
    *callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
                                  .find_debuginfo = find_debuginfo,
                                  .section_address = dwfl_offline_section_address,
                                  .debuginfo_path = &file->search_path};
    return (file->dwfl = dwfl_begin(callbacks)) != NULL;
}

enum refrain_code_state refrain_code_file_open(struct refrain_code_file *file, const struct refrain_symbol *symbol,
                                               struct refrain_debuginfod *debuginfod, uint64_t *asked_s) {
    enum refrain_code_state state = REFRAIN_CODE_UNKNOWN;
    *file = (struct refrain_code_file){.debuginfod = debuginfod, .asked_s = asked_s, .build_id = symbol->build_id};
    if (!begin(file))
        return state;
    if (*symbol->build_id || symbol->changed_ns)
        state = take_own(file, symbol);
    if (state != REFRAIN_CODE_FOUND && *symbol->build_id && take_other(file))
        state = REFRAIN_CODE_FOUND;
    Dwarf_Addr bias;
    if (state == REFRAIN_CODE_FOUND)
        file->has_lines = dwfl_module_getdwarf(file->module, &bias) != NULL;
    return state;
}

void refrain_code_file_close(struct refrain_code_file *file) {
    if (file->dwfl)
        dwfl_end(file->dwfl);
    free(file->callbacks);
    free(file->search_path);
}
