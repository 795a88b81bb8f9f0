/* terminal.c: pager, colour and width (terminal.h). */
#define _GNU_SOURCE
#include "commands/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct refrain_terminal_settings refrain_terminal_settings;

static struct {
    bool asked, is_terminal;
    unsigned columns;
    pid_t pager;
} terminal;

static void ask(void) {
    if (terminal.asked)
        return;
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    terminal.asked = true;
    terminal.is_terminal = isatty(STDOUT_FILENO);
    if (terminal.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal.columns = size.ws_col;
    else if (columns && atoi(columns) > 0)
        terminal.columns = (unsigned)atoi(columns);
}

unsigned refrain_terminal_columns(void) {
    ask();
    return terminal.columns;
}

/* ---- pager ---- */

static void wait_for_pager(void) {
    fflush(stdout);
    /* The pager ends after it has read the end of its input. */
    close(STDOUT_FILENO);
    while (waitpid(terminal.pager, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static bool is_on_path(const char *program) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        char file[4096];
        size_t n = strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, at, program);
        if (access(file, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static const char *pager_command(void) {
    const char *command = getenv("REFRAIN_PAGER");
    if (!command)
        command = getenv("PAGER");
    if (command)
        return *command && strcmp(command, "cat") != 0 ? command : NULL;
    return is_on_path("less") ? "less" : NULL;
}

void refrain_terminal_page(void) {
    ask();
    const char *command = pager_command(), *term = getenv("TERM");
    int ends[2];
    if (!terminal.is_terminal || refrain_terminal_settings.no_pager || terminal.pager || !command ||
        (term && strcmp(term, "dumb") == 0) || pipe(ends) != 0)
        return;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        /* As git does: quit if everything fits on the screen, show colours, leave the text on the screen. */
        setenv("LESS", "FRX", 0);
        setenv("LV", "-c", 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (child > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
        terminal.pager = child;
        /* Ctrl-C is for the pager, which runs until its user leaves it. */
        signal(SIGINT, SIG_IGN);
        /* The pager may end before the text does. The exit status stays the command's own. */
        signal(SIGPIPE, SIG_IGN);
        atexit(wait_for_pager);
    }
    close(ends[1]);
}

bool refrain_terminal_pager_left(void) {
    return terminal.pager > 0; /* writing to a pipe fails for no other reason */
}

/* ---- colour ---- */

const char *refrain_style(enum refrain_style style) {
    static const char *const sequences[] = {"\033[m", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m"};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    ask();
    bool color = refrain_terminal_settings.color == REFRAIN_COLOR_ALWAYS ||
                 (refrain_terminal_settings.color == REFRAIN_COLOR_AUTO && terminal.is_terminal &&
                  !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0));
    return color ? sequences[style] : "";
}

void refrain_print_wrapped(FILE *file, const char *text, size_t n, unsigned indent, unsigned width) {
    size_t at = indent;
    for (const char *end = text + n; text < end;) {
        size_t word = strcspn(text, " \n");
        if (at > indent && at + 1 + word > width) {
            fprintf(file, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", (int)word, text);
        at += word;
        text += word + strspn(text + word, " \n");
    }
}
