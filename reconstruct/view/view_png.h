/* view_png.h: writes a figure as pixels (SVG text -> PNG file). */
#ifndef REFRAIN_VIEW_PNG_H
#define REFRAIN_VIEW_PNG_H

#include <refrain/read.h>
#include <stddef.h>
#include <stdio.h>

/* Pixels of the PNG for each pixel of the figure, in both directions: fine enough for print. */
#define REFRAIN_PNG_SCALE 2

/* Draws `bytes` bytes of SVG with librsvg's rsvg-convert, and writes the PNG at the current position of `file`. `path`
 * is its name for messages. Starts a process and waits for it. */
enum refrain_status refrain_png_write(const char *svg, size_t bytes, FILE *file, const char *path,
                                      struct refrain_error *error);

#endif
