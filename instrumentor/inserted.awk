# inserted.awk: turns the files of inserted/ into C strings of their names: "const char refrain_inserted_NAME[]". Comments,
# whole lines in these files, stay behind.
function finish() {
    if (open)
        print "    \"\";"
}
FNR == 1 {
    finish()
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.h$/, "", name)
    print "const char refrain_inserted_" name "[] ="
    open = 1
}
BEGIN { print "/* Made from inserted/ by inserted.awk. */\n#include \"inserted.h\"\n" }
/^ *\/\*/ { comment = 1 }
!comment {
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    print "    \"" $0 "\\n\""
}
/\*\/ *$/ { comment = 0 }
END { finish() }
