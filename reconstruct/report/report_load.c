/* report_load.c: draws the load of the ranks over time (report_load.h). */
#include "report/report_load.h"
#include "commands/command.h"

#define MOST_ROWS 64u
#define WIDTH 720.0
#define LEFT 60.0
#define TOP 8.0
#define BOTTOM 40.0
#define MOST_ROW 26.0
#define MOST_HEIGHT 480.0

struct load {
    FILE *file;
    const struct refrain_delays *delays;
    size_t first_bin, n_bins, ranks_a_row, n_rows;
    double row, bin;
};

static const char *const colours[REFRAIN_DOINGS] = {"#3b78b5", "#f0e3cf", "#d9822b", "#b5495b", "#bbbbbb"};
static const char *const names[REFRAIN_DOINGS] = {"computing", "waiting", "moving data", "management", "paused"};
static const enum refrain_doing order[REFRAIN_DOINGS] = {REFRAIN_DOING_COMPUTING, REFRAIN_DOING_TRANSMISSION,
                                                         REFRAIN_DOING_MANAGEMENT, REFRAIN_DOING_WAITING,
                                                         REFRAIN_DOING_PAUSED};

/* Computes the share of each activity for a row in a bin. False if the row has none there. */
static bool shares_of(const struct load *load, size_t row, size_t bin, double *shares) {
    double sum = 0;
    for (int doing = 0; doing < REFRAIN_DOINGS; doing++) {
        shares[doing] = 0;
        for (size_t i = row * load->ranks_a_row; i < (row + 1) * load->ranks_a_row && i < load->delays->n_ranks; i++)
            shares[doing] += (double)load->delays->ranks[i].bins_ns[load->first_bin + bin][doing];
        sum += shares[doing];
    }
    for (int doing = 0; sum > 0 && doing < REFRAIN_DOINGS; doing++)
        shares[doing] /= sum;
    return sum > 0;
}

static void draw_row(const struct load *load, size_t row) {
    double height = load->row > 4 ? load->row - 2 : load->row, shares[REFRAIN_DOINGS];
    for (size_t bin = 0; bin < load->n_bins; bin++) {
        if (!shares_of(load, row, bin, shares))
            continue;
        double bottom = TOP + (double)row * load->row + height;
        for (int i = 0; i < REFRAIN_DOINGS; i++) {
            double part = shares[order[i]] * height;
            if (part < 0.05)
                continue;
            bottom -= part;
            fprintf(load->file, "<path fill=\"%s\" d=\"M%.2f %.2fh%.2fv%.2fh-%.2fz\"/>\n", colours[order[i]],
                    LEFT + (double)bin * load->bin, bottom, load->bin + 0.3, part, load->bin + 0.3);
        }
    }
}

/* Draws a line through the ranks on the critical path. */
static void draw_path(const struct load *load) {
    fputs("<path fill=\"none\" stroke=\"#000\" stroke-width=\"1.5\" d=\"", load->file);
    bool begun = false;
    for (size_t bin = 0; bin < load->n_bins; bin++) {
        int32_t rank = load->delays->path_bins[load->first_bin + bin].rank;
        if (rank < 0)
            continue;
        double y = TOP + ((double)((size_t)rank / load->ranks_a_row) + 0.5) * load->row - (load->row > 4 ? 1 : 0);
        fprintf(load->file, "%c%.2f %.2fh%.2f", begun ? 'L' : 'M', LEFT + (double)bin * load->bin, y, load->bin);
        begun = true;
    }
    fputs("\"/>\n", load->file);
}

static void draw_names(const struct load *load) {
    size_t every = 1;
    while ((double)every * load->row < 12)
        every *= 2;
    for (size_t row = 0; row < load->n_rows; row += every)
        fprintf(load->file, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">rank %zu</text>\n", LEFT - 6,
                TOP + (double)row * load->row + load->row / 2 + 3, row * load->ranks_a_row);
    double y = TOP + (double)load->n_rows * load->row + 13, x = LEFT;
    fprintf(load->file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", LEFT, y,
            refrain_show_ns((long double)load->delays->from_ns));
    fprintf(load->file, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", LEFT + WIDTH, y,
            refrain_show_ns((long double)load->delays->to_ns));
    for (int i = 0; i < REFRAIN_DOINGS; i++, x += 110)
        fprintf(load->file, "<path fill=\"%s\" d=\"M%.1f %.1fh10v10h-10z\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                colours[order[i]], x, y + 8, x + 14, y + 17, names[order[i]]);
    fprintf(load->file,
            "<path stroke=\"#000\" stroke-width=\"1.5\" d=\"M%.1f %.1fh10\"/><text x=\"%.1f\" y=\"%.1f\">critical "
            "path</text>\n",
            x, y + 13, x + 14, y + 17);
}

static size_t bin_of(const struct refrain_delays *delays, int64_t ns) {
    int64_t bin = ns > 0 ? ns / delays->bin_ns : 0;
    return bin < REFRAIN_DELAY_BINS ? (size_t)bin : REFRAIN_DELAY_BINS - 1;
}

void refrain_report_draw_load(const struct refrain_report *report, FILE *file) {
    const struct refrain_delays *delays = report->delays;
    struct load load = {.file = file, .delays = delays};
    load.first_bin = bin_of(delays, delays->from_ns);
    load.n_bins = bin_of(delays, delays->to_ns) + 1 - load.first_bin;
    load.ranks_a_row = (delays->n_ranks + MOST_ROWS - 1) / MOST_ROWS;
    load.n_rows = load.ranks_a_row ? (delays->n_ranks + load.ranks_a_row - 1) / load.ranks_a_row : 0;
    load.row = MOST_HEIGHT / (double)(load.n_rows ? load.n_rows : 1);
    load.row = load.row > MOST_ROW ? MOST_ROW : load.row;
    load.bin = WIDTH / (double)load.n_bins;
    double height = TOP + (double)load.n_rows * load.row + BOTTOM;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n<path fill=\"#fff\" d=\"M0 0h10000v10000h-10000z\"/>\n",
            LEFT + WIDTH + 10, height, LEFT + WIDTH + 10, height);
    for (size_t row = 0; row < load.n_rows; row++)
        draw_row(&load, row);
    if (delays->n_known > 1)
        draw_path(&load);
    draw_names(&load);
    fputs("</svg>\n", file);
}
