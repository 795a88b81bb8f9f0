/* binary.c: reads build ids from memory, where the loader mapped them (binary.h). */
#define _GNU_SOURCE
#include "run/binary.h"
#include "run/object_name.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_ID_BYTES 64u /* the GNU linker's have 8 to 20 bytes */
#define NOTE_ALIGNMENT 4u

/* ---- build ids ---- */

/* Returns the build id in a segment of notes, or null. */
static const unsigned char *id_in_notes(const unsigned char *notes, size_t bytes, size_t *id_bytes) {
    ElfW(Nhdr) note;
    for (size_t at = 0; bytes - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, left = bytes - name;
        size_t name_bytes = ((size_t)note.n_namesz + NOTE_ALIGNMENT - 1) & ~(size_t)(NOTE_ALIGNMENT - 1);
        if (name_bytes > left || note.n_descsz > left - name_bytes)
            return NULL;
        *id_bytes = note.n_descsz;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
            return notes + name + name_bytes;
        size_t more = ((size_t)note.n_descsz + NOTE_ALIGNMENT - 1) & ~(size_t)(NOTE_ALIGNMENT - 1);
        if (more > left - name_bytes)
            return NULL;
        at = name + name_bytes + more;
    }
    return NULL;
}

/* Writes the build id in hexadecimal. False if the object has none in memory. */
static bool build_id(const struct refrain_loaded *loaded, char text[2 * MOST_ID_BYTES + 1]) {
    static const char digits[] = "0123456789abcdef";
    const ElfW(Phdr) *segments = loaded->segments;
    for (unsigned i = 0; i < loaded->n_segments; i++) {
        uintptr_t begin = loaded->load_address + segments[i].p_vaddr;
        size_t n = 0;
        /* Notes aligned to 8 bytes have another format, and segments of their own. They contain no build id. */
        if (segments[i].p_type != PT_NOTE || segments[i].p_align > NOTE_ALIGNMENT ||
            !refrain_loaded_holds(loaded, begin, segments[i].p_memsz))
            continue;
        const unsigned char *id = id_in_notes((const unsigned char *)begin, segments[i].p_memsz, &n);
        if (!id || n == 0 || n > MOST_ID_BYTES)
            continue;
        for (size_t k = 0; k < n; k++) {
            *text++ = digits[id[k] >> 4];
            *text++ = digits[id[k] & 15];
        }
        *text = 0;
        return true;
    }
    return false;
}

/* ---- the trace file's list ---- */

static bool is_listed(uint32_t path) {
    const struct refrain_binary *binary;
    for (uint32_t r = __atomic_load_n(&refrain_trace_file.header->binaries, __ATOMIC_ACQUIRE); r; r = binary->next) {
        binary = refrain_at_reference(r);
        if (binary->path == path)
            return true;
    }
    return false;
}

static void describe_file(struct refrain_binary *binary, const struct refrain_loaded *loaded) {
    struct stat status;
    int saved = errno;
    if (stat(*loaded->path ? loaded->path : "/proc/self/exe", &status) == 0) {
        binary->file_bytes = (uint64_t)status.st_size;
        binary->changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    }
    errno = saved;
}

/* Adds a file to the list. If two threads meet a file at the same time, it is listed twice, which does no harm. */
static void add(uint32_t path, const struct refrain_loaded *loaded) {
    char text[2 * MOST_ID_BYTES + 1];
    struct refrain_header *header = refrain_trace_file.header;
    struct refrain_binary *binary = refrain_pool_take(sizeof *binary, REFRAIN_POOL_FIRST_MET);
    if (!binary)
        return;
    binary->path = path;
    if (!build_id(loaded, text))
        describe_file(binary, loaded);
    else if (!(binary->build_id = refrain_pool_name(text)))
        return;
    uint32_t head = __atomic_load_n(&header->binaries, __ATOMIC_RELAXED);
    do
        binary->next = head;
    while (!__atomic_compare_exchange_n(&header->binaries, &head, refrain_reference(binary), false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

uint32_t refrain_binary_name(const struct refrain_loaded *loaded) {
    uint32_t path = refrain_object_name(loaded->path);
    if (path && loaded->segments && !is_listed(path))
        add(path, loaded);
    return path;
}
