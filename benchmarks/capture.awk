# capture.awk: refrain capture --json to lines of raw.tsv: of sequences and of values, per category, all, held at any
# length and held by formulas of at most so many values. Run with -v p=PROGRAM -v r=RANKS.
BEGIN { OFS = "\t" }
{ gsub(/[",:{}\[\]]/, " "); $1 = $1 }
/^(sequences|values)/ { unit = $1; next }
/^(receivers|senders|send.tags|receive.tags|branches|loops|sizes)[ \t]*$/ { category = $1 ($2 ? "-" $2 : ""); next }
$1 == "total" { print p, r, "capture." unit "." category ".total", $2 }
$1 ~ /^(identity|iteration|cycle|general|nested)$/ { print p, r, "capture." unit "." category ".type-" $1, $2 }
$1 == "length" { length_now = $2 == "null" ? "any" : $2 }
$1 == "captured" { print p, r, "capture." unit "." category ".at-" length_now, $2 }
