# report.awk: results.csv to the report in Markdown. Run with -v about=FILE: lines of name=text about the machine, and
# -v list=FILE: workloads/list.txt.
# -v reasons=FILE: what stays above its limit and why, one a line.
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
    value[pair, $3] = $4
    low[pair, $3] = $5
    high[pair, $3] = $6
    if (($1 == "probe" || $1 == "learner") && $3 ~ /^ns\./)
        part[$1, ++parts[$1]] = substr($3, 4)
    else if ($1 != "probe" && $1 != "learner" && !(pair in known)) {
        known[pair]
        order[++pairs] = pair
    }
}
function has(pair, metric) {
    return (pair, metric) in value
}
function shown(pair, metric) {
    return has(pair, metric) ? value[pair, metric] : "-"
}
function number_of(pair, metric) {
    return has(pair, metric) ? sprintf("%.0f", value[pair, metric]) : "-"
}
function percent(pair, metric) {
    if (!has(pair, metric))
        return "-"
    if (high[pair, metric] == "")
        return sprintf("%.1f %%", 100 * value[pair, metric])
    return sprintf("%.1f %% [%.1f, %.1f]", 100 * value[pair, metric], 100 * low[pair, metric], 100 * high[pair, metric])
}
function program(pair,   f) {
    split(pair, f, " ")
    return f[1]
}
function paper(table, pair) {
    return program(pair) in table ? table[program(pair)] : "-"
}

# A table: a line for each workload that cells() has something to say of. Returns the number of lines.
function head(titles,   n) {
    print "\n| " titles " |"
    for (n = gsub(/\|/, "|", titles); n >= 0; n--)
        printf "|---"
    print "|"
}
function table(kind, option, titles,   i, p, line, f, n) {
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        line = cells(kind, option, p)
        if (line == "")
            continue
        if (!n)
            head("workload | ranks | " titles)
        split(p, f, " ")
        print "| " f[1] " | " f[2] " | " line " |"
        n++
    }
    if (!n)
        print "\nNot measured."
    return n + 0
}
function cells(kind, option, p) {
    if (kind == "overhead")
        return overhead(option, p)
    if (kind == "laps")
        return least_laps(option, p)
    if (kind == "eztrace")
        return eztrace(p)
    if (kind == "exact")
        return exactness(p)
    if (kind == "capture")
        return capture(option, p)
    if (kind == "size")
        return sizes(p)
    if (kind == "characteristics")
        return characteristics(p)
    if (kind == "memory")
        return memory(p)
    return closeness(option, p)
}

