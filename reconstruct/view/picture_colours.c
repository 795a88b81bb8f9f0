/* picture_colours.c: computes the colour of a region from its name (picture_colours.h). */
#define _GNU_SOURCE
#include "view/picture_colours.h"

#include <string.h>

/* From green to violet in four steps of lightness (Oklab), so that people with any colour vision can distinguish most
 * of them. */
static const uint32_t cool[] = {
    0xa3cc8e, 0x90cf9e, 0x7fd2b0, 0x72d2c1, 0x6bd1d2, 0x6ecee2, 0x78caee, 0x87c5f6, 0x98c0fb, 0xaabafb,
    0xbcb4f7, 0xccaeef, 0x69ac62, 0x49af79, 0x1eb191, 0x09afa6, 0x15acb8, 0x10a9cb, 0x36a4da, 0x589de2,
    0x7395e6, 0x8b8ee3, 0xa087dc, 0xb281d0, 0x51852f, 0x2b894a, 0x0b8965, 0x0e8778, 0x088587, 0x008396,
    0x0e80a5, 0x137bba, 0x4274c0, 0x5e6cc0, 0x7465bb, 0x865eb1, 0x205f1b, 0x046039, 0x085e4b, 0x095c57,
    0x045b62, 0x06596c, 0x00577b, 0x04518e, 0x304b91, 0x46448f, 0x573e89, 0x65397f,
};

/* The colours of MPI functions by a part of their names. The first entry that fits counts. */
static const struct {
    const char *part;
    uint32_t colour;
} warm[] = {
    {"file_", 0x8d6e63},          {"win_", 0xa1665e},      {"waitall", 0xd9c92f},  {"waitany", 0xfff08a},
    {"waitsome", 0xfff08a},       {"wait", 0xf0e442},      {"test", 0xe8dc8c},     {"request_", 0xc9bb3a},
    {"reduce_scatter", 0xcfae70}, {"allreduce", 0xe69f00}, {"reduce", 0xffd98a},   {"barrier", 0xf6c04d},
    {"bcast", 0xc47f00},          {"allgather", 0xb98b4e}, {"gather", 0xe8c99a},   {"alltoall", 0xa86a00},
    {"scatter", 0x8a5a12},        {"scan", 0x6f4a10},      {"sendrecv", 0x9c3d00}, {"irecv", 0xb0558a},
    {"recv", 0xcc79a7},           {"probe", 0xe0a3c4},     {"ssend", 0xb84a00},    {"isend", 0xea8a45},
    {"bsend", 0xf3b183},          {"rsend", 0xf3b183},     {"send", 0xd55e00},     {"init", 0x7d736b},
    {"finalize", 0xb8aea5},
};

static const uint32_t greys[] = {0x9a8f86, 0xa79f9f, 0x8b857a, 0xc6bdb2, 0x6f6862, 0xada390};

/* FNV-1a with a final mixing step. The start value is chosen so that common function names get different colours. */
static uint32_t hash_of(const char *name) {
    uint32_t hash = 54390;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    return hash ^ hash >> 13;
}

uint32_t refrain_region_colour(const struct refrain_region_info *region) {
    if (region->kind != REFRAIN_REGION_MPI)
        return cool[hash_of(region->name) % (sizeof cool / sizeof *cool)];
    for (size_t i = 0; i < sizeof warm / sizeof *warm; i++)
        if (strcasestr(region->name, warm[i].part))
            return warm[i].colour;
    return greys[hash_of(region->name) % (sizeof greys / sizeof *greys)];
}
