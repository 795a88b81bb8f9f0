/* access.h: values of window locks, file modes and seek origins, equal in traces (refrain/trace.h) and in events
 * (refrain/read.h). */
#ifndef REFRAIN_ACCESS_H
#define REFRAIN_ACCESS_H

/* Origin of the offset of a seek. */
enum refrain_whence { REFRAIN_FROM_START, REFRAIN_FROM_CURRENT, REFRAIN_FROM_END };
#define REFRAIN_WHENCES 3

enum refrain_window_lock { REFRAIN_LOCK_NONE, REFRAIN_LOCK_EXCLUSIVE, REFRAIN_LOCK_SHARED };

/* Modes in which a file is opened: bits. */
enum refrain_file_mode {
    REFRAIN_FILE_READS = 1 << 0,
    REFRAIN_FILE_WRITES = 1 << 1,
    REFRAIN_FILE_CREATES = 1 << 2,
    REFRAIN_FILE_EXCLUSIVE = 1 << 3,
    REFRAIN_FILE_APPENDS = 1 << 4,
    REFRAIN_FILE_DELETES = 1 << 5, /* when it is closed */
    REFRAIN_FILE_UNIQUE = 1 << 6,
    REFRAIN_FILE_SEQUENTIAL = 1 << 7,
};
#define REFRAIN_FILE_MODES 8

#endif
