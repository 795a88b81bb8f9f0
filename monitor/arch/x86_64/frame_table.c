/* frame_table.c: reads .eh_frame_hdr and .eh_frame (Linux Standard Base 5.0, "Exception Frames"; DWARF 5, section 6.4)
 * as far as frames of compiled functions need it (frame_table.h). */
#include "arch/x86_64/frame_table.h"

#include <link.h>
#include <string.h>

#define DW_RBP 6u
#define DW_RSP 7u
#define DW_RETURN 16u
#define MOST_STATES 8u

enum { ENCODING_SDATA4 = 0x0b, ENCODING_PC_RELATIVE = 0x10, ENCODING_DATA_RELATIVE = 0x30, ENCODING_UDATA4 = 0x03 };

struct cursor {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t take(struct cursor *c, unsigned bytes) {
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        c->bad = true;
        return 0;
    }
    memcpy(&value, c->at, bytes);
    c->at += bytes;
    return value;
}

static uint64_t take_uleb(struct cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = take(c, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static int64_t take_sleb(struct cursor *c) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; shift < 64 && byte & 0x80; shift += 7) {
        byte = take(c, 1);
        value |= (byte & 0x7f) << shift;
    }
    if (shift < 64 && byte & 0x40)
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

static void skip(struct cursor *c, uint64_t bytes) {
    if ((uint64_t)(c->end - c->at) < bytes)
        c->bad = true;
    else
        c->at += bytes;
}

/* ---- the entry of a function ---- */

#define HEADER_BYTES 12u

/* The table of the object: its segment PT_GNU_EH_FRAME. Null if it has none. */
static const unsigned char *header_of(const struct refrain_loaded *object) {
    const ElfW(Phdr) *segments = object->segments;
    for (unsigned i = 0; i < object->n_segments; i++)
        if (segments[i].p_type == PT_GNU_EH_FRAME) {
            uintptr_t header = object->load_address + segments[i].p_vaddr;
            return refrain_loaded_holds(object, header, HEADER_BYTES) ? (const unsigned char *)header : NULL;
        }
    return NULL;
}

/* Finds the entry (FDE) of the address in the sorted table of the header. Null if there is none. */
static const unsigned char *find_entry(const struct refrain_loaded *object, uintptr_t address) {
    const unsigned char *header = header_of(object);
    uint32_t n;
    struct {
        int32_t begin, entry; /* relative to the header */
    } row;
    if (!header || header[0] != 1 || header[2] != ENCODING_UDATA4 ||
        header[3] != (ENCODING_DATA_RELATIVE | ENCODING_SDATA4))
        return NULL;
    /* The second field is the address of .eh_frame. In all encodings that occur with this table, it has 4 bytes. */
    if ((header[1] & 0x0f) != ENCODING_SDATA4 && (header[1] & 0x0f) != ENCODING_UDATA4)
        return NULL;
    memcpy(&n, header + 8, sizeof n);
    const unsigned char *table = header + HEADER_BYTES;
    if (!refrain_loaded_holds(object, (uintptr_t)table, n * sizeof row))
        return NULL;
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(&row, table + (size_t)middle * sizeof row, sizeof row);
        if ((uintptr_t)header + (uintptr_t)(intptr_t)row.begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    memcpy(&row, table + (size_t)(low - 1) * sizeof row, sizeof row);
    return header + row.entry;
}

static bool open_record(const struct refrain_loaded *object, const unsigned char *record, struct cursor *c) {
    uint32_t length;
    if (!refrain_loaded_holds(object, (uintptr_t)record, sizeof length))
        return false;
    memcpy(&length, record, sizeof length);
    *c = (struct cursor){.at = record + 4, .end = record + 4 + length};
    return length != 0 && length != 0xffffffffu && refrain_loaded_holds(object, (uintptr_t)c->at, length);
}

/* The fields of a common entry (CIE), which several functions share. */
struct common {
    uint64_t code_step;
    int64_t data_step;
    bool augmented;
    unsigned char pointer_encoding;
    struct cursor instructions;
};

static bool read_common(const struct refrain_loaded *object, const unsigned char *record, struct common *common) {
    struct cursor c;
    if (!open_record(object, record, &c) || take(&c, 4) != 0)
        return false;
    uint64_t version = take(&c, 1);
    const char *augmentation = (const char *)c.at;
    while (!c.bad && take(&c, 1))
        ;
    common->code_step = take_uleb(&c);
    common->data_step = take_sleb(&c);
    uint64_t return_register = version == 1 ? take(&c, 1) : take_uleb(&c);
    common->pointer_encoding = 0;
    common->augmented = augmentation[0] == 'z';
    if (c.bad || (version != 1 && version != 3) || return_register != DW_RETURN ||
        (augmentation[0] && !common->augmented))
        return false;
    if (common->augmented) {
        uint64_t bytes = take_uleb(&c);
        struct cursor data = c;
        skip(&c, bytes);
        for (const char *p = augmentation + 1; *p; p++) {
            if (*p == 'R') {
                common->pointer_encoding = (unsigned char)take(&data, 1);
            } else if (*p == 'P') {
                unsigned encoding = (unsigned)take(&data, 1) & 0x0f;
                skip(&data, encoding == ENCODING_SDATA4 || encoding == ENCODING_UDATA4 ? 4 : 8);
            } else if (*p == 'L') {
                take(&data, 1);
            } else if (*p == 'S') {
                return false; /* the frame of a signal handler, which makes no call */
            }
        }
        if (data.bad)
            return false;
    }
    common->instructions = c;
    return !c.bad && common->pointer_encoding == (ENCODING_PC_RELATIVE | ENCODING_SDATA4);
}

/* ---- the instructions ---- */

struct state {
    uint64_t cfa_register;
    int64_t cfa_offset, frame_pointer_offset;
    bool frame_pointer_saved;
};

struct machine {
    const struct common *common;
    struct state now, initial, kept[MOST_STATES];
    unsigned n_kept;
    uint64_t location, wanted;
};

/* An offset in units of the common entry. Of damaged tables it may be any number. */
static int64_t scale(const struct machine *m, int64_t offset) {
    return (int64_t)((uint64_t)offset * (uint64_t)m->common->data_step);
}

static void save_register(struct machine *m, uint64_t number, int64_t offset) {
    if (number == DW_RBP) {
        m->now.frame_pointer_saved = true;
        m->now.frame_pointer_offset = scale(m, offset);
    }
}

static void restore_register(struct machine *m, uint64_t number) {
    if (number == DW_RBP) {
        m->now.frame_pointer_saved = m->initial.frame_pointer_saved;
        m->now.frame_pointer_offset = m->initial.frame_pointer_offset;
    }
}

/* Executes an operation that sets where the caller's frame begins (CFA). False if it is another operation. */
static bool define_frame(struct machine *m, unsigned operation, struct cursor *c) {
    switch (operation) {
    case 0x0c: /* def_cfa */
        m->now.cfa_register = take_uleb(c);
        m->now.cfa_offset = (int64_t)take_uleb(c);
        return true;
    case 0x12: /* def_cfa_sf */
        m->now.cfa_register = take_uleb(c);
        m->now.cfa_offset = scale(m, take_sleb(c));
        return true;
    case 0x0d: /* def_cfa_register */
        m->now.cfa_register = take_uleb(c);
        return true;
    case 0x0e: /* def_cfa_offset */
        m->now.cfa_offset = (int64_t)take_uleb(c);
        return true;
    case 0x13: /* def_cfa_offset_sf */
        m->now.cfa_offset = scale(m, take_sleb(c));
        return true;
    case 0x0f: /* def_cfa_expression */
        m->now.cfa_register = UINT64_MAX;
        skip(c, take_uleb(c));
        return true;
    default:
        return false;
    }
}

/* Executes an operation that has no operand in its own byte. False if it is not supported. */
static bool execute(struct machine *m, unsigned operation, struct cursor *c) {
    uint64_t number;
    switch (operation) {
    case 0x00: /* nop */
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        m->location += take(c, 1u << (operation - 2)) * m->common->code_step;
        return true;
    case 0x05: /* offset_extended */
        number = take_uleb(c);
        save_register(m, number, (int64_t)take_uleb(c));
        return true;
    case 0x11: /* offset_extended_sf */
        number = take_uleb(c);
        save_register(m, number, take_sleb(c));
        return true;
    case 0x06: /* restore_extended */
        restore_register(m, take_uleb(c));
        return true;
    case 0x08: /* same_value */
        if (take_uleb(c) == DW_RBP)
            m->now.frame_pointer_saved = false;
        return true;
    case 0x0a: /* remember_state */
        if (m->n_kept == MOST_STATES)
            return false;
        m->kept[m->n_kept++] = m->now;
        return true;
    case 0x0b: /* restore_state */
        if (m->n_kept == 0)
            return false;
        m->now = m->kept[--m->n_kept];
        return true;
    case 0x10: /* expression, val_expression */
    case 0x16:
        number = take_uleb(c);
        skip(c, take_uleb(c));
        return number != DW_RBP;
    case 0x2e: /* GNU_args_size */
        take_uleb(c);
        return true;
    default:
        return define_frame(m, operation, c);
    }
}

static bool run(struct machine *m, struct cursor c) {
    while (c.at < c.end && !c.bad && m->location <= m->wanted) {
        unsigned byte = (unsigned)take(&c, 1), operand = byte & 0x3f;
        switch (byte & 0xc0) {
        case 0x40: /* advance_loc */
            m->location += operand * m->common->code_step;
            break;
        case 0x80: /* offset */
            save_register(m, operand, (int64_t)take_uleb(&c));
            break;
        case 0xc0: /* restore */
            restore_register(m, operand);
            break;
        default:
            if (!execute(m, byte, &c))
                return false;
        }
    }
    return !c.bad;
}

bool refrain_frame_find(const struct refrain_loaded *object, uintptr_t address, struct refrain_frame_rule *rule) {
    const unsigned char *record = find_entry(object, address);
    struct cursor c;
    struct common common;
    if (!record || !open_record(object, record, &c))
        return false;
    const unsigned char *back = c.at;
    uint64_t distance = take(&c, 4);
    if (distance == 0 || !read_common(object, back - distance, &common))
        return false;
    uintptr_t begin = (uintptr_t)c.at;
    begin += (uintptr_t)(intptr_t)(int32_t)take(&c, 4);
    uint64_t bytes = take(&c, 4);
    if (address < begin || address - begin >= bytes)
        return false;
    if (common.augmented)
        skip(&c, take_uleb(&c));
    struct machine m = {.common = &common, .wanted = address, .location = 0};
    if (c.bad || !run(&m, common.instructions))
        return false;
    m.initial = m.now;
    m.location = begin;
    if (!run(&m, c) || (m.now.cfa_register != DW_RSP && m.now.cfa_register != DW_RBP))
        return false;
    *rule = (struct refrain_frame_rule){m.now.cfa_register == DW_RBP, m.now.frame_pointer_saved, m.now.cfa_offset,
                                        m.now.frame_pointer_offset, begin};
    return true;
}
