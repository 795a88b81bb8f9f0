/* names_text.c: prints the state of names as text and JSON (names_text.h). */
#define _GNU_SOURCE
#include "commands/names_text.h"
#include "commands/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBIAN_SERVER "https://debuginfod.debian.net"

static const char *const state_names[] = {
    [REFRAIN_CODE_FOUND] = "found",     [REFRAIN_CODE_GONE] = "gone",       [REFRAIN_CODE_REPLACED] = "replaced",
    [REFRAIN_CODE_CHANGED] = "changed", [REFRAIN_CODE_UNKNOWN] = "unknown", [REFRAIN_CODE_UNLOOKED] = "not looked up"};

/* The reasons for missing names. A text follows the path of the file. */
static const char *const state_texts[] = {
    [REFRAIN_CODE_FOUND] = "",
    [REFRAIN_CODE_GONE] = "is gone",
    [REFRAIN_CODE_REPLACED] = "is not the file that ran: its build id is another one",
    [REFRAIN_CODE_CHANGED] = "has no build id, and its size or time of change is another one than when it ran",
    [REFRAIN_CODE_UNKNOWN] = "may be another file than ran: there was no memory to keep its build id",
    [REFRAIN_CODE_UNLOOKED] = "was not looked at: this refrain was built without libdw"};

/* ---- warnings ---- */

static bool lacks_names(const struct refrain_code_info *file) {
    return file->named < file->places && file->state != REFRAIN_CODE_FOUND;
}

void refrain_warn_names(const struct refrain_trace *trace) {
    const struct refrain_code_info *first = NULL;
    size_t files = 0, places = 0;
    for (size_t i = 0; i < trace->names.n_files; i++) {
        const struct refrain_code_info *file = &trace->names.files[i];
        if (!lacks_names(file))
            continue;
        first = first ? first : file;
        files++;
        places += file->places - file->named;
    }
    if (trace->names.debuginfod)
        refrain_warn("%s", trace->names.debuginfod);
    if (files == 1)
        refrain_warn("%s: %zu place%s in the code %s without a name: %s %s; see refrain info",
                     refrain_show_name(trace->path), places, places == 1 ? "" : "s", places == 1 ? "is" : "are",
                     refrain_show_name(first->path), state_texts[first->state]);
    else if (files > 1)
        refrain_warn("%s: %zu places in the code are without a name: %s %s, and so on of %zu more file%s; see "
                     "refrain info",
                     refrain_show_name(trace->path), places, refrain_show_name(first->path), state_texts[first->state],
                     files - 1, files > 2 ? "s" : "");
}

/* ---- what to do ---- */

/* The Debian package of each file without debug information, or null. Null without memory. */
static char **packages_of(const struct refrain_names_info *names) {
    const char **paths = calloc(names->n_files + 1, sizeof *paths);
    char **packages = calloc(names->n_files + 1, sizeof *packages);
    size_t wanted = 0;
    for (size_t i = 0; paths && i < names->n_files; i++) {
        const struct refrain_code_info *file = &names->files[i];
        bool wants = file->state == REFRAIN_CODE_FOUND && !file->has_lines && file->lined < file->places;
        paths[i] = wants ? file->path : NULL;
        wanted += wants;
    }
    if (packages && wanted)
        refrain_packages_of(paths, packages, names->n_files);
    free(paths);
    return packages;
}

static void free_packages(char **packages, size_t n) {
    for (size_t i = 0; packages && i < n; i++)
        free(packages[i]);
    free(packages);
}

/* What the user can do to get the lines of this file, which is in the package (null: none); malloced. Null without
 * memory. */
static char *advice(const struct refrain_code_info *file, const char *package) {
    char *text = NULL;
    const char *urls = getenv("DEBUGINFOD_URLS");
    bool asks = urls && *urls;
    int n = 0;
    switch (file->state) {
    case REFRAIN_CODE_FOUND:
        if (file->has_lines) {
            n = asprintf(&text, "compile all of it with -g, and run it again");
        } else if (package) {
            n = asprintf(&text, "apt-get install %s-dbgsym (of Debian's debug archive)%s", package,
                         asks ? "" : ", or DEBUGINFOD_URLS=" DEBIAN_SERVER);
        } else {
            n = asprintf(&text, "compile it with -g, and run it again");
        }
        break;
    case REFRAIN_CODE_CHANGED:
        n = asprintf(&text, "link it with -Wl,--build-id, and run it again");
        break;
    case REFRAIN_CODE_UNKNOWN:
        n = asprintf(&text, "run it again with a larger REFRAIN_TOTAL_MEMORY");
        break;
    case REFRAIN_CODE_UNLOOKED:
        n = asprintf(&text, "build refrain with libdw (libdw-dev, libiberty-dev)");
        break;
    default:
        if (*file->build_id)
            n = asprintf(&text, "put the file with the build id %s back%s", file->build_id,
                         asks ? "" : ", or name a server that has it in DEBUGINFOD_URLS");
        else
            n = asprintf(&text, "put the file back as it was, or run it again");
    }
    return n < 0 ? NULL : text;
}

