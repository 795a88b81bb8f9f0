/* toolchain.c: finds clang's headers, the MPI, and the libraries of refrain (toolchain.h). */
#include "toolchain.h"
#include "wrapper_names.h"
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int refrain_toolchain_output(char *const *arguments, struct refrain_text *output) {
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed) {
        char buffer[4096];
        ssize_t n;
        while ((n = read(ends[0], buffer, sizeof buffer)) > 0)
            refrain_text_bytes(output, buffer, (size_t)n);
        if (waitpid(child, &status, 0) == child)
            status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    close(ends[0]);
    return status;
}

/* ---- clang's headers ---- */

static bool is_resource_directory(const char *directory) {
    struct refrain_text path = {0};
    refrain_text_format(&path, "%s/include/stddef.h", directory);
    bool there = access(path.bytes, R_OK) == 0;
    refrain_text_free(&path);
    return there;
}

static bool resource_from_clang(struct refrain_text *directory) {
    static char clang[] = "clang", option[] = "-print-resource-dir";
    char *arguments[] = {clang, option, NULL};
    if (refrain_toolchain_output(arguments, directory) != 0 || !directory->length)
        return false;
    directory->bytes[strcspn(directory->bytes, "\n")] = '\0';
    return is_resource_directory(directory->bytes);
}

static bool resource_from_llvm(struct refrain_text *directory) {
    glob_t found;
    bool good = glob("/usr/lib/llvm-*/lib/clang/*", 0, NULL, &found) == 0;
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        if (is_resource_directory(found.gl_pathv[i])) {
            refrain_text_free(directory);
            refrain_text_string(directory, found.gl_pathv[i]);
        }
    }
    if (good)
        globfree(&found);
    return directory->length > 0;
}

bool refrain_toolchain_headers(struct refrain_list *flags, struct refrain_text *reason) {
    struct refrain_text directory = {0};
    const char *chosen = getenv("REFRAIN_CLANG_RESOURCE_DIR");
    if (!chosen && is_resource_directory(REFRAIN_CLANG_RESOURCE_DIR))
        chosen = REFRAIN_CLANG_RESOURCE_DIR;
    if (!chosen && resource_from_clang(&directory))
        chosen = directory.bytes;
    if (!chosen) {
        refrain_text_free(&directory);
        if (resource_from_llvm(&directory))
            chosen = directory.bytes;
    }
    bool there = chosen && is_resource_directory(chosen);
    if (there) {
        refrain_list_format(flags, "-resource-dir=%s", chosen);
        refrain_list_add(flags,
                         "--cuda-path=/dev/null"); /* if CUDA is installed, libclang would read its largest header */
        refrain_list_add(flags, "--gcc-toolchain=/dev/null"); /* else clang searches thirty directories for gcc, which
                                                                 is only needed for links */
        refrain_list_add(flags, "-w");                        /* computing warnings would take long */
        /* omp.h and others that clang may lack; searched last */
        if (access(REFRAIN_CC_INCLUDE_DIR, R_OK) == 0) {
            refrain_list_add(flags, "-idirafter");
            refrain_list_add(flags, REFRAIN_CC_INCLUDE_DIR);
        }
    } else {
        refrain_text_format(reason,
                            "clang's own headers (stddef.h) are not in %s; install libclang-common-*-dev or set "
                            "REFRAIN_CLANG_RESOURCE_DIR",
                            chosen ? chosen : REFRAIN_CLANG_RESOURCE_DIR);
    }
    refrain_text_free(&directory);
    return there;
}

/* ---- MPI ---- */

