/* view_svg.c: draws a picture as SVG (view_svg.h). */
#define _GNU_SOURCE
#include "view/view_svg.h"
#include "analysis/followed.h"
#include "commands/command.h"
#include "commands/job_threads.h"
#include "common/escape.h"
#include "match/cursor_parts.h"
#include "match/replay.h"
#include "match/replayable.h"
#include "view/view_groups.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUTTER 56.0
#define AXIS 26.0
#define MOST_HEIGHT 560.0
#define MOST_LANES_SPANS 20000u /* with more spans, rows show shares of time */
#define LEAST_LANE 9.0
#define MOST_ROW 110.0
#define MOST_SMALL_HEIGHT 260.0
#define MOST_SMALL_ROW 46.0
#define MOST_SMALL_SPANS 2000u
#define MOST_SMALL_MESSAGES 300u
#define MOST_MESSAGES 4000u
#define LEGEND_LINE 18.0
#define LEGEND_NAME 22u
#define MARGIN 26.0 /* to the right of the bars, for half of the last number of the axis */

struct drawing {
    FILE *file;
    struct refrain_picture *picture;
    struct refrain_groups groups;
    const struct refrain_figure *figure;
    uint32_t *rows; /* by location: its row; n_rows if it is not shown */
    uint32_t n_rows, depths;
    double width, row, from_ns, to_ns;
    bool lanes;
};

/* ---- text and numbers ---- */

bool refrain_figure_ranks(const char *text) {
    do {
        char *end;
        if (!isdigit((unsigned char)*text))
            return false;
        unsigned long first = strtoul(text, &end, 10);
        if (*end == '-') {
            if (!isdigit((unsigned char)end[1]) || strtoul(end + 1, &end, 10) < first)
                return false;
        }
        text = end;
    } while (*text == ',' && *++text);
    return *text == 0;
}

static bool names_rank(const char *text, int32_t rank) {
    while (text && *text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if ((unsigned long)rank >= first && (unsigned long)rank <= last)
            return true;
        text = *end == ',' ? end + 1 : NULL;
    }
    return false;
}

static double x_of(const struct drawing *drawing, double time_ns) {
    double part = (time_ns - drawing->from_ns) / (drawing->to_ns - drawing->from_ns);
    return GUTTER + drawing->width * (part < 0 ? 0 : part > 1 ? 1 : part);
}

static double top_of(const struct drawing *drawing, uint32_t row) {
    return AXIS + row * drawing->row;
}

/* The vertical middle of the lane of a row's MPI calls. */
static double middle_of(const struct drawing *drawing, uint32_t location) {
    double top = top_of(drawing, drawing->rows[location]);
    return drawing->lanes ? top + (drawing->row - 3) * (1 - 0.5 / drawing->depths) : top + drawing->row / 2;
}

static bool shown(const struct drawing *drawing, uint32_t location) {
    return location < drawing->picture->n_locations && drawing->rows[location] < drawing->n_rows;
}

/* ---- bars ---- */

static void put_bar(const struct drawing *drawing, uint32_t region, bool waits, double x, double y, double width,
                    double height) {
    uint32_t group = drawing->groups.of_region[region];
    if (waits)
        fprintf(drawing->file, "<path class=\"w\" fill=\"url(#h%u)\" d=\"M%.2f %.2fh%.2fv%.2fh-%.2fz\"/>\n", group, x,
                y, width, height, width);
    else
        fprintf(drawing->file, "<path fill=\"#%06x\" d=\"M%.2f %.2fh%.2fv%.2fh-%.2fz\"/>\n",
                drawing->groups.groups[group].colour, x, y, width, height, width);
}

/* True if text on this colour has to be white. */
static bool is_dark(uint32_t rgb) {
    return 299 * (rgb >> 16) + 587 * (rgb >> 8 & 255) + 114 * (rgb & 255) < 140000;
}

