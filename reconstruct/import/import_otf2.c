/* import_otf2.c: reads the events of an OTF2 archive, whichever tool wrote it (import_source.h).
 *
 *     archive --> definitions (otf2_definitions.h) --> rank and thread of each location, regions, communicators
 *             --> events of all locations in the order of their corrected times
 *
 * A rank is an MPI process. Without MPI, processes are ranks in the order of their definitions. Records that a trace
 * cannot hold (metrics, parameters, records of threads, OpenMP, accelerators ...) are counted. */
#define _GNU_SOURCE
#include "import/import_otf2.h"
#include "common/path.h"
#include "import/import_source.h"

#include <glob.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EVENTS_AT_ONCE 65536u

static enum refrain_status fail(struct refrain_otf2_archive *archive, OTF2_ErrorCode code) {
    return REFRAIN_FAIL(archive->error, "%s: cannot be read: %s", archive->path, OTF2_Error_GetDescription(code));
}

/* OTF2 would print failures in several lines. Instead, the first one goes into the error. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments) {
    struct refrain_otf2_archive *archive = data;
    char text[512];
    (void)file, (void)line, (void)function;
    vsnprintf(text, sizeof text, format, arguments);
    if (code > OTF2_SUCCESS || code < OTF2_WARNING)
        REFRAIN_FAIL(archive->error, "%s: cannot be read: %s (%s)", archive->path, OTF2_Error_GetDescription(code),
                     text);
    return code;
}

/* ---- reading ---- */

static OTF2_ErrorCode register_events(struct refrain_otf2_archive *archive, OTF2_GlobalEvtReader *events) {
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    if (!callbacks)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    refrain_otf2_register_calls(callbacks);
    refrain_otf2_register_accesses(callbacks);
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalEvtCallbacks(archive->reader, events, callbacks, archive);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    return code;
}

/* Reads the definitions of each location, which have the corrections of its clock. Not every archive has them. */
static OTF2_ErrorCode read_local_definitions(struct refrain_otf2_archive *archive) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    bool there = OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS;
    for (size_t i = 0; !code && there && i < archive->definitions.n_threads; i++) {
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive->reader, archive->definitions.threads[i].location);
        uint64_t n;
        if (!reader)
            continue;
        code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader, reader, &n);
        OTF2_Reader_CloseDefReader(archive->reader, reader);
    }
    if (there)
        OTF2_Reader_CloseDefFiles(archive->reader);
    return code;
}

static OTF2_ErrorCode read_events(struct refrain_otf2_archive *archive, const struct refrain_import_request *request) {
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(archive->reader);
    for (size_t i = 0; !code && i < archive->definitions.n_threads; i++)
        if (!OTF2_Reader_GetEvtReader(archive->reader, archive->definitions.threads[i].location))
            code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    OTF2_GlobalEvtReader *events = code ? NULL : OTF2_Reader_GetGlobalEvtReader(archive->reader);
    if (!code && !events)
        code = OTF2_ERROR_INVALID;
    if (!code)
        code = register_events(archive, events);
    for (uint64_t n = EVENTS_AT_ONCE; !code && n == EVENTS_AT_ONCE && !archive->failed;) {
        code = OTF2_Reader_ReadGlobalEvents(archive->reader, events, EVENTS_AT_ONCE, &n);
        if (request->progress)
            request->progress(request->data, refrain_import_events(archive->import), archive->time_ns);
    }
    if (events)
        OTF2_Reader_CloseGlobalEvtReader(archive->reader, events);
    OTF2_Reader_CloseEvtFiles(archive->reader);
    return archive->failed ? OTF2_SUCCESS : code;
}

static enum refrain_status read_archive(struct refrain_otf2_archive *archive,
                                        const struct refrain_import_request *request) {
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader);
    if (!code)
        code = refrain_otf2_definitions_read(archive->reader, &archive->definitions);
    if (code)
        return fail(archive, code);
    if (archive->definitions.n_ranks == 0)
        return REFRAIN_FAIL(archive->error, "%s: there is no process with events in it", archive->path);
    char *creator = OTF2_SUCCESS == OTF2_Reader_GetCreator(archive->reader, &creator) ? creator : NULL, *source = NULL;
    if (asprintf(&source, "converted from OTF2 of %s, %s", creator && creator[0] ? creator : "an unknown tool",
                 archive->path) < 0)
        source = NULL;
    free(creator);
    const char *name = refrain_base_name(archive->path);
    enum refrain_status status =
        source ? refrain_import_open(request->directory, archive->definitions.n_ranks, name[0] ? name : archive->path,
                                     source, archive->definitions.start_ns, &archive->import, archive->error)
               : REFRAIN_FAIL_MEMORY(archive->error);
    free(source);
    if (status)
        return status;
    refrain_otf2_define_comms(&archive->definitions, archive->import);
    for (size_t i = 0; !code && i < archive->definitions.n_threads; i++)
        code = OTF2_Reader_SelectLocation(archive->reader, archive->definitions.threads[i].location);
    if (!code)
        code = read_local_definitions(archive);
    if (!code)
        code = read_events(archive, request);
    if (archive->definitions.no_memory)
        return REFRAIN_FAIL_MEMORY(archive->error);
    return code ? fail(archive, code) : archive->failed ? REFRAIN_ERROR : REFRAIN_OK;
}

/* The anchor file of an archive: `path` itself, or the anchor in the directory `path`. Null if there is none. */
static char *anchor_of(const char *path) {
    struct stat status;
    char *pattern = NULL, *anchor = NULL;
    glob_t found = {0};
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return strdup(path);
    if (asprintf(&pattern, "%s/*.otf2", path) < 0)
        return NULL;
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1)
        anchor = strdup(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    return anchor;
}

enum refrain_status refrain_import_otf2(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error) {
    struct refrain_otf2_archive archive = {.path = request->path, .error = error};
    char *anchor = anchor_of(request->path);
    if (!anchor)
        return REFRAIN_FAIL(error, "%s: is no OTF2 archive: there is not one file with the suffix .otf2 in it",
                            request->path);
    OTF2_Error_RegisterCallback(on_error, &archive);
    archive.reader = OTF2_Reader_Open(anchor);
    enum refrain_status status =
        archive.reader ? read_archive(&archive, request)
                       : REFRAIN_FAIL(error, "%s: is not the anchor of an OTF2 archive (traces.otf2)", anchor);
    if (archive.import) {
        uint64_t left_out = refrain_import_left_out(archive.import), all = archive.definitions.n_events;
        *result = (struct refrain_import_result){archive.definitions.n_ranks,
                                                 refrain_import_events(archive.import) - left_out,
                                                 left_out + (all > archive.used ? all - archive.used : 0)};
        enum refrain_status finished = refrain_import_finish(archive.import, !status);
        status = status ? status : finished;
    }
    if (archive.reader)
        OTF2_Reader_Close(archive.reader);
    OTF2_Error_RegisterCallback(NULL, NULL);
    refrain_otf2_definitions_free(&archive.definitions);
    free(anchor);
    return status;
}
