/* fuzz_packed.c: fuzzes the readers of packed files (packed_file.h) and packs (packed_ranks.h) with values that no
 * monitor writes. Changed bytes of such a file are mostly decoded as other values than those intended. So the decoded
 * values are changed, by their kinds: lengths, counts, references and states become extremes, once or from some value
 * on. Or all values from some value on are made up, in the same way for all values of a kind. Readers must neither
 * crash nor hang nor recurse deeply: their stack is small. The messages do not matter. Input: SCRIPT_BYTES of changes,
 * then a file. Built with -fsanitize=fuzzer it is a libFuzzer target. Otherwise: fuzz_packed FILE SEED ROUNDS reads the
 * file with ROUNDS scripts, and with each extreme alone. The linker puts functions of this file in front of those of
 * the readers: --wrap=refrain_packed_read and --wrap=refrain_packed_code_value. */
#include "model/learners.h"
#include "model/trace_parts.h"
#include "packed/packed_coder.h"
#include "packed/packed_file.h"
#include "packed/packed_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CHANGES 8u
#define CHANGE_BYTES 4u
#define SCRIPT_BYTES (CHANGES * CHANGE_BYTES)
#define STACK_BYTES ((size_t)128 << 10)
#define MOST_IMAGE_BYTES ((uint64_t)2 << 20)
#define MOST_MADE_UP 100000u /* values */
#define MOST_EVENTS 200

static unsigned long refused, opened;

/* ---- chance ---- */

static uint64_t state = 1;

static uint64_t draw(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (state >> 9) % n : 0;
}

static void begin_chance(uint64_t seed) {
    state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
    for (unsigned i = 0; i < 8; i++)
        draw(1);
}

/* ---- the values ---- */

/* One change: the value of a kind after a number of values of this kind. */
struct change {
    unsigned char kind;  /* number among `kinds`; from NO_CHANGE on: there is no change */
    unsigned char after; /* values of the kind */
    unsigned char to;    /* extreme(); of a state any */
    unsigned char how;   /* bits */
};
#define NO_CHANGE 128u
#define FROM_THERE_ON 1u
#define BY_CHANCE 2u   /* of those, each is this, 0 or 1 */
#define MADE_UP_ON 12u /* both: so are all values from there on */

/* Lengths, counts, references, and what decides about shapes. */
static const unsigned char kinds[] = {
    REFRAIN_PACKED_RUN,         REFRAIN_PACKED_HAS_METRICS, REFRAIN_PACKED_PAGE,       REFRAIN_PACKED_PAGE_BYTES,
    REFRAIN_PACKED_COUNT_OF,    REFRAIN_PACKED_NAME_LENGTH,   REFRAIN_PACKED_NODE_KIND,  REFRAIN_PACKED_NODE_PARENT,
    REFRAIN_PACKED_NODE_SLOT,   REFRAIN_PACKED_NODE_NAME,     REFRAIN_PACKED_USED,       REFRAIN_PACKED_CALL_SITE,
    REFRAIN_PACKED_OPERATION,   REFRAIN_PACKED_STATE,         REFRAIN_PACKED_CONFIRMED,  REFRAIN_PACKED_HAS,
    REFRAIN_PACKED_ITEMS,       REFRAIN_PACKED_ITEM_HEAD,     REFRAIN_PACKED_ITEM_SPAN,  REFRAIN_PACKED_LOOP,
    REFRAIN_PACKED_CHUNK,       REFRAIN_PACKED_TERM,          REFRAIN_PACKED_GUESSED,    REFRAIN_PACKED_KIND,
    REFRAIN_PACKED_PLACE,       REFRAIN_PACKED_TALLY,         REFRAIN_PACKED_TALLY_WORD, REFRAIN_PACKED_KEY,
    REFRAIN_PACKED_TERM_NUMBER, REFRAIN_PACKED_COMM,          REFRAIN_PACKED_TOPOLOGY,   REFRAIN_PACKED_OBJECT};
#define KINDS (sizeof kinds)

/* Values of the same kind, over and over. */
struct alike {
    enum { AS_READ, SAME, SAME_OR_BIT, BITS, ANY } form;
    uint64_t value;  /* BITS: these, from the lowest on ... */
    unsigned period; /* ... `period` of them */
};

