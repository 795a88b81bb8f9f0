# mpi_generate.awk: from the installed mpi.h (preprocessed) and mpi_calls.def to what the MPI part needs of them.
#
#     echo '#include <mpi.h>' | mpicc -E -x c - > mpi.i
#     awk -f mpi_generate.awk -v out=has   mpi_calls.def mpi.i > mpi_has.h     REFRAIN_HAS_<function> for each one present
#     awk -f mpi_generate.awk -v out=plain mpi_calls.def mpi.i > mpi_plain.c   wrappers of the functions of classes PLAIN and DOES
#                                                                            (-v header=NAME: they include that one)
#     awk -f mpi_generate.awk -v out=check mpi_calls.def mpi.i                 names that mpi.h has and the list lacks
#
# A function counts as present when mpi.h declares it under its PMPI_ name too. Plain awk, as mawk and busybox have it.

# ---- mpi_calls.def ----

NR == FNR {
    if (/^REFRAIN_MPI_CALL\(/) {
        split($0, field, /[(, )]+/)
        class[field[2]] = field[3]
        if (field[3] == "DOES") {
            does[field[2]] = field[7]
            for (i = 8; field[i] != ""; i++)
                about[field[2]] = about[field[2]] (i > 8 ? " " : "") field[i]
        }
    }
    next
}

# ---- mpi.i: collects it as one text, without line markers and attributes ----

!/^#/ { text = text " " $0 }

function without_attributes(s,    at, depth, i, c) {
    while ((at = index(s, "__attribute__")) > 0) {
        depth = 0
        for (i = at + 13; i <= length(s); i++) {
            c = substr(s, i, 1)
            if (c == "(")
                depth++
            else if (c == ")" && --depth == 0)
                break
        }
        s = substr(s, 1, at - 1) " " substr(s, i + 1)
    }
    return s
}

# The parameter's name; "" when it has none.
function parameter_name(parameter,    words, n, last) {
    sub(/(\[[^]]*\] *)+$/, "", parameter)
    gsub(/\*/, " * ", parameter)
    n = split(parameter, words, " ")
    last = words[n]
    if (n < 2 || last == "*" || last ~ /^P?MPIX?_/ || last ~ /^(const|void|char|short|int|long|float|double|unsigned|signed)$/)
        return ""
    return last
}

# What a wrapper tells of its parameters: which window or file they name, which rank of that, and which lock.
function operations(name, list, n,    i, its_name, rank, lock) {
    if (name ~ /_c2f$/)
        return ""
    rank = "-1"
    lock = name == "MPI_Win_lock_all" ? "MPI_LOCK_SHARED" : "0"
    for (i = 1; i <= n; i++)
        if (list[i] ~ /^ *int +(target_)?rank *$/)
            rank = parameter_name(list[i])
        else if (list[i] ~ /^ *int +lock_type *$/)
            lock = parameter_name(list[i])
    for (i = 1; i <= n; i++) {
        its_name = parameter_name(list[i])
        if (its_name != "" && list[i] ~ /^ *MPI_Win +[A-Za-z_]+ *$/)
            return "    refrain_window_used(&call, " its_name ", " rank ", " lock ");\n"
        if (its_name != "" && list[i] ~ /^ *MPI_File +[A-Za-z_]+ *$/)
            return "    refrain_file_used(&call, " its_name ");\n"
    }
    return ""
}

# The arguments of what a function does: by their positions, or =value.
function arguments_of(name, names,    list, n, i, said) {
    n = split(about[name], list, " ")
    for (i = 1; i <= n; i++)
        said = said ", " (list[i] ~ /^=/ ? substr(list[i], 2) : names[list[i]])
    return said
}

function wrapper(type, name, parameters,    list, n, i, declared, passed, parameter, array, its_name, names) {
    gsub(/ +/, " ", parameters)
    if (parameters ~ /^ *(void)? *$/)
        declared = "void"
    else {
        n = split(parameters, list, ",")
        for (i = 1; i <= n; i++) {
            parameter = list[i]
            gsub(/^ +| +$/, "", parameter)
            its_name = parameter_name(parameter)
            if (its_name == "") {
                its_name = "a" i
                array = ""
                if (match(parameter, /(\[[^]]*\] *)+$/)) {
                    array = substr(parameter, RSTART)
                    parameter = substr(parameter, 1, RSTART - 1)
                }
                parameter = parameter " " its_name array
            }
            declared = declared (i > 1 ? ", " : "") parameter
            passed = passed (i > 1 ? ", " : "") its_name
            names[i] = its_name
        }
    }
    printf "#undef %s\n", name
    if (class[name] == "DOES") {
        printf "%s %s(%s) {\n    enum { function = REFRAIN_CALL_%s };\n    REFRAIN_DOES_%s(P%s(%s)%s);\n}\n\n", type, name,
            declared, name, does[name], name, passed, arguments_of(name, names)
        return
    }
    printf "%s %s(%s) {\n    REFRAIN_MPI_BEGIN(%s);\n%s    %s returned = P%s(%s);\n", type, name, declared, name, operations(name, list, n),
        type, name, passed
    printf "    refrain_call_end(&call);\n    return returned;\n}\n\n"
}

END {
    n_chunks = split(without_attributes(text), chunk, /[;{}]/)
    for (i = 1; i <= n_chunks; i++) {
        s = chunk[i]
        gsub(/[ \t]+/, " ", s)
        if (s ~ /typedef/ || !match(s, /P?MPIX?_[A-Z][A-Za-z0-9_]* *\(/) || s !~ /\) *$/)
            continue
        head = substr(s, 1, RSTART - 1)
        rest = substr(s, RSTART)
        name = substr(rest, 1, index(rest, "(") - 1)
        gsub(/ /, "", name)
        sub(/^ *(extern )? */, "", head)
        sub(/ +$/, "", head)
        if (head == "" || head ~ /[()=,]/)
            continue
        parameters = substr(rest, index(rest, "(") + 1)
        sub(/\) *$/, "", parameters)
        if (name in parameters_of)
            continue
        order[++n_names] = name
        type_of[name] = head
        parameters_of[name] = parameters
    }
    if (out == "plain")
        print "/* Made by mpi_generate.awk: MPI functions that are a region and no more, save for naming a window or file, or do what mpi_does.h describes. */\n" \
              "#include \"" (header ? header : "mpi_does.h") "\"\n\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n"
    if (out == "has")
        print "/* Made by mpi_generate.awk: what the installed mpi.h declares. */"
    for (i = 1; i <= n_names; i++) {
        name = order[i]
        if (name ~ /^PMPI/ || !(("P" name) in parameters_of))
            continue
        if (out == "has")
            print "#define REFRAIN_HAS_" name " 1"
        if (out == "check" && !(name in class))
            print name
        if (out == "plain" && (class[name] == "PLAIN" || class[name] == "DOES"))
            wrapper(type_of[name], name, parameters_of[name])
    }
}
