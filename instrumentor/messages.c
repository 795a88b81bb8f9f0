/* messages.c: makes compiler messages about stand-ins look like messages about the sources (compiler_call.h).
 *
 * A stand-in has every token of its source in the same line and column (edit.h), and its #line directives have the
 * name of the source. So the heads of messages are right already. gcc also shows lines of the source. clang shows
 * the text that it compiled, where blanks or a probe replace a part of the line. Such a line is replaced by the line
 * of the source, after the line number and bar if clang shows these. Further lines of the same excerpt belong to the
 * probe and are dropped. Messages about the text before the file, "<refrain>", and about probes, refrain__..., are
 * dropped as well. */
#include "compiler_call.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The texts of the sources, read at first use. */
struct reader {
    const struct refrain_compiler_call *call;
    struct refrain_text *texts; /* by index of the source */
};

void refrain_compiler_call_keep_colours(const struct refrain_compiler_call *call, struct refrain_list *words) {
    static const char *const own[] = {"-fdiagnostics-color",    "-fno-diagnostics-color",     "-fcolor-diagnostics",
                                      "-fno-color-diagnostics", "-fdiagnostics-plain-output", "-fdiagnostics-format"};
    const char *terminal = getenv("TERM"), *colours = getenv("GCC_COLORS");
    if (!isatty(STDERR_FILENO) || !terminal || strcmp(terminal, "dumb") == 0 || (colours && !*colours))
        return;
    const char *compiler = refrain_text_basename(call->command.compiler.items[call->command.compiler.count - 1]);
    if (!strstr(compiler, "cc") && !strstr(compiler, "clang"))
        return;
    for (size_t i = 0; i < call->command.count; i++)
        for (size_t o = 0; o < sizeof own / sizeof own[0]; o++)
            if (strncmp(call->command.arguments[i].text, own[o], strlen(own[o])) == 0)
                return;
    refrain_list_add(words, "-fdiagnostics-color=always");
}

/* Appends the line without colour sequences. */
static void append_plain(struct refrain_text *plain, const char *line, size_t length) {
    refrain_text_bytes(plain, "", 0);
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\033' && i + 1 < length && line[i + 1] == '[') {
            for (i += 2; i < length && !(line[i] >= '@' && line[i] <= '~'); i++)
                continue;
        } else {
            refrain_text_bytes(plain, line + i, 1);
        }
    }
}

