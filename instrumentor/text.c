/* text.c: growing strings, and lists of strings (text.h). */
#include "text.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void *refrain_memory_grow(void *items, size_t *capacity, size_t count, size_t item_bytes) {
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity < 16 ? 16 : *capacity * 2;
    if (wanted < count)
        wanted = count;
    void *grown = wanted <= (size_t)-1 / item_bytes ? realloc(items, wanted * item_bytes) : NULL;
    if (!grown) {
        fputs("refrain: warning: out of memory\n", stderr);
        exit(REFRAIN_STATUS_MEMORY);
    }
    *capacity = wanted;
    return grown;
}

void refrain_text_bytes(struct refrain_text *text, const char *bytes, size_t n) {
    text->bytes = refrain_memory_grow(text->bytes, &text->capacity, text->length + n + 1, 1);
    if (n)
        memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    text->bytes[text->length] = '\0';
}

void refrain_text_string(struct refrain_text *text, const char *string) {
    refrain_text_bytes(text, string, strlen(string));
}

static void append_formatted(struct refrain_text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n > 0) {
        text->bytes = refrain_memory_grow(text->bytes, &text->capacity, text->length + (size_t)n + 1, 1);
        vsnprintf(text->bytes + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

void refrain_text_format(struct refrain_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_formatted(text, format, arguments);
    va_end(arguments);
}

void refrain_text_free(struct refrain_text *text) {
    free(text->bytes);
    *text = (struct refrain_text){0};
}

bool refrain_text_read(struct refrain_text *text, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char buffer[16384];
    size_t n;
    refrain_text_bytes(text, "", 0);
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        refrain_text_bytes(text, buffer, n);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    errno = error;
    return error == 0;
}

bool refrain_text_write(const struct refrain_text *text, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(text->bytes, 1, text->length, file) == text->length;
    int error = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    errno = error;
    return good;
}

char *refrain_text_copy(const char *string) {
    size_t capacity = 0, length = strlen(string);
    char *copy = refrain_memory_grow(NULL, &capacity, length + 1, 1);
    memcpy(copy, string, length + 1);
    return copy;
}

void refrain_list_add(struct refrain_list *list, const char *string) {
    list->items = refrain_memory_grow(list->items, &list->capacity, list->count + 2, sizeof *list->items);
    list->items[list->count++] = refrain_text_copy(string);
    list->items[list->count] = NULL;
}

void refrain_list_format(struct refrain_list *list, const char *format, ...) {
    struct refrain_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    append_formatted(&text, format, arguments);
    va_end(arguments);
    refrain_list_add(list, text.bytes ? text.bytes : "");
    refrain_text_free(&text);
}

void refrain_list_free(struct refrain_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct refrain_list){0};
}

const char *refrain_text_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

uint64_t refrain_text_hash(const char *text) {
    uint64_t h = 1469598103934665603u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}