static void put_lanes(const struct drawing *drawing) {
    const struct refrain_picture_span *spans = drawing->picture->spans.items;
    double lane = (drawing->row - 3) / drawing->depths;
    for (uint32_t depth = 0; depth < drawing->depths; depth++)
        for (size_t i = 0; i < drawing->picture->spans.n; i++) {
            const struct refrain_picture_span *span = &spans[i];
            if (span->depth != depth || !shown(drawing, span->location))
                continue;
            double y = top_of(drawing, drawing->rows[span->location]) + lane * depth;
            double x0 = x_of(drawing, span->from_ns), x1 = x_of(drawing, span->to_ns);
            double until = span->waits_until_ns > span->from_ns ? x_of(drawing, span->waits_until_ns) : x0;
            if (until > x0)
                put_bar(drawing, span->region, true, x0, y, until - x0, lane - 1);
            if (x1 > until)
                put_bar(drawing, span->region, false, until, y, x1 - until, lane - 1);
            const char *name = drawing->groups.groups[drawing->groups.of_region[span->region]].region->name;
            if (lane >= 11 && x1 - x0 > 7.0 * (double)strlen(name) + 6) {
                bool dark =
                    until <= x0 && is_dark(drawing->groups.groups[drawing->groups.of_region[span->region]].colour);
                fprintf(drawing->file, "<text class=\"n%s\" x=\"%.1f\" y=\"%.1f\">", dark ? " d" : "", x0 + 3,
                        y + lane / 2 + 3);
                refrain_put_escaped(drawing->file, name);
                fputs("</text>\n", drawing->file);
            }
        }
}

static int by_position(const void *a, const void *b) {
    const struct refrain_picture_share *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->bin != y->bin)
        return x->bin < y->bin ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

static bool is_whole(const struct refrain_picture_share *share) {
    return refrain_picture_share_part(share->what) > 65000;
}

/* Draws the time of each pixel by region, one above the other. Equal pixels in a row become one bar. */
static void put_shares(const struct drawing *drawing) {
    struct refrain_picture_share *shares = drawing->picture->shares.items;
    size_t n = drawing->picture->shares.n;
    double pixel = drawing->width / drawing->picture->n_bins;
    double height = drawing->row >= 5 ? drawing->row - 1 : drawing->row;
    qsort(shares, n, sizeof *shares, by_position);
    for (size_t i = 0; i < n;) {
        size_t of_bin = i + 1;
        while (of_bin < n && shares[of_bin].location == shares[i].location && shares[of_bin].bin == shares[i].bin)
            of_bin++;
        bool visible = shown(drawing, shares[i].location);
        double y = visible ? top_of(drawing, drawing->rows[shares[i].location]) : 0;
        double x = GUTTER + shares[i].bin * pixel;
        bool whole = of_bin == i + 1 && is_whole(&shares[i]);
        uint32_t region = refrain_picture_share_region(shares[i].what);
        bool waits = refrain_picture_share_waits(shares[i].what);
        size_t end = of_bin;
        while (whole && end < n && shares[end].location == shares[i].location &&
               shares[end].bin == shares[end - 1].bin + 1 && refrain_picture_share_region(shares[end].what) == region &&
               refrain_picture_share_waits(shares[end].what) == waits && is_whole(&shares[end]) &&
               (end + 1 == n || shares[end + 1].location != shares[end].location ||
                shares[end + 1].bin != shares[end].bin))
            end++;
        for (size_t s = i; visible && s < of_bin; s++) {
            uint32_t what = shares[s].what;
            double part = whole ? height : height * refrain_picture_share_part(what) / REFRAIN_PICTURE_WHOLE;
            put_bar(drawing, refrain_picture_share_region(what), refrain_picture_share_waits(what), x, y,
                    pixel * (whole ? (double)(end - i) : 1), part);
            y += part;
        }
        i = end;
    }
}

/* ---- lines ---- */

static void put_lines(const struct drawing *drawing) {
    const struct refrain_picture_message *messages = drawing->picture->messages.items;
    size_t n = drawing->picture->messages.n;
    for (size_t i = 0; i < drawing->picture->collectives.n; i++) {
        const struct refrain_picture_collective *collective =
            &((const struct refrain_picture_collective *)drawing->picture->collectives.items)[i];
        if (collective->last_ns < drawing->from_ns || collective->last_ns > drawing->to_ns ||
            !shown(drawing, collective->lowest) || !shown(drawing, collective->highest))
            continue;
        fprintf(drawing->file, "<path class=\"c\" d=\"M%.2f %.2fV%.2f\"/>\n", x_of(drawing, collective->last_ns),
                middle_of(drawing, collective->lowest), middle_of(drawing, collective->highest));
    }
    for (size_t i = 0; n <= (drawing->figure->small ? MOST_SMALL_MESSAGES : MOST_MESSAGES) && i < n; i++) {
        const struct refrain_picture_message *message = &messages[i];
        if (message->received_ns > drawing->to_ns || message->sent_ns < drawing->from_ns ||
            !shown(drawing, message->from) || !shown(drawing, message->to))
            continue;
        fprintf(drawing->file, "<path class=\"m\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n", x_of(drawing, message->sent_ns),
                middle_of(drawing, message->from), x_of(drawing, message->received_ns),
                middle_of(drawing, message->to));
    }
}

