/* link.c: finds the libraries that a link gets (compiler_call.h). */
#include "compiler_call.h"
#include "toolchain.h"
#include "warn.h"
#include <string.h>

/* True if the command links a Fortran layer of MPI. Open MPI's layer calls PMPI functions, and so does MPICH's in some
 * cases. Such a call is one of the program. librefrain-record has entries for PMPI functions, which tell it from other
 * calls by the caller's address (launch/front/front.h). */
static bool calls_by_pmpi(const struct refrain_compiler_call *call) {
    for (size_t i = 0; i < call->shown.count; i++)
        if (strstr(call->shown.items[i], "mpi_mpifh") || strstr(call->shown.items[i], "mpichfort"))
            return true;
    return false;
}

/* refrain's libraries stand before the program's own, so that MPI calls reach refrain before the MPI library.
 * --no-as-needed: the objects refer to refrain only weakly, and the linker would leave the libraries out. */
void refrain_compiler_call_find_libraries(struct refrain_compiler_call *call) {
    static const char *const parts[] = {NULL, "refrain-mpich", "refrain-openmpi"};
    struct refrain_text core = {0}, part = {0}, entries = {0};
    const struct refrain_command *command = &call->command;
    if (command->mode != REFRAIN_COMMAND_LINK || command->partial || command->bare)
        return;
    if (command->is_static) {
        refrain_build_warn(call->build, "librefrain is a shared library: what is linked with -static runs untraced");
        return;
    }
    if (!refrain_toolchain_library("refrain", &core)) {
        refrain_build_warn(call->build, "librefrain.so is not where the wrapper was installed; the program will run "
                                        "untraced (set REFRAIN_LIBDIR)");
        return;
    }
    refrain_list_add(&call->libraries, "-Wl,--push-state,--no-as-needed,-Bdynamic");
    if (calls_by_pmpi(call) && refrain_toolchain_library("refrain-record", &entries)) {
        refrain_list_add(&call->libraries, "-Xlinker");
        refrain_list_add(&call->libraries, entries.bytes);
    }
    const char *name = parts[refrain_toolchain_mpi(&call->shown, command)];
    if (name) {
        if (refrain_toolchain_library(name, &part)) {
            refrain_list_add(&call->libraries, "-Xlinker");
            refrain_list_add(&call->libraries, part.bytes);
        } else {
            refrain_build_warn(call->build, "lib%s.so is not beside librefrain.so; MPI calls will not be traced", name);
        }
    }
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, core.bytes);
    refrain_list_add(&call->libraries, "-Wl,--pop-state");
    core.bytes[core.length - strlen(refrain_text_basename(core.bytes)) - 1] = '\0';
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, "-rpath");
    refrain_list_add(&call->libraries, "-Xlinker");
    refrain_list_add(&call->libraries, core.bytes);
    refrain_text_free(&core);
    refrain_text_free(&part);
    refrain_text_free(&entries);
}
