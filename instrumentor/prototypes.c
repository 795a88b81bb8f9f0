/* prototypes.c: reads the headers of an MPI and removes unneeded prototypes (prototypes.h). */
#include "prototypes.h"
#include <stdlib.h>
#include <string.h>

/* Headers in which MPIs declare their functions: MPICH and its derivatives, Open MPI. */
static const char *const header_names[] = {"mpi.h", "mpi_proto.h", "mpio.h"};

static bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_of_word(char c) {
    return begins_word(c) || (c >= '0' && c <= '9');
}

/* MPI..., PMPI..., QMPI... */
static bool begins_as_mpi(const char *word, size_t length) {
    size_t head = length > 3 && (word[0] == 'P' || word[0] == 'Q');
    return length >= head + 3 && memcmp(word + head, "MPI", 3) == 0;
}

/* MPI_Send, PMPIX_Comm_agree: names in capitals are constants and macros. */
static bool names_function(const char *word, size_t length) {
    size_t lower = 0;
    for (size_t i = 0; i < length; i++)
        lower += word[i] >= 'a' && word[i] <= 'z';
    return begins_as_mpi(word, length) && lower > 0;
}

/* ---- reading a header ---- */

static const char *skip_line(const char *at) {
    for (; *at && *at != '\n'; at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (at[0] == '/' && at[1] == '*' && strstr(at + 2, "*/"))
            at = strstr(at + 2, "*/") + 1;
    }
    return at;
}

