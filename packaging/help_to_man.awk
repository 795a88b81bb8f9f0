# help_to_man.awk: from the text that a tool prints for --help to its manual page, in the macros of man(7).
#   awk -v version=VERSION -f help_to_man.awk
# The text has section names at the left margin and all else indented by four.

function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

# Lines of a paragraph are filled; those of a list or a command stay as they are.
function as_is(on) {
    if (on != kept)
        print on ? ".nf" : ".fi"
    kept = on
}

/^[A-Z]/ {
    as_is(0)
    section = $0
    if (section != "NAME")
        print ".SH " section
    next
}
/^$/ { blank = 1; next }
{
    text = substr($0, 5)
    if (section == "NAME") {
        print ".TH " toupper($1) " 1 \"\" \"refrain " version "\" \"refrain\"\n.SH NAME"
        dash = index(text, " - ")
        print plain(substr(text, 1, dash - 1)) " \\- " plain(substr(text, dash + 3))
    } else {
        as_is(section ~ /SYNOPSIS|OPTIONS|ENVIRONMENT|EXAMPLE/)
        if (blank && !kept)
            print ".PP"
        print plain(text)
    }
    blank = 0
}
