/* site_run.h: constants that site_run.S and site_run.c share. Read by the assembler, too. */
#ifndef REFRAIN_SITE_RUN_H
#define REFRAIN_SITE_RUN_H

/* Offsets of members, and other constants of the structs that site_run.S reads. site_run.c checks them. */
#define CONTEXT_TOP 0
#define CONTEXT_TRACE_FILE 24
#define CONTEXT_NUMBER 48
#define CONTEXT_BUSY 52
#define CONTEXT_SITE_TABLE 40
#define CONTEXT_PROBES 184
#define CONTEXT_ABANDONED 168
#define TABLE_BASE 0
#define TABLE_SPAN 8
#define TABLE_PLACES 16
#define TABLE_MASK 24
#define PLACE_SLOT 4
#define PLACE_THREAD_BYTES 8
#define PLACE_FUNCTION 12
#define PLACE_BYTES_SHIFT 4
#define ENTRY_LAST 0
#define ENTRY_ADDRESS 8
#define ENTRY_ID 16
#define ENTRY_BYTES 48
#define ENTRY_KIND 40
#define ENTRY_FRAME 44
#define ENTRY_KIND_FUNCTION 1
#define LEARNER_EXPECT 0
#define LEARNER_STRIDE 8
#define LEARNER_UNTIL 16
#define LEARNER_CONFIRMED 24
#define LEARNER_LOOP_SLOTS 48
#define SLOT_BYTES 96
#define SLOT_COUNT 64
#define SLOT_NUMBER 80
#define SLOT_FLAGS 84
#define SLOT_OFF 0x20
#define ARRIVAL_MASK 15 /* of the second byte of the flags */
#define ARRIVAL_ENTER 2
#define ARRIVAL_LEAVE 3
#define ARRIVAL_OFTEN 8 /* bits */
#define ARRIVAL_LOOP 4
#define ARRIVAL_BACK 3
#define SITE_HASH_FACTOR 0x61c88647

#endif