/* Skips a comment, a string or a directive at `at`; null if it is code. */
static const char *skip_other(const char *at) {
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if ((at[0] == '/' && at[1] == '/') || at[0] == '#')
        return skip_line(at);
    if (*at != '"' && *at != '\'')
        return NULL;
    char quote = *at++;
    for (; *at && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at == quote ? at + 1 : at;
}

/* A declaration that is being read. */
struct reading {
    const char *begin;
    const char *name;
    size_t name_length, n_words, parentheses, braces;
    bool stays; /* it is no prototype, or no simple one */
};

static const char *read_word(struct reading *reading, const char *at) {
    static const char *const others[] = {"typedef", "struct", "union", "enum", "static", "inline", "__inline"};
    size_t length = 1;
    while (is_of_word(at[length]))
        length++;
    if (reading->parentheses == 0 && !reading->name) {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            reading->stays |= strlen(others[i]) == length && memcmp(at, others[i], length) == 0;
        const char *next = at + length + strspn(at + length, " \t\n");
        if (*next == '(') {
            reading->name = at;
            reading->name_length = length;
            reading->stays |= reading->n_words == 0 || !names_function(at, length);
        }
        reading->n_words++;
    }
    return at + length;
}

static void add(struct refrain_prototypes *prototypes, const struct reading *reading, const char *text,
                const char *end) {
    prototypes->items =
        refrain_memory_grow(prototypes->items, &prototypes->capacity, prototypes->count + 1, sizeof *prototypes->items);
    prototypes->items[prototypes->count++] = (struct refrain_prototype){.name = reading->name,
                                                                        .name_length = reading->name_length,
                                                                        .begin = (size_t)(reading->begin - text),
                                                                        .end = (size_t)(end - text),
                                                                        .header = prototypes->n_headers - 1};
}

/* The next byte after `at` that has a meaning between parentheses. */
static const char *skip_parameters(const char *at) {
    static const bool means[256] = {
        ['\0'] = true, ['('] = true, [')'] = true, ['{'] = true,  ['}'] = true, ['='] = true,
        ['"'] = true,  ['#'] = true, ['/'] = true, ['\''] = true, [';'] = true};
    do
        at++;
    while (!means[(unsigned char)*at]);
    return at;
}

/* The end of the declaration or block at `at`. Adds it if it is a simple prototype. */
static const char *read_declaration(struct refrain_prototypes *prototypes, const char *text, const char *at) {
    struct reading reading = {.begin = at};
    for (; *at; at = reading.parentheses ? skip_parameters(at) : at + 1) {
        const char *other = skip_other(at);
        if (other) {
            bool linkage = at[0] == '"' && reading.n_words == 1 && other[strspn(other, " \t\n")] == '{';
            if (linkage) /* extern "C" { */
                return other + strspn(other, " \t\n") + 1;
            reading.stays |= at[0] != '/';
            at = other - 1;
        } else if (begins_word(*at)) {
            at = read_word(&reading, at) - 1;
        } else if (*at == '(') {
            reading.parentheses++;
        } else if (*at == ')') {
            reading.parentheses -= reading.parentheses > 0;
        } else if (*at == '{' || *at == '=' || (*at == ',' && reading.parentheses == 0)) {
            reading.stays = true;
            reading.braces += *at == '{';
        } else if (*at == '}') {
            reading.braces -= reading.braces > 0;
        } else if (*at == ';' && reading.parentheses == 0 && reading.braces == 0) {
            const char *next = at + 1 + strspn(at + 1, " \t\n");
            if (reading.name && !reading.stays && *next != '{')
                add(prototypes, &reading, text, at + 1);
            return at + 1;
        }
    }
    return at;
}

static void read_header(struct refrain_prototypes *prototypes, const char *text) {
    for (const char *at = text; *at;) {
        const char *other = skip_other(at);
        if (other)
            at = other;
        else if (begins_word(*at))
            at = read_declaration(prototypes, text, at);
        else
            at++;
    }
}

/* ---- by name ---- */

static size_t hash(const char *word, size_t length) {
    size_t h = 5381;
    for (size_t i = 0; i < length; i++)
        h = h * 33 + (unsigned char)word[i];
    return h;
}

static size_t *find(const struct refrain_prototypes *prototypes, const char *word, size_t length) {
    size_t i = hash(word, length) % prototypes->table_size;
    for (;; i = (i + 1) % prototypes->table_size) {
        const struct refrain_prototype *item = &prototypes->items[prototypes->table[i] - 1];
        if (prototypes->table[i] == 0 || (item->name_length == length && memcmp(item->name, word, length) == 0))
            return &prototypes->table[i];
    }
}

static void index_names(struct refrain_prototypes *prototypes) {
    size_t capacity = 0;
    prototypes->table_size = 2 * prototypes->count + 1;
    prototypes->table = refrain_memory_grow(NULL, &capacity, prototypes->table_size, sizeof *prototypes->table);
    memset(prototypes->table, 0, prototypes->table_size * sizeof *prototypes->table);
    for (size_t i = 0; i < prototypes->count; i++) {
        size_t *entry = find(prototypes, prototypes->items[i].name, prototypes->items[i].name_length);
        prototypes->items[i].same = *entry;
        *entry = i + 1;
    }
}

/* The next word after *at that begins like an MPI name; moves *at to the byte after it. Null if there is none. The text
 * ends with a NUL at `end` or later. */
static const char *next_word(const char *text, const char *end, const char **at, size_t *length) {
    for (const char *begin; (begin = strstr(*at, "MPI")) && begin < end;) {
        const char *after = begin + 3;
        while (begin > text && is_of_word(begin[-1]))
            begin--;
        while (after < end && is_of_word(*after))
            after++;
        *length = (size_t)(after - begin);
        *at = after;
        if (begins_as_mpi(begin, *length))
            return begin;
    }
    return NULL;
}

/* True if the word may be part of a name made by the preprocessor: X##MPI_Send, JOIN(MPI_, Send). */
static bool is_part(const char *text, const char *end, const char *word, size_t length) {
    const char *before = word, *after = word + length;
    while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    while (after < end && (*after == ' ' || *after == '\t'))
        after++;
    return (before - text >= 2 && before[-1] == '#' && before[-2] == '#') ||
           (end - after >= 2 && after[0] == '#' && after[1] == '#') ||
           (word[length - 1] == '_' && after < end && (*after == ',' || *after == ')'));
}

void refrain_prototypes_name(struct refrain_prototypes *prototypes, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    for (size_t n; (word = next_word(text, end, &at, &n));) {
        bool all = is_part(text, end, word, n);
        for (size_t i = 0; all && i < prototypes->count; i++)
            prototypes->items[i].named = true;
        for (size_t i = *find(prototypes, word, n); i; i = prototypes->items[i - 1].same)
            prototypes->items[i - 1].named = true;
    }
}

bool refrain_prototypes_lack(const struct refrain_prototypes *prototypes, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    for (size_t n; (word = next_word(text, end, &at, &n));) {
        size_t found = *find(prototypes, word, n);
        if (is_part(text, end, word, n) || (found && !prototypes->items[found - 1].named))
            return true;
    }
    return false;
}

/* ---- the headers ---- */

static void read_directory(struct refrain_prototypes *prototypes, const char *directory) {
    struct refrain_text path = {0};
    for (size_t i = 0; i < sizeof header_names / sizeof header_names[0]; i++) {
        struct refrain_mpi_header header = {0};
        refrain_text_free(&path);
        refrain_text_format(&path, "%s/%s", directory, header_names[i]);
        if (!refrain_text_read(&header.text, path.bytes)) {
            refrain_text_free(&header.text);
            if (i == 0)
                break;
            continue;
        }
        header.path = refrain_text_copy(path.bytes);
        prototypes->headers = refrain_memory_grow(prototypes->headers, &prototypes->header_capacity,
                                                  prototypes->n_headers + 1, sizeof *prototypes->headers);
        prototypes->headers[prototypes->n_headers++] = header;
        read_header(prototypes, header.text.bytes);
    }
    refrain_text_free(&path);
}

/* Macros and comments of the headers may name functions, so the text between prototypes is searched, too. */
static void name_in_headers(struct refrain_prototypes *prototypes) {
    size_t next = 0;
    for (size_t h = 0; h < prototypes->n_headers; h++) {
        const struct refrain_text *text = &prototypes->headers[h].text;
        size_t from = 0;
        for (; next < prototypes->count && prototypes->items[next].header == h; next++) {
            refrain_prototypes_name(prototypes, text->bytes + from, prototypes->items[next].begin - from);
            from = prototypes->items[next].end;
        }
        refrain_prototypes_name(prototypes, text->bytes + from, text->length - from);
    }
}

bool refrain_prototypes_read(struct refrain_prototypes *prototypes, const char *const *flags, size_t n_flags) {
    static const char *const kinds[] = {"-iquote", "-isystem", "-I"};
    for (size_t i = 0; i < n_flags; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            size_t n = strlen(kinds[k]);
            if (strncmp(flags[i], kinds[k], n) != 0)
                continue;
            const char *directory = flags[i][n] ? flags[i] + n : i + 1 < n_flags ? flags[i + 1] : "";
            bool known = false;
            for (size_t h = 0; h < prototypes->n_headers; h++)
                known |= strncmp(prototypes->headers[h].path, directory, strlen(directory)) == 0 &&
                         prototypes->headers[h].path[strlen(directory)] == '/';
            if (!known)
                read_directory(prototypes, directory);
        }
    }
    if (prototypes->count == 0)
        return false;
    index_names(prototypes);
    prototypes->items[0].named = true; /* walk_file.c needs one MPI declaration to see that the file speaks of events */
    name_in_headers(prototypes);
    return true;
}

