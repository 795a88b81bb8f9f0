/* proxy_calls.c: how a proxy makes each MPI call (proxy.h).
 *
 *     {d} {t} {n}   destination, tag and bytes that are sent         {o}   root
 *     {s} {g} {r}   source, tag and bytes that are received          {c}   communicator
 *     {x}           where the call stores its request                {b}   buffer for what is received
 *     {q}           number of the request that the call makes
 *     {l} {f} {h}   number of requests; where the first one is, or MPI_REQUEST_NULL; its number
 *     {u}           where the first one is, or a persistent request that sends to nobody
 *     {p} {m} {k}   of a new communicator: its parent, the rank in MPI_COMM_WORLD of its first member (-1: this rank is
 *                   not in it), rank in it
 *     {j}           its number in the trace
 *     {y}           number of dimensions of a new grid; `grid` has their sizes
 *     {w}           where the new communicator is stored
 *
 * Data are bytes, whatever they were; reductions combine them in words of 8 bytes if they divide into such. What has no
 * effect on other ranks, such as making a datatype, has arguments that do no harm. The functions that these texts use
 * are in proxy_runtime.inc. */
#define _GNU_SOURCE
#include "predict/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SENT "out, {n}, MPI_BYTE, {d}, {t}, {c}"
#define RECEIVED "{b}, {r}, MPI_BYTE, {s}, {g}, {c}"

/* By kind (mpi_kinds.h): the arguments, for functions that all have the same. */
static const char *const by_kind[REFRAIN_MPI_KINDS] = {
    [REFRAIN_MPI_SEND] = SENT,
    [REFRAIN_MPI_BSEND] = SENT,
    [REFRAIN_MPI_SSEND] = SENT,
    [REFRAIN_MPI_ISEND] = SENT ", {x}",
    [REFRAIN_MPI_IBSEND] = SENT ", {x}",
    [REFRAIN_MPI_ISSEND] = SENT ", {x}",
    [REFRAIN_MPI_SEND_INIT] = SENT ", {x}",
    [REFRAIN_MPI_RECV] = RECEIVED ", MPI_STATUS_IGNORE",
    [REFRAIN_MPI_IRECV] = RECEIVED ", {x}",
    [REFRAIN_MPI_RECV_INIT] = RECEIVED ", {x}",
    [REFRAIN_MPI_REQUEST_FREE] = "{u}",
    [REFRAIN_MPI_COMM_FREE] = "{w}",
    [REFRAIN_MPI_FINALIZE] = "",
};

/* By collective: the statement in front of the call, and the arguments that the blocking function, the nonblocking and
 * the persistent one have in common. */
