/* fuzz_hooks.c: fuzzes the reader of assembler text (instrumentor/assembly.c, hooks.c): fuzz_hooks SEED ROUNDS FILE...
 *
 * Each round damages the text of a compiler: bytes, lines, numbers and names change, lines repeat or are missing, the
 * text ends early. The text with probes must have all lines of the damaged one, in their order. Built with the
 * address and undefined-behaviour sanitizers. */
#include "hooks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static size_t below(size_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (size_t)(state >> 33) % n : 0;
}

/* Texts that no compiler writes. */
static const char *const hostile[] = {"\t.file 4294967295 \"x\"\n",
                                      "\t.file 1 \"",
                                      "\t.file \"\n",
                                      "\t.file 2 \"a\" \"b\n",
                                      ".L99999999999999999999:\n",
                                      ".L268435455:\n",
                                      "\tjmp .L16777215\n",
                                      "\t.type\tf, @function\n",
                                      "f:\n",
                                      "\t.size\tf, .-f\n",
                                      "\t.loc 4294967295 1\n",
                                      "\t.loc\t\n",
                                      "#APP\n",
                                      "#NO_APP\n",
                                      "\tret\n",
                                      "\tcall\t*\n",
                                      "\tcall\n",
                                      "\trep",
                                      "\tcall\t__cxa_begin_catch\n",
                                      "\t.set\tf,\n",
                                      "\t.set\tf,f\n",
                                      "\t.quad\t_\n",
                                      "\t.section\t.text.f,\"ax\"\n",
                                      "\t.section\t\n",
                                      "\t.text\n",
                                      "\tlea",
                                      "\tmovl\t$\n",
                                      "refrain__tables:\n",
                                      "\tcall\tMPI_Send\n",
                                      "\t.type\tMAIN__, @function\nMAIN__:\n",
                                      "\t.type\t_Z1f.part.0, @function\n_Z1f.part.0:\n",
                                      "\t.type\t_Z1f.part.0.cold, @function\n_Z1f.part.0.cold:\n",
                                      "\r\n",
                                      ":",
                                      "\"",
                                      "\n\n\n"};

static void insert(struct refrain_text *text, size_t at, const char *bytes, size_t n) {
    struct refrain_text after = {0};
    refrain_text_bytes(&after, text->bytes + at, text->length - at);
    text->length = at;
    refrain_text_bytes(text, bytes, n);
    refrain_text_bytes(text, after.bytes, after.length);
    refrain_text_free(&after);
}

static size_t line_length(const struct refrain_text *text, size_t at) {
    const char *end = memchr(text->bytes + at, '\n', text->length - at);
    return end ? (size_t)(end - text->bytes) + 1 - at : text->length - at;
}

static size_t some_line(const struct refrain_text *text) {
    size_t at = below(text->length);
    while (at > 0 && text->bytes[at - 1] != '\n')
        at--;
    return at;
}

static void cut(struct refrain_text *text, size_t at, size_t n) {
    memmove(text->bytes + at, text->bytes + at + n, text->length - at - n + 1);
    text->length -= n;
}

static void damage(struct refrain_text *text) {
    if (text->length == 0)
        return;
    size_t at = some_line(text), n = line_length(text, at);
    char *line = refrain_text_copy(text->bytes + at);
    const char *added = hostile[below(sizeof hostile / sizeof *hostile)];
    switch (below(9)) {
    case 0: /* a byte, seldom NUL */
        text->bytes[below(text->length)] = (char)below(256);
        break;
    case 1:
        cut(text, at, n);
        break;
    case 2:
        insert(text, some_line(text), line, n);
        break;
    case 3: /* the end of the file */
        if (below(8) == 0)
            cut(text, at, text->length - at);
        break;
    case 4: /* the end of the line */
        cut(text, at, below(n));
        break;
    case 5:
        insert(text, below(text->length), added, strlen(added));
        break;
    case 6: { /* a name of any length */
        size_t length = below(below(4) ? 100 : 200000);
        char *name = malloc(length + 1);
        memset(name, 'x', length);
        insert(text, at + strcspn(text->bytes + at, "fm_"), name, length);
        free(name);
        break;
    }
    default:
        insert(text, at, added, strlen(added));
        break;
    }
    free(line);
}

/* True if each line of `text` is in `out`, in the same order. */
static bool has_all_lines(const struct refrain_text *text, const struct refrain_text *out) {
    size_t at = 0;
    for (size_t i = 0; i < text->length;) {
        size_t n = line_length(text, i);
        while (at + n <= out->length && memcmp(out->bytes + at, text->bytes + i, n) != 0)
            at += line_length(out, at);
        if (at + n > out->length)
            return false;
        at += n;
        i += n;
    }
    return true;
}

/* False after a message. */
static bool try(const struct refrain_text *text, bool all) {
    struct refrain_filter filter = {0};
    struct refrain_text out = {0};
    bool made = refrain_hooks_insert(text, &filter, all, &out);
    bool good = made ? has_all_lines(text, &out) : out.length == 0;
    if (!good)
        fprintf(stderr, "fuzz_hooks: the text with probes lacks a line of the text without\n");
    refrain_text_free(&out);
    return good;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    state = strtoull(argv[1], NULL, 10);
    unsigned long rounds = strtoul(argv[2], NULL, 10), n_made = 0;
    for (int i = 3; i < argc; i++) {
        struct refrain_text original = {0};
        if (!refrain_text_read(&original, argv[i]))
            return 2;
        for (unsigned long round = 0; round < rounds; round++) {
            struct refrain_text text = {0};
            refrain_text_bytes(&text, original.bytes, original.length);
            for (size_t n = round == 0 ? 0 : 1 + below(20); n > 0; n--)
                damage(&text);
            if (!try(&text, round % 2)) {
                refrain_text_write(&text, "fuzz_hooks.s");
                fprintf(stderr, "fuzz_hooks: %s, seed %s, round %lu: see fuzz_hooks.s\n", argv[i], argv[1], round);
                return 1;
            }
            n_made++;
            refrain_text_free(&text);
        }
        refrain_text_free(&original);
    }
    printf("%lu texts\n", n_made);
    return 0;
}
