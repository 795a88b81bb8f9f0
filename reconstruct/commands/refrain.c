/* refrain.c: the program refrain: finds the command, runs it and prints its error. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/index_store.h"
#include "match/saved_states.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int print_error(const struct refrain_error *error, enum refrain_status status) {
    fflush(stdout);
    fprintf(stderr, "refrain: %s\n", error->code != REFRAIN_OK ? error->message : "failed");
    return (int)status;
}

int main(int argc, char **argv) {
    struct refrain_error error = {0};
    signal(SIGXFSZ, SIG_IGN); /* Exceeding the limit on file sizes is an error with a message, as others are. */
    refrain_saved_states_keeper = refrain_index_keep;
    int at = 1;
    while (at < argc && refrain_command_common_option(argv[at]))
        at++;
    if (at >= argc) {
        REFRAIN_FAIL_USAGE(&error, "no command given; refrain help lists them");
        return print_error(&error, REFRAIN_USAGE);
    }
    const char *name = argv[at];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "-?") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts(refrain_version_text());
        return 0;
    }
    const struct refrain_command *command = refrain_command_find(name);
    if (!command) {
        REFRAIN_FAIL_USAGE(&error, "unknown %s %s%s (refrain help lists them)", *name == '-' ? "option" : "command",
                           name, refrain_command_suggestion(name));
        return print_error(&error, REFRAIN_USAGE);
    }
    char whole_name[64];
    snprintf(whole_name, sizeof whole_name, "refrain %s", command->name);
    argv[at] = whole_name;
    enum refrain_status status = command->run(argc - at, argv + at, &error);
    if (status == REFRAIN_OK && (fflush(stdout) != 0 || ferror(stdout)) && !refrain_terminal_pager_left())
        status = REFRAIN_FAIL(&error, "standard output cannot be written");
    return status == REFRAIN_OK ? 0 : print_error(&error, status);
}
