/* inserted.h: the C text at the beginning of every instrumented file: the files of inserted/, without their
 * comments. Order: declarations; the tables of the unit (tables.c); units and entries, if units are listed; sites,
 * if they are used; calls; end; constructs, if the file has OpenMP constructs. */
#ifndef REFRAIN_INSERTED_H
#define REFRAIN_INSERTED_H

/* All words of the text that begin with a small letter, including keywords. If the file defines one of them as a
 * macro, the text would change its meaning. Ends with null. */
extern const char *const refrain_inserted_words[];

extern const char refrain_inserted_declarations[];
extern const char refrain_inserted_units[];
extern const char refrain_inserted_entries[];
extern const char refrain_inserted_sites[];
extern const char refrain_inserted_calls[];
extern const char refrain_inserted_end[];
extern const char refrain_inserted_constructs[];

#endif
