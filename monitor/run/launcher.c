/* launcher.c: finds out whether the launcher belongs to another MPI library than the program (launcher.h). */
#include "run/launcher.h"
#include "run/configure.h"
#include "run/pool.h"

#include <stdlib.h>

void refrain_launcher_check(int size, const char *library) {
    static const struct {
        const char *variable, *name;
    } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "Open MPI's"}, {"PMI_SIZE", "MPICH's or one like it"}};
    if (size != 1 || !refrain_trace_file.base)
        return;
    for (unsigned i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *started = getenv(launchers[i].variable);
        if (!started || atoi(started) < 2)
            continue;
        refrain_say(
            "the launcher started %s processes (%s), but each is an MPI job of one rank, with a trace of its own: the "
            "program is linked with %s, and the launcher is %s; start it with mpiexec of %s",
            started, launchers[i].variable, library, launchers[i].name, library);
        return;
    }
}
