/* text.h: growing strings, and lists of strings, for the instrumentor.
 *
 * Memory: everything grows with refrain_memory_grow(). Without memory it ends the process with status
 * REFRAIN_STATUS_MEMORY. The wrapper instruments in a child process, so it can still compile the original file. */
#ifndef REFRAIN_TEXT_H
#define REFRAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_STATUS_MEMORY 70

/* Bytes, followed by a NUL that `length` does not count. Empty if zero-initialised. */
struct refrain_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

/* Strings owned by the list. `items[count]` is null once a string was added. */
struct refrain_list {
    char **items;
    size_t count;
    size_t capacity;
};

/* Makes room for `count` items of `item_bytes` at `items`, and updates `capacity`. Never fails (see above). */
void *refrain_memory_grow(void *items, size_t *capacity, size_t count, size_t item_bytes);

void refrain_text_bytes(struct refrain_text *text, const char *bytes, size_t n);
void refrain_text_string(struct refrain_text *text, const char *string);
__attribute__((format(printf, 2, 3))) void refrain_text_format(struct refrain_text *text, const char *format, ...);
void refrain_text_free(struct refrain_text *text);

/* Reads a whole file. False with errno set after a failure. */
bool refrain_text_read(struct refrain_text *text, const char *path);
/* Writes a whole file. False with errno set after a failure, including a full disk. */
bool refrain_text_write(const struct refrain_text *text, const char *path);

/* Adds a copy. */
void refrain_list_add(struct refrain_list *list, const char *string);
__attribute__((format(printf, 2, 3))) void refrain_list_format(struct refrain_list *list, const char *format, ...);
void refrain_list_free(struct refrain_list *list);

/* Returns a copy that the caller frees. */
char *refrain_text_copy(const char *string);

/* The part of a path after the last '/'. */
const char *refrain_text_basename(const char *path);

/* A hash of the text. */
uint64_t refrain_text_hash(const char *text);

#endif
