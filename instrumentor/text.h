/* text.h: growing byte strings and string lists of the instrumentor.
 *
 * Memory: everything grows with refrain_memory_grow(), which ends the process with status REFRAIN_STATUS_MEMORY when
 * there is none; the wrapper instruments in a child process, so that it can still compile the file as it was.
 */
#ifndef REFRAIN_TEXT_H
#define REFRAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_STATUS_MEMORY 70

/* Bytes, always followed by a NUL that `length` does not count. Zero-initialised is empty. */
struct refrain_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

/* Strings owned by the list; `items[count]` is always null once something was added. */
struct refrain_list {
    char **items;
    size_t count;
    size_t capacity;
};

/* Makes room for `count` items of `item_bytes` at `items`; `capacity` is updated. Never fails (see above). */
void *refrain_memory_grow(void *items, size_t *capacity, size_t count, size_t item_bytes);

void refrain_text_bytes(struct refrain_text *text, const char *bytes, size_t n);
void refrain_text_string(struct refrain_text *text, const char *string);
__attribute__((format(printf, 2, 3))) void refrain_text_format(struct refrain_text *text, const char *format, ...);
void refrain_text_free(struct refrain_text *text);

/* Reads a whole file; false with errno set when it cannot. */
bool refrain_text_read(struct refrain_text *text, const char *path);
/* Writes a whole file; false with errno set when it cannot (a full disk is noticed). */
bool refrain_text_write(const struct refrain_text *text, const char *path);

/* Adds a copy. */
void refrain_list_add(struct refrain_list *list, const char *string);
__attribute__((format(printf, 2, 3))) void refrain_list_format(struct refrain_list *list, const char *format, ...);
void refrain_list_free(struct refrain_list *list);

/* A copy that the caller frees. */
char *refrain_text_copy(const char *string);

/* What follows the last '/' of a path. */
const char *refrain_text_basename(const char *path);

/* A number that names the text. */
uint64_t refrain_text_hash(const char *text);

#endif