static struct {
    struct change change[CHANGES];
    unsigned met[REFRAIN_PACKED_KINDS]; /* number of values so far */
    struct alike stuck[REFRAIN_PACKED_KINDS], made_up[REFRAIN_PACKED_KINDS];
    bool makes_up, is_inside;
    unsigned n_made_up;
} script;

static uint64_t extreme(unsigned which, uint64_t was) {
    static const uint64_t element_bytes[] = {4, 8, 10, 16, 24, 32, 40, 48, 64, 72, 80, 96, 128, 144, 152, 1024};
    unsigned i = which % 32;
    switch (which / 32) {
    case 0: /* small */
        return i;
    case 1: /* such that a few more are none */
        return UINT64_MAX - i;
    case 2: /* a bit, or all below it */
    case 3:
        return ((uint64_t)1 << 2 * i) - (which / 32 == 3);
    case 4: /* near to what it was */
        return was + i - 16;
    case 5: /* numbers whose product with the element size overflows to a small one */
        return UINT64_MAX / element_bytes[i % 16] + 1 + i / 16;
    case 6: /* the same for signed numbers */
        return (UINT64_MAX / element_bytes[i % 16] + 1 + i / 16) * 2;
    default:
        return was * i;
    }
}

/* A state may become any value: there are few. */
static uint64_t extreme_of(enum refrain_packed_kind kind, unsigned which, uint64_t was) {
    return kind == REFRAIN_PACKED_STATE ? which % (4 * REFRAIN_LEARNER_STATES + 8) : extreme(which, was);
}

static uint64_t one_of(const struct alike *alike, enum refrain_packed_kind kind, uint64_t was) {
    switch (alike->form) {
    case SAME:
        return alike->value;
    case SAME_OR_BIT:
        return draw(3) ? draw(2) : alike->value;
    case BITS:
        return alike->value >> script.met[kind] % alike->period & 1;
    case ANY:
        return extreme_of(kind, (unsigned)draw(256), was);
    default:
        return was;
    }
}

static struct alike draw_alike(enum refrain_packed_kind kind) {
    uint64_t form = draw(8);
    if (kind == REFRAIN_PACKED_STATE)
        form = 1;
    if (form == 0)
        return (struct alike){.form = ANY};
    if (form == 1)
        return (struct alike){SAME, extreme_of(kind, (unsigned)draw(256), 0), 0};
    return form < 5 ? (struct alike){BITS, draw(16), 1 + (unsigned)draw(4)} : (struct alike){SAME, 0, 0};
}

/* Most made-up values are 0 or 1, so that they make sense and readers continue: for example a learner without parts
 * except the last one, in which lies another learner, and so on. */
static void begin_to_make_up(void) {
    script.makes_up = true;
    for (unsigned kind = 0; kind < REFRAIN_PACKED_KINDS; kind++)
        script.made_up[kind] = draw_alike(kind);
}

static void change_value(enum refrain_packed_kind kind, uint64_t *value) {
    unsigned met = script.met[kind]++;
    for (unsigned i = 0; i < CHANGES; i++) {
        const struct change *change = &script.change[i];
        if (change->kind >= NO_CHANGE || kinds[change->kind % KINDS] != kind || change->after != met)
            continue;
        *value = extreme_of(kind, change->to, *value);
        if (change->how & FROM_THERE_ON)
            script.stuck[kind] = (struct alike){change->how & BY_CHANCE ? SAME_OR_BIT : SAME, *value, 0};
        if ((change->how & MADE_UP_ON) == MADE_UP_ON && !script.makes_up)
            begin_to_make_up();
        return;
    }
    *value = one_of(&script.stuck[kind], kind, *value);
}

/* ---- in front of the readers ---- */

/* True: the value is made up, or, with *enough, none is any more. */
static bool make_up(enum refrain_packed_kind kind, uint64_t *value, bool *enough) {
    if (!script.makes_up)
        return false;
    *value = one_of(&script.made_up[kind], kind, 0);
    *enough = script.n_made_up++ >= MOST_MADE_UP;
    return true;
}

static void stream_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct refrain_packed_stream *inner = stream->data;
    bool enough = false;
    if (!make_up(kind, value, &enough))
        inner->value(inner, kind, value);
    stream->wrong = enough ? "there is no more" : inner->wrong;
    change_value(kind, value);
}

static void stream_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct refrain_packed_stream *inner = stream->data;
    if (script.makes_up)
        memset(bytes, (int)draw(256), n);
    else
        inner->bytes(inner, kind, bytes, n);
    stream->wrong = inner->wrong;
}

