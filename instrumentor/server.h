/* server.h: a process that has libclang loaded and instruments sources for the wrappers of a build, where the user asks
 * for it (REFRAIN_COMPILE_SERVER).
 *
 *     wrapper                                      server                      its child
 *     connect  -- REFRAIN_SERVER_SOURCE, job -->   accept, fork  ----------->  reads the job
 *              <------------------------ one byte: it has begun -------------  instruments the source, writes the
 *                                                                              stand-in, exits with the status
 *              <-- reply: the status ------------  waits for it
 *
 * To load and start libclang takes longer than most sources, where it is not part of the program (program.h); the server
 * does it once, and each source has a copy of the server for itself (fork). The first wrapper that finds none starts one. It ends when it has had no work for so many
 * seconds.
 *
 * A server is shared by wrappers only that it is equal to (server_place.c): same user, same refrain, same view of the
 * file system, same limits. Each job brings the rest: working directory, environment, standard error. Whatever goes
 * wrong, the wrapper does the work itself; it never does so while a server's child may still write the stand-in,
 * because the child holds the connection as long as it lives. A child whose wrapper or server is gone ends.
 */
#ifndef REFRAIN_SERVER_H
#define REFRAIN_SERVER_H

#include "job.h"
#include <stdio.h>

/* Has a server do the job; starts one where there is none. False: the caller has to do it. */
bool refrain_server_instrument(const struct refrain_job *job, enum refrain_instrument_status *status);

/* Ends the user's servers, those of other versions as well, once they have done their work. Says of each in a line what
 * it did and how much processor time it took, its own and its children's. Returns an exit status. */
int refrain_server_stop(const char *program);

#endif