void refrain_toolchain_show(const struct refrain_list *compiler, const char *here, struct refrain_list *shown) {
    static char show[] = "-show";
    const char *name = refrain_text_basename(compiler->items[compiler->count - 1]);
    struct refrain_text output = {0};
    if (strncmp(name, "mpi", 3) != 0)
        return;
    char *arguments[] = {compiler->items[compiler->count - 1], show, (char *)here, NULL};
    if (refrain_toolchain_output(arguments, &output) == 0) {
        char *rest = NULL;
        for (char *word = strtok_r(output.bytes, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
            refrain_list_add(shown, word);
    }
    refrain_text_free(&output);
}

static enum refrain_mpi mpi_of_word(const char *word) {
    if (strstr(word, "openmpi") || strstr(word, "open-mpi") || strstr(word, "open-pal") || strstr(word, "open-rte"))
        return REFRAIN_MPI_OPENMPI;
    return strstr(word, "mpich") ? REFRAIN_MPI_MPICH : REFRAIN_MPI_NONE;
}

/* The library of both MPICH and Open MPI may be called libmpi; its symbols show which it is. */
static enum refrain_mpi mpi_of_directory(const char *directory) {
    struct refrain_text path = {0};
    refrain_text_format(&path, "%s/libmpi.so", directory);
    char real[PATH_MAX];
    enum refrain_mpi mpi = realpath(path.bytes, real) ? mpi_of_word(real) : REFRAIN_MPI_NONE;
    if (mpi == REFRAIN_MPI_NONE && access(path.bytes, R_OK) == 0) {
        refrain_text_free(&path);
        refrain_text_format(&path, "%s/libopen-pal.so", directory);
        mpi = access(path.bytes, R_OK) == 0 ? REFRAIN_MPI_OPENMPI : REFRAIN_MPI_MPICH;
    }
    refrain_text_free(&path);
    return mpi;
}

static bool names_libmpi(const char *text) {
    return strcmp(text, "-lmpi") == 0 || strcmp(text, "-lmpich") == 0 || strstr(text, "libmpi.so") ||
           strstr(text, "libmpich.so");
}

/* Words are in the order of the link, -L before -l. */
static void see_word(const char *word, bool library, enum refrain_mpi *hint, bool *linked) {
    if (strncmp(word, "-L", 2) == 0) {
        enum refrain_mpi mpi = mpi_of_word(word);
        *hint = mpi != REFRAIN_MPI_NONE ? mpi : *hint != REFRAIN_MPI_NONE ? *hint : mpi_of_directory(word + 2);
    } else if (names_libmpi(word) || (library && mpi_of_word(word) != REFRAIN_MPI_NONE && strstr(word, "libmpi"))) {
        enum refrain_mpi mpi = mpi_of_word(word);
        *linked = true;
        *hint = mpi != REFRAIN_MPI_NONE ? mpi : *hint;
    }
}

enum refrain_mpi refrain_toolchain_mpi(const struct refrain_list *shown, const struct refrain_command *command) {
    enum refrain_mpi hint = REFRAIN_MPI_NONE;
    bool linked = false;
    for (size_t i = 0; i < command->count; i++) {
        const struct refrain_argument *argument = &command->arguments[i];
        bool library = argument->kind != REFRAIN_ARGUMENT_OPTION || strncmp(argument->text, "-L", 2) == 0;
        if (library)
            see_word(argument->text, true, &hint, &linked);
    }
    for (size_t i = 0; !linked && i < shown->count; i++)
        see_word(shown->items[i], false, &hint, &linked);
    if (!linked)
        return REFRAIN_MPI_NONE;
    return hint != REFRAIN_MPI_NONE ? hint : mpi_of_directory("/usr/lib/x86_64-linux-gnu");
}

/* ---- the compiler behind a name ---- */

static bool is_wrapper_file(const char *path) {
    char real[PATH_MAX];
    if (!realpath(path, real))
        return false;
    const char *name = refrain_text_basename(real);
    for (int i = 0; i < REFRAIN_WRAPPERS; i++)
        if (strcmp(name, refrain_wrapper_names[i].program) == 0)
            return true;
    return false;
}

/* The first program with that name on PATH; with `behind`, the first one that is not the wrapper. */
static bool find_program(const char *name, bool behind, struct refrain_text *path) {
    bool found = false;
    for (const char *at = getenv("PATH"); at && !found;) {
        struct refrain_text candidate = {0};
        struct stat status;
        int n = (int)strcspn(at, ":");
        refrain_text_format(&candidate, "%.*s/%s", n ? n : 1, n ? at : ".", name);
        found = stat(candidate.bytes, &status) == 0 && S_ISREG(status.st_mode) && access(candidate.bytes, X_OK) == 0 &&
                !(behind && is_wrapper_file(candidate.bytes));
        if (found)
            refrain_text_string(path, candidate.bytes);
        refrain_text_free(&candidate);
        at = at[n] ? at + n + 1 : NULL;
    }
    return found;
}

bool refrain_toolchain_is_wrapper(const char *name) {
    struct refrain_text path = {0};
    if (strchr(name, '/'))
        return is_wrapper_file(name);
    bool wrapper = find_program(name, false, &path) && is_wrapper_file(path.bytes);
    refrain_text_free(&path);
    return wrapper;
}

bool refrain_toolchain_is_program(const char *name) {
    struct refrain_text path = {0};
    bool is = strchr(name, '/') ? access(name, X_OK) == 0 : find_program(name, false, &path);
    refrain_text_free(&path);
    return is;
}

bool refrain_toolchain_behind(const char *name, struct refrain_text *path) {
    return find_program(refrain_text_basename(name), true, path);
}

/* ---- refrain's libraries ---- */

static bool file_in(const char *base, const char *directory, const char *name, struct refrain_text *path) {
    struct refrain_text candidate = {0};
    refrain_text_format(&candidate, "%s%s/%s", base, directory, name);
    char real[PATH_MAX];
    bool there = realpath(candidate.bytes, real) && access(candidate.bytes, R_OK) == 0;
    if (there) { /* keep the name, remove the dots */
        candidate.bytes[candidate.length - strlen(name) - 1] = '\0';
        there = realpath(candidate.bytes, real) != NULL;
        refrain_text_format(path, "%s/%s", real, name);
    }
    refrain_text_free(&candidate);
    return there;
}

/* Searches the n directories, which are relative to the directory of the wrapper. */
static bool file_beside(const char *const *directories, size_t n_directories, const char *name,
                        struct refrain_text *path) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < n_directories; i++)
        if (file_in(self, directories[i], name, path))
            return true;
    return false;
}

