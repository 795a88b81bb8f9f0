/* otf2_objects.h: windows and files of an OTF2 archive (trace -> definitions; events -> their references).
 *
 *     number in a process -> (communicator, slot) -> window          the same on all members
 *                            (communicator, name, slot) -> handle -> file, by its name
 *
 * All of the trace are defined, in the order of processes and numbers, so that whoever writes a part of an archive has
 * the same references. */
#ifndef REFRAIN_OTF2_OBJECTS_H
#define REFRAIN_OTF2_OBJECTS_H

#include "match/event.h"
#include "model/trace_read.h"
#include <otf2/otf2.h>

struct refrain_otf2_object {
    const struct refrain_comm_info *comm; /* null: unknown; then ranks are those of MPI_COMM_WORLD */
    uint32_t slot, file;                  /* file: of a handle */
    bool unmade;                          /* it was there before anybody made it */
};

struct refrain_otf2_list {
    struct refrain_otf2_object *objects; /* by reference */
    uint32_t n;
    size_t capacity;
    uint32_t **references;       /* by rank and number in the process; null: the rank has none */
    bool **open;                 /* the same: it has been made and is there */
    OTF2_GroupRef (**groups)[2]; /* the same, of windows: which ranks it was last started and posted for
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

/* False without memory; what there is of it has to be closed all the same. */
bool refrain_otf2_objects_open(struct refrain_otf2_objects *objects, const struct refrain_trace *trace);
void refrain_otf2_objects_close(struct refrain_otf2_objects *objects);

/* The reference of the window (IO, FILE: handle) that an event names; UINT32_MAX where the trace does not say. */
#define REFRAIN_OTF2_NO_OBJECT UINT32_MAX
uint32_t refrain_otf2_window(const struct refrain_otf2_objects *objects, const struct refrain_event *event);
uint32_t refrain_otf2_handle(const struct refrain_otf2_objects *objects, const struct refrain_event *event);

/* Follows what events say of windows and files: which are there without having been made, in a part of a run. */
enum refrain_otf2_life { REFRAIN_OTF2_USED, REFRAIN_OTF2_MADE, REFRAIN_OTF2_GONE };
enum refrain_otf2_life refrain_otf2_follow(struct refrain_otf2_objects *objects, const struct refrain_event *event);

/* Their definitions. `string` makes one of a text that need not live on. */
OTF2_ErrorCode refrain_otf2_define_objects(const struct refrain_otf2_objects *objects, OTF2_GlobalDefWriter *writer,
                                           OTF2_StringRef (*string)(void *data, const char *text), void *data);

#endif
