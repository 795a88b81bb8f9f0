#include "command.h"
enum refrain_status refrain_cmd_stats(int argc, char **argv, struct refrain_error *error) {
    (void)argc, (void)argv;
    return REFRAIN_FAIL(error, "not built in");
}
