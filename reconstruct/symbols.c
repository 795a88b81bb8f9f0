/* symbols.c: return addresses to source lines, by addr2line from binutils where it is installed. */
#define _GNU_SOURCE
#include "trace_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Quotes a path for the shell. False when it does not fit. */
static bool quote(char *out, size_t bytes, const char *path) {
    size_t n = 0;
    if (bytes < 3)
        return false;
    out[n++] = '\'';
    for (; *path; path++) {
        if (n + 6 > bytes)
            return false;
        if (*path == '\'') {
            memcpy(out + n, "'\\''", 4);
            n += 4;
        } else {
            out[n++] = *path;
        }
    }
    out[n++] = '\'';
    out[n] = 0;
    return true;
}

static char *keep(struct refrain_trace *trace, const char *text, size_t n) {
    char *copy = refrain_trace_allocate(trace, n + 1, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* Resolves the symbols of one object, from `i` on, with one addr2line. */
static void resolve_object(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n, size_t i) {
    struct stat status;
    char quoted[4500], list[] = "/tmp/refrain-addresses-XXXXXX", command[4700], line[4096];
    const char *object = symbols[i].object;
    if (stat(object, &status) != 0 || (uint64_t)status.st_mtime * 1000000000u > symbols[i].not_before ||
        !quote(quoted, sizeof quoted, object))
        return;
    int fd = mkstemp(list);
    FILE *addresses = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!addresses)
        return;
    for (size_t j = i; j < n; j++) /* the call is before its return address */
        if (strcmp(symbols[j].object, object) == 0)
            fprintf(addresses, "0x%llx\n", (unsigned long long)symbols[j].address - 1);
    fclose(addresses);
    snprintf(command, sizeof command, "addr2line -f -e %s < %s 2>/dev/null", quoted, list);
    FILE *answers = popen(command, "r");
    for (size_t j = i; answers && j < n; j++) {
        if (strcmp(symbols[j].object, object) != 0)
            continue;
        if (!fgets(line, sizeof line, answers))
            break;
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "??") != 0)
            symbols[j].function = keep(trace, line, strlen(line));
        if (!fgets(line, sizeof line, answers))
            break;
        char *colon = strrchr(line, ':');
        if (colon && line[0] != '?' && atoi(colon + 1) > 0) {
            symbols[j].file = keep(trace, line, (size_t)(colon - line));
            symbols[j].line = (uint32_t)atoi(colon + 1);
        }
    }
    if (answers)
        pclose(answers);
    unlink(list);
}

void refrain_symbols_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool done = false;
        for (size_t j = 0; j < i && !done; j++)
            done = strcmp(symbols[j].object, symbols[i].object) == 0;
        if (!done)
            resolve_object(trace, symbols, n, i);
    }
}
