/* inserted.h: the C text in front of every instrumented file: the files of inserted/, without their comments. In this
 * order: declarations, the unit's tables (tables.c), its place in the list of units unless there is none, with that
 * entries, sites unless there shall be none, calls, end, OpenMP's constructs where there are any. */
#ifndef REFRAIN_INSERTED_H
#define REFRAIN_INSERTED_H

/* All words in it that begin with a small letter, keywords too: no macro may be in their place. Null ends them. */
extern const char *const refrain_inserted_words[];

extern const char refrain_inserted_declarations[];
extern const char refrain_inserted_units[];
extern const char refrain_inserted_entries[];
extern const char refrain_inserted_sites[];
extern const char refrain_inserted_calls[];
extern const char refrain_inserted_end[];
extern const char refrain_inserted_constructs[];

#endif
