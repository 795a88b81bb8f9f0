/* inserted.h: the C text in front of every instrumented file: the files of inserted/, without their comments. In this
 * order: declarations, the unit's tables (tables.c), sites unless there shall be none, calls, end. */
#ifndef REFRAIN_INSERTED_H
#define REFRAIN_INSERTED_H

extern const char refrain_inserted_declarations[];
extern const char refrain_inserted_sites[];
extern const char refrain_inserted_calls[];
extern const char refrain_inserted_end[];

#endif