static const struct {
    const char *before, *arguments;
} by_role[] = {
    [REFRAIN_COLLECTIVE_BARRIER] = {"", "{c}"},
    [REFRAIN_COLLECTIVE_BCAST] = {"", "{b}, {n} + {r}, MPI_BYTE, {o}, {c}"},
    [REFRAIN_COLLECTIVE_GATHER] = {"", "out, {n}, MPI_BYTE, {b}, {n}, MPI_BYTE, {o}, {c}"},
    [REFRAIN_COLLECTIVE_GATHERV] = {"share({n}, {c}); ",
                                    "out, {n}, MPI_BYTE, {b}, counts, offsets, MPI_BYTE, {o}, {c}"},
    [REFRAIN_COLLECTIVE_SCATTER] = {"", "out, {r}, MPI_BYTE, {b}, {r}, MPI_BYTE, {o}, {c}"},
    [REFRAIN_COLLECTIVE_SCATTERV] = {"share({r}, {c}); ",
                                     "out, counts, offsets, MPI_BYTE, {b}, {r}, MPI_BYTE, {o}, {c}"},
    [REFRAIN_COLLECTIVE_ALLGATHER] = {"", "out, {n}, MPI_BYTE, {b}, {n}, MPI_BYTE, {c}"},
    [REFRAIN_COLLECTIVE_ALLGATHERV] = {"share({n}, {c}); ", "out, {n}, MPI_BYTE, {b}, counts, offsets, MPI_BYTE, {c}"},
    [REFRAIN_COLLECTIVE_ALLTOALL] = {"", "out, {n} / size_of({c}), MPI_BYTE, {b}, {n} / size_of({c}), MPI_BYTE, {c}"},
    [REFRAIN_COLLECTIVE_ALLTOALLV] = {"share_all({n}, {r}, {c}); ",
                                      "out, counts, offsets, MPI_BYTE, {b}, in_counts, in_offsets, MPI_BYTE, {c}"},
    [REFRAIN_COLLECTIVE_ALLTOALLW] = {"share_all({n}, {r}, {c}); ",
                                      "out, counts, offsets, types, {b}, in_counts, in_offsets, types, {c}"},
    [REFRAIN_COLLECTIVE_REDUCE] = {"", "out, {b}, words({n}), word_of({n}), MPI_BOR, {o}, {c}"},
    [REFRAIN_COLLECTIVE_ALLREDUCE] = {"", "out, {b}, words({n}), word_of({n}), MPI_BOR, {c}"},
    [REFRAIN_COLLECTIVE_REDUCE_SCATTER] = {"share({r}, {c}); ", "out, {b}, counts, MPI_BYTE, MPI_BOR, {c}"},
    [REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK] = {"", "out, {b}, words({r}), word_of({r}), MPI_BOR, {c}"},
    [REFRAIN_COLLECTIVE_SCAN] = {"", "out, {b}, words({n}), word_of({n}), MPI_BOR, {c}"},
    [REFRAIN_COLLECTIVE_EXSCAN] = {"", "out, {b}, words({n}), word_of({n}), MPI_BOR, {c}"},
};

#define TYPE "MPI_Datatype type; "
#define FREE_TYPE "; PMPI_Type_free(&type)"
#define GROUP "MPI_Group group; PMPI_Comm_group(MPI_COMM_WORLD, &group); "
#define FREE_GROUP "; PMPI_Group_free(&group)"
#define MAKES_GROUP(call) GROUP "MPI_Group made; " call "; PMPI_Group_free(&made)" FREE_GROUP