function overhead(what, p) {
    if (!has(p, "overhead." what ".stat") && !has(p, "overhead." what ".events"))
        return ""
    return shown(p, "overhead." what ".stat.runs") " | " \
        sprintf("%.3f [%.3f, %.3f]", value[p, "seconds.plain.off"], low[p, "seconds.plain.off"], high[p, "seconds.plain.off"]) \
        " | " percent(p, "overhead." what ".events") " | " percent(p, "overhead." what ".stat") " | " \
        percent(p, "overhead." what ".events.least") " | " percent(p, "overhead." what ".stat.least") " | " \
        paper(paper_events, p) " | " paper(paper_stat, p)
}
# An overhead by laps with its interval.
function by_laps(p, turn) {
    if (!has(p, "laps." turn))
        return "-"
    if (low[p, "laps." turn] == "")
        return sprintf("%.1f %%", 100 * value[p, "laps." turn])
    return sprintf("%.1f %% [%.1f, %.1f]", 100 * value[p, "laps." turn], 100 * low[p, "laps." turn], 100 * high[p, "laps." turn])
}
# Does an overhead stay within the limit? Counts the answers.
function within(p, turn, limit, kind,   answer) {
    if (limit == "" || !has(p, "laps." turn) || value[p, "laps." turn ".runs"] < 3)
        return "-"
    answer = value[p, "laps." turn] <= limit ? "likely" : "unlikely"
    if (low[p, "laps." turn] != "")
        answer = high[p, "laps." turn] <= limit ? "yes" : low[p, "laps." turn] > limit ? "NO" : answer
    answers[kind, answer]++
    return answer
}
function least_laps(what, p,   limit) {
    if (!has(p, "laps." what ".stat"))
        return ""
    limit = what == "communication" ? 0.02 : program(p) in paper_stat ? paper_stat[program(p)] / 100 : ""
    return shown(p, "laps." what ".stat.runs") " | " sprintf("%.3f", value[p, "laps.seconds"]) " | " by_laps(p, "again.off") \
        " | " by_laps(p, what ".events") " | " by_laps(p, what ".off") " | " by_laps(p, what ".stat") " | " \
        (what == "communication" ? "2 %" : limit == "" ? "-" : 100 * limit " %") " | " within(p, what ".stat", limit, what) \
        " | " within(p, what == "all" ? "all-stat-over-events" : "stat-over-events", 0, what "-events")
}
function answered(kind, what) {
    if (answers[kind, "yes"] + answers[kind, "likely"] + answers[kind, "unlikely"] + answers[kind, "NO"])
        printf "\n%s: yes %d, likely %d, unlikely %d, no %d.\n", what, answers[kind, "yes"], answers[kind, "likely"], \
            answers[kind, "unlikely"], answers[kind, "NO"]
}
function show_reasons(   line) {
    print "\n### What is above its limit, and why\n"
    print "Looked into by hand, not by this run.\n"
    while ((getline line < reasons) > 0)
        if (line != "" && line !~ /^#/)
            print "- " line
}
# What is run here, and what the paper ran.
function programs(   line, f, i, used) {
    for (i = 1; i <= pairs; i++)
        used[program(order[i])]
    head("workload | arguments | in the paper")
    while ((getline line < list) > 0) {
        if (line !~ /^[a-z]/)
            continue
        split(line, f, / *\| */)
        if (f[1] in used)
            print "| " f[1] " | " f[3] " | " f[5] " |"
    }
}
# The paper's Table 3: what the figures of this run say of each requirement.
function fixed_length(   i, p, n, within, growth, most, least, largest, key, ranks, f, names, per2, per4, both, whole) {
    for (i = 1; i <= pairs; i++) {
        p = order[i]
        if (has(p, "exact.equal"))
            whole++
        if (has(p, "size.stat.100") && has(p, "size.foretold")) {
            n++
            within += value[p, "size.stat.100"] <= value[p, "size.foretold"]
            if (least == "" || value[p, "size.stat.100"] < least)
                least = value[p, "size.stat.100"]
            if (value[p, "size.stat.100"] > largest)
                largest = value[p, "size.stat.100"]
        }
        if (has(p, "size.order.100") && has(p, "size.order.10")) {
            growth = value[p, "size.order.100"] / value[p, "size.order.10"]
            if (growth > most) {
                most = growth
                key = program(p)
            }
        }
        split(p, f, " ")
        if (f[2] == 2 && has(f[1] " 4", "bytes.communication.stat") && has(p, "bytes.communication.stat")) {
            both++
            per2 += value[p, "bytes.communication.stat"] / 2
            per4 += value[f[1] " 4", "bytes.communication.stat"] / 4
        }
    }
    head("requirement of the paper | here")
    print "| 1. the length does not depend on iterations and sizes | " (n ? "at 100 times the iterations at most what was foretold: " \
        within " of " n (most ? sprintf("; without times of single blocks the largest growth from 10 to 100 times is %.2f-fold (%s)", most, key) : "") \
        : "not measured") " |"
    print "| 2. it may grow with the nodes | " (both ? sprintf("mean bytes a rank over %d workloads: %.0f on 2 ranks, %.0f on 4", both, per2 / both, per4 / both) \
        : "not measured") " |"
    print "| 3. it may differ by program | " (n ? sprintf("%.0f to %.0f bytes at 100 times the iterations", least, largest) : "not measured") " |"
    print "| 4. the whole run is recorded | " (whole ? "every event of the run reconstructed: " good " of " whole " runs (Exactness)" : "not measured") " |"
}
# The paper's Figure 13.
function characteristics(p) {
    if (!has(p, "capture.sequences.loops.total"))
        return ""
    return number_of(p, "capture.sequences.receivers.total") " | " number_of(p, "capture.sequences.senders.total") " | " \
        number_of(p, "capture.values.receivers.total")
}
function pictures(name, number) {
    if (has(name " 4", "picture"))
        print "\n" name " (the paper\047s Figure " number "), from recorded events and from what was learned:\n\n![" name ", recorded](" name \
            "-events.svg)\n\n![" name ", learned](" name "-stat.svg)"
    return has(name " 4", "picture")
}
function eztrace(p) {
    if (!has(p, "overhead.eztrace.off"))
        return ""
    return shown(p, "overhead.eztrace.off.runs") " | " percent(p, "overhead.eztrace.off") " | " \
        percent(p, "overhead.eztrace.off.least") " | " percent(p, "overhead.communication.events") " | " \
        percent(p, "overhead.communication.stat") " | " number_of(p, "bytes.eztrace") " | " \
        number_of(p, "bytes.communication.events") " | " number_of(p, "bytes.communication.stat")
}
function added(p, turn) {
    if (!has(p, "resident.plain.off") || !has(p, "resident." turn))
        return "-"
    return sprintf("%.0f", (value[p, "resident." turn] - value[p, "resident.plain.off"]) / 1024)
}
function memory(p) {
    if (!has(p, "resident.plain.off"))
        return ""
    return sprintf("%.0f", value[p, "resident.plain.off"] / 1024) " | " added(p, "communication.stat") " | " \
        added(p, "communication.events") " | " added(p, "all.stat") " | " added(p, "eztrace.off")
}
function exactness(p,   exact) {
    if (!has(p, "exact.equal"))
        return ""
    exact = value[p, "exact.events_a"] == value[p, "exact.equal"] && value[p, "exact.events_b"] == value[p, "exact.equal"]
    good += exact
    return value[p, "exact.events_a"] " | " value[p, "exact.events_b"] " | " value[p, "exact.equal"] " | " (exact ? "yes" : "NO")
}
function sizes(p,   m, t, line, kept) {
    if (!has(p, "size.stat.1"))
        return ""
    line = number_of(p, "size.foretold")
    split("order stat events", kept, " ")
    for (m = 1; m <= 3; m++)
        for (t = 1; t <= 100; t *= 10)
            line = line " | " number_of(p, "size." kept[m] "." t)
    return line
}
function spread(pair, what, which,   natural, x) {
    x = value[pair, "spread." what "." which] / 1e6
    natural = value[pair, "spread." what ".event-event"] / 1e6
    if (which == "event-event")
        return sprintf("%.3f", x)
    return x > 0 ? sprintf("%.3f (%.2f)", x, natural / x) : "0"
}
function closeness(what, p,   j, first, line) {
    if (!has(p, "spread." what ".event-event") || !has(p, "spread." what ".stat-event"))
        return ""
    line = spread(p, what, "event-event") " | " spread(p, what, "stat-stat") " | " spread(p, what, "stat-event")
    first = what == "position" ? 1 : 4
    for (j = first; j < first + 3; j++)
        line = line " | " ((program(p), j) in paper_time ? paper_time[program(p), j] : "-")
    return line
}
function share(pair, unit, category,   total, held, exact) {
    total = value[pair, "capture." unit "." category ".total"]
    if (total == "" || total == 0)
        return "-"
    held = value[pair, "capture." unit "." category ".formulas"]
    exact = value[pair, "capture." unit "." category ".exact"]
    all[unit, "total"] += total
    all[unit, "formulas"] += held
    all[unit, "exact"] += exact
    all[unit, "18"] += value[pair, "capture." unit "." category ".at-18"]
    all[unit, "128"] += value[pair, "capture." unit "." category ".at-128"]
    if (held == exact)
        return sprintf("%.4g", 100 * held / total)
    return sprintf("%.4g (%.4g)", 100 * held / total, 100 * exact / total)
}
function capture(unit, p,   j, n, categories, line) {
    if (!has(p, "capture." unit ".loops.total"))
        return ""
    n = split("receivers senders send-tags receive-tags branches loops sizes", categories, " ")
    line = share(p, unit, categories[1])
    for (j = 2; j <= n; j++)
        line = line " | " share(p, unit, categories[j])
    return line
}
function captured(unit, what) {
    print "\n" what ":"
    table("capture", unit, "receivers | senders | send tags | receive tags | branches | loops | sizes")
    if (all[unit, "total"])
        printf "\nOf all %s, %.2f %% are held by formulas, %.2f %% exactly; %.2f %% by formulas of at most 18 items, %.2f %% " \
            "of at most 128.\n", unit, 100 * all[unit, "formulas"] / all[unit, "total"],
            100 * all[unit, "exact"] / all[unit, "total"], 100 * all[unit, "18"] / all[unit, "total"],
            100 * all[unit, "128"] / all[unit, "total"]
}
# Nanoseconds of a probe or a learner, of which `base` is the measure.
function nanoseconds(what, base, titles,   i, name, p, metric, line) {
    p = what " 1"
    head(titles)
    for (i = 1; i <= parts[what]; i++) {
        name = part[what, i]
        line = value[p, "ns." name] " | " value[p, "least." name] " | " value[p, "quartiles." name] " | " \
            sprintf("%.2f", value[p, "ns." name] / value[p, "ns." base])
        if (what == "learner")
            line = line " | " (has(p, "exact." name) ? (value[p, "exact." name] ? "all" : "in part") " | " value[p, "pool." name] : "- | -")
        gsub(/_/, " ", name)
        print "| " name " | " line " |"
    }
}
END {
    print "# What refrain costs, how much it keeps and how close it is\n"
    print "Written by `benchmarks/run.sh` with " told["version"] ".\n"
    print "- machine: " told["machine"] "; load at the end (1, 5, 15 minutes): " told["load"]
    print "- compiler: " told["compiler"] ", -O2; MPI: " told["mpi"]
    print "- rounds asked for: " told["runs"] "; each table says what it rests on"
    printf "%s", notes
    print "\nThe paper is Yan, Jin and Schmidt's on statistical tracing; its figures were taken on an IBM SP2. Absolute times"
    print "mean nothing across machines; ratios and shares are comparable. In brackets: least and most."

    print "\nSizes are the paper\047s where it has the program; the number of iterations differs."
    programs()
    print "\n## Cost (the paper's Table 5)\n"
    print "Seconds are the program's own; wall time of the launcher is not in them. Runs are interleaved: plain, events, stat."
    print "An overhead is the ratio of the medians less one, in brackets the least and most ratio within one round. Where"
    print "these lie far apart the machine was busy, and the ratio of the least runs is the better guide. Negative figures"
    print "are noise too. \"-\": not measured."
    costs = "runs | plain, s | event tracing | statistical | events, least runs | stat, least runs | paper: events | paper: stat"
    print "\n### Default detail (communication)"
    table("overhead", "communication", costs)
    print "\n### --detail=all"
    table("overhead", "all", costs)
    print "\n### Overhead by least laps\n"
    print "Wall time as well, but of pieces: rank 0 notes when each iteration of the program ends. For each iteration the least"
    print "time over all rounds is taken, and these are summed. A disturbance from outside falls on few iterations, and seldom on"
    print "the same ones in every round, while what tracing costs, learning and switching probes off included, comes in every"
    print "round. It is thus the overhead on a machine left alone, not the one that a busy machine shows. In brackets: the 95 %"
    print "interval over rounds drawn anew, from five rounds on.\n"
    print "\"plain again\" is the uninstrumented program against itself in the same rounds and should be 0: what it shows, the others"
    print "may be wrong by. \"compiled in, off\" is the instrumented program with REFRAIN_MODE=off, against the uninstrumented one:"
    print "no probe is on, nothing is learned. What differs then is the code that the compiler made of the program with probes in"
    print "it and where that lies in memory, which makes short loops faster or slower by some per cent; it is part of the figures"
    print "for tracing. \"at most\": yes or NO where the whole interval says so, else likely or unlikely; \"-\" under three rounds."
    laps_titles = "rounds | plain, s | plain again | event tracing | compiled in, off | statistical | limit | at most the limit | at most event tracing"
    print "\nDefault detail:"
    table("laps", "communication", laps_titles)
    answered("communication", "Statistical tracing at most 2 %")
    answered("communication-events", "At most event tracing")
    print "\n--detail=all; the limit is the paper\047s figure for statistical tracing of its namesake:"
    table("laps", "all", laps_titles)
    answered("all", "At most the paper\047s figure")
    answered("all-events", "At most event tracing")
    show_reasons()
    if (notes !~ /EZTrace/) {
        print "\n### EZTrace in the same rounds\n"
        print "Bytes are those of the same runs, of all ranks together."
        table("eztrace", "", "runs | EZTrace | least runs | refrain, events | refrain, stat | bytes: EZTrace | refrain, events | refrain, stat")
    }
    print "\n### Memory\n"
    print "KiB that the rank with most of it held at its peak: of the uninstrumented program, and what tracing adds to that. The"
    print "limit is REFRAIN_TOTAL_MEMORY, 16384 KiB; recorded events are mapped a window at a time and no part of it."
    table("memory", "", "plain | added: stat | events | stat, --detail=all | EZTrace")
    if (parts["probe"]) {
        print "\n## Cost of one probe\n"
        print "Nanoseconds over an empty loop; throttling off."
        nanoseconds("probe", "TSC_read", "operation | median | least | quartiles apart | of a TSC read")
    }
    if (parts["learner"]) {
        print "\n## Cost of one value\n"
        print "Nanoseconds that the learner takes for a value of each kind of sequence, a million values long, in turns with the same"
        print "loop around an empty call; whether it gives all of them back; and the bytes of memory it took for them."
        nanoseconds("learner", "empty_call", "sequence | median | least | quartiles apart | of an empty call | exact | bytes")
    }
    print "\n## Exactness\n"
    print "One run in mode both at the default memory: events recorded, and those reconstructed that equal them in every field but"
    print "time, pairwise in each rank."
    compared = table("exact", "", "recorded | reconstructed | equal | exact")
    printf "\n%d of %d exact.\n", good, compared
    print "\n## Capture (the paper's figures 14 to 16)\n"
    print "Percent held by formulas. In brackets, where it is more, percent held exactly: with sequences of which most values stand"
    print "one by one. \"-\": the program has none. The paper: all tags in 11 of 15 programs, all partners in 13 of 15, 95 % of"
    print "sequences at a length of 18. For the figure every sequence is learned again with formulas of so many items and no more."
    captured("sequences", "Sequences (one a construct, rank and thread)")
    captured("values", "Values in them")
    print "\n![capture](capture.svg)"
    print "\n## Programs (the paper's figure 13)\n"
    print "Places that send and places that receive, counted for each rank, and messages sent. The paper: most of its programs have"
    print "hundreds of such places, which send tens of thousands of messages. \"-\": only collectives."
    table("characteristics", "", "sending places | receiving places | messages sent")
    print "\n![characteristics](characteristics.svg)"
    print "\n## Size (the paper's figure 12)\n"
    print "Bytes of the trace at 1, 10 and 100 times the iterations, where 1 is a fiftieth of the default; \"foretold\" is what"
    print "`refrain size` said before. \"order\" is what was learned without the times of single blocks (REFRAIN_TIME_MEMORY=0), in"
    print "which only sequences without a rule grow. \"stat\" is the default: it keeps the times of single blocks until their share"
    print "of the memory is full, so it grows with short runs, and stays below the bound with long ones. The paper\047s traces keep"
    print "mean times, as \"order\" does, and do not grow; its event traces grow with the run."
    table("size", "", "foretold | order, 1 | order, 10 | order, 100 | stat, 1 | stat, 10 | stat, 100 | events, 1 | events, 10 | events, 100")
    print "\n![size](size.svg)"
    print "\n## Fixed length (the paper's Table 3)"
    fixed_length()
    print "\n## Pictures (the paper's figures 7 to 9)\n"
    print "240 events in the middle of a run on 4 ranks, twice from the same run: as they were recorded, and from what was learned."
    print "Hatched waits are computed from the events. The recorded ones were converted to a trace through text, which leaves out"
    print "some of what calls meant, so waits may differ where times do not."
    drawn = pictures("matmul", 7) + pictures("sp", 8) + pictures("bt", 9)
    if (!drawn)
        print "\nNot drawn."
    print "\n## Closeness (the paper's Table 6)\n"
    print "Spreads in milliseconds: 2 sqrt(ln 2) standard deviations, over paired events of two runs; in brackets the quality,"
    print "event/event over it: 1 is as good as a rerun. Medians of " told["pairs"] " pairs of runs. The events of master differ from"
    print "run to run."
    spreads = "event/event | stat/stat | stat/event | paper: e/e | paper: s/s | paper: s/e"
    print "\nPosition:"
    table("closeness", "position", spreads)
    print "\nBlocks:"
    table("closeness", "block", spreads)
    print "\n![overhead](overhead.svg)"
}
