/* proxy_write.h: writes a program as C (program.h -> proxy.c).
 *
 *     values                        proxy_value_write.c
 *     calls, from their texts       proxy_call_write.c
 *     functions, the program        proxy_write.c */
#ifndef REFRAIN_PROXY_WRITE_H
#define REFRAIN_PROXY_WRITE_H

#include "predict/program.h"

enum refrain_proxy_compute { REFRAIN_PROXY_SPIN, REFRAIN_PROXY_SLEEP, REFRAIN_PROXY_MEMORY };

enum refrain_status refrain_proxy_write(const struct refrain_program *program, enum refrain_proxy_compute compute,
                                        FILE *out, struct refrain_error *error);

/* ---- between the files ---- */

/* The parts of the C program as they are written. */
struct refrain_proxy_output {
    const struct refrain_program *program;
    FILE *tables, *prepare, *functions; /* prepare: statements at the program's start */
    bool no_memory;
};

/* Writes the call of an item to `functions`. False without memory. */
bool refrain_proxy_write_call(struct refrain_proxy_output *output, size_t item, int indent);

/* Writes an expression for the next value. Tables that it needs go to `tables`; their names end with `name`. */
void refrain_proxy_write_value(struct refrain_proxy_output *output, const struct refrain_value *value, const char *name,
                               FILE *out);

/* Writes what a value does when the loop begins of whose body it is a part. */
void refrain_proxy_begin_value(struct refrain_proxy_output *output, const struct refrain_value *value, const char *name,
                               int indent);

/* Writes a text of the trace, at most so many of its characters, so that it ends no string and no comment of C. */
void refrain_proxy_write_text(FILE *out, const char *text, size_t most);

/* Writes the place of a region as a comment. */
void refrain_proxy_write_place(const struct refrain_region_info *region, FILE *out);

/* Functions that every program has (proxy_runtime.S). */
extern const char refrain_proxy_runtime[], refrain_proxy_runtime_end[];

#endif
