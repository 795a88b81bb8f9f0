/* caller_none.c: nothing is known of frames above a wrapper's (arch/caller.h). */
#include "arch/caller.h"

void refrain_caller_look(uintptr_t address, const char *layers, struct refrain_caller_code *code) {
    (void)address;
    (void)layers;
    *code = (struct refrain_caller_code){.object = {.path = ""}};
}

void refrain_caller_look_at_once(uintptr_t instruction, const char *layers, struct refrain_caller_code *code) {
    refrain_caller_look(instruction, layers, code);
}

uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    (void)address;
    (void)layers;
    return 0;
}
