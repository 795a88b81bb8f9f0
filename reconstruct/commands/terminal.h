/* terminal.h: what is done differently for a person at a terminal: pager, colour, width (commands -> terminal).
 *
 * Asked once, before the pager takes the place of the terminal. One thread. */
#ifndef REFRAIN_TERMINAL_H
#define REFRAIN_TERMINAL_H

#include <stdio.h>
#include <stdbool.h>

enum refrain_color { REFRAIN_COLOR_AUTO, REFRAIN_COLOR_ALWAYS, REFRAIN_COLOR_NEVER };

struct refrain_terminal_settings {
    bool no_pager;
    enum refrain_color color; /* AUTO: on a terminal, unless NO_COLOR is set or TERM is dumb */
};

extern struct refrain_terminal_settings refrain_terminal_settings;

/* Starts the pager when standard output is a terminal: REFRAIN_PAGER, else PAGER, else less, which ends by itself when
 * the text fits the screen. Standard output goes to it from here on; it is waited for when the program exits. Nothing
 * happens where there is none, or where it is named "cat" or "". */
void refrain_terminal_page(void);

/* True if the user has left the pager. Then a failure to write to standard output is no error of the command. */
bool refrain_terminal_pager_left(void);

/* Columns of the terminal that standard output is, or was before the pager. Where it is none: the variable COLUMNS,
 * else 0, which means any width. */
unsigned refrain_terminal_columns(void);

/* Escape sequences, or "" where there is no colour. NORMAL ends the others. */
enum refrain_style { REFRAIN_NORMAL, REFRAIN_BOLD, REFRAIN_FAINT, REFRAIN_RED, REFRAIN_YELLOW, REFRAIN_GREEN };
const char *refrain_style(enum refrain_style style);

/* The first n bytes of a text, a line's end where the next word would go beyond `width` columns. The first word stands
 * where the cursor is, which is at `indent`, where further lines begin. Spaces and line feeds divide words. */
void refrain_print_wrapped(FILE *file, const char *text, size_t n, unsigned indent, unsigned width);

#endif
