/* per_location.c: prints event lines without their times, sorted by rank and thread, for a comparison of two traces of
 * one run. Usage: per_location FILE (from `refrain events --format text`). The second field, the time, is replaced by
 * the thread. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct location {
    long rank, thread;
    size_t n, room;
    const char **lines; /* where each begins */
};

static struct location *locations;
static size_t n_locations;

static void *checked(void *memory) {
    if (!memory) {
        fputs("per_location: no memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* Null-terminated; ends the process when the file cannot be read. */
static char *contents(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    size_t bytes = (size_t)ftell(file);
    char *text = checked(malloc(bytes + 1));
    rewind(file);
    text[fread(text, 1, bytes, file)] = 0;
    fclose(file);
    return text;
}

/* The number behind the key "thread"; 0 if there is no such key. */
static long thread_of(const char *line, const char *end) {
    static const char key[] = "\tthread=";
    const char *at = line;
    for (int tabs = 0; tabs < 4; tabs++) {
        at = memchr(at, '\t', (size_t)(end - at));
        if (!at)
            return 0;
        at += tabs < 3;
    }
    at = memmem(at, (size_t)(end - at), key, sizeof key - 1);
    return at ? strtol(at + sizeof key - 1, NULL, 10) : 0;
}

static struct location *location(long rank, long thread) {
    static size_t last;
    if (last < n_locations && locations[last].rank == rank && locations[last].thread == thread)
        return &locations[last];
    for (last = 0; last < n_locations; last++)
        if (locations[last].rank == rank && locations[last].thread == thread)
            return &locations[last];
    locations = checked(realloc(locations, (n_locations + 1) * sizeof *locations));
    locations[n_locations] = (struct location){.rank = rank, .thread = thread};
    return &locations[n_locations++];
}

static void append(struct location *at, const char *line) {
    if (at->n == at->room) {
        at->room = at->room ? 2 * at->room : 64;
        at->lines = checked(realloc(at->lines, at->room * sizeof *at->lines));
    }
    at->lines[at->n++] = line;
}

static int in_order(const void *a, const void *b) {
    const struct location *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->thread > y->thread) - (x->thread < y->thread);
}

static void print(const char *line, long thread) {
    const char *end = strchr(line, '\n'), *time = memchr(line, '\t', (size_t)(end - line));
    const char *name = time ? memchr(time + 1, '\t', (size_t)(end - time - 1)) : NULL;
    if (!name) {
        fwrite(line, 1, (size_t)(end + 1 - line), stdout);
        return;
    }
    fwrite(line, 1, (size_t)(time + 1 - line), stdout);
    printf("%ld", thread);
    fwrite(name, 1, (size_t)(end + 1 - name), stdout);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: per_location FILE\n", stderr);
        return 2;
    }
    const char *line = contents(argv[1]), *end;
    for (; (end = strchr(line, '\n')); line = end + 1)
        append(location(strtol(line, NULL, 10), thread_of(line, end)), line);
    if (*line) {
        fprintf(stderr, "per_location: %s: the last line is cut off\n", argv[1]);
        return 2;
    }
    qsort(locations, n_locations, sizeof *locations, in_order);
    for (size_t i = 0; i < n_locations; i++)
        for (size_t k = 0; k < locations[i].n; k++)
            print(locations[i].lines[k], locations[i].thread);
    return 0;
}
