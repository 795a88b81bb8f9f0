/* cmd_top.c: refrain top: what a program that runs does right now, and for what it waits. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/top_text.h"
#include "commands/waits_text.h"

#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_STUCK_S 1.0
#define DEFAULT_SECONDS 1.0

enum { OPTION_STUCK = 256 };

struct arguments {
    const char *what;
    double refresh_s, stuck_s;
    bool once;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end;
    double seconds;
    switch (key) {
    case 's':
    case OPTION_STUCK:
        seconds = strtod(value, &end);
        if (end == value || *end || !(seconds > 0) || seconds > 1e6)
            argp_error(state, "%s: a number of seconds is expected", value);
        *(key == 's' ? &arguments->refresh_s : &arguments->stuck_s) = seconds;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"once", 0, NULL, "Look once and print, for scripts and batch jobs", 0, REFRAIN_FLAG(once)},
    {"seconds", 's', "N", "Look again every N seconds (default 1)", 0, REFRAIN_OWN},
    {"stuck", OPTION_STUCK, "N", "Take a call that lasts N seconds for one that waits (default 1)", 0, REFRAIN_OWN},
    REFRAIN_ARGUMENT("trace directory or process", what),
    {0}};

static const char doc[] =
    "Shows what the ranks of a running program do, and who waits for whom.\v"
    "DIRECTORY is the trace that the program writes; PID is a process of it, or its launcher. The program is not "
    "stopped: everything is read from the mapped files of its ranks, on any host that sees them. For each rank it "
    "shows where the rank is, since when, the MPI calls a second, and the share of time in MPI since the last look "
    "(--once: since the start).\n"
    "For ranks that wait it shows for which ranks. If what they wait for cannot come, because they wait for each other "
    "in a circle or for a rank that has ended, that is a deadlock, and the status of --once is 3. For a collective "
    "that some ranks have not entered it shows what these ranks do instead. For a call on several requests, some of "
    "which may have completed already, it shows the partners of all of them, and takes the rank to hang if none of "
    "these partners can go on. It concludes nothing from ranks that may wait for any other: those in MPI_Waitany on "
    "more than 8 requests, in similar calls on more than 32, in one-sided communication, files or collectives that do "
    "not block. Of a process with several threads it shows the first.\n"
    "Of a deadlock it also shows messages that were sent to a rank that hangs, but with another tag or on another "
    "communicator than it waits for, and ranks that are in different collectives in the same place. A job that was "
    "killed is shown as it was then.\n"
    "Keys: q quits, the arrows and page keys move through the ranks, space looks at once, h shows those that hang "
    "first.";

static const struct argp argp = {.parser = parse_option, .args_doc = "DIRECTORY|PID", .doc = doc};

static enum refrain_status find_directory(const char *what, char *path, size_t bytes, struct refrain_error *error) {
    char *end;
    long pid = strtol(what, &end, 10);
    if (end == what || *end || access(what, F_OK) == 0) {
        snprintf(path, bytes, "%s", what);
        return REFRAIN_OK;
    }
    if (!refrain_live_directory(pid, path, bytes))
        return REFRAIN_FAIL(error,
                            "process %ld, and those that stem from it, write no trace on this host: name the trace's "
                            "directory",
                            pid);
    return REFRAIN_OK;
}

/* ---- once ---- */

static enum refrain_status look_once(const char *path, const struct arguments *arguments, struct refrain_error *error) {
    struct refrain_live *live;
    struct refrain_hang hang;
    enum refrain_status status = refrain_live_read(path, true, &live, error);
    if (status)
        return status;
    status = refrain_hang_find(live, (int64_t)(arguments->stuck_s * 1e9), UINT64_MAX, &hang, error);
    if (status) {
        refrain_live_close(live);
        return status;
    }
    struct refrain_top_view view = {.now = live, .hang = &hang, .most = SIZE_MAX};
    refrain_top_print_summary(&view, stdout);
    putchar('\n');
    refrain_top_print_ranks(&view, stdout);
    refrain_waits_print(stdout, live, &hang);
    if (hang.n_hanging > 0 && !live->is_over)
        status = refrain_error_set(error, REFRAIN_DIFFERS, __FILE__, __LINE__, "%s: %zu of %zu ranks are in a deadlock",
                                   path, hang.n_hanging, live->n_ranks);
    refrain_hang_close(&hang);
    refrain_live_close(live);
    return status;
}

/* ---- again and again ---- */

