/* help_man.c: manual pages from the texts of the commands (help_pages.h). The macros are those of man(7). */
#define _GNU_SOURCE
#include "commands/help_pages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints text with roff's own characters escaped. A long list of alternatives may be broken into lines. */
static void print_text(FILE *file, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (text[i] == '\\')
            fputs("\\e", file);
        else if (text[i] == '-')
            fputs("\\-", file);
        else if (text[i] == '|')
            fputs("|\\:", file);
        else if (begins && (text[i] == '.' || text[i] == '\''))
            fprintf(file, "\\&%c", text[i]);
        else
            fputc(text[i], file);
    }
}

static void print_line(FILE *file, const char *text) {
    print_text(file, text, strlen(text));
    fputc('\n', file);
}

/* Prints each line of the text as a paragraph. Lines that begin with a space are printed as they are. */
static void print_paragraphs(FILE *file, const char *text) {
    bool as_is = false;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (as_is != (n && *line == ' ')) {
            as_is = !as_is;
            fputs(as_is ? ".PP\n.EX\n" : ".EE\n", file);
        }
        if (n) {
            fputs(as_is ? "" : ".PP\n", file);
            print_text(file, line, n);
            fputc('\n', file);
        }
        line += n + (line[n] == '\n');
    }
    if (as_is)
        fputs(".EE\n", file);
}

static void print_title(FILE *file, const char *name, int section, const char *summary) {
    fputs(".TH \"", file);
    for (const char *p = name; *p; p++)
        fputc(toupper((unsigned char)*p), file);
    fprintf(file, "\" %d \"\" \"refrain %s\" \"refrain\"\n.ad l\n.SH NAME\n", section, REFRAIN_VERSION);
    print_text(file, name, strlen(name));
    fputs(" \\- ", file);
    print_line(file, summary);
}

static void print_option(void *data, const struct argp_option *option) {
    FILE *file = data;
    fputs(".TP\n", file);
    if (isgraph(option->key))
        fprintf(file, "\\fB\\-%c\\fR, ", option->key);
    fputs("\\fB\\-\\-", file);
    print_text(file, option->name, strlen(option->name));
    fputs("\\fR", file);
    if (option->arg) {
        fputs(option->flags & OPTION_ARG_OPTIONAL ? "[=\\fI" : "=\\fI", file);
        print_text(file, option->arg, strlen(option->arg));
        fputs(option->flags & OPTION_ARG_OPTIONAL ? "\\fR]" : "\\fR", file);
    }
    fputc('\n', file);
    if (option->doc)
        print_line(file, option->doc);
}

/* Prints lines "word  rest" as a list. */
static void print_list(FILE *file, const char *text) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n"), word = strcspn(line, " ");
        const char *rest = line + word + strspn(line + word, " ");
        fputs(".TP\n.B ", file);
        print_text(file, line, word);
        fputc('\n', file);
        print_text(file, rest, (size_t)(line + n - rest));
        fputc('\n', file);
        line += n + (line[n] == '\n');
    }
}

static void print_command_page(const struct refrain_command *command, FILE *file) {
    char name[64];
    const char *doc = command->argp->doc ? command->argp->doc : "";
    const char *more = strchr(doc, '\v');
    snprintf(name, sizeof name, "refrain-%s", command->name);
    print_title(file, name, 1, command->summary);
    const char *arguments = command->argp->args_doc ? command->argp->args_doc : "";
    fputs(".SH SYNOPSIS\n", file);
    for (const char *line = arguments; *line || line == arguments;) {
        size_t n = strcspn(line, "\n");
        fprintf(file, "%s\\fBrefrain %s\\fR [\\fIOPTION\\fR...] \\fI", line == arguments ? "" : ".br\n", command->name);
        print_text(file, line, n);
        fputs("\\fR\n", file);
        line += n + (line[n] == '\n');
        if (!*line)
            break;
    }
    fputs(".SH DESCRIPTION\n", file);
    print_text(file, doc, more ? (size_t)(more - doc) : strlen(doc));
    fputc('\n', file);
    /* The help filter of a command adds text to its help; the manual page has that text, too. */
    char *(*filter)(int, const char *, void *) = command->argp->help_filter;
    const char *rest = more ? more + 1 : NULL;
    char *filtered = filter ? filter(ARGP_KEY_HELP_POST_DOC, rest, NULL) : NULL;
    if (filtered || rest)
        print_paragraphs(file, filtered ? filtered : rest);
    if (filtered != rest)
        free(filtered);
    fputs(".SH OPTIONS\n", file);
    refrain_help_options(command, print_option, file);
    fputs(".SH EXIT STATUS\n", file);
    print_list(file, refrain_help_statuses);
    if (command->examples) {
        fputs(".SH EXAMPLES\n.EX\n", file);
        print_line(file, command->examples);
        fputs(".EE\n", file);
    }
    fputs(".SH SEE ALSO\n.BR refrain (1)\n", file);
}

void refrain_help_man(const struct refrain_command *command, FILE *file) {
    if (command) {
        print_command_page(command, file);
        return;
    }
    print_title(file, "refrain", 1, "read the traces of MPI programs");
    fputs(".SH SYNOPSIS\n\\fBrefrain\\fR [\\fB\\-q\\fR] [\\fB\\-\\-no\\-pager\\fR] [\\fB\\-\\-color=\\fIWHEN\\fR] "
          "\\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIARGUMENT\\fR...\n.SH DESCRIPTION\n",
          file);
    print_paragraphs(file, refrain_help_description);
    fputs(".SH COMMANDS\n", file);
    for (size_t i = 0; refrain_commands[i]; i++) {
        fprintf(file, ".TP\n.BR refrain\\-%s (1)\n", refrain_commands[i]->name);
        print_line(file, refrain_commands[i]->summary);
    }
    fputs(".SH EXIT STATUS\n", file);
    print_list(file, refrain_help_statuses);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B REFRAIN_PAGER\\fR, \\fBPAGER\n"
          "The pager for long output on a terminal (less); \\fBcat\\fR for none.\n"
          ".TP\n.B NO_COLOR\nNo colours when it is set to anything.\n"
          ".PP\nAll REFRAIN_ variables are in\n.BR refrain\\-settings (7).\n"
          ".SH SEE ALSO\n",
          file);
    for (size_t i = 0; refrain_commands[i]; i++)
        fprintf(file, ".BR refrain\\-%s (1)%s\n", refrain_commands[i]->name, refrain_commands[i + 1] ? "," : "");
}

static void print_setting(void *data, const char *name, const char *preset, const char *meaning) {
    FILE *file = data;
    fputs(".TP\n\\fB", file);
    print_text(file, name, strlen(name));
    fputs("\\fR", file);
    if (*preset) {
        fputs(" (", file);
        print_text(file, preset, strlen(preset));
        fputc(')', file);
    }
    fputc('\n', file);
    print_line(file, meaning);
}

static void print_heading(void *data, const char *heading) {
    fputs(".SS ", data);
    print_line(data, heading);
}

void refrain_help_settings_man(FILE *file) {
    print_title(file, "refrain-settings", 7, refrain_help_settings_summary);
    fputs(".SH DESCRIPTION\n", file);
    print_paragraphs(file, refrain_help_settings_description);
    fputs(".SH ENVIRONMENT\n", file);
    refrain_help_settings(print_setting, print_heading, file);
    fputs(".SH SEE ALSO\n.BR refrain (1),\n.BR refrain\\-record (1)\n", file);
}
