/* terminal.h: pager, colour and width for a person at a terminal (commands -> terminal). The terminal is examined once,
 * before the pager replaces it. One thread. */
#ifndef REFRAIN_TERMINAL_H
#define REFRAIN_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum refrain_color { REFRAIN_COLOR_AUTO, REFRAIN_COLOR_ALWAYS, REFRAIN_COLOR_NEVER };

struct refrain_terminal_settings {
    bool no_pager;
    enum refrain_color color; /* AUTO: colours on a terminal, unless NO_COLOR is set or TERM is dumb */
};

extern struct refrain_terminal_settings refrain_terminal_settings;

/* Starts the pager if standard output is a terminal: REFRAIN_PAGER, else PAGER, else less, which ends by itself if the
 * text fits on the screen. From here on the pager gets standard output; the program waits for it at its exit. Does
 * nothing if there is no pager, or if its name is "cat" or "". */
void refrain_terminal_page(void);

/* True if the user has left the pager. Then failing to write to standard output is no error of the command. */
bool refrain_terminal_pager_left(void);

/* Columns of the terminal at standard output, also with the pager before it. Without a terminal: the variable COLUMNS,
 * else 0 for any width. */
unsigned refrain_terminal_columns(void);

/* Escape sequences; "" without colours. NORMAL ends the others. */
enum refrain_style { REFRAIN_NORMAL, REFRAIN_BOLD, REFRAIN_FAINT, REFRAIN_RED, REFRAIN_YELLOW, REFRAIN_GREEN };
const char *refrain_style(enum refrain_style style);

/* Prints the first n bytes of a text, and begins a new line where the next word would exceed `width` columns. The
 * cursor is at column `indent`, where the further lines begin, too. Spaces and line feeds separate words. */
void refrain_print_wrapped(FILE *file, const char *text, size_t n, unsigned indent, unsigned width);

#endif