/* Parses "file:line:column: ..."; 0 for other lines. */
static unsigned long head_line(const char *plain, size_t *file_length) {
    for (const char *colon = strchr(plain, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *end;
        unsigned long line = strtoul(colon + 1, &end, 10);
        if (end > colon + 1 && *end == ':' && line > 0) {
            *file_length = (size_t)(colon - plain);
            return line;
        }
    }
    return 0;
}

/* Appends the line as clang shows it: without tabs. */
static void append_untabbed(struct refrain_text *text, const char *line, size_t length) {
    refrain_text_bytes(text, "", 0);
    for (size_t i = 0; i < length; i++) {
        if (line[i] != '\t')
            refrain_text_bytes(text, line + i, 1);
        for (bool more = line[i] == '\t'; more; more = text->length % 8 != 0)
            refrain_text_bytes(text, " ", 1);
    }
}

/* Parses a "#line 7" or "# 7" directive: the number, and the file if it has one. */
static bool read_directive(const char *at, unsigned long *number, const char **file, size_t *file_length) {
    at += strspn(at, " \t");
    if (*at++ != '#')
        return false;
    at += strspn(at, " \t");
    at += strncmp(at, "line", 4) == 0 ? 4 : 0;
    at += strspn(at, " \t");
    if (*at < '0' || *at > '9')
        return false;
    char *end;
    *number = strtoul(at, &end, 10);
    end += strspn(end, " \t");
    if (*end == '"') {
        *file = end + 1;
        *file_length = strcspn(end + 1, "\"\n");
    }
    return true;
}

/* Appends the line of `text`, the file `name`, that has this number in this file, if there is one. */
static void find_line(const char *text, const char *name, const char *file, size_t file_length, unsigned long number,
                      struct refrain_text *line) {
    unsigned long now = 1;
    size_t name_length = strlen(name);
    for (const char *at = text; at && !line->bytes; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        if (read_directive(at, &now, &name, &name_length))
            continue;
        if (now++ == number && name_length == file_length && memcmp(name, file, file_length) == 0)
            append_untabbed(line, at, strcspn(at, "\r\n"));
    }
}

/* Appends the line that a message is about, if it is in a source with a stand-in. */
static void source_line(struct reader *reader, const char *file, size_t file_length, unsigned long number,
                        struct refrain_text *line) {
    for (size_t i = 0; i < reader->call->command.n_sources && !line->bytes; i++) {
        const struct refrain_stand_in *source = &reader->call->sources[i];
        const char *name = reader->call->command.arguments[source->argument].text;
        if (source->path && (reader->texts[i].bytes || refrain_text_read(&reader->texts[i], name)))
            find_line(reader->texts[i].bytes, name, file, file_length, number, line);
    }
}

/* Length of the margin "   12 | " or "      | " that newer compilers print before an excerpt; 0 if there is none.
 * `numbered`: a line of the file follows, not marks below one. */
static size_t margin(const char *shown, bool *numbered) {
    size_t blanks = strspn(shown, " "), digits = strspn(shown + blanks, "0123456789"), n = blanks + digits;
    *numbered = digits > 0;
    return blanks > 0 && strncmp(shown + n, *numbered ? " | " : "| ", *numbered ? 3 : 2) == 0 ? n + (*numbered ? 3 : 2)
                                                                                              : 0;
}

/* True if `shown` is `line`, or its beginning, with blanks or a probe where text was inserted. */
static bool is_blanked(const char *shown, const struct refrain_text *line) {
    if (strstr(shown, "refrain__"))
        return true;
    if (strlen(shown) > line->length || strcmp(shown, line->bytes) == 0)
        return false;
    for (size_t i = 0; shown[i]; i++)
        if (shown[i] != line->bytes[i] && shown[i] != ' ')
            return false;
    return true;
}

/* Corrects the last line of clang, "7 warnings generated.", for dropped messages. False for other lines. */
static bool recount(const char *plain, unsigned long dropped, struct refrain_text *out) {
    char *end;
    unsigned long warnings = strtoul(plain, &end, 10);
    if (end == plain || (strcmp(end, " warnings generated.") != 0 && strcmp(end, " warning generated.") != 0))
        return false;
    if (warnings > dropped)
        refrain_text_format(out, "%lu warning%s generated.\n", warnings - dropped, warnings - dropped == 1 ? "" : "s");
    return true;
}

void refrain_compiler_call_relay(const struct refrain_compiler_call *call, const char *path) {
    struct refrain_text text = {0}, out = {0};
    struct reader reader = {.call = call};
    size_t capacity = 0;
    if (!refrain_text_read(&text, path) || text.length == 0) {
        refrain_text_free(&text);
        return;
    }
    reader.texts = refrain_memory_grow(NULL, &capacity, call->command.n_sources, sizeof *reader.texts);
    memset(reader.texts, 0, call->command.n_sources * sizeof *reader.texts);
    bool dropping = false, replaced = false,
         beyond = false; /* replaced: the line was shown; beyond: lines after it and its marks */
    unsigned long dropped = 0;
    struct refrain_text line = {0}; /* of the source, which the next line may show */
    for (const char *at = text.bytes, *next; *at; at = next) {
        size_t n = strcspn(at, "\n"), file_length = 0;
        struct refrain_text plain = {0};
        next = at + n + (at[n] == '\n');
        append_plain(&plain, at, n);
        unsigned long number = plain.bytes[0] == ' ' ? 0 : head_line(plain.bytes, &file_length);
        bool numbered;
        size_t before = margin(plain.bytes, &numbered);
        bool blanked =
            number == 0 && line.bytes && (before == 0 || numbered) && is_blanked(plain.bytes + before, &line);
        beyond = before > 0 && replaced && (beyond || numbered);
        replaced = before > 0 && (replaced || blanked);
        if (blanked && !dropping) {
            refrain_text_bytes(&out, plain.bytes, before);
            refrain_text_bytes(&out, line.bytes, line.length);
            refrain_text_bytes(&out, "\n", 1);
        }
        if (number > 0 || blanked)
            refrain_text_free(&line);
        if (number > 0) {
            dropping = strncmp(plain.bytes, "<refrain>:", 10) == 0 || strstr(plain.bytes, "refrain__") != NULL;
            dropped += dropping && strstr(plain.bytes, ": warning: ") != NULL;
            source_line(&reader, plain.bytes, file_length, number, &line);
        }
        if (recount(plain.bytes, dropped, &out))
            dropped = 0;
        else if (!dropping && !blanked && !beyond)
            refrain_text_bytes(&out, at, (size_t)(next - at));
        refrain_text_free(&plain);
    }
    refrain_text_free(&line);
    for (size_t done = 0; done < out.length;) {
        ssize_t written = write(STDERR_FILENO, out.bytes + done, out.length - done);
        if (written < 0 && errno != EINTR)
            break; /* there is nowhere left to write a message */
        done += written > 0 ? (size_t)written : 0;
    }
    for (size_t i = 0; i < call->command.n_sources; i++)
        refrain_text_free(&reader.texts[i]);
    free(reader.texts);
    refrain_text_free(&out);
    refrain_text_free(&text);
}
