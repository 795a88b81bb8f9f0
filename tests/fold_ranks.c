/* fold_ranks.c: fold_ranks TRACE PACK: checks that the common part of the ranks has the same bytes in whatever order
 * their sheets are added: one rank after the other, as in PACK, or in trees, with sheets that were sent as messages. If
 * memory is short, this is reported, and all memory is freed. */
#include "model/trace_read.h"
#include "packed/fold/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct refrain_trace *trace;
static struct refrain_fold_memory memory = {.most = SIZE_MAX};
static unsigned seed = 1;

static size_t below(size_t n) {
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % n;
}

static struct refrain_sheet *through_message(struct refrain_sheet *sheet) {
    size_t n;
    unsigned char *bytes = refrain_sheet_to_bytes(sheet, &n);
    struct refrain_sheet *again = bytes ? refrain_sheet_from_bytes(&memory, bytes, n) : NULL;
    for (size_t cut = 0; again && cut < n; cut += 1 + n / 97) /* cut short it is none */
        if (!memory.spent) {
            struct refrain_sheet *less = refrain_sheet_from_bytes(&memory, bytes, cut);
            if (less) {
                fprintf(stderr, "fold_ranks: %zu of %zu bytes are taken for a sheet\n", cut, n);
                exit(1);
            }
        }
    refrain_fold_free(&memory, bytes);
    refrain_sheet_free(sheet);
    return again;
}

/* Ranks [from, to), put together in some order. */
static struct refrain_sheet *tree(size_t from, size_t to) {
    if (to - from == 1) {
        unsigned char *times;
        const char *wrong;
        const struct refrain_process *process = &trace->processes[from];
        struct refrain_sheet *sheet =
            refrain_sheet_of_trace_file(&memory, process->image, process->image_bytes, &times, &wrong);
        refrain_fold_free(&memory, times);
        return sheet;
    }
    size_t middle = from + 1 + below(to - from - 1);
    struct refrain_sheet *first = tree(from, middle), *second = first ? tree(middle, to) : NULL;
    if (second)
        second = through_message(second);
    if (!second) {
        refrain_sheet_free(first);
        return NULL;
    }
    if (refrain_sheet_add(first, second))
        return first;
    refrain_sheet_free(first);
    return NULL;
}

/* True if the head of a sheet from a tree is the beginning of the pack. */
static bool is_head(const unsigned char *pack, size_t pack_bytes) {
    struct refrain_fold_report report;
    size_t n;
    struct refrain_sheet *sheet = tree(0, trace->n_processes);
    unsigned char *head = sheet ? refrain_sheet_head(sheet, &n, &report) : NULL;
    bool is = head && n <= pack_bytes && memcmp(head, pack, n) == 0;
    refrain_fold_free(&memory, head);
    refrain_sheet_free(sheet);
    return is;
}

int main(int argc, char **argv) {
    struct refrain_error error;
    struct refrain_trace *opened;
    if (argc != 3)
        return 2;
    if (refrain_trace_open(argv[1], false, &opened, &error)) {
        fprintf(stderr, "fold_ranks: %s\n", error.message);
        return 1;
    }
    trace = opened;
    FILE *file = fopen(argv[2], "rb");
    static unsigned char pack[1 << 22];
    size_t n = file ? fread(pack, 1, sizeof pack, file) : 0;
    if (file)
        fclose(file);
    unsigned different = 0, refused = 0, kept = 0;
    for (unsigned i = 0; i < 20; i++)
        different += !is_head(pack, n);
    for (size_t most = (size_t)1 << 12; most < (size_t)1 << 24; most += most / 4) {
        memory = (struct refrain_fold_memory){.most = most};
        bool is = is_head(pack, n);
        different += !is && !memory.spent;
        refused += !is;
        kept += memory.used != 0;
    }
    refrain_trace_close(opened);
    printf("20 trees of %s: %u different; %u budgets too small for it, %u of which kept memory\n", argv[1], different,
           refused, kept);
    return different > 0 || kept > 0 || refused == 0;
}