bool __real_refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream);
bool __wrap_refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream);

/* Reads an image from values, of a packed file or of a rank in a pack. */
bool __wrap_refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream) {
    struct refrain_packed_stream changed = {.data = stream, .value = stream_value, .bytes = stream_bytes};
    script.is_inside = true;
    bool read = __real_refrain_packed_read(image, bytes, &changed);
    script.is_inside = false;
    stream->wrong = changed.wrong;
    return read;
}

void __real_refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                      uint64_t *value);
void __wrap_refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                      uint64_t *value);

/* Reads other values: those of the structure of a pack. */
void __wrap_refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                      uint64_t *value) {
    if (script.is_inside || !make_up(kind, value, &coder->full))
        __real_refrain_packed_code_value(coder, kind, value);
    if (!script.is_inside)
        change_value(kind, value);
}

/* ---- files ---- */

struct input {
    unsigned char *file;
    size_t length;
};

static void use(struct refrain_trace *trace) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    opened++;
    for (size_t i = 0; i < trace->n_processes; i++)
        refrain_learners_check(&trace->processes[i], NULL);
    if (refrain_cursor_open(trace, &options, &cursor, NULL) != REFRAIN_OK)
        return;
    for (int i = 0; i < MOST_EVENTS && refrain_cursor_next(cursor); i++)
        ;
    refrain_cursor_close(cursor, NULL);
}

/* Lengths and checksums of the parts are corrected, so that the parts behind them are read. */
static void read_packed(struct input *input) {
    struct refrain_packed_header *header = (void *)input->file;
    struct refrain_image image = {.name = "packed", .bytes = input->file, .length = input->length};
    struct refrain_trace *trace;
    if (input->length < sizeof *header)
        return;
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = sizeof *header;
    header->image_bytes %= MOST_IMAGE_BYTES;
    header->checksum = refrain_packed_checksum(input->file + sizeof *header, input->length - sizeof *header);
    if (refrain_trace_open_images(&image, 1, &trace, NULL) == REFRAIN_OK)
        use(trace);
    else
        refused++;
    refrain_trace_close(trace);
}

static void read_pack(struct input *input) {
    struct refrain_ranks_header *header = (void *)input->file;
    if (input->length < sizeof *header)
        return;
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = sizeof *header;
    header->n_ranks %= 5;
    header->rows_bytes %= MOST_IMAGE_BYTES;
    struct refrain_ranks_index *index = (void *)(header + 1);
    for (uint32_t i = 0; i < header->n_ranks && (unsigned char *)(index + i + 1) <= input->file + input->length; i++) {
        uint64_t times_bytes = index[i].coded_bytes + index[i].copied_bytes;
        index[i].image_bytes %= MOST_IMAGE_BYTES;
        if (index[i].at < input->length && times_bytes <= input->length - index[i].at)
            index[i].checksum = refrain_packed_checksum(input->file + index[i].at, (size_t)times_bytes);
    }
    uint64_t rest = header->n_ranks * sizeof *index + header->structure_bytes;
    if (header->structure_bytes < input->length && rest <= input->length - sizeof *header)
        header->checksum = refrain_packed_checksum(input->file + sizeof *header, (size_t)rest);
    struct refrain_trace *trace = refrain_trace_make("pack");
    if (!trace)
        abort();
    if (refrain_ranks_unpack(trace, "pack", input->file, input->length, NULL) == REFRAIN_OK &&
        refrain_trace_assemble(trace, NULL, NULL) == REFRAIN_OK)
        use(trace);
    else
        refused++;
    refrain_trace_close(trace);
}

/* Made-up values depend on the script only. */
static void read_with(const unsigned char changes[SCRIPT_BYTES], const unsigned char *file, size_t length) {
    struct input input = {aligned_alloc(16, (length + 15) & ~(size_t)15), length};
    memset(&script, 0, sizeof script);
    memcpy(script.change, changes, sizeof script.change);
    begin_chance(refrain_packed_checksum(changes, SCRIPT_BYTES));
    if (!input.file)
        abort();
    memcpy(input.file, file, length);
    if (refrain_ranks_are_packed(input.file, length))
        read_pack(&input);
    else if (refrain_packed_is_file(input.file, length))
        read_packed(&input);
    free(input.file);
}