/* Puts lines of text on the screen, from line `row` on. Returns the number of the line after them. */
static int put_lines(const char *text, int row, int style) {
    attron(style);
    for (const char *line = text; *line && row < LINES;) {
        size_t n = strcspn(line, "\n");
        mvaddnstr(row++, 0, line, (int)n < COLS ? (int)n : COLS);
        line += n + (line[n] == '\n');
    }
    attroff(style);
    return row;
}

static int put(void (*print)(const struct refrain_top_view *, FILE *), const struct refrain_top_view *view, int row,
               int style) {
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return row;
    print(view, file);
    fclose(file);
    row = put_lines(text, row, style);
    free(text);
    return row;
}

static int count_lines(void (*print)(const struct refrain_top_view *, FILE *), const struct refrain_top_view *view) {
    char *text = NULL;
    size_t bytes;
    int lines = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return 0;
    print(view, file);
    fclose(file);
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    free(text);
    return lines;
}

static void print_waits(const struct refrain_top_view *view, FILE *file) {
    refrain_waits_print(file, view->now, view->hang);
}

static void draw(struct refrain_top_view *view) {
    int waits = count_lines(print_waits, view), room = LINES - 4 - waits;
    view->most = room > 3 ? (size_t)room : 3;
    if (view->first + view->most > view->now->n_ranks)
        view->first = view->now->n_ranks > view->most ? view->now->n_ranks - view->most : 0;
    erase();
    int row = put(refrain_top_print_summary, view, 0, A_BOLD);
    row = put(refrain_top_print_ranks, view, row + 1, A_NORMAL);
    put(print_waits, view, row, view->hang->n_hanging ? A_BOLD : A_NORMAL);
    refresh();
}

/* Moves through the ranks; false at the end. */
static bool handle_key(int key, struct refrain_top_view *view) {
    size_t page = view->most;
    switch (key) {
    case 'q':
    case 'Q':
        return false;
    case KEY_DOWN:
        view->first++;
        break;
    case KEY_UP:
        view->first -= view->first > 0;
        break;
    case KEY_NPAGE:
        view->first += page;
        break;
    case KEY_PPAGE:
        view->first -= view->first < page ? view->first : page;
        break;
    case KEY_HOME:
        view->first = 0;
        break;
    case KEY_END:
        view->first = view->now->n_ranks;
        break;
    case 'h':
        for (size_t i = 0; i < view->now->n_ranks; i++)
            if (view->hang->hangs[i]) {
                view->first = i;
                break;
            }
        break;
    default:
        break;
    }
    return true;
}

static enum refrain_status look_again(const char *path, const struct arguments *arguments,
                                      struct refrain_error *error) {
    struct refrain_live *now = NULL, *earlier = NULL;
    size_t first = 0;
    bool more = true;
    enum refrain_status status = refrain_live_read(path, true, &now, error);
    if (status)
        return status;
    setlocale(LC_CTYPE, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout((int)(arguments->refresh_s * 1000));
    while (more && !status) {
        struct refrain_hang hang;
        status = refrain_hang_find(now, (int64_t)(arguments->stuck_s * 1e9), REFRAIN_HANG_CALLS_AT_ONCE, &hang, error);
        if (status)
            break;
        struct refrain_top_view view = {.now = now, .before = earlier, .hang = &hang, .first = first};
        draw(&view);
        int key = getch();
        more = handle_key(key, &view);
        first = view.first;
        refrain_hang_close(&hang);
        if (more && (key == ERR || key == ' ')) {
            refrain_live_close(earlier);
            earlier = now;
            now = NULL;
            status = refrain_live_read(path, true, &now, error);
        }
    }
    endwin();
    refrain_live_close(now);
    refrain_live_close(earlier);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.refresh_s = DEFAULT_SECONDS, .stuck_s = DEFAULT_STUCK_S};
    char path[4096];
    refrain_command_parse(&refrain_command_top, argc, argv, &arguments);
    enum refrain_status status = find_directory(arguments.what, path, sizeof path, error);
    if (status)
        return status;
    if (!arguments.once && (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
        return REFRAIN_FAIL_USAGE(error, "refrain top needs a terminal; --once looks once and prints");
    return arguments.once ? look_once(path, &arguments, error) : look_again(path, &arguments, error);
}

const struct refrain_command refrain_command_top = {
    .name = "top",
    .summary = "what a running program does right now, and who waits for whom",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain top app-*.refrain          # the program that writes it, each second\n"
                "  refrain top $(pidof mpiexec)       # by the launcher's process\n"
                "  refrain top --once app-*.refrain   # once; status 3: a deadlock\n",
};
