/* code_file.h: opens the file that code addresses of a run belong to, with its debug information, by elfutils'
 * libdw.
 *
 *     the path in the trace     if its build id is that of the run; without one, its size and time of change
 *     or a separate file        DIRECTORY/.build-id/xx/yyyy.debug, DIRECTORY of REFRAIN_DEBUG_DIRECTORIES
 *     or debuginfod
 *        + its debug information: within, in a separate file by the same build id or by its link, or from debuginfod
 *
 * Only if REFRAIN_HAVE_DW is defined. A struct is used by one thread. */
#ifndef REFRAIN_CODE_FILE_H
#define REFRAIN_CODE_FILE_H

#include "files/debuginfod.h"
#include "files/names_file.h"
#include "model/trace_parts.h"

/* Private to code_file.c and symbols.c. */
struct refrain_code_file {
    struct Dwfl *dwfl;
    struct Dwfl_Module *module;
    bool has_lines; /* debug information was found */
    struct refrain_debuginfod *debuginfod;
    uint64_t *asked_s;
    const char *build_id;
    void *callbacks;   /* callbacks for libdw */
    char *search_path; /* search path for libdw */
};

/* Finds the file of the address of a symbol. *asked_s: as for refrain_debuginfod_may_ask(), set to now if debuginfod
 * was asked without success. Returns FOUND, or why there is no file. The caller closes *file in both cases. */
enum refrain_code_state refrain_code_file_open(struct refrain_code_file *file, const struct refrain_symbol *symbol,
                                               struct refrain_debuginfod *debuginfod, uint64_t *asked_s);

void refrain_code_file_close(struct refrain_code_file *file);

/* True if a separate file of debug information exists for the file of the symbol, under its usual names. */
bool refrain_code_file_is_apart(const struct refrain_symbol *symbol);

/* symbols.c: looks up an address in the debug information, else in the symbol table. Returns the number of frames, 0
 * if neither has it. Texts are owned by the trace. */
unsigned refrain_code_file_frames(struct refrain_trace *trace, const struct refrain_code_file *file,
                                  const struct refrain_names_address *address,
                                  struct refrain_names_frame frames[REFRAIN_NAMES_MOST_FRAMES]);

#endif
