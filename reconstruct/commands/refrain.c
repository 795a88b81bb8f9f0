/* refrain.c: the offline tool: finds the command and says what went wrong. */
#define _GNU_SOURCE
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    refrain_command *run;
    const char *summary;
} commands[] = {
#ifdef REFRAIN_HAVE_ELF
    {"record", refrain_cmd_record, "trace an MPI program as it is, nothing compiled again"},
#endif
    {"info", refrain_cmd_info, "what was run, how much of it was learned, what was lost"},
    {"stats", refrain_cmd_stats, "where the time went: functions, loops, call sites"},
    {"formulas", refrain_cmd_formulas, "what each branch, loop and MPI call did, as a formula"},
    {"reconstruct", refrain_cmd_reconstruct, "the events of the run again, as OTF2 or text"},
    {"events", refrain_cmd_events, "the events that were recorded (REFRAIN_MODE=events or both)"},
    {"compare", refrain_cmd_compare, "how close two runs or two traces of one run are"},
    {"capture", refrain_cmd_capture, "what share of the sequences each type of formula holds"},
#ifdef REFRAIN_HAVE_ELF
    {"size", refrain_cmd_size, "the bytes a run will write, before it is run"},
#endif
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void print_help(void) {
    puts("Usage: refrain COMMAND [OPTION...] ARGUMENT...\n"
         "Traces MPI programs, and reads the traces.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i].name, commands[i].summary);
    puts("\n  refrain COMMAND --help   says what a command takes\n"
         "  refrain --version        says which refrain this is\n\n"
         "A trace is a directory <program>-<date>-<time>.refrain, or one rank-N.trace in it.\n"
         "Exit status: 0, or 1 when something is wrong with data, or 2 with the command line.");
}

static int say(const struct refrain_error *error, enum refrain_status status) {
    fflush(stdout);
    fprintf(stderr, "refrain: %s\n", error->code != REFRAIN_OK ? error->message : "failed");
    return (int)status;
}

int main(int argc, char **argv) {
    struct refrain_error error = {0};
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like others */
    if (argc < 2) {
        REFRAIN_FAIL_USAGE(&error, "no command given; refrain --help lists them");
        return say(&error, REFRAIN_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("refrain %s (traces up to version %u)\n", REFRAIN_VERSION, REFRAIN_TRACE_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "refrain %s", commands[i].name);
        argv[1] = name;
        enum refrain_status status = commands[i].run(argc - 1, argv + 1, &error);
        if (status == REFRAIN_OK && (fflush(stdout) != 0 || ferror(stdout)))
            status = REFRAIN_FAIL(&error, "standard output cannot be written");
        return status == REFRAIN_OK ? 0 : say(&error, status);
    }
    REFRAIN_FAIL_USAGE(&error, "unknown command %s; refrain --help lists them", argv[1]);
    return say(&error, REFRAIN_USAGE);
}
