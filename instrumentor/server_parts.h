/* server_parts.h: what the wrapper's side (server_ask.c) and the server's side (server.c) share: server_place.c and
 * server_message.c. */
#ifndef REFRAIN_SERVER_PARTS_H
#define REFRAIN_SERVER_PARTS_H

#include "text.h"
#include <stdint.h>

#define REFRAIN_SERVER_SUFFIX ".socket"
/* For what the other side does at once, unless something is wrong with it. */
#define REFRAIN_SERVER_PATIENCE_SECONDS 5

/* ---- where servers are ---- */

/* Finds the directory of the user's sockets; with `make` it is made where there is none. False: there is none that
 * belongs to the user and that nobody else can enter. */
bool refrain_server_directory(struct refrain_text *path, bool make);

/* Describes what wrapper and server have to have in common; it has no NUL. False: that is not known. */
bool refrain_server_identity(struct refrain_text *identity);

/* ---- what passes between them ---- */

enum refrain_server_kind { REFRAIN_SERVER_SOURCE = 1, REFRAIN_SERVER_STOP };

/* The words of a request for a source: the identity, then the job (job.h) and the environment, each after the number
 * of its words. */

enum { REFRAIN_SERVER_WORKING_DIRECTORY, REFRAIN_SERVER_STANDARD_ERROR, REFRAIN_SERVER_FILES };

struct refrain_server_reply {
    uint32_t good;                       /* the source was instrumented, or is left as it is: `status` says which */
    uint32_t status;                     /* enum refrain_instrument_status */
    uint64_t pid, sources, processor_ns; /* of a server that was told to stop */
};

/* Sends words and, unless `files` is null, REFRAIN_SERVER_FILES file descriptors. */
bool refrain_server_send(int connection, enum refrain_server_kind kind, const struct refrain_list *words,
                         const int *files);

/* Receives them; the descriptors become -1 where none came. */
bool refrain_server_receive(int connection, enum refrain_server_kind *kind, struct refrain_list *words, int *files);

/* Both sides wait at most so long; 0: for ever. */
void refrain_server_set_patience(int connection, long seconds);

/* Whether the other side is a process of the same user. */
bool refrain_server_is_own(int connection);

/* ---- the process ---- */

/* Serves those who connect; does not return. `directory` is the socket's. */
_Noreturn void refrain_server_run(int listener, const char *directory, const char *path, const char *identity,
                                  unsigned seconds);

#endif
