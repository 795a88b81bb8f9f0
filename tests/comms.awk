# comms.awk: numbers communicators in the order in which the lines name them, so that two texts have the same numbers if
# the same events use the same communicator (test_model.sh).
BEGIN {
    FS = OFS = "\t"
}
{
    for (i = 4; i <= NF; i++)
        if ($i ~ /^comm=/) {
            if (!($i in number))
                number[$i] = ++n
            $i = "comm " number[$i]
        }
    print
}
