/* cmd_size.c: refrain size: how many bytes a run will write, by the settings and the tables in the executable. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/size_calls.h"
#include <refrain/called.h>
#include <refrain/settings.h>
#include <refrain/site_places.h>
#include <refrain/trace.h>
#include <refrain/unit.h>

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <jansson.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL_TALLY_BYTES 2048u /* bytes of the largest tally in the journal */
#define JOURNAL_ITEMS 128u        /* items of the longest formula that a thread's journal holds */

/* With this many bytes for each call site beyond the least that it needs, the counts by call site and partner are right
 * in the programs of benchmarks/report/spent.md, even if all call sites are met after the memory is spent. */
#define CALL_SITE_BYTES 900u

/* What the units of the executable need of a trace file. */
struct tables {
    bool has_symbols;
    uint64_t units, nodes, slots, tree_bytes, slot_bytes;
    uint64_t sites, site_bytes;
    uint64_t call_sites; /* calls of MPI functions in the machine code */
    uint64_t call_bytes; /* for the first call site of each MPI function, on all threads */
};

/* ---- the executable ---- */

static uint64_t round_up(uint64_t bytes) {
    return (bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(uint64_t)(REFRAIN_ALIGNMENT_BYTES - 1);
}

/* The bytes that a symbol stands for. Null if the file does not have them, or less than `least` of them. */
static const char *read_symbol(Elf *elf, const GElf_Sym *symbol, size_t least) {
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header) || symbol->st_size < least || symbol->st_value < header.sh_addr)
        return NULL;
    Elf_Data *data = elf_getdata(section, NULL);
    uint64_t at = symbol->st_value - header.sh_addr;
    bool is_there = data && data->d_buf && at <= data->d_size && data->d_size - at >= symbol->st_size;
    return is_there ? (const char *)data->d_buf + at : NULL;
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint32_t threads, struct tables *tables) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    struct refrain_called called = {0};
    tables->has_symbols = true;
    for (size_t i = 0; data && i < n && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        unsigned sizes[REFRAIN_TABLES_SIZES];
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        const char *bytes = name && strcmp(name, "refrain__tables") == 0 ? read_symbol(elf, &symbol, 1) : NULL;
        size_t strings_bytes = bytes ? refrain_tables_strings_bytes(bytes, symbol.st_size) : 0;
        struct refrain_tables_reader reader = {(const unsigned char *)bytes + strings_bytes,
                                               (const unsigned char *)bytes + symbol.st_size};
        if (!bytes || !refrain_tables_read_sizes(&reader, sizes))
            continue;
        refrain_called_add(&called, bytes, strings_bytes);
        tables->units++;
        tables->nodes += sizes[REFRAIN_TABLES_NODES];
        tables->slots += sizes[REFRAIN_TABLES_SLOTS];
        tables->tree_bytes += round_up(sizeof(struct refrain_unit_record)) +
                              round_up((uint64_t)sizes[REFRAIN_TABLES_NODES] * sizeof(struct refrain_node)) +
                              round_up(strings_bytes);
        tables->slot_bytes += (uint64_t)sizes[REFRAIN_TABLES_SLOTS] * threads * sizeof(struct refrain_slot);
    }
    tables->call_bytes += threads * refrain_called_bytes(&called);
}

/* Reads the list of sites of all units. */
static void read_sites(Elf *elf, const GElf_Shdr *header, struct tables *tables) {
    size_t names;
    const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
    if (!name || strcmp(name, REFRAIN_SITES_SECTION) != 0)
        return;
    tables->sites = header->sh_size / sizeof(struct refrain_site);
    tables->site_bytes = refrain_site_table_bytes(tables->sites);
}

static enum refrain_status read_tables(const char *path, uint32_t threads, struct tables *tables,
                                       struct refrain_error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return REFRAIN_FAIL(error, "%s: %s", path, strerror(errno));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    enum refrain_status status = REFRAIN_OK;
    if (!elf || elf_kind(elf) != ELF_K_ELF)
        status =
            REFRAIN_FAIL(error, "%s: is not an executable (no ELF file); name the program itself, not a script", path);
    Elf_Scn *section = NULL;
    while (!status && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(elf, section, &header, threads, tables);
        else
            read_sites(elf, &header, tables);
    }
    if (!status)
        tables->call_sites = refrain_size_calls(elf);
    if (elf)
        elf_end(elf);
    close(fd);
    return status;
}

/* ---- the settings ---- */

