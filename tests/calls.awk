# calls.awk: of events as text (refrain reconstruct --format text --all), those of MPI calls, without times and places, by
# rank: what two runs have in common that make the same calls (test_proxy.sh, benchmarks/proxy.sh).
BEGIN {
    FS = OFS = "\t"
}
/^#/ || (($3 == "enter" || $3 == "leave") && $4 !~ /^MPI_/) {
    next
}
{
    line = $1 OFS $3 OFS $4
    for (i = 5; i <= NF; i++)
        if ($i !~ /^(file|line|function|sent_time|sent_thread|overtook)=/)
            line = line OFS $i
    print line
}