/* By name: whole texts. */
static const struct {
    const char *name, *text;
} by_name[] = {
    {"MPI_Init", "MPI_Init(NULL, NULL); begin()"},
    {"MPI_Init_thread", "MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &ignored); begin()"},
    {"MPI_Sendrecv",
     "MPI_Sendrecv(out, {n}, MPI_BYTE, {d}, {t}, {b}, {r}, MPI_BYTE, {s}, {g}, {c}, MPI_STATUS_IGNORE)"},
    {"MPI_Sendrecv_replace",
     "MPI_Sendrecv_replace({b}, larger({n}, {r}), MPI_BYTE, {d}, {t}, {s}, {g}, {c}, MPI_STATUS_IGNORE)"},
    {"MPI_Probe", "MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)"},
    {"MPI_Iprobe", "MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE)"},
    {"MPI_Mprobe", "(void)({r}); MPI_Mprobe({s}, {g}, {c}, &message[{q} + 1], MPI_STATUS_IGNORE)"},
    {"MPI_Improbe",
     "(void)({r}); arrive({s}, {g}, {c}); MPI_Improbe({s}, {g}, {c}, &ignored, &message[{q} + 1], MPI_STATUS_IGNORE)"},
    {"MPI_Mrecv", "MPI_Mrecv(in(0), (int)most_bytes + 1, MPI_BYTE, &message[{h} + 1], MPI_STATUS_IGNORE)"},
    {"MPI_Imrecv",
     "MPI_Imrecv(in({h} + 1), (int)most_bytes + 1, MPI_BYTE, &message[{h} + 1], {h} < 0 ? none : &request[{h}])"},
    {"MPI_Start", "MPI_Start({u})"},
    {"MPI_Startall", "MPI_Startall({l}, {f})"},
    {"MPI_Wait", "MPI_Wait({f}, MPI_STATUS_IGNORE)"},
    {"MPI_Waitall", "MPI_Waitall({l}, {f}, statuses)"},
    {"MPI_Waitany", "MPI_Waitany({l}, {f}, &ignored, MPI_STATUS_IGNORE)"},
    {"MPI_Waitsome", "finish({l}, {f}); MPI_Waitsome({l}, {f}, &ignored, indices, statuses)"},
    {"MPI_Test", "finish({l}, {f}); MPI_Test({f}, &ignored, MPI_STATUS_IGNORE)"},
    {"MPI_Testall", "finish({l}, {f}); MPI_Testall({l}, {f}, &ignored, statuses)"},
    {"MPI_Testany", "finish({l}, {f}); MPI_Testany({l}, {f}, &ignored, indices, MPI_STATUS_IGNORE)"},
    {"MPI_Testsome", "finish({l}, {f}); MPI_Testsome({l}, {f}, &ignored, indices, statuses)"},
    {"MPI_Comm_dup", "MPI_Comm_dup({p}, {w})"},
    {"MPI_Comm_dup_with_info", "MPI_Comm_dup_with_info({p}, MPI_INFO_NULL, {w})"},
    {"MPI_Comm_split", "MPI_Comm_split({p}, {m}, {k}, {w})"},
    {"MPI_Comm_split_type",
     "MPI_Comm_split_type({p}, {m} == MPI_UNDEFINED ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, {k}, MPI_INFO_NULL, {w})"},
    {"MPI_Comm_create", "MPI_Group group = group_in({p}, {m}, {k}); MPI_Comm_create({p}, group, {w})"},
    {"MPI_Comm_create_group", "MPI_Group group = group_of({j}); MPI_Comm_create_group({p}, group, 0, {w})"},
    {"MPI_Cart_create", "MPI_Comm part = part_of({p}, {m}, {k}); MPI_Cart_create(part, {y}, grid, grid + {y}, 0, {w}); "
                        "PMPI_Comm_free(&part)"},
    {"MPI_Cart_sub",
     "MPI_Comm part = line_of({p}, {m}, {k}); int kept = 1; MPI_Cart_sub(part, &kept, {w}); PMPI_Comm_free(&part)"},
    {"MPI_Comm_rank", "MPI_Comm_rank(MPI_COMM_WORLD, &ignored)"},
    {"MPI_Comm_size", "MPI_Comm_size(MPI_COMM_WORLD, &ignored)"},
    {"MPI_Cart_coords", "MPI_Cart_coords(line(), 0, 1, &ignored)"},
    {"MPI_Cart_rank", "int at = 0; MPI_Cart_rank(line(), &at, &ignored)"},
    {"MPI_Cart_shift", "int above; MPI_Cart_shift(line(), 0, 1, &ignored, &above)"},
    {"MPI_Cart_get", "int periodic, at; MPI_Cart_get(line(), 1, &ignored, &periodic, &at)"},
    {"MPI_Cartdim_get", "MPI_Cartdim_get(line(), &ignored)"},
    {"MPI_Topo_test", "MPI_Topo_test(line(), &ignored)"},
    {"MPI_Comm_group", "MPI_Group group; MPI_Comm_group(MPI_COMM_WORLD, &group)" FREE_GROUP},
    {"MPI_Comm_c2f", "(void)MPI_Comm_c2f(MPI_COMM_WORLD)"},
    {"MPI_Comm_f2c", "(void)MPI_Comm_f2c(PMPI_Comm_c2f(MPI_COMM_WORLD))"},
    {"MPI_Comm_get_name", "char text[MPI_MAX_OBJECT_NAME]; MPI_Comm_get_name(MPI_COMM_WORLD, text, &ignored)"},
    {"MPI_Comm_compare", "MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &ignored)"},
    {"MPI_Comm_test_inter", "MPI_Comm_test_inter(MPI_COMM_WORLD, &ignored)"},
    {"MPI_Comm_set_errhandler", "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)"},
    {"MPI_Comm_get_attr", "void *value; MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &ignored)"},
    {"MPI_Group_size", GROUP "MPI_Group_size(group, &ignored)" FREE_GROUP},
    {"MPI_Group_rank", GROUP "MPI_Group_rank(group, &ignored)" FREE_GROUP},
    {"MPI_Group_free", GROUP "MPI_Group_free(&group)"},
    {"MPI_Group_incl", MAKES_GROUP("MPI_Group_incl(group, 1, indices, &made)")},
    {"MPI_Group_excl", MAKES_GROUP("MPI_Group_excl(group, 0, indices, &made)")},
    {"MPI_Group_range_incl",
     "int range[1][3] = {{0, 0, 1}}; " MAKES_GROUP("MPI_Group_range_incl(group, 1, range, &made)")},
    {"MPI_Group_translate_ranks", GROUP "MPI_Group_translate_ranks(group, 1, indices, group, &ignored)" FREE_GROUP},
    {"MPI_Wtime", "(void)MPI_Wtime()"},
    {"MPI_Wtick", "(void)MPI_Wtick()"},
    {"MPI_Initialized", "MPI_Initialized(&ignored)"},
    {"MPI_Finalized", "MPI_Finalized(&ignored)"},
    {"MPI_Query_thread", "MPI_Query_thread(&ignored)"},
    {"MPI_Is_thread_main", "MPI_Is_thread_main(&ignored)"},
    {"MPI_Get_version", "int minor; MPI_Get_version(&ignored, &minor)"},
    {"MPI_Get_library_version", "char text[MPI_MAX_LIBRARY_VERSION_STRING]; MPI_Get_library_version(text, &ignored)"},
    {"MPI_Get_processor_name", "char text[MPI_MAX_PROCESSOR_NAME]; MPI_Get_processor_name(text, &ignored)"},
    {"MPI_Get_count", "MPI_Status status = {0}; MPI_Get_count(&status, MPI_BYTE, &ignored)"},
    {"MPI_Get_address", "MPI_Aint address; MPI_Get_address(&ignored, &address)"},
    {"MPI_Dims_create", "int sizes[2] = {0}; MPI_Dims_create(ranks, 2, sizes)"},
    {"MPI_Type_size", "MPI_Type_size(MPI_BYTE, &ignored)"},
    {"MPI_Type_get_extent", "MPI_Aint low, extent; MPI_Type_get_extent(MPI_BYTE, &low, &extent)"},
    {"MPI_Type_contiguous", TYPE "MPI_Type_contiguous(1, MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_vector", TYPE "MPI_Type_vector(1, 1, 1, MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_create_hvector", TYPE "MPI_Type_create_hvector(1, 1, 1, MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_create_resized", TYPE "MPI_Type_create_resized(MPI_BYTE, 0, 1, &type)" FREE_TYPE},
    {"MPI_Type_create_struct",
     TYPE "int one = 1; MPI_Aint at = 0; MPI_Type_create_struct(1, &one, &at, types, &type)" FREE_TYPE},
    {"MPI_Type_create_subarray",
     TYPE "int one = 1, zero = 0; MPI_Type_create_subarray(1, &one, &one, &zero, MPI_ORDER_C, "
          "MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_indexed", TYPE "int one = 1, zero = 0; MPI_Type_indexed(1, &one, &zero, MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_dup", TYPE "MPI_Type_dup(MPI_BYTE, &type)" FREE_TYPE},
    {"MPI_Type_match_size", TYPE "MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type)"},
    {"MPI_Type_commit", TYPE "PMPI_Type_contiguous(1, MPI_BYTE, &type); MPI_Type_commit(&type)" FREE_TYPE},
    {"MPI_Type_free", TYPE "PMPI_Type_contiguous(1, MPI_BYTE, &type); MPI_Type_free(&type)"},
    {"MPI_Op_create", "MPI_Op op; MPI_Op_create(no_reduction, 1, &op); PMPI_Op_free(&op)"},
    {"MPI_Op_free", "MPI_Op op; PMPI_Op_create(no_reduction, 1, &op); MPI_Op_free(&op)"},
    {"MPI_Info_create", "MPI_Info info; MPI_Info_create(&info); PMPI_Info_free(&info)"},
    {"MPI_Info_free", "MPI_Info info; PMPI_Info_create(&info); MPI_Info_free(&info)"},
    {"MPI_Info_set",
     "MPI_Info info; PMPI_Info_create(&info); MPI_Info_set(info, \"proxy\", \"1\"); PMPI_Info_free(&info)"},
    {"MPI_Buffer_attach", "attach()"},
    {"MPI_Buffer_detach", "void *former; MPI_Buffer_detach(&former, &ignored)"},
    {"MPI_Pack", "int at = 0; MPI_Pack(out, 1, MPI_BYTE, in(0), (int)most_bytes + 1, &at, MPI_COMM_WORLD)"},
    {"MPI_Unpack", "int at = 0; MPI_Unpack(out, 1, &at, in(0), 1, MPI_BYTE, MPI_COMM_WORLD)"},
    {"MPI_Pack_size", "MPI_Pack_size(1, MPI_BYTE, MPI_COMM_WORLD, &ignored)"},
};

