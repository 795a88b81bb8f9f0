/* picture_colours.h: the colour of a region in pages and figures (region's name -> colour).
 *
 *     MPI calls             warm, by what they do: sends orange, receives pink, completions yellow, collectives amber,
 *                           all others grey
 *     all other regions     cool, by a hash of the name
 *
 * The colour depends on the name alone, so that it is the same in every window, run and program. So two functions may
 * have the same one of the 48 cool colours; common names do not. */
#ifndef REFRAIN_PICTURE_COLOURS_H
#define REFRAIN_PICTURE_COLOURS_H

#include <refrain/read.h>

/* Returns 0xrrggbb. */
uint32_t refrain_region_colour(const struct refrain_region_info *region);

#endif
