/* write_text.c: events as lines of text (write_text.h). */
#include "write_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct text_writer {
    struct refrain_writer writer;
    FILE *file;
    bool all;
    struct refrain_error *error;
};

static void print_comm(FILE *file, const struct refrain_event *event) {
    if (event->comm)
        fprintf(file, "\tcomm=%" PRIu32, event->comm->index);
    else
        fputs("\tcomm=unknown", file);
}

static void print_message(FILE *file, const struct refrain_event *event, const char *peer) {
    fprintf(file, "\t%s=%" PRId32 "\ttag=%" PRId64 "\tbytes=%" PRId64, peer, event->peer, event->tag, event->bytes);
    print_comm(file, event);
}

static void print_fields(FILE *file, const struct refrain_event *event, bool all) {
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        fprintf(file, "\tfile=%s\tline=%" PRIu32, event->region->file, event->region->line);
        break;
    case REFRAIN_EVENT_SEND:
        print_message(file, event, "dest");
        break;
    case REFRAIN_EVENT_RECV:
        print_message(file, event, "source");
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        fprintf(file, "\troot=%" PRId32 "\tsent=%" PRId64 "\treceived=%" PRId64, event->peer, event->bytes,
                event->received);
        print_comm(file, event);
        break;
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        print_comm(file, event);
        break;
    case REFRAIN_EVENT_RMA:
        fprintf(file, "\ttarget=%" PRId32 "\tbytes=%" PRId64, event->peer, event->bytes);
        break;
    case REFRAIN_EVENT_IO:
        fprintf(file, "\tbytes=%" PRId64, event->bytes);
        break;
    default:
        break;
    }
    if (all && event->request >= 0)
        fprintf(file, "\trequest=%" PRId64, event->request);
}

static const char *name_of(enum refrain_event_kind kind, bool all) {
    switch (kind) {
    case REFRAIN_EVENT_ENTER:
        return "enter";
    case REFRAIN_EVENT_LEAVE:
        return "leave";
    case REFRAIN_EVENT_SEND:
        return "send";
    case REFRAIN_EVENT_RECV:
        return "recv";
    case REFRAIN_EVENT_COLLECTIVE:
        return "collective";
    case REFRAIN_EVENT_RMA:
        return "rma";
    case REFRAIN_EVENT_IO:
        return "io";
    case REFRAIN_EVENT_SEND_COMPLETE:
        return all ? "send-complete" : NULL;
    case REFRAIN_EVENT_RECV_POST:
        return all ? "recv-post" : NULL;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        return all ? "collective-complete" : NULL;
    case REFRAIN_EVENT_CANCEL:
        return all ? "cancel" : NULL;
    }
    return NULL;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct text_writer *text = (struct text_writer *)writer;
    const char *name = name_of(event->kind, text->all);
    if (!name)
        return 0;
    int64_t ns = event->time_ns < 0 ? 0 : event->time_ns;
    fprintf(text->file, "%" PRId32 "\t%" PRId64 ".%09" PRId64 "\t%s\t%s", event->rank, ns / 1000000000, ns % 1000000000,
            name, event->region->name);
    print_fields(text->file, event, text->all);
    if (event->thread)
        fprintf(text->file, "\tthread=%" PRIu32, event->thread);
    fputs(event->approximate ? "\tapproximate\n" : "\n", text->file);
    return ferror(text->file) ? 1 : 0;
}

static int end_text(struct refrain_writer *writer) {
    struct text_writer *text = (struct text_writer *)writer;
    int failed = fflush(text->file) != 0 || ferror(text->file);
    if (failed)
        REFRAIN_FAIL(text->error, "the text cannot be written: %s", strerror(errno));
    free(text);
    return failed;
}

struct refrain_writer *refrain_write_text(FILE *file, bool all, struct refrain_error *error) {
    struct text_writer *text = calloc(1, sizeof *text);
    if (!text) {
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    *text = (struct text_writer){{NULL, write_event, end_text}, file, all, error};
    return &text->writer;
}
