/* import_image.c: writes a trace file in which nothing was learned (import_image.h). */
#include "import/import_image.h"
#include "common/array.h"
#include <refrain/unit.h>

#include <stdlib.h>

struct builder {
    unsigned char *bytes;
    size_t n, capacity;
    bool no_memory;
};

/* Allocates zeroed room in the pool, and returns its offset. */
static size_t allocate(struct builder *builder, size_t bytes) {
    size_t at = builder->n, n = (at + bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(size_t)(REFRAIN_ALIGNMENT_BYTES - 1);
    if (!REFRAIN_ARRAY_ROOMS(builder->bytes, at, n - at, builder->capacity)) {
        builder->no_memory = true;
        return 0;
    }
    memset(builder->bytes + at, 0, n - at);
    builder->n = n;
    return at;
}

/* The memory at an offset, valid until the next allocation. */
static void *at(struct builder *builder, size_t offset) {
    return builder->bytes + offset;
}

static uint32_t reference(size_t offset) {
    return (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
}

static uint32_t put_name(struct builder *builder, const char *text) {
    size_t length = strlen(text), offset = length ? allocate(builder, sizeof(struct refrain_name) + length + 1) : 0;
    if (offset == 0)
        return 0;
    struct refrain_name *name = at(builder, offset);
    name->length = (uint32_t)length;
    memcpy(name->text, text, length);
    return reference(offset);
}

/* ---- the program tree ---- */

static size_t strings_bytes(const struct refrain_import_image *image) {
    size_t bytes = 1;
    for (size_t i = 0; i < image->n_regions; i++)
        bytes += strlen(image->regions[i].name) + strlen(image->regions[i].file) + 2;
    return bytes;
}

static uint32_t put_string(char *strings, size_t *used, const char *text) {
    size_t n = strlen(text), at = *used;
    if (n == 0)
        return 0;
    memcpy(strings + at, text, n + 1);
    *used += n + 1;
    return (uint32_t)at;
}

static bool is_call(const struct refrain_import_image_region *region) {
    return region->kind == REFRAIN_REGION_MPI || region->kind == REFRAIN_REGION_IO;
}

/* True if the region has a node of the program tree, and so a slot. A function's slot is its number. The call sites
 * with a line follow, with two slots each. */
static bool has_node(const struct refrain_import_image_region *region) {
    return region->kind == REFRAIN_REGION_FUNCTION || (is_call(region) && region->file[0]);
}

static void put_tree(struct builder *builder, const struct refrain_import_image *image, uint32_t *call_slots) {
    uint32_t n_nodes = 1, slot = image->n_slots;
    for (size_t i = 0; i < image->n_regions; i++) {
        n_nodes += has_node(&image->regions[i]);
        call_slots[i] = UINT32_MAX;
        if (is_call(&image->regions[i]) && has_node(&image->regions[i])) {
            call_slots[i] = slot;
            slot += 2;
        }
    }
    size_t unit_at = allocate(builder, sizeof(struct refrain_unit_record));
    size_t nodes_at = allocate(builder, n_nodes * sizeof(struct refrain_node));
    size_t strings_at = allocate(builder, strings_bytes(image));
    size_t slots_at = allocate(builder, (size_t)slot * image->n_threads * sizeof(struct refrain_slot));
    if (builder->no_memory)
        return;
    struct refrain_node *nodes = at(builder, nodes_at);
    char *strings = at(builder, strings_at);
    size_t used = 1;
    nodes[0].slot = REFRAIN_NO_SLOT;
    for (size_t i = 0, n = 1; i < image->n_regions; i++) {
        const struct refrain_import_image_region *region = &image->regions[i];
        if (!has_node(region))
            continue;
        bool function = region->kind == REFRAIN_REGION_FUNCTION;
        nodes[n].kind = function ? REFRAIN_FUNCTION : REFRAIN_MPI_CALL;
        nodes[n].slot = function ? region->number : call_slots[i];
        nodes[n].line = region->line;
        nodes[n].name = put_string(strings, &used, region->name);
        nodes[n++].file = put_string(strings, &used, region->file);
    }
    struct refrain_slot *slots = at(builder, slots_at);
    for (uint32_t i = 0; i < slot * image->n_threads; i++)
        slots[i].number = i % slot;
    *(struct refrain_unit_record *)at(builder, unit_at) =
        (struct refrain_unit_record){.nodes = nodes_at,
                                     .strings = strings_at,
                                     .slots = slots_at,
                                     .n_nodes = n_nodes,
                                     .n_slots = slot,
                                     .strings_bytes = (uint32_t)strings_bytes(image)};
    struct refrain_header *header = at(builder, 0);
    header->units = unit_at;
    header->n_slots = slot;
}

/* ---- lists of call sites, regions and objects ---- */

static void put_call_sites(struct builder *builder, const struct refrain_import_image *image,
                           const uint32_t *call_slots) {
    size_t last_site = 0, last_region = 0;
    for (size_t i = 0; i < image->n_regions; i++) {
        const struct refrain_import_image_region *region = &image->regions[i];
        if (is_call(region)) {
            size_t offset = allocate(builder, sizeof(struct refrain_call_site));
            if (builder->no_memory)
                return;
            struct refrain_header *header = at(builder, 0);
            struct refrain_call_site *call_site = at(builder, offset);
            call_site->function = region->function;
            call_site->slot = call_slots[i];
            call_site->number = region->number;
            if (last_site)
                ((struct refrain_call_site *)at(builder, last_site))->next = reference(offset);
            else
                header->call_sites = reference(offset);
            header->n_call_sites++;
            last_site = offset;
        } else if (region->kind == REFRAIN_REGION_USER) {
            uint32_t name = put_name(builder, region->name);
            size_t offset = allocate(builder, sizeof(struct refrain_region_name));
            if (builder->no_memory)
                return;
            struct refrain_header *header = at(builder, 0);
            struct refrain_region_name *record = at(builder, offset);
            record->name = name;
            record->number = region->number;
            record->use = region->use;
            if (last_region)
                ((struct refrain_region_name *)at(builder, last_region))->next = reference(offset);
            else
                header->regions = reference(offset);
            header->n_regions++;
            last_region = offset;
        }
    }
}

static size_t put_comm(struct builder *builder, const struct refrain_import_image *image, uint32_t index,
                       const struct refrain_import_image_comm *comm) {
    uint32_t name = put_name(builder, comm->name), members = 0;
    size_t n = (size_t)comm->size + (size_t)comm->remote_size;
    bool remote = false;
    if (comm->members) {
        size_t offset = allocate(builder, n * sizeof(int32_t));
        if (builder->no_memory)
            return 0;
        /* The group of this rank comes first. */
        for (int32_t i = 0; i < comm->remote_size; i++)
            remote |= comm->members[comm->size + i] == image->rank;
        int32_t *to = at(builder, offset);
        size_t first = remote ? (size_t)comm->size : 0;
        for (size_t i = 0; i < n; i++)
            to[i] = comm->members[(first + i) % n];
        members = reference(offset);
    }
    size_t offset = allocate(builder, sizeof(struct refrain_communicator));
    if (builder->no_memory)
        return 0;
    *(struct refrain_communicator *)at(builder, offset) =
        (struct refrain_communicator){.index = index,
                                      .ordinal = comm->number,
                                      .size = remote ? comm->remote_size : comm->size,
                                      .my_rank = -1,
                                      .remote_size = remote ? comm->size : comm->remote_size,
                                      .members = members,
                                      .name = name};
    return offset;
}

static void put_comms(struct builder *builder, const struct refrain_import_image *image) {
    const struct refrain_import_image_comm world = {.name = "MPI_COMM_WORLD", .size = image->size},
                                           self = {.name = "MPI_COMM_SELF", .size = 1, .number = 1};
    size_t last = 0;
    for (size_t i = 0; i < image->n_comms + 2; i++) {
        size_t offset = put_comm(builder, image, (uint32_t)i, i == 0 ? &world : i == 1 ? &self : &image->comms[i - 2]);
        if (builder->no_memory)
            return;
        struct refrain_header *header = at(builder, 0);
        if (last)
            ((struct refrain_communicator *)at(builder, last))->next = reference(offset);
        else
            header->communicators = reference(offset);
        header->n_communicators++;
        last = offset;
    }
}

static void put_objects(struct builder *builder, const struct refrain_import_image *image) {
    size_t last = 0;
    for (const struct refrain_import_object *object = image->objects; object; object = object->next) {
        uint32_t name = object->name ? put_name(builder, object->name) : 0;
        size_t offset = allocate(builder, sizeof(struct refrain_object));
        if (builder->no_memory)
            return;
        *(struct refrain_object *)at(builder, offset) = (struct refrain_object){
            .kind = object->kind, .number = object->number, .comm = object->comm, .slot = object->slot, .name = name};
        struct refrain_header *header = at(builder, 0);
        if (last)
            ((struct refrain_object *)at(builder, last))->next = reference(offset);
        else
            header->objects = reference(offset);
        header->n_objects++;
        last = offset;
    }
}

static void put_threads(struct builder *builder, const struct refrain_import_image *image) {
    size_t offset = allocate(builder, image->n_threads * sizeof(struct refrain_thread));
    int64_t last_ns = 0;
    if (builder->no_memory)
        return;
    struct refrain_header *header = at(builder, 0);
    struct refrain_thread *threads = at(builder, offset);
    for (uint32_t i = 0; i < image->n_threads; i++) {
        int64_t ns = image->last_ns[i];
        threads[i].started = threads[i].ended = ns >= 0;
        threads[i].samples = REFRAIN_SAMPLES_UNKNOWN;
        threads[i].start_ticks = REFRAIN_IMPORT_BASE_TICKS;
        threads[i].last_ticks = REFRAIN_IMPORT_BASE_TICKS + (uint64_t)(ns >= 0 ? ns : 0);
        last_ns = ns > last_ns ? ns : last_ns;
    }
    header->threads = offset;
    header->n_threads = image->n_threads;
    header->start = (struct refrain_clock_pair){REFRAIN_IMPORT_BASE_TICKS, image->start_ns, REFRAIN_IMPORT_BASE_TICKS};
    header->last = header->start;
    header->last.ticks += (uint64_t)last_ns;
    header->last.realtime_ns += (uint64_t)last_ns;
    header->last.monotonic_ns += (uint64_t)last_ns;
}

bool refrain_import_image_write(struct refrain_sink *out, const struct refrain_import_image *image) {
    struct builder builder = {0};
    uint32_t *call_slots = calloc(image->n_regions + 1, sizeof *call_slots);
    allocate(&builder, REFRAIN_HEADER_BYTES);
    if (!builder.no_memory && call_slots) {
        put_tree(&builder, image, call_slots);
        put_threads(&builder, image);
        put_call_sites(&builder, image, call_slots);
        put_comms(&builder, image);
        put_objects(&builder, image);
        uint32_t program = put_name(&builder, image->program), source = put_name(&builder, image->source);
        if (!builder.no_memory) {
            struct refrain_header *header = at(&builder, 0);
            memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
            header->version = REFRAIN_TRACE_VERSION;
            header->header_bytes = REFRAIN_HEADER_BYTES;
            header->bytes = header->times_from = header->pool_used = builder.n;
            header->mode = REFRAIN_MODE_EVENTS;
            header->rank = image->rank;
            header->size = image->size;
            header->finished = 1;
            header->clock = 1;
            header->executable = program;
            header->mpi_library = source;
            refrain_sink_put_bytes(out, builder.bytes, builder.n);
        }
    }
    bool good = !builder.no_memory && call_slots;
    free(builder.bytes);
    free(call_slots);
    return good;
}