static enum refrain_status read_settings(uint64_t *total_bytes, uint32_t *threads, struct refrain_error *error) {
    const char *value = getenv("REFRAIN_TOTAL_MEMORY");
    uint64_t number;
    *total_bytes = REFRAIN_DEFAULT_TOTAL_MEMORY;
    *threads = 1;
    if (value && *value && !refrain_settings_size(value, total_bytes))
        return REFRAIN_FAIL(
            error, "REFRAIN_TOTAL_MEMORY=%s: a number of bytes, or one followed by K, M or G, is expected", value);
    value = getenv("REFRAIN_THREADS");
    if (value && *value) {
        if (!refrain_settings_size(value, &number) || number < 1 || number > REFRAIN_MAXIMUM_THREADS)
            return REFRAIN_FAIL(error, "REFRAIN_THREADS=%s: a number of threads, 1 to %u, is expected", value,
                                REFRAIN_MAXIMUM_THREADS);
        *threads = (uint32_t)number;
    } else if ((value = getenv("OMP_NUM_THREADS")) && refrain_settings_size(value, &number) && number >= 1) {
        *threads = number > REFRAIN_MAXIMUM_THREADS ? REFRAIN_MAXIMUM_THREADS : (uint32_t)number;
    }
    return REFRAIN_OK;
}

/* ---- output ---- */

struct arguments {
    const char *executable;
    uint64_t ranks;
    bool json;
};

struct answer {
    uint64_t total_memory_bytes, ranks_bytes, scratch_bytes, image_bytes, outside_bytes, threads_bytes, free_bytes,
        total_bytes;
    uint64_t least_bytes, whole_counts_bytes;
    uint32_t threads;
    struct tables tables;
};

static void print_text(const struct arguments *arguments, const struct answer *answer) {
    const struct tables *tables = &answer->tables;
    printf("%s on %" PRIu64 " rank%s writes %" PRIu64
           " bytes (%s) at most, whatever it does and however long it runs\n",
           arguments->executable, arguments->ranks, arguments->ranks == 1 ? "" : "s", answer->total_bytes,
           refrain_show_bytes(answer->total_bytes));
    printf("\nper rank    %12" PRIu64 " bytes of memory at most (REFRAIN_TOTAL_MEMORY)\n", answer->total_memory_bytes);
    printf("  outside   %12" PRIu64 " shadow stacks and tables of %u thread%s, not written\n", answer->outside_bytes,
           answer->threads, answer->threads == 1 ? "" : "s");
    printf("  file      %12" PRIu64
           " the trace, in memory and while it runs on disk; a process that ends by itself leaves "
           "what was learned\n",
           answer->image_bytes);
    printf("    header  %12u\n", REFRAIN_HEADER_BYTES);
    printf("    threads %12" PRIu64 " records and journals\n", answer->threads_bytes);
    if (!tables->has_symbols) {
        puts("    tree, places, formulas: unknown, since the executable is stripped");
    } else {
        printf("    tree    %12" PRIu64 " %" PRIu64 " nodes of %" PRIu64 " source files\n", tables->tree_bytes,
               tables->nodes, tables->units);
        printf("    places  %12" PRIu64 " %" PRIu64 " places on %u thread%s\n", tables->slot_bytes, tables->slots,
               answer->threads, answer->threads == 1 ? "" : "s");
        printf("    sites   %12" PRIu64 " %" PRIu64 " probes in optimised code\n", tables->site_bytes, tables->sites);
        printf("    free    %12" PRIu64 " for formulas, call sites and communicators\n", answer->free_bytes);
        printf("\nleast       %12" PRIu64 " bytes of REFRAIN_TOTAL_MEMORY\n", answer->least_bytes);
        printf("counts      %12" PRIu64 " bytes keep all counts by call site and partner (%" PRIu64
               " call site%s of one or two partners), whatever takes the rest\n",
               answer->whole_counts_bytes, tables->call_sites, tables->call_sites == 1 ? "" : "s");
        if (tables->units == 0)
            puts("\nThe executable itself has no instrumented source; shared libraries may (refrain-mpicc, "
                 "refrain-cc).");
    }
    printf("\nbesides     %12" PRIu64 " lists of the ranks, in memory, not part of REFRAIN_TOTAL_MEMORY\n",
           answer->ranks_bytes);
    if (answer->scratch_bytes)
        printf("            %12" PRIu64 " at most for rearranging formulas, once all %u threads learn; nor is this\n",
               answer->scratch_bytes, answer->threads);
    const char *mode = getenv("REFRAIN_MODE");
    if (mode && (strcasecmp(mode, "events") == 0 || strcasecmp(mode, "both") == 0))
        printf("\nREFRAIN_MODE=%s: recorded events come on top and grow with the run.\n", mode);
}

