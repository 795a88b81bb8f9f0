/* report_html.c: writes a report as one page without scripts (report.h). Its pictures are figures of refrain view
 * (view_svg.h), all drawn in one replay. They are images in the page, so that their styles do not mix. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/progress.h"
#include "common/escape.h"
#include "report/report.h"
#include "report/report_load.h"
#ifdef REFRAIN_HAVE_VIEW
#include "view/view_svg.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES 6u /* findings with a picture */
#define PICTURE_WIDTH 760u
#define MOST_ROWS 16 /* ranks of a picture; of more, the relevant ones and the first ones */

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;color:#222;max-width:900px;margin:24px auto;padding:0 "
    "16px;background:#fff}"
    "h1{font-size:22px;margin:0}h2{font-size:17px;margin:28px 0 8px;border-bottom:1px solid #ddd;padding-bottom:4px}"
    ".sub{color:#555;margin:4px 0 16px}.finding{display:flex;gap:16px;margin:18px 0}"
    ".remark{background:#fdf6e3;padding:8px 12px;border-left:4px solid #d9a441}.cost{flex:0 0 "
    "74px;white-space:nowrap;text-align:right;font-weight:600;font-size:18px}.cost small{display:block;font-weight:400;"
    "font-size:12px;color:#666}.bar{height:5px;background:#c0392b;margin-left:auto;margin-top:4px}"
    ".text{flex:1;min-width:0}.text p{margin:0 0 6px}.detail{color:#555;font-size:14px}"
    "code{background:#f3f3f3;padding:2px 5px;border-radius:3px;font-size:13px;overflow-wrap:anywhere}"
    "img{max-width:100%;border:1px solid #e4e4e4;margin:4px 0}li{margin:3px 0}"
    ".eff{display:flex;flex-wrap:wrap;gap:10px;align-items:center}.eff div{border:1px solid #ddd;border-radius:5px;"
    "padding:6px 12px;text-align:center}.eff b{display:block;font-size:18px}.eff span{font-size:12px;color:#555}";

/* ---- pictures ---- */

/* Writes a picture as the address of an image (a data: URL). */
static void put_image(FILE *file, const char *svg, size_t bytes, const char *about) {
    fputs("<img alt=\"", file);
    refrain_put_escaped(file, about);
    fputs("\" src=\"data:image/svg+xml,", file);
    for (size_t i = 0; i < bytes; i++)
        if (strchr("%#\"<>&'\n", svg[i]) || (unsigned char)svg[i] >= 0x80)
            fprintf(file, "%%%02X", (unsigned)(unsigned char)svg[i]);
        else
            fputc(svg[i], file);
    fputs("\">\n", file);
}

struct pictures {
    char *svg[PICTURES];
    size_t bytes[PICTURES];
    size_t finding[PICTURES];
    size_t n;
};

#ifdef REFRAIN_HAVE_VIEW
/* The ranks of the figure: the late one, those of its chain, then the lowest ones. */
static void list_ranks(const struct refrain_report *report, const struct refrain_finding *finding, char *text,
                       size_t bytes) {
    size_t n = 0;
    int32_t rank = finding->rank;
    text[0] = 0;
    if (rank >= MOST_ROWS)
        n = (size_t)snprintf(text, bytes, "%d,%d,", rank - 1 >= MOST_ROWS ? rank - 1 : rank, rank);
    int32_t last = report->trace->size < MOST_ROWS ? report->trace->size - 1 : MOST_ROWS - 1;
    snprintf(text + n, bytes - n, "0-%d", last < 0 ? 0 : last);
}

