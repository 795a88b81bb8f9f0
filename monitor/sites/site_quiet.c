/* site_quiet.c: MPI calls that need no probe (site_quiet.h). */
#include "sites/site_quiet.h"
#include "context.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include "sites/site.h"
#include "sites/site_table.h"
#include <refrain/trace.h>

#define PAIRS 1024u      /* a power of two */
#define MOST_PAIRS 900u  /* more addresses than this: no site is quiet any more */
#define MOST_RETURNS 64u /* nor when sites had to come back so often */

/* What is known of an address that calls return to. */
enum kind {
    ONE_PLACE,      /* all come from one place, whose site may be quiet */
    SEVERAL,        /* they come from several, or also without a site */
    WITHOUT_A_SITE, /* they have none */
    OPEN,           /* one came while sites were quiet: it may be without a site, or one of theirs */
};
struct pair {
    uintptr_t address;                      /* 0: free; written last */
    const struct refrain_site_place *place; /* the first that was told of: the only one whose site has been quiet */
    uint32_t site;                          /* its number */
    uint32_t round;                         /* OPEN: of quiet sites, when it came */
    uint32_t kind;                          /* enum kind */
};

/* Written under the lock of unit.c. */
static struct pair pairs[PAIRS];
static unsigned n_pairs, n_quiet, n_returns;
static bool is_new; /* there are pairs whose site may be made quiet */
static uint32_t round;
static bool ended;

static struct pair *look_up(uintptr_t address) {
    uint64_t i = address * 0x9e3779b97f4a7c15u >> 32;
    for (;; i++) {
        struct pair *pair = &pairs[i % PAIRS];
        uintptr_t found = __atomic_load_n(&pair->address, __ATOMIC_ACQUIRE);
        if (found == address || found == 0)
            return pair;
    }
}

/* ---- under the lock: they say whether code is to be changed ---- */

/* A call, and what told of it. */
struct call {
    uintptr_t address;
    const struct refrain_site_place *place;
    uint32_t site;
    bool open; /* it is not known yet whether it has a site */
};

/* The site of the place is quiet from now on, or back in the code; readers find that at its slot. Returns whether that
 * is new. */
static bool change(const struct refrain_site_place *place, uint32_t site, bool quiet) {
    if (!refrain_sites_quiet(site, quiet))
        return false;
    for (uint32_t thread = 0; thread < refrain_units_threads(); thread++) {
        struct refrain_slot *slot = refrain_site_slot(place, refrain_trace_file.base, thread);
        if (quiet)
            __atomic_fetch_or(&slot->flags, REFRAIN_SLOT_QUIET, __ATOMIC_RELAXED);
        else
            __atomic_fetch_and(&slot->flags, ~REFRAIN_SLOT_QUIET, __ATOMIC_RELAXED);
    }
    n_quiet += quiet ? 1 : -1;
    return true;
}

/* All sites are back in the code. */
static bool bring_back(void) {
    if (n_quiet == 0)
        return false;
    for (const struct pair *pair = pairs; pair < pairs + PAIRS; pair++)
        if (pair->place)
            change(pair->place, pair->site, false);
    is_new = true;
    ended |= ++n_returns == MOST_RETURNS;
    return true;
}

static bool add(struct pair *pair, const struct call *call, enum kind kind) {
    if (n_pairs == MOST_PAIRS) {
        ended = true;
        return bring_back();
    }
    n_pairs++;
    is_new |= kind == ONE_PLACE;
    pair->place = call->place;
    pair->site = call->site;
    pair->kind = kind;
    pair->round = round;
    __atomic_store_n(&pair->address, call->address, __ATOMIC_RELEASE);
    return false;
}

/* A site that may be followed by a call that others are followed by tells of itself always. */
static bool keep(const struct refrain_site_place *place, uint32_t site) {
    refrain_sites_keep(site);
    return change(place, site, false);
}

static bool told(void *data) {
    const struct call *call = data;
    struct pair *pair = look_up(call->address);
    if (!pair->address)
        return add(pair, call, ONE_PLACE);
    if (pair->kind == OPEN) {
        pair->place = call->place;
        pair->site = call->site;
        __atomic_store_n(&pair->kind, ONE_PLACE, __ATOMIC_RELEASE);
        is_new = true;
        return false;
    }
    if (pair->kind == ONE_PLACE && pair->place->slot == call->place->slot)
        return false;
    pair->kind = SEVERAL;
    bool changed = pair->place && keep(pair->place, pair->site);
    return keep(call->place, call->site) || changed;
}

static bool came_without(void *data) {
    struct call *call = data;
    struct pair *pair = look_up(call->address);
    if (!pair->address) {
        call->open = n_quiet > 0;
        return add(pair, call, call->open ? OPEN : WITHOUT_A_SITE) || bring_back();
    }
    if (pair->kind != OPEN)
        return false;
    if (n_quiet == 0 && pair->round == round) {
        pair->kind = WITHOUT_A_SITE;
        return false;
    }
    call->open = true;
    pair->round = round;
    return bring_back();
}

static bool settle(void *unused) {
    (void)unused;
    unsigned before = n_quiet;
    for (const struct pair *pair = pairs; pair < pairs + PAIRS; pair++)
        if (pair->address && pair->kind == ONE_PLACE)
            change(pair->place, pair->site, true);
    is_new = false;
    round += n_quiet > before;
    return n_quiet > before;
}

/* ---- for calls ---- */

bool refrain_quiet_told(uintptr_t site, const struct refrain_slot *slot, uintptr_t address) {
    struct call call = {.address = address};
    const struct refrain_site_table *table;
    call.place = refrain_site_find(site, &table);
    if (ended || !call.place || call.place->function == UINT32_MAX || !refrain_sites_have_call(address) ||
        !refrain_sites_number(site, &call.site))
        return true;
    const struct refrain_slot *first = refrain_at_reference(call.place->slot);
    return first->number != slot->number || refrain_units_change_sites(told, &call);
}

struct refrain_slot *refrain_quiet_slot(const struct refrain_context *context, uintptr_t address, bool *sure) {
    *sure = true;
    if (!refrain_sites_have_call(address))
        return NULL;
    const struct pair *pair = look_up(address);
    uint32_t kind = pair->address ? __atomic_load_n(&pair->kind, __ATOMIC_ACQUIRE) : OPEN;
    if (kind == OPEN && !ended) {
        struct call call = {.address = address};
        *sure = refrain_units_change_sites(came_without, &call) && !call.open;
    }
    return kind <= SEVERAL && pair->place ? refrain_site_slot(pair->place, context->trace_file, context->number) : NULL;
}

void refrain_quiet_settle(void) {
    if (is_new && !ended)
        refrain_units_change_sites(settle, NULL);
}