bool refrain_toolchain_file(const char *name, struct refrain_text *path) {
    static const char *const directories[] = {("/" REFRAIN_LIBDIR_FROM_BIN), "/../lib", "", "/../monitor"};
    const char *chosen = getenv("REFRAIN_LIBDIR");
    if (chosen && *chosen)
        return file_in(chosen, "", name, path);
    return file_beside(directories, sizeof directories / sizeof directories[0], name, path);
}

void refrain_toolchain_offer_header(void) {
    static const char *const directories[] = {("/" REFRAIN_INCLUDEDIR_FROM_BIN "/refrain"), "/../include/refrain"};
    static const char *const variables[] = {"C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    struct refrain_text header = {0};
    if (file_beside(directories, sizeof directories / sizeof directories[0], "refrain.h", &header)) {
        header.bytes[header.length - strlen("/refrain/refrain.h")] = '\0';
        for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
            const char *before = getenv(variables[i]);
            struct refrain_text path = {0};
            refrain_text_format(&path, "%s%s%s", before ? before : "", before && *before ? ":" : "", header.bytes);
            setenv(variables[i], path.bytes, 1);
            refrain_text_free(&path);
        }
    }
    refrain_text_free(&header);
}

bool refrain_toolchain_library(const char *name, struct refrain_text *path) {
    struct refrain_text file = {0};
    refrain_text_format(&file, "lib%s.so", name);
    bool there = refrain_toolchain_file(file.bytes, path);
    refrain_text_free(&file);
    return there;
}
