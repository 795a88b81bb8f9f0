/* model_file.h: a program as a file of JSON, which can be read again without loss (program.h; docs/model.md has its
 * form). */
#ifndef REFRAIN_MODEL_FILE_H
#define REFRAIN_MODEL_FILE_H

#include "predict/program.h"

#define REFRAIN_MODEL_VERSION 1

enum refrain_status refrain_model_write(const struct refrain_program *program, FILE *out, struct refrain_error *error);

/* True if the path is a file and no trace: what refrain_model_read() is for. */
bool refrain_is_model(const char *path);

/* Reads a program, which the caller frees, also after a failure. Everything in it is owned. */
enum refrain_status refrain_model_read(const char *path, struct refrain_program *program, struct refrain_error *error);

/* ---- shared by model_write.c and model_read.c ---- */

/* Names of the arguments of calls, and of the relations of values to the rank. */
extern const char *const refrain_model_arguments[REFRAIN_PROXY_ARGUMENTS];
extern const char *const refrain_model_relations[REFRAIN_PROXY_RELATIONS];
extern const char *const refrain_model_paces[REFRAIN_VALUE_PACES];

/* In the place of a run's step: each value is twice, or half, the one before. */
#define REFRAIN_MODEL_DOUBLING "doubling"
#define REFRAIN_MODEL_HALVING "halving"

#endif
