# plot.awk: results.csv to one SVG plot; -v plot=overhead, capture, size or characteristics.
BEGIN {
    FS = ","
    width = 900
    height = 420
    left = 70
    right = 20
    top = 40
    bottom = 90
}
NR > 1 { value[$1 " " $2, $3] = $4 }
NR > 1 && $1 != "probe" && $1 != "learner" && !(($1 " " $2) in known) {
    known[$1 " " $2]
    order[++pairs] = $1 " " $2
}
function text(x, y, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}
function line(x1, y1, x2, y2, colour) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour
}
function y_of(v) {
    return height - bottom - (v - from) / (to - from) * (height - top - bottom)
}
function axis(step, unit,   v) {
    for (v = from; v <= to + step / 1000; v += step) {
        line(left, y_of(v), width - right, y_of(v), "#ddd")
        text(left - 6, y_of(v) + 4, "end", (unit == "log" ? "10^" v : v unit))
    }
}
function name_below(x, what) {
    printf "<text transform=\"translate(%.1f,%.1f) rotate(-50)\" text-anchor=\"end\">%s</text>\n", x, height - bottom + 14, what
}
function legend(n, colour, what) {
    printf "<rect x=\"%d\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", left + 190 * n, colour
    text(left + 190 * n + 17, 19, "start", what)
}
function clip(v) {
    return v < from ? from : v > to ? to : v
}
function bars(   i, j, n, metric, step, v, a, b) {
    n = split("communication.events communication.stat eztrace.off", metric, " ")
    from = -10
    to = 50
    axis(10, " %")
    step = (width - left - right) / (pairs ? pairs : 1)
    for (i = 1; i <= pairs; i++) {
        for (j = 1; j <= n; j++) {
            if (!((order[i], "overhead." metric[j] ".least") in value))
                continue
            v = clip(100 * value[order[i], "overhead." metric[j] ".least"])
            a = y_of(v > 0 ? v : 0)
            b = y_of(v > 0 ? 0 : v)
            printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", 
                left + (i - 1) * step + (j - 1) * step * 0.28 + step * 0.08, a, step * 0.26, b - a, colour[j]
        }
        name_below(left + (i - 0.5) * step, order[i])
    }
    line(left, y_of(0), width - right, y_of(0), "#000")
    legend(0, colour[1], "event tracing")
    legend(1, colour[2], "statistical")
    legend(2, colour[3], "EZTrace")
    text(width - right, 34, "end", "overhead of the least runs; cut at -10 and 50 %")
}
function curves(   i, j, k, n, m, at, category, x, y, old, total, held) {
    n = split("4 6 12 18 36 72 128 any", at, " ")
    m = split("receivers senders send-tags receive-tags branches loops sizes", category, " ")
    from = 0
    to = 100
    axis(20, " %")
    for (i = 1; i <= m; i++) {
        for (j = 1; j <= n; j++) {
            total = held = 0
            for (k = 1; k <= pairs; k++) {
                total += value[order[k], "capture.sequences." category[i] ".total"]
                held += value[order[k], "capture.sequences." category[i] (at[j] == "any" ? ".formulas" : ".at-" at[j])]
            }
            x = left + (j - 0.5) * (width - left - right) / n
            if (i == 1)
                text(x, height - bottom + 18, "middle", at[j])
            if (!total)
                continue
            y = y_of(100 * held / total)
            if (j > 1)
                line(old_x, old, x, y, colour[i])
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour[i]
            old = y
            old_x = x
        }
        printf "<rect x=\"%d\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", left + 112 * (i - 1), colour[i]
        text(left + 112 * (i - 1) + 17, 19, "start", category[i])
    }
    text((width + left) / 2, height - bottom + 42, "middle", "most items in a formula; sequences captured, all workloads")
}
function growth(   i, j, t, modes, key, x, y, old, old_x) {
    split("stat events order", modes, " ")
    from = 3
    to = 10
    axis(1, "log")
    for (t = 0; t < 3; t++)
        text(left + (t + 0.5) * (width - left - right) / 3, height - bottom + 18, "middle", 10 ^ t " times")
    for (i = 1; i <= pairs; i++)
        for (j = 1; j <= 3; j++) {
            old_x = ""
            for (t = 0; t < 3; t++) {
                key = order[i] SUBSEP "size." modes[j] "." 10 ^ t
                if (!(key in value) || value[key] <= 0)
                    continue
                x = left + (t + 0.5) * (width - left - right) / 3
                y = y_of(clip(log(value[key]) / log(10)))
                if (old_x != "")
                    line(old_x, old, x, y, colour[j == 3 ? 4 : 3 - j])
                old_x = x
                old = y
            }
        }
    legend(0, colour[1], "mode events")
    legend(1, colour[2], "mode stat")
    legend(2, colour[4], "stat, without times of blocks")
    text((width + left) / 2, height - bottom + 42, "middle", "iterations; bytes of the trace, one line a workload")
}
# A point a workload: places that send or receive, and messages sent, both in powers of ten.
function points(   i, k, places, messages, t, x, y) {
    from = 0
    to = 4
    axis(1, "log")
    for (t = 0; t <= 6; t++)
        text(left + t * (width - left - right) / 6, height - bottom + 18, "middle", "10^" t)
    for (i = 1; i <= pairs; i++) {
        k = "capture.sequences."
        places = value[order[i], k "receivers.total"] + value[order[i], k "senders.total"]
        messages = value[order[i], "capture.values.receivers.total"]
        if (places < 1 || messages < 1)
            continue
        x = left + log(messages) / log(10) * (width - left - right) / 6
        y = y_of(clip(log(places) / log(10)))
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour[2]
        text(x + 5, y - 4 - 7 * (i % 3), "start", order[i])
    }
    text((width + left) / 2, height - bottom + 42, "middle", "messages sent; upwards: places that send or receive, over all ranks")
}
END {
    split("#c33 #36c #999 #2a2 #e80 #83b #0aa", colour, " ")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height
    if (plot == "overhead")
        bars()
    else if (plot == "capture")
        curves()
    else if (plot == "characteristics")
        points()
    else
        growth()
    print "</svg>"
}
