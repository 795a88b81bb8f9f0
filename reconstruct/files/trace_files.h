/* trace_files.h: makes images of files. Private to files/.
 *
 *     trace_open.c  path -> the files of a trace, in order
 *     trace_file.c  trace file -> private image; file of recorded events -> bytes
 *     trace_pack.c  pack of many ranks -> their images
 *     trace_live.c  image of a running process -> complete learners; live_timeline.c: complete timelines
 *     names.c       code addresses -> function, file, line: stored with the trace (names_file.c, names_store.c),
 *                   or looked up in the files that ran (code_file.c, debuginfod.c, symbols.c) */
#ifndef REFRAIN_TRACE_FILES_H
#define REFRAIN_TRACE_FILES_H

#include "model/trace_parts.h"

/* Reads the files process->path and process->events_path: checks the header, makes the image private, undoes
 * unfinished changes. */
enum refrain_status refrain_process_load(struct refrain_process *process, struct refrain_error *error);

/* Loads trace->path if it is a pack of many ranks. */
enum refrain_status refrain_pack_load(struct refrain_trace *trace, bool *is_pack, struct refrain_error *error);

/* Makes the image of a running process consistent. `file`: its trace file, mapped shared. */
void refrain_process_settle(struct refrain_process *process, const void *file);

/* Fills in the symbols from the names stored with the trace, or by a lookup now (with REFRAIN_HAVE_DW). New names
 * are stored with the trace if its directory is writable. trace->names has the result. */
void refrain_names_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n);

#endif