void refrain_prototypes_cut(struct refrain_prototypes *prototypes) {
    size_t next = 0;
    for (size_t h = 0; h < prototypes->n_headers; h++) {
        struct refrain_mpi_header *header = &prototypes->headers[h];
        size_t from = 0;
        for (; next < prototypes->count && prototypes->items[next].header == h; next++) {
            const struct refrain_prototype *item = &prototypes->items[next];
            if (item->named)
                continue;
            refrain_text_bytes(&header->cut, header->text.bytes + from, item->begin - from);
            const char *end = header->text.bytes + item->end;
            for (const char *at = header->text.bytes + item->begin; (at = memchr(at, '\n', (size_t)(end - at))); at++)
                refrain_text_bytes(&header->cut, "\n", 1);
            from = item->end;
        }
        refrain_text_bytes(&header->cut, header->text.bytes + from, header->text.length - from);
    }
}

void refrain_prototypes_free(struct refrain_prototypes *prototypes) {
    for (size_t h = 0; h < prototypes->n_headers; h++) {
        free(prototypes->headers[h].path);
        refrain_text_free(&prototypes->headers[h].text);
        refrain_text_free(&prototypes->headers[h].cut);
    }
    free(prototypes->headers);
    free(prototypes->items);
    free(prototypes->table);
    *prototypes = (struct refrain_prototypes){0};
}
