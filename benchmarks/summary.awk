# summary.awk: raw.tsv to program,ranks,metric,median,least,most; also the costs, as ratios to the uninstrumented run.
# Costs: the median's ratio; least and most of the ratios within a round; ".least" is the ratio of the least runs.
BEGIN { FS = "\t" }
{
    key = $1 "," $2 "," $3
    value[key, ++n[key]] = $4 + 0
}
function sorted(key,   i, j, x) {
    for (i = 1; i <= n[key]; i++)
        s[i] = value[key, i]
    for (i = 2; i <= n[key]; i++) {
        x = s[i]
        for (j = i - 1; j > 0 && s[j] > x; j--)
            s[j + 1] = s[j]
        s[j + 1] = x
    }
}
function middle(count) {
    return count % 2 ? s[(count + 1) / 2] : (s[count / 2] + s[count / 2 + 1]) / 2
}
END {
    for (key in n) {
        sorted(key)
        median[key] = middle(n[key])
        least[key] = s[1]
        printf "%s,%.10g,%.10g,%.10g\n", key, median[key], s[1], s[n[key]]
    }
    for (key in median) {
        split(key, part, ",")
        plain = part[1] "," part[2] ",seconds.plain.off"
        if (part[3] !~ /^seconds\./ || key == plain || !(plain in median) || median[plain] <= 0 || least[plain] <= 0)
            continue
        metric = part[1] "," part[2] ",overhead." substr(part[3], 9)
        low = high = ""
        for (i = 1; i <= n[key] && i <= n[plain]; i++) {
            x = value[key, i] / value[plain, i] - 1
            if (low == "" || x < low)
                low = x
            if (high == "" || x > high)
                high = x
        }
        printf "%s,%.5f,%.5f,%.5f\n", metric, median[key] / median[plain] - 1, low, high
        printf "%s.least,%.5f,,\n%s.runs,%d,,\n", metric, least[key] / least[plain] - 1, metric, n[key]
    }
}