static void put_axis(const struct drawing *drawing) {
    double span_ns = drawing->to_ns - drawing->from_ns, step_ns = pow(10, floor(log10(span_ns / 4)));
    if (span_ns / step_ns > 20)
        step_ns *= 5;
    else if (span_ns / step_ns > 10)
        step_ns *= 2;
    double unit = span_ns < 2e3 ? 1 : span_ns < 2e6 ? 1e3 : span_ns < 2e9 ? 1e6 : 1e9;
    const char *name = unit == 1 ? "ns" : unit == 1e3 ? "µs" : unit == 1e6 ? "ms" : "s";
    for (double t = ceil(drawing->from_ns / step_ns) * step_ns; t <= drawing->to_ns; t += step_ns)
        fprintf(drawing->file,
                "<path class=\"a\" d=\"M%.2f %.1fv4\"/><text text-anchor=\"middle\" x=\"%.2f\" y=\"%.1f\">%.10g "
                "%s</text>\n",
                x_of(drawing, t), AXIS - 5, x_of(drawing, t), AXIS - 9, t / unit, name);
    unsigned every = 1;
    while (every * drawing->row < 12)
        every *= 2;
    bool threads = false;
    for (uint32_t l = 0; l < drawing->picture->n_locations; l++)
        threads |= drawing->picture->locations[l].thread > 0;
    for (uint32_t l = 0; l < drawing->picture->n_locations; l++) {
        const struct refrain_picture_location *location = &drawing->picture->locations[l];
        if (!shown(drawing, l) || drawing->rows[l] % every)
            continue;
        fprintf(drawing->file, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%d", GUTTER - 6,
                top_of(drawing, drawing->rows[l]) + drawing->row / 2 + 4, location->rank);
        if (threads)
            fprintf(drawing->file, ".%u", location->thread);
        fputs("</text>\n", drawing->file);
    }
}

static int longest_first(const void *a, const void *b) {
    const struct refrain_group *x = *(struct refrain_group *const *)a, *y = *(struct refrain_group *const *)b;
    return (x->own_ns < y->own_ns) - (x->own_ns > y->own_ns);
}

#define LEGEND_ENTRIES 15u
#define SMALL_LEGEND_ENTRIES 6u
#define LEGEND_COLUMN 290u /* width of the longest entry in pixels: a name, its time and its waiting */

static unsigned legend_entries(const struct drawing *drawing) {
    return drawing->figure->small ? SMALL_LEGEND_ENTRIES : LEGEND_ENTRIES;
}

static unsigned legend_columns(const struct drawing *drawing) {
    unsigned columns = drawing->figure->width / LEGEND_COLUMN;
    return columns < 1 ? 1 : columns > 3 ? 3 : columns;
}

static double legend_height(const struct drawing *drawing) {
    unsigned columns = legend_columns(drawing);
    return LEGEND_LINE * ((legend_entries(drawing) + columns - 1) / columns + 1);
}

static void put_legend(const struct drawing *drawing, double y) {
    const struct refrain_groups *groups = &drawing->groups;
    const struct refrain_group **sorted = calloc(groups->n + 1, sizeof *sorted);
    if (!sorted)
        return;
    for (uint32_t i = 0; i < groups->n; i++)
        sorted[i] = &groups->groups[i];
    qsort(sorted, groups->n, sizeof *sorted, longest_first);
    unsigned columns = legend_columns(drawing);
    double x = GUTTER, column = drawing->width / columns;
    for (uint32_t i = 0; i < groups->n && i < legend_entries(drawing) && sorted[i]->own_ns > 0; i++) {
        double entry_x = x + (i % columns) * column, entry_y = y + (i / columns + 1) * LEGEND_LINE;
        fprintf(drawing->file, "<path fill=\"#%06x\" d=\"M%.1f %.1fh11v11h-11z\"/><text x=\"%.1f\" y=\"%.1f\">",
                sorted[i]->colour, entry_x, entry_y - 10, entry_x + 16, entry_y);
        char name[LEGEND_NAME + 4];
        snprintf(name, sizeof name, strlen(sorted[i]->region->name) > LEGEND_NAME ? "%.*s..." : "%.*s",
                 (int)LEGEND_NAME, sorted[i]->region->name);
        refrain_put_escaped(drawing->file, name);
        fprintf(drawing->file, " %s", refrain_show_ns((long double)sorted[i]->own_ns));
        if (sorted[i]->waiting_ns > 0)
            fprintf(drawing->file, ", waiting %s", refrain_show_ns((long double)sorted[i]->waiting_ns));
        fputs("</text>\n", drawing->file);
    }
    free(sorted);
}

