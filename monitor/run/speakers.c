/* speakers.c: a hash table of the functions that may cause events, by name (speakers.h). */
#include "run/speakers.h"
#include "run/loaded_units.h"

#include <string.h>

#define ROWS 4096u /* more than most programs have of such functions */

static struct refrain_speaker *rows[ROWS]; /* by the name's hash */

static struct refrain_speaker **row_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &rows[hash % ROWS];
}

void refrain_speakers_add(struct refrain_unit *unit) {
    for (unsigned i = 0; i < unit->n_speakers; i++) {
        struct refrain_speaker *speaker = &unit->speakers[i], **row = row_of(speaker->name);
        speaker->on = 0;
        speaker->next = *row;
        *row = speaker;
    }
}

void refrain_speakers_drop(struct refrain_unit *unit) {
    for (unsigned i = 0; i < unit->n_speakers; i++) {
        struct refrain_speaker **link = row_of(unit->speakers[i].name);
        while (*link && *link != &unit->speakers[i])
            link = &(*link)->next;
        if (*link)
            *link = unit->speakers[i].next;
    }
}

void refrain_speakers_switch_on(const struct refrain_speaker *speaker) {
    const char *name = speaker->name;
    for (struct refrain_speaker *other = *row_of(name); other; other = other->next)
        if (strcmp(other->name, name) == 0)
            other->on = 1;
}
