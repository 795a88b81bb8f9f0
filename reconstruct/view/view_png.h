/* view_png.h: a figure as pixels (SVG text -> PNG file). */
#ifndef REFRAIN_VIEW_PNG_H
#define REFRAIN_VIEW_PNG_H

#include <refrain/read.h>
#include <stddef.h>
#include <stdio.h>

/* Pixels of the PNG for each of the figure's, along either side: figures of papers are printed, and screens are fine. */
#define REFRAIN_PNG_SCALE 2

/* Has librsvg's rsvg-convert draw `bytes` bytes of SVG, and writes the PNG to `file` from where it stands; `path` is the
 * file's name for messages. Starts a process and waits for it. */
enum refrain_status refrain_png_write(const char *svg, size_t bytes, FILE *file, const char *path,
                                      struct refrain_error *error);

#endif