static enum refrain_status draw(const struct refrain_report *report, struct pictures *pictures,
                                struct refrain_error *error) {
    struct refrain_figure figures[PICTURES];
    char ranks[PICTURES][64];
    FILE *files[PICTURES];
    size_t n = 0;
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; i < report->n && i < REFRAIN_REPORT_SHOWN && n < PICTURES; i++) {
        const struct refrain_finding *finding = &report->findings[i];
        if (finding->to_ns <= finding->from_ns)
            continue;
        list_ranks(report, finding, ranks[n], sizeof ranks[n]);
        figures[n] = (struct refrain_figure){.from_s = (double)finding->from_ns / 1e9,
                                             .to_s = (double)finding->to_ns / 1e9,
                                             .ranks = ranks[n],
                                             .width = PICTURE_WIDTH,
                                             .small = true};
        pictures->finding[n] = i;
        if (!(files[n] = open_memstream(&pictures->svg[n], &pictures->bytes[n]))) {
            status = REFRAIN_FAIL_MEMORY(error);
            break;
        }
        n++;
    }
    struct refrain_progress progress;
    struct refrain_writer nothing = {NULL, NULL, NULL};
    refrain_progress_open(&progress, &nothing, true);
    if (!status && n)
        status = refrain_figures_write(report->trace, figures, files, n, &progress.writer, error);
    for (size_t i = 0; i < n; i++)
        if (fclose(files[i]) != 0 && !status)
            status = REFRAIN_FAIL_MEMORY(error);
    pictures->n = n;
    return status;
}
#else
static enum refrain_status draw(const struct refrain_report *report, struct pictures *pictures,
                                struct refrain_error *error) {
    (void)report, (void)pictures, (void)error;
    return REFRAIN_OK;
}
#endif

static void put_picture(FILE *file, const struct pictures *pictures, size_t finding) {
    for (size_t i = 0; i < pictures->n; i++)
        if (pictures->finding[i] == finding)
            put_image(file, pictures->svg[i], pictures->bytes[i], "the worst moment: ranks over time, waiting hatched");
}

/* ---- parts of the page ---- */

static void put_head(const struct refrain_report *report, FILE *file) {
    const struct refrain_process *first = &report->trace->processes[0];
    const struct refrain_delays *delays = report->delays;
    const char *program = refrain_show_name(refrain_process_name(first, first->header->executable));
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Report: ", file);
    refrain_put_escaped(file, program);
    fprintf(file, "</title><style>%s</style></head><body>\n<h1>", style);
    refrain_put_escaped(file, program);
    fprintf(file,
            "</h1>\n<p class=\"sub\">%zu rank%s, %s%s%s. Costs are shares of the time of all ranks together.</p>\n",
            delays->n_known, delays->n_known == 1 ? "" : "s",
            refrain_show_ns((long double)(delays->to_ns - delays->from_ns)), delays->has_init ? " from MPI_Init" : "",
            delays->has_init ? delays->has_finalize ? " to MPI_Finalize" : " to the end of the trace" : "");
}

static void put_number(FILE *file, const char *name, double value, const char *title, const char *sign) {
    fprintf(file, "%s<div title=\"%s\"><b>%s</b><span>%s</span></div>", sign, title, refrain_report_percent(value),
            name);
}

static void put_efficiency(const struct refrain_report *report, FILE *file) {
    const struct refrain_efficiency *efficiency = &report->efficiency;
    if (!efficiency->known)
        return;
    fputs("<div class=\"eff\">", file);
    put_number(file, "parallel efficiency", efficiency->parallel, "the mean computing of a rank, of the run", "");
    put_number(file, "load balance", efficiency->balance, "the mean computing, of the longest", " = ");
    put_number(file, "serialisation (estimate)", efficiency->serialisation,
               "the longest computing, of the run on a network that takes no time", " &times; ");
    put_number(file, "transfer (estimate)", efficiency->transfer, "the run on a network that takes no time, of the run",
               " &times; ");
    fputs("</div>\n", file);
}

static void put_finding(const struct refrain_report *report, const struct pictures *pictures, size_t i, FILE *file) {
    const struct refrain_finding *finding = &report->findings[i];
    double share = finding->cost_ns / report->run_ns;
    fprintf(file,
            "<div class=\"finding\" id=\"finding-%zu\"><div class=\"cost\">%s%s<small>%s</small><div class=\"bar\" "
            "style=\"width:%.0f%%\"></div></div><div class=\"text\"><p>",
            i + 1, finding->at_most ? "&le; " : "", refrain_report_percent(share),
            refrain_show_ns((long double)finding->cost_ns), 100 * (share > 1 ? 1 : share));
    refrain_put_escaped(file, finding->sentence);
    fputs(".</p>\n<p class=\"detail\">", file);
    refrain_put_escaped(file, finding->detail);
    fputs("</p>\n", file);
    put_picture(file, pictures, i);
    fputs("<p><code>", file);
    refrain_put_escaped(file, finding->command);
    fputs("</code></p></div></div>\n", file);
}