/* ---- text ---- */

/* `more`: number of further files that lack lines. */
static void print_file(const struct refrain_code_info *file, const char *package, size_t more) {
    char *what = advice(file, package);
    printf("            %s", refrain_show_name(file->path));
    if (file->named < file->places && file->state != REFRAIN_CODE_FOUND)
        printf(" %s: %s of %s places have no name", state_texts[file->state],
               refrain_show_count(file->places - file->named), refrain_show_count(file->places));
    else if (file->has_lines)
        printf(": %s of %s places are in parts of it without debug information",
               refrain_show_count(file->places - file->lined), refrain_show_count(file->places));
    else
        printf(" has no debug information: %s place%s without a line", refrain_show_count(file->places),
               file->places == 1 ? " is" : "s are");
    printf("%s%s", what ? ": " : "", what ? what : "");
    if (more)
        printf(" (and %zu more file%s: refrain info --verbose)", more, more == 1 ? "" : "s");
    putchar('\n');
    free(what);
}

void refrain_info_print_names(const struct refrain_trace *trace, bool all) {
    const struct refrain_names_info *names = &trace->names;
    size_t places = 0, named = 0, lined = 0, lacking = 0, worst = 0;
    for (size_t i = 0; i < names->n_files; i++) {
        places += names->files[i].places;
        named += names->files[i].named;
        lined += names->files[i].lined;
    }
    if (places == 0)
        return;
    printf("names       of %s places in code: %s with a line, %s with a function alone, %s without", //
           refrain_show_count(places), refrain_show_count(lined), refrain_show_count(named - lined),
           refrain_show_count(places - named));
    if (names->n_bytes)
        printf("; stored in %s", refrain_show_bytes(names->n_bytes));
    putchar('\n');
    char **packages = packages_of(names);
    for (size_t i = 0; i < names->n_files; i++) {
        size_t lacks = names->files[i].places - names->files[i].lined;
        lacking += lacks > 0;
        if (lacks > names->files[worst].places - names->files[worst].lined)
            worst = i;
    }
    for (size_t i = 0; i < names->n_files; i++)
        if (all ? names->files[i].lined < names->files[i].places : lacking > 0 && i == worst)
            print_file(&names->files[i], packages ? packages[i] : NULL, all ? 0 : lacking - 1);
    free_packages(packages, names->n_files);
    if (names->not_stored)
        printf("            cannot be stored, and are looked up by each reader: %s\n",
               refrain_show_name(names->not_stored));
}

/* ---- JSON ---- */

static json_t *file_json(const struct refrain_code_info *file, const char *package) {
    char *what = file->lined < file->places ? advice(file, package) : NULL;
    json_t *object =
        json_pack("{s:o,s:o,s:s,s:b,s:I,s:I,s:I,s:o}", "path", refrain_json_text(file->path), "build_id",
                  refrain_json_text(file->build_id), "state", state_names[file->state], "debug_information",
                  (int)file->has_lines, "places", (json_int_t)file->places, "named", (json_int_t)file->named,
                  "with_lines", (json_int_t)file->lined, "advice", what ? refrain_json_text(what) : json_null());
    free(what);
    return object;
}

json_t *refrain_info_names_json(const struct refrain_trace *trace) {
    json_t *files = json_array();
    char **packages = packages_of(&trace->names);
    for (size_t i = 0; i < trace->names.n_files; i++)
        json_array_append_new(files, file_json(&trace->names.files[i], packages ? packages[i] : NULL));
    free_packages(packages, trace->names.n_files);
    return json_pack("{s:I,s:o,s:o,s:o}", "bytes", (json_int_t)trace->names.n_bytes, "debuginfod",
                     trace->names.debuginfod ? refrain_json_text(trace->names.debuginfod) : json_null(), "not_stored",
                     trace->names.not_stored ? refrain_json_text(trace->names.not_stored) : json_null(), "files",
                     files);
}
