/* ranks_write.c: writes all ranks to one file, their common part once (ranks_write.h). */
#include "commands/ranks_write.h"
#include "model/copied_times.h"
#include "packed/packed_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    struct refrain_fold_memory memory;
    struct refrain_sheet *sheet; /* the common part of the ranks so far */
    unsigned char **times;       /* of each rank */
};

/* Compresses the part of a rank's times that is not coded, if that makes it smaller. */
static enum refrain_status compress(struct refrain_fold_memory *memory, struct refrain_ranks_index *index,
                                    unsigned char **times, struct refrain_error *error) {
    size_t coded = (size_t)index->coded_bytes, copied = (size_t)index->copied_bytes;
    if (copied == 0 || !refrain_copied_are_compressed())
        return REFRAIN_OK;
    size_t room = refrain_copied_most_bytes(copied);
    unsigned char *with = refrain_fold_allocate(memory, coded + room);
    if (!with)
        return REFRAIN_FAIL_MEMORY(error);
    size_t compressed = refrain_copied_compress(*times + coded, copied, with + coded, room);
    unsigned char *fits = compressed ? refrain_fold_allocate(memory, coded + compressed) : NULL;
    if (fits) {
        memcpy(fits, *times, coded);
        memcpy(fits + coded, with + coded, compressed);
        index->copied_form = REFRAIN_COPIED_ZSTD;
        index->copied_bytes = compressed;
        index->checksum = refrain_packed_checksum(fits, coded + compressed);
        refrain_fold_free(memory, *times);
        *times = fits;
    }
    refrain_fold_free(memory, with);
    return REFRAIN_OK;
}

static enum refrain_status add_rank(struct writing *writing, const struct refrain_process *process, size_t i,
                                    struct refrain_error *error) {
    const char *wrong;
    struct refrain_sheet *sheet =
        refrain_sheet_of_trace_file(&writing->memory, process->image, process->image_bytes, &writing->times[i], &wrong);
    if (!sheet)
        return wrong ? REFRAIN_FAIL(error, "%s: cannot be packed: %s", process->path, wrong)
                     : REFRAIN_FAIL_MEMORY(error);
    if (compress(&writing->memory, sheet->index, &writing->times[i], error)) {
        refrain_sheet_free(sheet);
        return REFRAIN_ERROR;
    }
    if (!writing->sheet)
        writing->sheet = sheet;
    else if (!refrain_sheet_add(writing->sheet, sheet))
        return REFRAIN_FAIL_MEMORY(error);
    return REFRAIN_OK;
}

static bool write_file(const struct writing *writing, const struct refrain_names_info *names, unsigned char *head,
                       size_t head_bytes, FILE *file, struct refrain_ranks_report *report) {
    struct refrain_ranks_header header;
    memcpy(&header, head, sizeof header);
    header.names_bytes = report->names_bytes = names->n_bytes;
    memcpy(head, &header, sizeof header);
    bool done = fwrite(head, 1, head_bytes, file) == head_bytes;
    for (size_t i = 0; done && i < writing->sheet->n_ranks; i++) {
        const struct refrain_ranks_index *index = &writing->sheet->index[i];
        size_t n = (size_t)(index->coded_bytes + index->copied_bytes);
        done = fwrite(writing->times[i], 1, n, file) == n;
        report->times_bytes += n;
    }
    report->index_bytes = head_bytes - report->fold.structure_bytes;
    report->bytes = head_bytes + report->times_bytes + report->names_bytes;
    done = done && (!names->n_bytes || fwrite(names->bytes, names->n_bytes, 1, file) == 1);
    return fflush(file) == 0 && done;
}

enum refrain_status refrain_ranks_write(const struct refrain_trace *trace, FILE *file, const char *path,
                                        struct refrain_ranks_report *report, struct refrain_error *error) {
    struct writing writing = {.memory = {.most = SIZE_MAX}};
    size_t head_bytes;
    *report = (struct refrain_ranks_report){0};
    writing.times = calloc(trace->n_processes, sizeof *writing.times);
    enum refrain_status status = writing.times ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = add_rank(&writing, &trace->processes[i], i, error);
    unsigned char *head = status ? NULL : refrain_sheet_head(writing.sheet, &head_bytes, &report->fold);
    if (!status && !head)
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status && !write_file(&writing, &trace->names, head, head_bytes, file, report))
        status = REFRAIN_FAIL(error, "%s: cannot be written: %s", path, strerror(errno));
    refrain_fold_free(&writing.memory, head);
    for (size_t i = 0; writing.times && i < trace->n_processes; i++)
        refrain_fold_free(&writing.memory, writing.times[i]);
    refrain_sheet_free(writing.sheet);
    free(writing.times);
    return status;
}
