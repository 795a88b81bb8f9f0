/* help_settings.c: lists the environment variables for any output, and prints the list as text (help_pages.h). */
#include "commands/help_pages.h"

#include <refrain/variables.h>
#include <stdio.h>
#include <string.h>

enum reader { READER_RUN, READER_TOOL, READER_BUILD, READER_OWN };

struct setting {
    const char *name, *preset, *meaning;
    enum reader reader;
};

static const struct setting settings[] = {
#define REFRAIN_VARIABLE(name, reader, preset, meaning)                                                                \
    {REFRAIN_VARIABLE_PREFIX #name, preset, meaning, READER_##reader},
#include <refrain/variables.def>
};

const char refrain_help_settings_summary[] = "variables of the environment that refrain reads";

const char refrain_help_settings_description[] =
    "The traced program reads its variables when it starts, and keeps them in the trace. refrain record sets them from "
    "its options.\n"
    "Sizes take K, M and G (1024s). Switches take on, true, yes, 1 and off, false, no, 0. A warning names each "
    "variable that begins with REFRAIN_ and that nothing reads.\n";

/* In the order of enum reader, without READER_OWN. */
static const char *const headings[] = {"Traced programs", "refrain, refrain-record, refrain-run", "Compiler wrappers"};

void refrain_help_settings(refrain_help_setting *each, refrain_help_heading *heading, void *data) {
    for (enum reader reader = READER_RUN; reader < READER_OWN; reader++) {
        heading(data, headings[reader]);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            if (settings[i].reader == reader)
                each(data, settings[i].name, settings[i].preset, settings[i].meaning);
    }
}

/* ---- as text ---- */

enum { INDENT = 6, COLUMNS = 79 };

static void print_setting(void *data, const char *name, const char *preset, const char *meaning) {
    (void)data;
    printf("  %s%s%s%s%s%s\n", refrain_style(REFRAIN_BOLD), name, refrain_style(REFRAIN_NORMAL), *preset ? " (" : "",
           preset, *preset ? ")" : "");
    printf("%*s", INDENT, "");
    refrain_print_wrapped(stdout, meaning, strlen(meaning), INDENT, COLUMNS);
    putchar('\n');
}

static void print_heading(void *data, const char *heading) {
    (void)data;
    printf("\n%s%s%s\n", refrain_style(REFRAIN_BOLD), heading, refrain_style(REFRAIN_NORMAL));
}

void refrain_help_settings_text(void) {
    for (const char *line = refrain_help_settings_description; *line;) {
        size_t n = strcspn(line, "\n");
        refrain_print_wrapped(stdout, line, n, 0, COLUMNS);
        putchar('\n');
        line += n + (line[n] == '\n');
    }
    refrain_help_settings(print_setting, print_heading, NULL);
}
