# front_mpis.awk: from `objdump -p` of the librefrain-<mpi>.so to front_mpis.h: the MPI library each was built for.

/file format/ {
    sub(/:.*/, "", $1)
    sub(/.*\//, "", $1)
    wrappers = $1
}
/NEEDED/ && $2 ~ /^libmpi(ch|_mt)?\.so/ { list = list (list ? ", " : "") "{\"" $2 "\", \"" wrappers "\"}" }
END { print "/* Made by front_mpis.awk. */\n#define REFRAIN_FRONT_MPIS " list }
