# capture.awk: refrain capture --json to lines of raw.tsv: of sequences and of values, per category, all, held by
# formulas, held exactly, of each type, and captured by formulas of at most so many items. Run with -v p=PROGRAM
# -v r=RANKS.
BEGIN { OFS = "\t" }
{ gsub(/[",:{}\[\]]/, " "); $1 = $1 }
/^(sequences|values)/ { unit = $1; next }
/^(receivers|senders|send.tags|receive.tags|branches|loops|sizes)[ \t]*$/ { category = $1 ($2 ? "-" $2 : ""); next }
$1 ~ /^(total|formulas|exact)$/ { print p, r, "capture." unit "." category "." $1, $2 }
$1 ~ /^(identity|general|iteration|cycle|nested|several|archive|summary)$/ { print p, r, "capture." unit "." category ".type-" $1, $2 }
$1 == "length" { length_now = $2 }
$1 == "captured" { print p, r, "capture." unit "." category ".at-" length_now, $2 }
