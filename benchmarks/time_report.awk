# time_report.awk: rows of time_accuracy.sh -> a page that begins with what they say.
BEGIN {
    FS = "\t"
    memories = split("all 1/10 1/100 none", memory, " ")
    split("At once|Ten times what the memory holds|A hundred times what the memory holds|Without a timeline", title, "|")
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}

$1 == "left out" || $1 == "failed" {
    missing = missing (missing ? ", " : "") $2 " on " $3 " (" $1 ")"
    next
}

"position_ee" in column && FILENAME ~ /reruns$/ {
    reruns[++n_reruns] = sprintf("| %s on %s | %.0f | %.3f | %.3f (%.2f) | %.3f (%.2f) | %.4f | %.4f (%.2f) | %.4f (%.2f) |", $1, $2, $3,
        $4, $5, quality($4, $5), $6, quality($4, $6), $7, $8, quality($7, $8), $9, quality($7, $9))
    next
}

{
    run = $column["program"] " on " $column["ranks"]
    if (!(run in known)) {
        known[run] = 1
        order[++runs] = run
    }
    m = $column["memory"]
    has[run, m] = m == "none" || $column["blocks"] > 0
    bytes[run, m] = $column["bytes"]
    events[run, m] = $column["events"]
    run_ms[run, m] = $column["run_ms"]
    largest[run, m] = $column["position"] * 100
    rms[run, m] = $column["position_rms"] * 100
    largest_ms[run, m] = $column["position_ms"]
    block[run, m] = $column["block_ms"]
    block_rms[run, m] = $column["block_rms_ms"]
    within[run, m] = $column["within_1us"] * 100
    total[run, m] = $column["region_ppm"] / 1e4
}

# How spread compares with the natural one; 1 is as good as another run.
function quality(natural, spread) {
    return spread > 0 ? natural / spread : 1
}

# Extremes and median of a figure over all runs that have it.
function spread(figure, m,    i, j, n, t, value) {
    for (i = 1; i <= runs; i++)
        if (has[order[i], m])
            value[++n] = figure[order[i], m]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && value[j] < value[j - 1]; j--) {
            t = value[j]
            value[j] = value[j - 1]
            value[j - 1] = t
        }
    return n ? sprintf("%.2g to %.2g (median %.2g)", value[1], value[n], value[int((n + 1) / 2)]) : "not measured"
}

# How many runs have the figure below that of another memory, or below a limit where there is no other; and which have not.
function below(figure, m, limit, other,    i, n, all, above, most) {
    for (i = 1; i <= runs; i++) {
        if (!has[order[i], m] || (other && !has[order[i], other]))
            continue
        all++
        most = other ? figure[order[i], other] : limit
        if (figure[order[i], m] < most)
            n++
        else
            above = above (above ? ", " : "") order[i] " (" sprintf("%.2g", figure[order[i], m]) ")"
    }
    return sprintf("%d of %d%s", n, all, above ? "; not " above : "")
}

function measured(m,    i, n) {
    for (i = 1; i <= runs; i++)
        n += has[order[i], m]
    return n
}

function table(m,    i, r) {
    print "| program | events | run, ms | memory | largest, % | rms, % | largest block, ms | rms, ms | within 1 us, % | totals, % |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= runs; i++) {
        r = order[i]
        if (has[r, m])
            printf "| %s | %d | %.0f | %d | %.2g | %.2g | %.2g | %.2g | %.1f | %.2g |\n", r, events[r, m], run_ms[r, m],
                bytes[r, m], largest[r, m], rms[r, m], block[r, m], block_rms[r, m], within[r, m], total[r, m]
    }
}

END {
    for (i = 1; i <= runs; i++)
        if (largest_ms[order[i], "all"] * 1e6 > most_ns)
            most_ns = largest_ms[order[i], "all"] * 1e6
    print "# How true reconstructed times are\n"
    print "Written by `benchmarks/time_accuracy.sh` with " version ": each workload in mode both, so that every event that is reconstructed is compared with"
    print "itself as recorded. Runs of one program differ, as the machine does; a comparison carries no noise of it, but the more it does"
    print "beside, the less even a run is and the more there is to be told. Errors in per cent are of the run's length, before times of"
    print "different ranks are made consistent; memory is what a rank had for times.\n"
    printf "- Where the run fits no event is off by more than %.0f ns (%d runs)\n", most_ns, runs
    for (k = 2; k <= 3; k++) {
        m = memory[k]
        if (!measured(m))
            continue
        print "- " title[k] ": largest error of a position " spread(largest, m) " %, root mean square " spread(rms, m) " %"
        print "  - largest below 0.1 %: " below(largest, m, 0.1)
        print "  - largest below that without a timeline: " below(largest, m, 0, "none")
        print "  - totals of regions, with what they call: the one that differs most by " spread(total, m) " % of the run"
    }
    print "- Without a timeline: largest " spread(largest, "none") " %, root mean square " spread(rms, "none") " %, totals " spread(total, "none") " %"
    if (missing)
        print "- Not measured: " missing
    for (k = 1; k <= memories; k++)
        if (measured(memory[k])) {
            print "\n## " title[k] "\n"
            table(memory[k])
        }
    if (n_reruns) {
        print "\n## Between runs, in the paper's terms\n"
        print "Spread of positions (p) and blocks (d) in ms, between two recordings of the same program (event), two reconstructions (stat), and"
        print "one of each, with a tenth of the memory that holds all; in brackets the quality, natural spread / spread (Yan, Jin and Schmidt, Table 6)."
        print "The natural spread is what the machine makes two runs differ by, and it is in the other two: their quality says no more than how much of"
        print "them that is. The tables above carry none of it.\n"
        print "| program | run, ms | p event/event | p stat/stat | p stat/event | d event/event | d stat/stat | d stat/event |"
        print "|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= n_reruns; i++)
            print reruns[i]
    }
}