static void put_list(FILE *file, const char *title, char *const *texts, size_t n) {
    if (!n)
        return;
    fprintf(file, "<h2>%s</h2>\n<ul>\n", title);
    for (size_t i = 0; i < n; i++) {
        fputs("<li>", file);
        refrain_put_escaped(file, texts[i]);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
}

static void put_computing(struct refrain_report *report, FILE *file) {
    if (!report->n_computing)
        return;
    fprintf(file,
            "<h2>Functions that compute</h2>\n<p>Shares of %s samples outside of MPI calls (<code>refrain "
            "samples</code>).</p>\n<ul>\n",
            refrain_show_count(report->samples.computing));
    for (size_t i = 0; i < report->n_computing; i++) {
        double deviation, share = refrain_report_function_share(report, report->computing[i], &deviation);
        char *where = refrain_report_function(report, report->computing[i]);
        fprintf(file, "<li><b>%s</b> ", refrain_report_percent(share));
        refrain_put_escaped(file, where ? where : "");
        char *change = refrain_report_function_change(report, report->computing[i]);
        fprintf(file, " (&plusmn; %s)%s</li>\n", refrain_report_percent(deviation), change ? change : "");
        free(where);
        free(change);
    }
    fputs("</ul>\n", file);
}

static enum refrain_status put_load(const struct refrain_report *report, FILE *file, struct refrain_error *error) {
    char *svg = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&svg, &bytes);
    if (!memory)
        return REFRAIN_FAIL_MEMORY(error);
    refrain_report_draw_load(report, memory);
    if (fclose(memory) != 0) {
        free(svg);
        return REFRAIN_FAIL_MEMORY(error);
    }
    fputs("<h2>Load of the ranks over time</h2>\n", file);
    put_image(file, svg, bytes, "what each rank did over the run");
    free(svg);
    return REFRAIN_OK;
}

enum refrain_status refrain_report_html(struct refrain_report *report, FILE *file, struct refrain_error *error) {
    struct pictures pictures = {.n = 0};
    enum refrain_status status = draw(report, &pictures, error);
    put_head(report, file);
    put_efficiency(report, file);
    if (report->critical) {
        fputs("<p>", file);
        refrain_put_escaped(file, report->critical);
        fputs(" (<code>refrain stats --by critical-path</code>).</p>\n", file);
    }
    if (report->memory) {
        fputs(report->memory_is_uneven ? "<p><strong>" : "<p>", file);
        refrain_put_escaped(file, report->memory);
        fputs(report->memory_is_uneven ? ".</strong></p>\n" : ".</p>\n", file);
    }
    if (report->remark) {
        fputs("<p class=\"remark\">", file);
        refrain_put_escaped(file, report->remark);
        fputs(".</p>\n", file);
    }
    fputs("<h2>Findings</h2>\n", file);
    if (report->n == 0)
        fprintf(file, "<p>Nothing that costs %s of the run or more was found.</p>\n",
                refrain_report_percent(report->least));
    for (size_t i = 0; i < report->n && i < REFRAIN_REPORT_SHOWN; i++)
        put_finding(report, &pictures, i, file);
    fprintf(file, "<p>%s</p>\n", refrain_report_rest(report));
    if (!status && report->run_ns > 0)
        status = put_load(report, file, error);
    put_computing(report, file);
    put_list(file, "Files", report->used, report->n_used);
    put_list(file, "What is well", report->well, report->n_well);
    put_list(file, "What the trace cannot tell", report->unknown, report->n_unknown);
    fputs("</body></html>\n", file);
    for (size_t i = 0; i < PICTURES; i++)
        free(pictures.svg[i]);
    if (!status && ferror(file))
        status = REFRAIN_FAIL(error, "the page cannot be written: %s", strerror(errno));
    return status;
}
