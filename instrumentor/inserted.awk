# inserted.awk: turns the files of inserted/ into C strings of their names, "const char refrain_inserted_NAME[]", and lists
# the words in them (inserted.h). Comments, whole lines in these files, stay behind.
function finish() {
    if (open)
        print "    \"\";"
}
# What is in quotes, directives, and refrain's own names are no words that a program's macros could meet.
function take_words(line,   word) {
    gsub(/"([^"\\]|\\.)*"/, " ", line)
    if (line ~ /^ *#/ && line !~ /^#define/)
        return
    sub(/^#define/, "", line)
    gsub(/[A-Za-z_0-9]*refrain_[A-Za-z_0-9]*/, " ", line)
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (word ~ /^[a-z]/ && !(word in known)) {
            known[word] = 1
            words[++n_words] = word
        }
    }
}
FNR == 1 {
    finish()
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.h$/, "", name)
    print "const char refrain_inserted_" name "[] ="
    open = 1
}
BEGIN { print "/* Made from inserted/ by inserted.awk. */\n#include \"inserted.h\"\n\n#include <stddef.h>\n" }
/^ *\/\*/ { comment = 1 }
!comment {
    take_words($0)
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    print "    \"" $0 "\\n\""
}
/\*\/ *$/ { comment = 0 }
END {
    finish()
    print "const char *const refrain_inserted_words[] = {"
    for (i = 1; i <= n_words; i++)
        print "    \"" words[i] "\","
    print "    NULL,\n};"
}