/* ---- one figure ---- */

static bool place_rows(struct drawing *drawing, const struct refrain_trace *trace) {
    drawing->rows = calloc(trace->n_locations + 1, sizeof *drawing->rows);
    for (size_t l = 0; drawing->rows && l < trace->n_locations; l++)
        drawing->rows[l] = !drawing->figure->ranks || names_rank(drawing->figure->ranks, trace->locations[l].rank)
                               ? drawing->n_rows++
                               : UINT32_MAX;
    return drawing->rows != NULL;
}

static void choose_heights(struct drawing *drawing) {
    const struct refrain_picture_span *spans = drawing->picture->spans.items;
    drawing->depths = 1;
    for (size_t i = 0; i < drawing->picture->spans.n; i++)
        if (shown(drawing, spans[i].location) && spans[i].depth + 1 > drawing->depths)
            drawing->depths = spans[i].depth + 1;
    bool small = drawing->figure->small;
    drawing->row =
        fmin(small ? MOST_SMALL_ROW : MOST_ROW, fmax(1, (small ? MOST_SMALL_HEIGHT : MOST_HEIGHT) / drawing->n_rows));
    drawing->lanes = drawing->picture->spans.n <= (small ? MOST_SMALL_SPANS : MOST_LANES_SPANS) &&
                     (drawing->row - 3) / drawing->depths >= LEAST_LANE;
    if (!drawing->lanes)
        drawing->row = fmin(drawing->row, 26);
}

static void put_figure(struct drawing *drawing) {
    double bottom = top_of(drawing, drawing->n_rows), height = bottom + legend_height(drawing);
    fprintf(drawing->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>.n{font-size:10px}.d{fill:#fff}.m{stroke:#222;stroke-width:.8;fill:none;marker-end:url(#e)}.c{"
            "stroke:#222;"
            "stroke-width:1;stroke-dasharray:1 2;fill:none}.a{stroke:#222;fill:none}</style>\n<defs>"
            "<marker id=\"e\" markerWidth=\"6\" markerHeight=\"6\" refX=\"5\" refY=\"3\" orient=\"auto\">"
            "<path d=\"M0 0.8L5 3L0 5.2z\" fill=\"#222\"/></marker>\n",
            drawing->width + GUTTER + MARGIN, height, drawing->width + GUTTER + MARGIN, height);
    for (uint32_t i = 0; i < drawing->groups.n; i++)
        fprintf(drawing->file,
                "<pattern id=\"h%u\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                "patternTransform=\"rotate(45)\"><path d=\"M0 0h2v5h-2z\" fill=\"#%06x\"/></pattern>\n",
                i, drawing->groups.groups[i].colour);
    fputs("</defs>\n<path fill=\"#fff\" d=\"M0 0h100000v100000h-100000z\"/>\n", drawing->file);
    put_axis(drawing);
    if (drawing->lanes)
        put_lanes(drawing);
    else
        put_shares(drawing);
    put_lines(drawing);
    put_legend(drawing, bottom);
    fputs("</svg>\n", drawing->file);
}

/* Checks the window and the ranks, and places the ranks. */
static enum refrain_status open_drawing(const struct refrain_trace *trace, const struct refrain_figure *figure,
                                        FILE *file, struct drawing *drawing, struct refrain_error *error) {
    const double end_ns = (double)refrain_trace_end_ns(trace);
    *drawing = (struct drawing){.file = file, .figure = figure, .width = figure->width};
    if (!place_rows(drawing, trace))
        return REFRAIN_FAIL_MEMORY(error);
    drawing->from_ns = figure->from_s * 1e9;
    drawing->to_ns = figure->to_s < 0 ? end_ns : figure->to_s * 1e9;
    if (drawing->n_rows == 0)
        return REFRAIN_FAIL_USAGE(error, "%s: no such ranks in the trace", figure->ranks ? figure->ranks : "all");
    if (drawing->to_ns <= drawing->from_ns || drawing->from_ns >= end_ns)
        return REFRAIN_FAIL_USAGE(error, "the window from %g to %g s is empty; the run ends at %g s", figure->from_s,
                                  drawing->to_ns / 1e9, end_ns / 1e9);
    return REFRAIN_OK;
}

static enum refrain_status draw(struct drawing *drawing, struct refrain_error *error) {
    if (!refrain_groups_open(&drawing->groups, drawing->picture))
        return REFRAIN_FAIL_MEMORY(error);
    choose_heights(drawing);
    put_figure(drawing);
    if (fflush(drawing->file) != 0 || ferror(drawing->file))
        return REFRAIN_FAIL(error, "the figure cannot be written: %s", strerror(errno));
    return REFRAIN_OK;
}

/* ---- pictures ---- */

/* A cursor before the first event of the figure's window, or of the run if there are several figures. Its follower has
 * a picture for each of them, with its window. */
static enum refrain_status open_pictures(struct refrain_trace *trace, struct drawing *drawings, size_t n,
                                         struct refrain_cursor **cursor, struct refrain_error *error) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    const struct refrain_replay replay = {.follower = &refrain_picture_follower};
    unsigned threads = refrain_job_processors();
    options.each = refrain_job_threads;
    options.of_each = &threads;
    options.recorded = refrain_replayable(trace, false, NULL) != REFRAIN_OK;
    if (n == 1 && drawings[0].from_ns > 0)
        options.from_ns = (int64_t)drawings[0].from_ns;
    enum refrain_status status = refrain_cursor_open_as(trace, &options, &replay, cursor, error);
    if (status)
        return status;
    struct refrain_followed *followed = (*cursor)->position.followed;
    for (size_t i = 0; i < n; i++) {
        struct refrain_picture *picture = i ? refrain_followed_add_picture(followed, trace) : followed->pictures;
        drawings[i].picture = picture;
        if (!picture ||
            !refrain_picture_window(picture, drawings[i].from_ns, drawings[i].to_ns, drawings[i].figure->width, true))
            return REFRAIN_FAIL_MEMORY(error);
    }
    return REFRAIN_OK;
}

