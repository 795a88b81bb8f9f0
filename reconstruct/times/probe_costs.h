/* probe_costs.h: which kind of probe makes a record, for the costs that the monitor measured (trace.h). */
#ifndef REFRAIN_PROBE_COSTS_H
#define REFRAIN_PROBE_COSTS_H

#include <refrain/event_file.h>
#include <refrain/trace.h>

/* The probe that makes a begin record of this kind (ENTER, CALL_ENTER or REGION_ENTER). */
static inline enum refrain_probe_kind refrain_probe_entering(uint8_t kind) {
    return kind == REFRAIN_RECORD_ENTER        ? REFRAIN_PROBE_ENTER
           : kind == REFRAIN_RECORD_CALL_ENTER ? REFRAIN_PROBE_CALL_BEGIN
                                               : REFRAIN_PROBE_REGION_BEGIN;
}

/* The probe that makes the end record for a begin record of this kind. */
static inline enum refrain_probe_kind refrain_probe_leaving(uint8_t kind) {
    return kind == REFRAIN_RECORD_ENTER        ? REFRAIN_PROBE_LEAVE
           : kind == REFRAIN_RECORD_CALL_ENTER ? REFRAIN_PROBE_CALL_RETURN
                                               : REFRAIN_PROBE_REGION_END;
}

/* Converts the ticks of the monitor's setup into units of cost. */
static inline uint64_t refrain_probe_setup(uint64_t ticks) {
    return ticks << REFRAIN_PROBE_COST_SHIFT;
}

#endif
