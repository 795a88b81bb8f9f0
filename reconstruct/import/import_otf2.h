/* import_otf2.h: shared by the callbacks for records of an OTF2 archive (OTF2_Reader -> import_trace.h).
 *
 *     import_otf2.c          opens and reads archives
 *     import_otf2_calls.c    regions, calling contexts, messages, collectives
 *     import_otf2_access.c   windows and files
 *
 * Callbacks count in `used` the records that they convert. All other records are left out. */
#ifndef REFRAIN_IMPORT_OTF2_H
#define REFRAIN_IMPORT_OTF2_H

#include "import/import_trace.h"
#include "import/otf2_definitions.h"

#include <otf2/otf2.h>

struct refrain_otf2_archive {
    const char *path;
    struct refrain_error *error;
    OTF2_Reader *reader;
    struct refrain_otf2_definitions definitions;
    struct refrain_import *import;
    uint64_t used;   /* records that became events, or parts of events */
    int64_t time_ns; /* of the latest record */
    bool failed;
};

/* Prepares an event of the location at `time`, without its region. Null if the location belongs to no rank. */
struct refrain_otf2_thread *refrain_otf2_event(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                               OTF2_TimeStamp time, enum refrain_event_kind kind,
                                               struct refrain_import_event *event);

/* Adds it to the trace. */
OTF2_CallbackCode refrain_otf2_add(struct refrain_otf2_archive *archive, const struct refrain_import_event *event);

/* The call of MPI, or of the C library for files, that the location is in; else the MPI function `fallback`. */
uint32_t refrain_otf2_call(struct refrain_otf2_archive *archive, const struct refrain_otf2_thread *thread,
                           const char *fallback);

/* in_call: true if the location is in a call of MPI, or of the C library for files. does: the kind of that call. */
bool refrain_otf2_in_call(const struct refrain_otf2_archive *archive, const struct refrain_otf2_thread *thread);
enum refrain_mpi_kind refrain_otf2_does(const struct refrain_otf2_archive *archive,
                                        const struct refrain_otf2_thread *thread);

/* Register the callbacks, whose data is a struct refrain_otf2_archive. */
void refrain_otf2_register_calls(OTF2_GlobalEvtReaderCallbacks *callbacks);
void refrain_otf2_register_accesses(OTF2_GlobalEvtReaderCallbacks *callbacks);

#endif
