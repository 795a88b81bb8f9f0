# laps.awk: the laps of all timed runs to overheads that other work on the machine hardly touches, for results.csv.
# Input: program ranks turn ns ns ...; a line for each run, in the order of the rounds, the same pieces in the same order.
# Time of a turn: for each lap the least that any round took, summed. What disturbs a run lies in a few laps, and seldom
# in the same one of every round; what tracing costs lies in all. Output: program,ranks,metric,value,low,high, low and high
# being the 95 % interval over rounds drawn anew, the same for all turns.
BEGIN {
    resamples = 200
    srand(1)
}
{
    pair = $1 "," $2
    if (!(pair in known)) {
        known[pair]
        order[++pairs] = pair
    }
    key = pair "," $3
    if (!(key in rounds))
        turns[pair] = turns[pair] " " $3
    line[key, ++rounds[key]] = $0
}
# Splits the lines of a pair into lap[turn, round, i].
function read_laps(pair, turn, n,   t, r, i, f, count) {
    for (t = 1; t <= n; t++) {
        laps[turn[t]] = 0
        for (r = 1; r <= rounds[pair "," turn[t]]; r++) {
            count = split(line[pair "," turn[t], r], f, " ") - 3
            if (r == 1 || count < laps[turn[t]])
                laps[turn[t]] = count
            for (i = 1; i <= count; i++)
                lap[turn[t], r, i] = f[i + 3]
        }
    }
}
# The time of a turn from the rounds draw[1 .. n].
function least_sum(turn, n,   i, r, x, least, sum) {
    for (i = 1; i <= laps[turn]; i++) {
        least = lap[turn, draw[1], i]
        for (r = 2; r <= n; r++) {
            x = lap[turn, draw[r], i]
            if (x < least)
                least = x
        }
        sum += least
    }
    return sum
}
function sort(a, n,   i, j, x) {
    for (i = 2; i <= n; i++) {
        x = a[i]
        for (j = i - 1; j > 0 && a[j] > x; j--)
            a[j + 1] = a[j]
        a[j + 1] = x
    }
}
# Overhead of `turn` over `base` from the rounds that both have.
function overhead(pair, turn, base, metric,   n, r, s, time, other, value, low, high) {
    n = rounds[pair "," turn]
    if (rounds[pair "," base] < n)
        n = rounds[pair "," base]
    for (r = 1; r <= n; r++)
        draw[r] = r
    other = least_sum(base, n)
    if (n == 0 || other <= 0)
        return
    value = least_sum(turn, n) / other - 1
    low = high = ""
    if (n >= 5) { # fewer rounds drawn anew are too often one and the same
        for (s = 1; s <= resamples; s++) {
            for (r = 1; r <= n; r++)
                draw[r] = 1 + int(rand() * n)
            drawn[s] = least_sum(turn, n) / least_sum(base, n) - 1
        }
        sort(drawn, resamples)
        low = sprintf("%.5f", drawn[int(0.025 * resamples) + 1])
        high = sprintf("%.5f", drawn[resamples - int(0.025 * resamples)])
    }
    printf "%s,%s,%.5f,%s,%s\n%s,%s.runs,%d,,\n", pair, metric, value, low, high, pair, metric, n
}
END {
    for (p = 1; p <= pairs; p++) {
        n = split(turns[order[p]], turn, " ")
        read_laps(order[p], turn, n)
        for (t = 1; t <= n; t++)
            if (turn[t] != "plain.off")
                overhead(order[p], turn[t], "plain.off", "laps." turn[t])
        overhead(order[p], "communication.stat", "communication.events", "laps.stat-over-events")
        overhead(order[p], "all.stat", "all.events", "laps.all-stat-over-events")
        for (r = 1; r <= rounds[order[p] ",plain.off"]; r++)
            draw[r] = r
        printf "%s,laps.seconds,%.6f,,\n", order[p], least_sum("plain.off", r - 1) / 1e9
    }
}