static void limit_stack(void) {
    struct rlimit limit = {STACK_BYTES, STACK_BYTES};
    if (setrlimit(RLIMIT_STACK, &limit) != 0)
        abort();
}

/* A random script. Few values occur often, so most changes are at the first values of a kind. */
static void draw_script(unsigned char changes[SCRIPT_BYTES]) {
    unsigned n = 1 + (unsigned)draw(CHANGES);
    memset(changes, 255, SCRIPT_BYTES);
    for (unsigned i = 0; i < n; i++) {
        struct change change = {(unsigned char)draw(KINDS), (unsigned char)draw(draw(2) ? 8 : 256),
                                (unsigned char)draw(256), (unsigned char)draw(16)};
        memcpy(changes + i * CHANGE_BYTES, &change, sizeof change);
    }
}

#ifdef REFRAIN_LIBFUZZER
size_t LLVMFuzzerMutate(unsigned char *bytes, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t n, size_t most, unsigned seed);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    limit_stack();
    return 0;
}

/* Mutates mostly the script, and sometimes the file. */
size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t n, size_t most, unsigned seed) {
    begin_chance(seed);
    if (n <= SCRIPT_BYTES)
        return n;
    if (draw(8) == 0)
        return SCRIPT_BYTES + LLVMFuzzerMutate(bytes + SCRIPT_BYTES, n - SCRIPT_BYTES, most - SCRIPT_BYTES);
    unsigned char changes[SCRIPT_BYTES];
    draw_script(changes);
    unsigned at = (unsigned)draw(CHANGES) * CHANGE_BYTES;
    memcpy(bytes + at, changes, draw(4) ? CHANGE_BYTES : SCRIPT_BYTES - at);
    return n;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n) {
    if (n > SCRIPT_BYTES)
        read_with(bytes, bytes + SCRIPT_BYTES, n - SCRIPT_BYTES);
    return 0;
}
#else
#include "read_image.h"

/* The image gets more room, or less, than it needs. */
static void change_room(unsigned char *file, size_t length, uint64_t room) {
    if (refrain_packed_is_file(file, length))
        ((struct refrain_packed_header *)(void *)file)->image_bytes = room;
    else if (length > sizeof(struct refrain_ranks_header) + sizeof(struct refrain_ranks_index))
        ((struct refrain_ranks_index *)(void *)(file + sizeof(struct refrain_ranks_header)))->image_bytes = room;
}

/* The first value of each kind becomes extremes of each case, one after the other. */
static void read_extremes(const unsigned char *file, size_t n) {
    static const unsigned char which[] = {0, 1, 2, 16};
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned i = 0; i < 8 * sizeof which; i++) {
            unsigned char changes[SCRIPT_BYTES];
            struct change change = {(unsigned char)kind, 0,
                                    (unsigned char)(i / sizeof which * 32 + which[i % sizeof which]), 0};
            memset(changes, 255, sizeof changes);
            memcpy(changes, &change, sizeof change);
            read_with(changes, file, n);
        }
}

int main(int argc, char **argv) {
    size_t n = 0;
    if (argc != 4)
        return fprintf(stderr, "usage: fuzz_packed FILE SEED ROUNDS\n"), 2;
    unsigned char *whole = read_file(argv[1], &n), *file = whole ? aligned_alloc(16, (n + 15) & ~(size_t)15) : NULL;
    if (!whole || !file || (!refrain_packed_is_file(whole, n) && !refrain_ranks_are_packed(whole, n)))
        return 2;
    limit_stack();
    uint64_t seed = strtoull(argv[2], NULL, 0);
    memcpy(file, whole, n);
    change_room(file, n, MOST_IMAGE_BYTES - 16);
    read_extremes(file, n);
    for (long round = atol(argv[3]); round > 0; round--) {
        unsigned char changes[SCRIPT_BYTES];
        memcpy(file, whole, n);
        begin_chance(seed << 32 | (uint64_t)round);
        draw_script(changes);
        if (draw(4))
            change_room(file, n, draw(2) ? MOST_IMAGE_BYTES - 16 : (uint64_t)1024 << draw(8));
        read_with(changes, file, n);
    }
    free(whole);
    free(file);
    printf("%lu files opened, %lu refused\n%s passed, %d failed\n", opened, refused, argv[3], refused == 0);
    return refused == 0;
}
#endif
