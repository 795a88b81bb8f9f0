/* event_read.h: reads the records of one thread from an event file (event_file.h). */
#ifndef REFRAIN_EVENT_READ_H
#define REFRAIN_EVENT_READ_H

#include "model/trace_read.h"
#include "walk/walk_rank.h"

struct refrain_event_reader;

/* Opens the process's event file for one thread's records. */
enum refrain_status refrain_event_reader_open(const struct refrain_process *process, uint32_t thread,
                                              struct refrain_event_reader **reader, struct refrain_error *error);

/* Returns the next record of the thread. False at the end of the file and at a damaged record. */
bool refrain_event_reader_next(struct refrain_event_reader *reader, struct refrain_record *record);

/* True after a damaged record. *offset is its position in the file. */
bool refrain_event_reader_wrong(const struct refrain_event_reader *reader, uint64_t *offset);

void refrain_event_reader_close(struct refrain_event_reader *reader);

#endif