static enum refrain_status print_json(const struct arguments *arguments, const struct answer *answer,
                                      struct refrain_error *error) {
    const struct tables *tables = &answer->tables;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"ranks", arguments->ranks},
                   {"threads", answer->threads},
                   {"total_memory_bytes", answer->total_memory_bytes},
                   {"ranks_bytes", answer->ranks_bytes},
                   {"scratch_bytes", answer->scratch_bytes},
                   {"outside_bytes", answer->outside_bytes},
                   {"bytes_per_rank", answer->image_bytes},
                   {"header_bytes", REFRAIN_HEADER_BYTES},
                   {"thread_bytes", answer->threads_bytes},
                   {"tree_bytes", tables->tree_bytes},
                   {"slot_bytes", tables->slot_bytes},
                   {"site_bytes", tables->site_bytes},
                   {"free_bytes", answer->free_bytes},
                   {"units", tables->units},
                   {"nodes", tables->nodes},
                   {"slots", tables->slots},
                   {"call_sites", tables->call_sites},
                   {"least_bytes", answer->least_bytes},
                   {"whole_counts_bytes", answer->whole_counts_bytes},
                   {"total_bytes", answer->total_bytes}};
    json_t *object = json_object();
    json_object_set_new(object, "executable", refrain_json_text(arguments->executable));
    json_object_set_new(object, "tables_known", json_boolean(tables->has_symbols));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].key, json_integer((json_int_t)numbers[i].value));
    return refrain_print_json(object, error);
}

static enum refrain_status work_out(const struct arguments *arguments, struct answer *answer,
                                    struct refrain_error *error) {
    enum refrain_status status = read_settings(&answer->total_memory_bytes, &answer->threads, error);
    if (!status)
        status = read_tables(arguments->executable, answer->threads, &answer->tables, error);
    if (status)
        return status;
    const struct tables *tables = &answer->tables;
    uint64_t most = (uint64_t)REFRAIN_ALIGNMENT_BYTES << 32;
    answer->outside_bytes = refrain_settings_outside_bytes(answer->total_memory_bytes, answer->threads);
    answer->ranks_bytes = refrain_settings_ranks_bytes(arguments->ranks);
    answer->scratch_bytes = refrain_settings_scratch_bytes(answer->total_memory_bytes, answer->threads);
    answer->image_bytes = refrain_settings_trace_file_bytes(answer->total_memory_bytes, answer->threads);
    if (answer->image_bytes > most)
        answer->image_bytes = most;
    answer->threads_bytes =
        round_up(answer->threads * sizeof(struct refrain_thread)) +
        answer->threads * round_up(sizeof(struct refrain_journal) + sizeof(struct refrain_formula) +
                                   JOURNAL_ITEMS * sizeof(struct refrain_item) + JOURNAL_TALLY_BYTES);
    uint64_t taken = REFRAIN_HEADER_BYTES + answer->threads_bytes + tables->tree_bytes + tables->slot_bytes;
    uint64_t least = refrain_settings_least_bytes(taken, tables->site_bytes, tables->call_bytes, answer->threads);
    if (answer->total_memory_bytes < least)
        return REFRAIN_FAIL(
            error, "REFRAIN_TOTAL_MEMORY is %" PRIu64 " bytes, but %s on %u thread%s needs at least %" PRIu64,
            answer->total_memory_bytes, arguments->executable, answer->threads, answer->threads == 1 ? "" : "s", least);
    answer->least_bytes = least;
    answer->whole_counts_bytes = least + answer->threads * tables->call_sites * CALL_SITE_BYTES;
    answer->free_bytes = answer->image_bytes - taken - tables->site_bytes;
    answer->total_bytes = answer->image_bytes * arguments->ranks;
    return REFRAIN_OK;
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'n':
        if (!refrain_settings_size(value, &arguments->ranks) || arguments->ranks < 1 || arguments->ranks > 1u << 24)
            argp_error(state, "%s: a number of ranks is expected", value);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {{"ranks", 'n', "N", "Ranks of the run (default 1)", 0, REFRAIN_OWN},
                                                {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
                                                REFRAIN_ARGUMENT("executable", executable),
                                                {0}};

static const char doc[] =
    "Says how many bytes a run of EXECUTABLE will write at most, and what they are for.\v"
    "A process that is killed leaves that many bytes; one that ends by itself leaves what it learned, packed (refrain "
    "info says both numbers). The size follows from REFRAIN_TOTAL_MEMORY and REFRAIN_THREADS (or OMP_NUM_THREADS) as "
    "they are in the environment now, and is the same for every run with these settings. If the number of threads is "
    "not set, one thread is assumed; a program with OpenMP makes tables for as many as its runtime would start, in the "
    "same total. The parts for the program tree and the places come from the tables in the executable; those of shared "
    "libraries are not counted. It also says the least REFRAIN_TOTAL_MEMORY that the executable is traced with, and "
    "how "
    "much keeps all counts by call site and partner, from the calls of MPI functions in its machine code.";

static const struct argp argp = {.parser = parse_option, .args_doc = "EXECUTABLE", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.ranks = 1};
    struct answer answer = {0};
    refrain_command_parse(&refrain_command_size, argc, argv, &arguments);
    enum refrain_status status = work_out(&arguments, &answer, error);
    if (status)
        return status;
    if (arguments.json)
        return print_json(&arguments, &answer, error);
    print_text(&arguments, &answer);
    return REFRAIN_OK;
}

const struct refrain_command refrain_command_size = {
    .name = "size",
    .summary = "the most bytes a run can write, before it is run",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain size ./app --ranks 64\n",
};
