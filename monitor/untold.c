/* untold.c: counts messages and collectives that have no events (untold.h). */
#define _GNU_SOURCE
#include "untold.h"
#include "begin.h"
#include "call.h"
#include "context.h"
#include "run/pool.h"
#include "user.h"
#include <refrain/trace.h>

#include <string.h>

#define MOST 64u /* places for counts; if there are more keys, the counts so far are recorded first */
#define TRIES 4u /* attempts to take a place, since other threads may be faster */

struct key {
    int64_t peer, tag;
    int32_t comm;
    uint32_t what;
};

/* Of all threads: partners know the process only. There is no lock: a signal handler may jump out at any instruction,
 * and an asynchronous pthread_cancel() end the thread there. What is counted of a key, and of which, changes together:
 *
 *     word    uses of the place so far (23 bits), is there a key (1 bit), how often it came (40 bits)
 *
 * Who finds a place free makes it a used one without a key, which is its own then until it has written one; if it never
 * comes to that, one place less is left. Who counts does so on the word that it saw before it read the key. */
#define ONE ((uint64_t)1)
#define HAS_KEY (ONE << 40)
#define USE (ONE << 41)
#define COUNT(word) ((word) & (HAS_KEY - 1))
#define IS_FREE(word) (((word) & (HAS_KEY | COUNT(word))) == 0)

static struct {
    uint64_t words[MOST];
    struct key keys[MOST];
    uint32_t limit; /* all places from here on are unused */
    uint32_t latest;
} untold;

/* A place whose key is being written has no key and a count, so it is not free. */
#define UNFINISHED ONE

static bool change(uint32_t at, uint64_t *word, uint64_t to) {
    return __atomic_compare_exchange_n(&untold.words[at], word, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static struct key read_key(uint32_t at) {
    const struct key *key = &untold.keys[at];
    return (struct key){__atomic_load_n(&key->peer, __ATOMIC_RELAXED), __atomic_load_n(&key->tag, __ATOMIC_RELAXED),
                        __atomic_load_n(&key->comm, __ATOMIC_RELAXED), __atomic_load_n(&key->what, __ATOMIC_RELAXED)};
}

static void write_key(uint32_t at, const struct key *key) {
    struct key *to = &untold.keys[at];
    __atomic_store_n(&to->peer, key->peer, __ATOMIC_RELAXED);
    __atomic_store_n(&to->tag, key->tag, __ATOMIC_RELAXED);
    __atomic_store_n(&to->comm, key->comm, __ATOMIC_RELAXED);
    __atomic_store_n(&to->what, key->what, __ATOMIC_RELAXED);
}

struct refrain_region_name *refrain_untold_record(struct refrain_context *context) {
    return refrain_user_record(context, "untold", REFRAIN_USE_UNTOLD);
}

void refrain_untold_flush(struct refrain_context *context) {
    if (!__atomic_load_n(&untold.limit, __ATOMIC_RELAXED))
        return;
    uint32_t limit = __atomic_exchange_n(&untold.limit, 0, __ATOMIC_ACQ_REL);
    struct refrain_region_name *record = refrain_untold_record(context);
    for (uint32_t at = 0; at < limit; at++) {
        uint64_t word = __atomic_load_n(&untold.words[at], __ATOMIC_ACQUIRE);
        struct key key = {0};
        do
            key = read_key(at);
        while ((word & HAS_KEY) && !change(at, &word, (word & ~(USE - 1)) + USE));
        if (!(word & HAS_KEY) || !record)
            continue;
        const int64_t values[REFRAIN_UNTOLD_VALUES] = {key.what, key.peer, key.tag, key.comm, (int64_t)COUNT(word)};
        for (unsigned k = 0; k < REFRAIN_UNTOLD_VALUES; k++)
            refrain_user_record_value(context, record, values[k], false);
    }
}

/* Adds one if the place has this key. */
static bool add_at(uint32_t at, const struct key *wanted) {
    uint64_t word = __atomic_load_n(&untold.words[at], __ATOMIC_ACQUIRE);
    while (word & HAS_KEY) {
        struct key key = read_key(at);
        if (key.peer != wanted->peer || key.tag != wanted->tag || key.comm != wanted->comm ||
            key.what != wanted->what || COUNT(word + 1) == 0)
            return false;
        if (change(at, &word, word + 1))
            return true;
    }
    return false;
}

/* Writes the key into a free place, with the count one. */
static bool begin_at(uint32_t at, const struct key *wanted) {
    uint64_t word = __atomic_load_n(&untold.words[at], __ATOMIC_ACQUIRE);
    if (!IS_FREE(word) || !change(at, &word, word | UNFINISHED))
        return false;
    write_key(at, wanted);
    __atomic_store_n(&untold.words[at], (word & ~(USE - 1)) | HAS_KEY | ONE, __ATOMIC_RELEASE);
    return true;
}

/* Raised only after a place is used. A thread that records the counts lowers it first. */
static void raise_limit(uint32_t limit) {
    uint32_t known = __atomic_load_n(&untold.limit, __ATOMIC_RELAXED);
    while (known < limit &&
           !__atomic_compare_exchange_n(&untold.limit, &known, limit, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* Adds one to the count of a key. False without a free place. Partners mostly come in turns, so the place after the
 * latest is tried first. */
static bool add(const struct key *wanted) {
    uint32_t limit = __atomic_load_n(&untold.limit, __ATOMIC_ACQUIRE);
    uint32_t latest = __atomic_load_n(&untold.latest, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < limit; i++) {
        uint32_t at = (latest + 1 + i) % limit;
        if (add_at(at, wanted)) {
            __atomic_store_n(&untold.latest, at, __ATOMIC_RELAXED);
            return true;
        }
    }
    for (uint32_t at = 0; at < MOST; at++)
        if (begin_at(at, wanted)) {
            raise_limit(at + 1);
            return true;
        }
    return false;
}

void refrain_call_count_untold(const struct refrain_call *call, enum refrain_untold what, int64_t peer, int64_t tag,
                               int64_t comm) {
    struct refrain_context *context = call->context;
    const struct key wanted = {peer, tag, (int32_t)comm, what};
    for (unsigned i = 0; !add(&wanted); i++) {
        uint32_t busy = context->busy;
        if ((busy & 1) || i == TRIES) { /* inside a probe, by a signal handler's call; or no place is left */
            refrain_lose(REFRAIN_LOSS_INTERRUPTED, 1);
            return;
        }
        context->busy = 1;
        refrain_untold_flush(context);
        context->busy = busy;
    }
}

void refrain_call_flush_untold(const struct refrain_call *call) {
    if (!call->context || refrain_call_is_untold(call))
        return;
    struct refrain_context *context = refrain_begin();
    if (context) {
        refrain_untold_flush(context);
        refrain_end(context);
    }
}
