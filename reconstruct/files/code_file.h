/* code_file.h: the file that code addresses of a run are from, with its debug information, by elfutils' libdw.
 *
 *     the trace's path          if its build id is that of the run; without one, its size and time of change
 *     or the separate file      DIRECTORY/.build-id/xx/yyyy.debug, DIRECTORY of REFRAIN_DEBUG_DIRECTORIES
 *     or debuginfod
 *        + its debug information: within, in a separate file by the same build id or by its link, or from debuginfod
 *
 * Only where REFRAIN_HAVE_DW is defined. One thread for each file. */
#ifndef REFRAIN_CODE_FILE_H
#define REFRAIN_CODE_FILE_H

#include "files/debuginfod.h"
#include "files/names_file.h"
#include "model/trace_parts.h"

/* Private to code_file.c and symbols.c. */
struct refrain_code_file {
    struct Dwfl *dwfl;
    struct Dwfl_Module *module;
    bool has_lines; /* there is debug information */
    struct refrain_debuginfod *debuginfod;
    uint64_t *asked_s;
    const char *build_id;
    void *callbacks;   /* that libdw was given ... */
    char *search_path; /* ... with this */
};

/* Finds the file that the symbol's address is in. *asked_s as refrain_debuginfod_may_ask() takes it, and set to now
 * where that was asked in vain. Returns FOUND, or why there is none; the caller closes *file in either case. */
enum refrain_code_state refrain_code_file_open(struct refrain_code_file *file, const struct refrain_symbol *symbol,
                                               struct refrain_debuginfod *debuginfod, uint64_t *asked_s);

void refrain_code_file_close(struct refrain_code_file *file);

/* Is there a separate file of debug information for the symbol's file, by its usual names? */
bool refrain_code_file_is_apart(const struct refrain_symbol *symbol);

/* symbols.c: what debug information, or else the symbol table, says of an address: as many frames as are returned, 0
 * where neither knows it. Texts are the trace's. */
unsigned refrain_code_file_frames(struct refrain_trace *trace, const struct refrain_code_file *file,
                                  const struct refrain_names_address *address,
                                  struct refrain_names_frame frames[REFRAIN_NAMES_MOST_FRAMES]);

#endif
