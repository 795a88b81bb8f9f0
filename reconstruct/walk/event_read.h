/* event_read.h: the records of an event file (event_file.h), one thread's at a time. */
#ifndef REFRAIN_EVENT_READ_H
#define REFRAIN_EVENT_READ_H

#include "model/trace_read.h"
#include "walk/walk_rank.h"

struct refrain_event_reader;

/* Opens the process's event file for one thread's records. */
enum refrain_status refrain_event_reader_open(const struct refrain_process *process, uint32_t thread,
                                              struct refrain_event_reader **reader, struct refrain_error *error);

/* The next record of the thread; false at the end, or at a record that makes no sense. */
bool refrain_event_reader_next(struct refrain_event_reader *reader, struct refrain_record *record);

/* Has a record been met that makes no sense? *offset is where. */
bool refrain_event_reader_wrong(const struct refrain_event_reader *reader, uint64_t *offset);

void refrain_event_reader_close(struct refrain_event_reader *reader);

#endif
