/* trace_files.h: from files to images, private to files/.
 *
 *     trace_open.c  a path -> the files of a trace, in order
 *     trace_file.c  a trace file -> private image; a file of recorded events -> bytes
 *     trace_pack.c  a pack of many ranks -> their images
 *     trace_live.c  image of a running process -> whole learners; live_timeline.c: whole timelines
 *     names.c       code addresses -> function, file, line: as they are stored with the trace (names_file.c,
 *                   names_store.c), or found out now from the files that ran (code_file.c, debuginfod.c, symbols.c) */
#ifndef REFRAIN_TRACE_FILES_H
#define REFRAIN_TRACE_FILES_H

#include "model/trace_parts.h"

/* Reads the files process->path and process->events_path: header checked, image private, journals undone. */
enum refrain_status refrain_process_load(struct refrain_process *process, struct refrain_error *error);

/* Loads trace->path where that is a pack of many ranks. */
enum refrain_status refrain_pack_load(struct refrain_trace *trace, bool *is_pack, struct refrain_error *error);

/* Makes the image of a process that still runs whole; `file` is its trace file, mapped shared. */
void refrain_process_settle(struct refrain_process *process, const void *file);

/* Fills in the symbols what is stored with the trace or can be found out now (with REFRAIN_HAVE_DW). What was found out
 * now is stored with the trace, if its directory may be written to. trace->names tells what became of it. */
void refrain_names_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n);

#endif
