# report.awk: results.csv to the report in Markdown. Run with -v about=FILE: lines of name=text about the machine.
BEGIN {
    FS = ","
    while ((getline line < about) > 0) {
        at = index(line, "=")
        name = substr(line, 1, at - 1)
        text = substr(line, at + 1)
        if (name == "note")
            notes = notes "- " text "\n"
        else
            told[name] = text
    }
    # The paper's Table 5, overhead in percent, and Table 6, milliseconds (quality).
    split("matmul 8.3 8.3,bt 5.6 8.9,sp 9.3 16.3,lu 20.3 32.1,mg 35.7 46.4,cg 2.8 3.7", row, ",")
    for (i in row) {
        split(row[i], f, " ")
        paper_events[f[1]] = f[2] " %"
        paper_stat[f[1]] = f[3] " %"
    }
    split("matmul|3.36|3.38 (0.99)|3.50 (0.96)|0.037|0.033 (1.11)|0.039 (0.95);" \
          "bt|3.48|3.36 (1.04)|15.1 (0.23)|0.039|0.038 (1.04)|0.047 (0.83);" \
          "sp|3.31|3.32 (1.00)|11.3 (0.29)|0.039|0.037 (1.06)|0.048 (0.81);" \
          "lu|3.29|3.29 (1.00)|5.00 (0.66)|0.035|0.034 (1.01)|0.037 (0.93);" \
          "mg|3.29|3.29 (1.00)|12.3 (0.27)|0.035|0.034 (1.03)|0.040 (0.87);" \
          "cg|3.56|3.86 (0.92)|5.50 (0.65)|0.042|0.033 (1.27)|0.044 (0.95)", row, ";")
    for (i in row) {
        split(row[i], f, "|")
        for (j = 2; j <= 7; j++)
            paper_time[f[1], j - 1] = f[j]
    }
}
NR > 1 {
    pair = $1 " " $2
    if (!(pair in known)) {
        known[pair]
        if ($1 != "probe")
            order[++pairs] = pair
        else
            probes = pair
    }
    value[pair, $3] = $4
    low[pair, $3] = $5
    high[pair, $3] = $6
    if ($1 == "probe" && $3 ~ /^ns\./)
        probe[++n_probes] = substr($3, 4)
}
function has(pair, metric) {
    return (pair, metric) in value
}
function columns(pair) {
    split(pair, f, " ")
    return "| " f[1] " | " f[2]
}
function percent(pair, metric) {
    if (!has(pair, metric))
        return "-"
    if (high[pair, metric] == "")
        return sprintf("%.1f %%", 100 * value[pair, metric])
    return sprintf("%.1f %% [%.1f, %.1f]", 100 * value[pair, metric], 100 * low[pair, metric], 100 * high[pair, metric])
}
function paper(table, pair,   f) {
    split(pair, f, " ")
    return f[1] in table ? table[f[1]] : "-"
}
function rule(n,   i) {
    for (i = 1; i <= n; i++)
        printf "|---"
    print "|"
}
function overhead(what, title, against,   i, p) {
    print "\n### " title "\n"
    print "| workload | ranks | runs | plain, s | event tracing | statistical | events, least runs | stat, least runs | paper: events | paper: stat |"
    rule(10)
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (!has(p, "overhead." what ".stat") && !has(p, "overhead." what ".events"))
            continue
        print columns(p) " | " value[p, "overhead." what ".stat.runs"] " | " \
            sprintf("%.3f [%.3f, %.3f]", value[p, "seconds.plain.off"], low[p, "seconds.plain.off"], high[p, "seconds.plain.off"]) \
            " | " percent(p, "overhead." what ".events") " | " percent(p, "overhead." what ".stat") " | " \
            percent(p, "overhead." what ".events.least") " | " percent(p, "overhead." what ".stat.least") " | " \
            paper(paper_events, p) " | " paper(paper_stat, p) " |"
    }
}
function spread(pair, what, which,   natural, x) {
    x = value[pair, "spread." what "." which] / 1e6
    natural = value[pair, "spread." what ".event-event"] / 1e6
    if (which == "event-event")
        return sprintf("%.3f", x)
    return x > 0 ? sprintf("%.3f (%.2f)", x, natural / x) : "0"
}
function closeness(what, first,   i, p, f) {
    print "\n| workload | ranks | event/event | stat/stat | stat/event | paper: e/e | paper: s/s | paper: s/e |"
    rule(8)
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (!has(p, "spread." what ".event-event") || !has(p, "spread." what ".stat-event"))
            continue
        split(p, f, " ")
        printf "%s | %s | %s | %s", columns(p), spread(p, what, "event-event"), spread(p, what, "stat-stat"), spread(p, what, "stat-event")
        for (j = first; j < first + 3; j++)
            printf " | %s", (f[1], j) in paper_time ? paper_time[f[1], j] : "-"
        print " |"
    }
}
function share(pair, unit, category, at,   total) {
    total = value[pair, "capture." unit "." category ".total"]
    if (total == "" || total == 0)
        return "-"
    all[unit, at] += total
    held[unit, at] += value[pair, "capture." unit "." category ".at-" at]
    if (value[pair, "capture." unit "." category ".at-" at] < total)
        whole = 0
    return sprintf("%.4g", 100 * value[pair, "capture." unit "." category ".at-" at] / total)
}
function capture(unit,   i, j, p, categories, n, complete, seen) {
    n = split("receivers senders send-tags receive-tags branches loops sizes", categories, " ")
    print "\n| workload | ranks | receivers | senders | send tags | receive tags | branches | loops | sizes |"
    rule(9)
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (!has(p, "capture." unit ".loops.total"))
            continue
        whole = 1
        line = columns(p)
        for (j = 1; j <= n; j++) {
            line = line " | " share(p, unit, categories[j], "any")
            share(p, unit, categories[j], "18")
        }
        print line " |"
        seen++
    }
    if (all[unit, "any"])
        printf "\nOf all %s, %.2f %% are held at any length and %.2f %% by formulas of at most 18 values.\n", unit,
            100 * held[unit, "any"] / all[unit, "any"], 100 * held[unit, "18"] / all[unit, "18"]
}
END {
    print "# What refrain costs, how much it keeps and how close it is\n"
    print "Written by `benchmarks/run.sh`.\n"
    print "- machine: " told["machine"] "; load at the end (1, 5, 15 minutes): " told["load"]
    print "- compiler: " told["compiler"] ", -O2; MPI: " told["mpi"]
    print "- rounds asked for: " told["runs"] "; each table says what it rests on"
    printf "%s", notes
    print "\nThe paper is Yan, Jin and Schmidt's on statistical tracing; its figures were taken on an IBM SP2. Absolute times"
    print "mean nothing across machines; ratios and shares are comparable. In brackets: least and most."

    print "\n## Cost (the paper's Table 5)\n"
    print "Seconds are the program's own; wall time of the launcher is not in them. Runs are interleaved: plain, events, stat."
    print "An overhead is the ratio of the medians less one, in brackets the least and most ratio within one round. Where"
    print "these lie far apart the machine was busy, and the ratio of the least runs is the better guide. Negative figures"
    print "are noise too. \"-\": not measured."
    overhead("communication", "Default detail (communication)")
    overhead("all", "--detail=all")
    if (notes !~ /EZTrace/) {
        print "\n### EZTrace in the same rounds\n"
        print "| workload | ranks | runs | overhead | least runs | bytes | refrain, bytes in mode stat |"
        rule(7)
        for (i = 1; i <= pairs; i++) {
            p = order[i]
            if (has(p, "overhead.eztrace.off"))
                print columns(p) " | " value[p, "overhead.eztrace.off.runs"] " | " percent(p, "overhead.eztrace.off") " | " \
                    percent(p, "overhead.eztrace.off.least") " | " value[p, "bytes.eztrace"] " | " \
                    (has(p, "size.foretold") ? value[p, "size.foretold"] : "-") " |"
        }
    }
    tsc = value[probes, "ns.TSC_read"]
    if (n_probes && tsc > 0) {
        print "\n## Cost of one probe\n"
        print "Nanoseconds over an empty loop; throttling off.\n"
        print "| operation | median | least | quartiles apart | of a TSC read |"
        rule(5)
        for (i = 1; i <= n_probes; i++) {
            name = probe[i]
            gsub(/_/, " ", name)
            printf "| %s | %s | %s | %s | %.2f |\n", name, value[probes, "ns." probe[i]], value[probes, "least." probe[i]],
                value[probes, "quartiles." probe[i]],
                value[probes, "ns." probe[i]] / tsc
        }
    }
    print "\n## Exactness\n"
    print "One run in mode both at the default memory: events recorded, and those reconstructed that equal them in every field but"
    print "time, pairwise in each rank.\n"
    print "| workload | ranks | recorded | reconstructed | equal | exact |"
    rule(6)
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (!has(p, "exact.equal"))
            continue
        exact = value[p, "exact.events_a"] == value[p, "exact.equal"] && value[p, "exact.events_b"] == value[p, "exact.equal"]
        compared++
        good += exact
        print columns(p) " | " value[p, "exact.events_a"] " | " value[p, "exact.events_b"] " | " value[p, "exact.equal"] " | " \
            (exact ? "yes" : "NO") " |"
    }
    printf "\n%d of %d exact.\n", good, compared
    print "\n## Capture (the paper's figures 14 to 16)\n"
    print "Percent held by formulas of any length. The paper: all tags in 11 of 15 programs, all partners in 13 of 15, 95 % of"
    print "sequences at a length of 18. \"-\": the program has none.\n\nSequences (one a construct, rank and thread):"
    capture("sequences")
    print "\nValues in them:"
    capture("values")
    print "\n![capture](capture.svg)"
    print "\n## Size (the paper's figure 12)\n"
    print "Bytes of the trace at 1, 10 and 100 times the iterations, where 1 is a fiftieth of the default; \"foretold\" is what"
    print "`refrain size` said before.\n"
    print "| workload | ranks | foretold | stat, 1 | stat, 10 | stat, 100 | events, 1 | events, 10 | events, 100 |"
    rule(9)
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (!has(p, "size.stat.1"))
            continue
        printf "%s | %s", columns(p), value[p, "size.foretold"]
        for (m = 1; m <= 2; m++)
            for (t = 1; t <= 100; t *= 10) {
                metric = "size." (m == 1 ? "stat" : "events") "." t
                printf " | %s", has(p, metric) ? value[p, metric] : "-"
            }
        print " |"
    }
    print "\n![size](size.svg)"
    print "\n## Closeness (the paper's Table 6)\n"
    print "Spreads in milliseconds: 2 sqrt(ln 2) standard deviations, over paired events of two runs; in brackets the quality,"
    print "event/event over it: 1 is as good as a rerun. One pair of runs each. The events of master differ from run to run."
    print "\nPosition:"
    closeness("position", 1)
    print "\nBlocks:"
    closeness("block", 4)
    print "\n![overhead](overhead.svg)"
}
