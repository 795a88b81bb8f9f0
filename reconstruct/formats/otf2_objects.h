/* otf2_objects.h: windows and files of an OTF2 archive (trace -> definitions; events -> their references).
 *
 *     number in a process -> (communicator, slot) -> window          the same on all members
 *                            (communicator, name, slot) -> handle -> file, by its name
 *
 * All objects of the trace are defined, in the order of processes and numbers. So all writers of parts of an archive
 * have the same references. */
#ifndef REFRAIN_OTF2_OBJECTS_H
#define REFRAIN_OTF2_OBJECTS_H

#include "match/event.h"
#include "model/trace_read.h"
#include <otf2/otf2.h>

struct refrain_otf2_object {
    const struct refrain_comm_info *comm; /* null: unknown; ranks are then those of MPI_COMM_WORLD */
    uint32_t slot, file;                  /* file: of a handle */
    bool unmade;                          /* a rank used it without an earlier event that made it */
};

struct refrain_otf2_list {
    struct refrain_otf2_object *objects; /* by reference */
    uint32_t n;
    size_t capacity;
    uint32_t **references;       /* by rank and number in the process; null: the rank has none */
    bool **open;                 /* by the same: it has been made and not yet freed */
    OTF2_GroupRef (**groups)[2]; /* by the same, for windows: groups of its latest start and post
                                    (REFRAIN_OTF2_ACCESS_GROUP, _EXPOSURE_GROUP) */
};
enum { REFRAIN_OTF2_ACCESS_GROUP, REFRAIN_OTF2_EXPOSURE_GROUP };

struct refrain_otf2_objects {
    const struct refrain_trace *trace;
    struct refrain_otf2_list windows, handles;
    const char **files; /* by reference: names, "" unknown */
    uint32_t n_files;
    size_t capacity_files;
};

/* False without memory; refrain_otf2_objects_close() must be called even then. */
bool refrain_otf2_objects_open(struct refrain_otf2_objects *objects, const struct refrain_trace *trace);
void refrain_otf2_objects_close(struct refrain_otf2_objects *objects);

/* The reference of the window or file handle that an event is about; REFRAIN_OTF2_NO_OBJECT if it is unknown. */
#define REFRAIN_OTF2_NO_OBJECT UINT32_MAX
uint32_t refrain_otf2_window(const struct refrain_otf2_objects *objects, const struct refrain_event *event);
uint32_t refrain_otf2_handle(const struct refrain_otf2_objects *objects, const struct refrain_event *event);

/* Follows the life of windows and files by their events. In a window of a run, an object may be used without an event
 * that made it; such objects are defined as existing before. */
enum refrain_otf2_life { REFRAIN_OTF2_USED, REFRAIN_OTF2_MADE, REFRAIN_OTF2_GONE };
enum refrain_otf2_life refrain_otf2_follow(struct refrain_otf2_objects *objects, const struct refrain_event *event);

/* Writes the definitions. `string` makes a string of a temporary text. */
OTF2_ErrorCode refrain_otf2_define_objects(const struct refrain_otf2_objects *objects, OTF2_GlobalDefWriter *writer,
                                           OTF2_StringRef (*string)(void *data, const char *text), void *data);

#endif