static bool all_done(const struct drawing *drawings, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!drawings[i].picture->done)
            return false;
    return true;
}

/* Replays the windows. */
static enum refrain_status fill_pictures(struct refrain_cursor *cursor, struct drawing *drawings, size_t n,
                                         struct refrain_writer *watcher, struct refrain_error *error) {
    struct refrain_followed *followed = cursor->position.followed;
    const struct refrain_event *event = NULL;
    if (watcher && watcher->begin)
        watcher->begin(watcher, cursor->trace);
    while (!all_done(drawings, n) && (event = refrain_cursor_step(cursor)))
        if (watcher)
            watcher->event(watcher, event);
    if (watcher && watcher->end)
        watcher->end(watcher);
    struct refrain_arena *before = refrain_arena_use(cursor->arena);
    bool no_memory = false;
    if (!event)
        refrain_followed_end(followed);
    for (size_t i = 0; i < n; i++) {
        refrain_picture_finish(drawings[i].picture, !drawings[i].picture->done);
        no_memory |= drawings[i].picture->no_memory;
    }
    refrain_arena_use(before);
    const uint64_t unseen = refrain_settled_unseen(followed->settled);
    if (unseen)
        refrain_warn("%s: waits of senders that are not in the figure, since they were found out too late: %s; refrain "
                     "stats has them",
                     cursor->trace->path, refrain_show_count(unseen));
    return no_memory ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

/* ---- the whole ---- */

static void close_drawing(struct drawing *drawing) {
    refrain_groups_close(&drawing->groups);
    free(drawing->rows);
    if (drawing->picture)
        refrain_picture_free_records(drawing->picture);
}

enum refrain_status refrain_figures_write(struct refrain_trace *trace, const struct refrain_figure *figures,
                                          FILE *const *files, size_t n, struct refrain_writer *watcher,
                                          struct refrain_error *error) {
    struct drawing *drawings = calloc(n + 1, sizeof *drawings);
    struct refrain_cursor *cursor = NULL;
    enum refrain_status status = drawings ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < n; i++)
        status = open_drawing(trace, &figures[i], files[i], &drawings[i], error);
    if (!status)
        status = open_pictures(trace, drawings, n, &cursor, error);
    if (!status)
        status = fill_pictures(cursor, drawings, n, watcher, error);
    for (size_t i = 0; !status && i < n; i++)
        status = draw(&drawings[i], error);
    for (size_t i = 0; drawings && i < n; i++)
        close_drawing(&drawings[i]);
    free(drawings);
    enum refrain_status damage = refrain_cursor_close(cursor, error);
    return status ? status : damage;
}

enum refrain_status refrain_figure_write(struct refrain_trace *trace, const struct refrain_figure *figure, FILE *file,
                                         struct refrain_error *error) {
    return refrain_figures_write(trace, figure, &file, 1, NULL, error);
}