/* The length of a name without the suffix of functions with large counts. */
static int plain_length(const char *name) {
    size_t length = strlen(name);
    return (int)(length > 2 && strcmp(name + length - 2, "_c") == 0 ? length - 2 : length);
}

/* The length of the name to call: that of the function itself, unless its arrays would have to be of another type. */
static int called_length(const char *name, const char *arguments) {
    return strstr(arguments, "counts") ? plain_length(name) : (int)strlen(name);
}

/* A collective's text, with the arguments that a nonblocking or persistent one has at its end. Negative without
 * memory. */
static int collective_text(const struct refrain_region_info *region, char **text) {
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    /* Sharing amounts waits for all ranks, as a call that only begins a collective must not. */
    if (kind != REFRAIN_MPI_COLLECTIVE && by_role[region->role].before[0])
        return 0;
    const char *end = kind == REFRAIN_MPI_ICOLLECTIVE       ? ", {x}"
                      : kind == REFRAIN_MPI_COLLECTIVE_INIT ? ", MPI_INFO_NULL, {x}"
                                                            : "";
    return asprintf(text, "%s%.*s(%s%s)", by_role[region->role].before,
                    called_length(region->name, by_role[region->role].arguments), region->name,
                    by_role[region->role].arguments, end);
}

bool refrain_proxy_call_text(const struct refrain_region_info *region, char **text) {
    *text = NULL;
    if (region->kind != REFRAIN_REGION_MPI)
        return true;
    int length = plain_length(region->name);
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
        if (strncmp(by_name[i].name, region->name, (size_t)length) == 0 && !by_name[i].name[length])
            return (*text = strdup(by_name[i].text)) != NULL;
    if (region->role)
        return region->role >= sizeof by_role / sizeof *by_role || !by_role[region->role].arguments ||
               collective_text(region, text) >= 0;
    const char *arguments = by_kind[refrain_mpi_kind(region)];
    bool parts = strncmp(region->name, "MPI_P", 5) == 0; /* MPI_Psend_init and MPI_Precv_init */
    return !arguments || parts || asprintf(text, "%s(%s)", region->name, arguments) >= 0;
}

uint32_t refrain_proxy_letters(const char *text) {
    uint32_t letters = 0;
    for (const char *at = text; at && (at = strchr(at, '{')); at++)
        if (islower((unsigned char)at[1]) && at[2] == '}')
            letters |= UINT32_C(1) << (at[1] - 'a');
    return letters;
}

const char refrain_proxy_argument_letters[] = "dtnsgrocpmkjxfleyz";
_Static_assert(sizeof refrain_proxy_argument_letters == REFRAIN_PROXY_ARGUMENTS + 1, "a letter for each argument");

enum refrain_proxy_argument refrain_proxy_argument_of(char letter) {
    const char *at = strchr(refrain_proxy_argument_letters, letter);
    switch (letter) {
    case 'w':
        return REFRAIN_PROXY_COMM;
    case 'q':
        return REFRAIN_PROXY_REQUEST;
    case 'h':
        return REFRAIN_PROXY_FIRST;
    case 'f':
    case 'u': /* and the first one, unless there are none or they are collected */
        return REFRAIN_PROXY_COUNT;
    default:
        return at && letter ? (enum refrain_proxy_argument)(at - refrain_proxy_argument_letters)
                            : REFRAIN_PROXY_ARGUMENTS;
    }
}
