#!/bin/sh
# refrain record: programs that were compiled without refrain, in C++, Fortran and Python, under both MPIs, behind
# wrappers; what cannot be traced runs as it would, and one line says why.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
programs=$tests/programs/record

# record MPI RANKS COMMAND...: runs refrain record with this launcher. Traces are in $work/run, messages in `said`.
record() {
    mpi=$1
    ranks=$2
    shift 2
    rm -rf run
    launcher="mpiexec.mpich"
    if [ "$mpi" = openmpi ]; then
        OMPI_MCA_orte_tmpdir_base=$(mktemp -d "$work/ompi.XXXXXX")
        export OMPI_MCA_orte_tmpdir_base
        launcher="mpiexec.openmpi --allow-run-as-root --oversubscribe --mca btl self,vader"
    fi
    # shellcheck disable=SC2086 # words
    timeout 120 refrain record --mode both --directory run $launcher -n "$ranks" "$@" >out 2>said
}

# calls FUNCTION: how often rank 0 called it.
calls() {
    awk -F '\t' -v name="$1" '$1 == 0 && $3 == "enter" && $4 == name' "$work/recorded" | wc -l
}

# counted NAME FUNCTION=N...: rank 0's calls.
counted() {
    what=$1
    shift
    for pair in "$@"; do
        [ "$(calls "${pair%=*}")" = "${pair#*=}" ] && pass || fail "$what: $(calls "${pair%=*}") calls, not $pair"
    done
}

# at NAME FUNCTION FILE LINE: all of rank 0's calls of it are filed there.
at() {
    places=$(awk -F '\t' -v name="$2" '$1 == 0 && $3 == "enter" && $4 == name { print $5, $6 }' "$work/recorded" | sort -u)
    case $places in
    "file="*"$3 line=$4") pass ;;
    *) fail "$1: $2 at $places, not $3 line=$4" ;;
    esac
}

# says TEXT STATUS: checks the status of the last command, and that it printed one line with the text.
says() {
    [ "$status" = "$2" ] && pass || fail "status $status, not $2: $(cat said)"
    [ "$(grep -c '^refrain' said)" = 1 ] && grep -q "$1" said && pass || fail "not said in one line: $1: $(cat said)"
}

fortran="MPI_Init=1 MPI_Comm_rank=1 MPI_Send=5 MPI_Recv=5 MPI_Irecv=1 MPI_Isend=1 MPI_Waitall=1 MPI_Allreduce=1 MPI_Finalize=1"
sed 's/use mpi$/use mpi_f08/; s/integer :: .*!f08 //' "$programs/exchange.f90" >f08.f90
sed "s/use mpi\$/include 'mpif.h'/" "$programs/exchange.f90" >f77.f90
for mpi in mpich openmpi; do
    "mpifort.$mpi" -g -O2 "$programs/exchange.f90" -o "f90.$mpi" && "mpifort.$mpi" -g -O2 f08.f90 -o "f08.$mpi" &&
        "mpifort.$mpi" -g -O2 f77.f90 -o "f77.$mpi" &&
        "mpicxx.$mpi" -g -O2 "$programs/exchange.cc" -o "cc.$mpi" && pass || fail "$mpi: compile"
    for program in f90 f08 f77; do
        record "$mpi" 2 "./$program.$mpi" && grep -q 'total *1$' out && pass || fail "$program.$mpi: $(cat out said)"
        # shellcheck disable=SC2086 # words
        exact "$(the_trace run)" "$program.$mpi" && counted "$program.$mpi" $fortran
        # Through the layers for Fortran, which have no debug information and no frame pointers.
        file=$program.f90
        [ $program != f90 ] || file=exchange.f90
        at "$program.$mpi" MPI_Send $file 12
        at "$program.$mpi" MPI_Waitall $file 34
    done
    if [ "$mpi" = openmpi ] && mpiexec.openmpi --version | grep -q ' 5\.0\.'; then # crashes on two commands, "true : true" as well
        # shellcheck disable=SC2016 # expanded by the ranks' shell
        record "$mpi" 2 sh -c 'test "$OMPI_COMM_WORLD_RANK" = 0 && exec env A=1 "$0"; exec nice "$0"' "./cc.$mpi"
    else
        record "$mpi" 1 sh -c "exec env A=1 ./cc.$mpi" : -n 1 nice "./cc.$mpi"
    fi && pass || fail "cc.$mpi: $(cat out said)"
    exact "$(the_trace run)" "cc.$mpi" && counted "cc.$mpi" MPI_Sendrecv=4 MPI_Comm_rank=1
    at "cc.$mpi" MPI_Sendrecv exchange.cc 10
done
trace=$(the_trace run)
[ "$(head -n 1 said)" = "refrain record: trace: $work/$trace; next: refrain report $work/$trace" ] &&
    pass || fail "the last line: $(cat said)"

# Names of functions: in C++ with namespaces, and with the functions into which they were inlined; in Fortran as written.
# Debug information may be in a separate file. Without it: the symbol, or the object, and the distance. named NAME
# PATTERN: checks refrain stats of the last run.
named() {
    refrain stats "$(the_trace run)" >stats 2>&1
    grep -qE "$2" stats && pass || fail "$1: not '$2': $(grep MPI_Se stats)"
}
named cc.openmpi 'MPI_Sendrecv  exchange.cc:10  in halo::Exchanger<double>::operator\(\), inlined into main$'
record mpich 2 ./f90.mpich
named f90.mpich 'MPI_Send  exchange.f90:12  in swap$'
objcopy --only-keep-debug cc.mpich split.debug && strip -g cc.mpich -o split &&
    objcopy --add-gnu-debuglink=split.debug split && strip -s cc.mpich -o stripped || fail "strip"
record mpich 2 ./split
named split 'MPI_Sendrecv  exchange.cc:10  in halo::Exchanger'
rm split.debug run/*/names
named "split without" 'MPI_Sendrecv  in main\+0x[0-9a-f]+$'
record mpich 2 ./stripped
named stripped 'MPI_Sendrecv  in stripped\+0x[0-9a-f]+$'
cat >named.cc <<'END'
#include <mpi.h>
namespace deep { __attribute__((noinline)) int send(long n) { return MPI_Barrier(MPI_COMM_WORLD) + (int)n; } }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); int n = deep::send(argc); MPI_Finalize(); return n - 1; }
END
mpicxx.mpich -O1 named.cc -o named && record mpich 1 ./named
named named 'MPI_Barrier  in deep::send\+0x'

# The summary of a run that lost nothing, in few lines, with the command that started it.
echo 'int MPI_Init(int *, char ***), MPI_Finalize(void); int main(int c, char **v) { return MPI_Init(&c, &v) || MPI_Finalize(); }' >short.c
mpicc.mpich -g short.c -o short && OMP_NUM_THREADS=3 record mpich 1 ./short -n 'two words' "it's" '' || fail "short: $(cat said)"
refrain info "$(the_trace run)" >info
[ "$(wc -l <info)" -le 10 ] && grep -qF "/short -n 'two words' 'it'\\''s' ''" info && grep -q '^settings .*OMP_NUM_THREADS=3' info &&
    ! grep -q RECORD_ID info && grep -q '^nothing was lost on any rank' info && pass || fail "info in short: $(cat info)"
refrain info --verbose "$(the_trace run)" | grep -q '^  memory ' && pass || fail "info --verbose"
refrain info --json "$(the_trace run)" | grep -qF '"arguments": "-n '"'two words' 'it'" && pass || fail "arguments in JSON"
long=$(printf '%2000s' | tr ' ' x)
record mpich 1 ./short one "$long" two || fail "a long argument: $(cat said)"
refrain info "$(the_trace run)" | grep -q '/short one \.\.\.$' && pass || fail "an argument that is too long: $(refrain info "$(the_trace run)" | grep ^program)"

# Libraries that are named count as layers.
printf '#include <mpi.h>\nvoid exchange(void) { MPI_Barrier(MPI_COMM_WORLD); }\n' >layer.c
printf '#include <mpi.h>\nvoid exchange(void);\nint main(int c, char **v) {\n MPI_Init(&c, &v);\n exchange();\n MPI_Finalize();\n}\n' >user.c
mpicc.mpich -O2 -fno-optimize-sibling-calls -g -shared -fPIC layer.c -o liblayer.so &&
    mpicc.mpich -g user.c ./liblayer.so -Wl,-rpath,"$work" -o user || fail "compile layer"
record mpich 1 ./user
named "without layers" 'MPI_Barrier  layer.c:2  in exchange$'
REFRAIN_LAYERS=libother,liblayer record mpich 1 ./user
named layers 'MPI_Barrier  user.c:5  in main$'
rm -rf run && refrain record -q --directory run --layers liblayer ./user || fail "--layers: status $?"
named --layers 'MPI_Barrier  user.c:5  in main$'

# MPI that is loaded by the interpreter's module.
record openmpi 2 /usr/bin/python3 "$programs/exchange.py" && pass || fail "python: $(cat said)"
exact "$(the_trace run)" python && counted python MPI_Init_thread=1 MPI_Finalize=1
if dpkg-query -S /usr/lib/python3/dist-packages/mpi4py >/dev/null 2>&1; then
    refrain info --verbose "$(the_trace run)" | grep -q 'mpi4py.* has no debug information.*apt-get install python3-mpi4py-dbgsym' && pass ||
        fail "python: which package has the debug information: $(refrain info --verbose "$(the_trace run)" | grep -A 2 ^names)"
fi

# The package of a file is read from dpkg's lists, which have its name with or without /usr. Names of other files may
# begin or end with it. dpkg itself, which takes a tenth of a second, is not called.
mkdir -p admin/info asks
printf '#!/bin/sh\ntouch %s/asked\n' "$work" >asks/dpkg-query && chmod +x asks/dpkg-query
printf '/.\n/usr%s/user\n' "$work" >admin/info/usable:amd64.list
printf '%s/user.old\n/opt%s/user\n' "$work" "$work" >admin/info/aaa.list
printf '/.\n%s/liblayer.so' "$work" >admin/info/layered.list
mpicc.mpich -O2 -fno-optimize-sibling-calls -shared -fPIC layer.c -o liblayer.so &&
    mpicc.mpich user.c "$work/liblayer.so" -o user || fail "compile without -g"
record mpich 1 ./user
for way in --verbose --json; do
    PATH=$work/asks:$PATH DPKG_ADMINDIR=$work/admin refrain info $way "$(the_trace run)" >said
    [ "$(grep -c 'install usable-dbgsym' said) $(grep -c 'install layered-dbgsym' said)" = "1 1" ] && [ ! -e asked ] &&
        pass || fail "info $way: packages of files"
done

# Instrumented parts show as well.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o control || fail "compile control"
record mpich 2 ./control 3 10 && pass || fail "control: $(cat said)"
exact "$(the_trace run)" control && grep -q 'enter.main' recorded && pass || fail "control: no functions"

# Linked by refrain-mpicxx and refrain-mpifort: traced without preloading.
for mpi in mpich openmpi; do
    REFRAIN_MPIFORT=mpifort.$mpi refrain-mpifort -g -O2 "$programs/exchange.f90" -o "linked90.$mpi" &&
        REFRAIN_MPIFORT=mpifort.$mpi refrain-mpifort -g -O2 f08.f90 -o "linked08.$mpi" &&
        REFRAIN_MPIFORT=mpifort.$mpi refrain-mpifort -g -O2 f77.f90 -o "linked77.$mpi" &&
        REFRAIN_MPICXX=mpicxx.$mpi refrain-mpicxx -g -O2 "$programs/exchange.cc" -o "linkedcc.$mpi" && pass ||
        fail "$mpi: compile with refrain-mpifort, refrain-mpicxx"
    for program in linked90 linked08 linked77 linkedcc; do
        rm -rf run
        mkdir run
        REFRAIN_MODE=both REFRAIN_DIRECTORY=$work/run launch "$mpi" 2 "./$program.$mpi" >out 2>said ||
            fail "$program.$mpi: $(cat said)"
        wanted=$fortran
        [ $program != linkedcc ] || wanted="MPI_Sendrecv=4 MPI_Comm_rank=1"
        # shellcheck disable=SC2086 # words
        exact "$(the_trace run)" "$program.$mpi" && counted "$program.$mpi" $wanted
    done
done

# A tool that is linked or preloaded behind refrain sees the program's calls, and no others.
cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int sends, ranks;
int MPI_Send(const void *bytes, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    sends++;
    return PMPI_Send(bytes, n, type, to, tag, comm);
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    ranks++;
    return PMPI_Comm_rank(comm, rank);
}
int MPI_Finalize(void) {
    printf("tool: %d %d\n", sends, ranks);
    fflush(stdout);
    return PMPI_Finalize();
}
END
cat >talk.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 7; i++)
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
for mpi in mpich openmpi; do
    "mpicc.$mpi" -shared -fPIC tool.c -o "libtool.$mpi.so" && "mpicc.$mpi" talk.c -o talk && cp talk "talk.$mpi" &&
        "mpicc.$mpi" talk.c -o talk_linked -Wl,--no-as-needed "./libtool.$mpi.so" -Wl,-rpath,"$work" ||
        fail "compile the tool"
    record "$mpi" 2 ./talk_linked && [ "$(sort out | tr '\n' ' ')" = "tool: 0 1 tool: 7 1 " ] && pass ||
        fail "$mpi: linked tool: $(cat out said)"
    exact "$(the_trace run)" "linked tool" && counted "linked tool" MPI_Send=7 MPI_Comm_rank=1 MPI_Finalize=1
    LD_PRELOAD="$work/libtool.$mpi.so" record "$mpi" 2 ./talk
    [ "$(grep -c 'tool: 7 1' out)" = 1 ] && pass || fail "$mpi: preloaded tool: $(cat out said)"
    exact "$(the_trace run)" "preloaded tool" && counted "preloaded tool" MPI_Send=7
done

# A launcher that cannot be found or run, and programs that cannot be traced.
run() {
    rm -rf run
    timeout 60 refrain record --directory run/here "$@" >out 2>said
    status=$?
}
cat >plain.c <<'END'
#include <stdio.h>
int main(void) { puts("plain"); return 4; }
END
gcc plain.c -o plain && gcc -static plain.c -o static && musl-gcc plain.c -o musl || fail "compile plain"
cp plain owned && chmod u+s owned
: >empty
run nosuch -n 2 ./plain
says 'nosuch: No such file' 127
run ./empty
says 'empty: Permission denied' 126
run ./plain
says 'plain is not linked with an MPI library' 4
run mpiexec.mpich -n 2 ./plain
says 'plain is not linked with an MPI library' 4
run ./static
says 'static is linked statically' 4
run ./musl
says 'musl uses the C library musl' 4
run ./owned
says 'owned is set-user-ID' 4
run ./cc.mpich no
[ "$status" = 5 ] && grep -q 'cc.mpich did not call MPI_Init' said && pass || fail "no MPI_Init: $status $(cat said)"
# A launcher that fails is no reason to say anything about the program.
run mpiexec.mpich -n 1 ./nosuch
says 'mpiexec.mpich failed with status 255 before any process called MPI' 255
run mpiexec.mpich --no-such-option -n 1 ./cc.mpich no
says 'mpiexec.mpich failed with status 255 before any process called MPI' 255
run sh -c './nosuch ./cc.mpich'
says 'sh failed with status 127 before any process called MPI' 127
run ./cc.mpich no
[ -z "$(ls run/here)" ] && pass || fail "files of nothing: $(ls run/here)"
run sh -c 'kill -TERM $$'
[ "$status" = 143 ] && pass || fail "killed launcher: $status"
run --mode never ./plain
[ "$status" = 2 ] && pass || fail "bad option: $status"
# An MPI library that refrain does not know.
printf 'int MPI_Init(int *c, char ***v) { return 0; }\nint PMPI_Init(int *c, char ***v) { return 0; }\n' >mpi.c
printf 'int MPI_Init(int *c, char ***v);\nint main(int c, char **v) { return 6 + MPI_Init(&c, &v); }\n' >other.c
gcc -shared -fPIC mpi.c -o libmpi.so.7 -Wl,-soname,libmpi.so.7 && gcc other.c ./libmpi.so.7 -Wl,-rpath,"$work" -o other || fail "compile other"
run ./other
[ "$status" = 6 ] && grep -q 'libmpi.so.7, for which refrain was not built' said && pass || fail "other: $status $(cat said)"

# The launcher of another MPI than the program's: jobs of one rank, and a line that says so.
run mpiexec.mpich -n 2 ./cc.openmpi
[ "$(grep -c 'the launcher started 2 processes (PMI_SIZE), but each is an MPI job of one rank.*start it with mpiexec of Open MPI' said)" = 1 ] && pass ||
    fail "Open MPI's program under MPICH's launcher: $(cat said)"
run mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 ./cc.mpich
[ "$(grep -c 'the launcher started 2 processes (OMPI_COMM_WORLD_SIZE).*start it with mpiexec of MPICH' said)" = 1 ] && pass ||
    fail "MPICH's program under Open MPI's launcher: $(cat said)"
run mpiexec.mpich -n 2 ./talk.mpich
! grep -q 'the launcher started' said && pass || fail "the right launcher: $(cat said)"

# Without memory to pack a trace file, it stays as it is, and a line says so.
rm -rf run
REFRAIN_TOTAL_MEMORY=400K refrain record --directory run mpiexec.mpich -n 2 ./talk.mpich >out 2>said
[ "$(grep -c '^refrain: 2 processes had no memory left to pack the trace file; .*: refrain pack .*/talk.mpich-[0-9-]*.refrain$' said)" = 1 ] && pass ||
    fail "no memory to pack: $(cat said)"
rm -rf run
refrain record --directory run mpiexec.mpich -n 2 ./talk.mpich >out 2>said
! grep -q 'refrain pack' said && pass || fail "packed, and said not to be: $(cat said)"

# Unknown variables are reported once for the job, and by the wrappers.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc talk.c -o traced_talk
REFRAIN_TOTAL_MEMROY=1M REFRAIN_YIELD=auto REFRAIN_PAGER=cat run mpiexec.mpich -n 2 ./talk.mpich
[ "$(grep REFRAIN_ said)" = "refrain: REFRAIN_TOTAL_MEMROY is set, but nothing reads it; did you mean REFRAIN_TOTAL_MEMORY?" ] && pass || fail "record: unknown variable: $(cat said)"
REFRAIN_MEMROY=1M REFRAIN_FOO=1 REFRAIN_DETAIL=all REFRAIN_MODE=off mpiexec.mpich -n 2 ./traced_talk >out 2>said
[ "$(sort said | tr '\n' ' ')" = "refrain: REFRAIN_FOO is set, but nothing reads it refrain: REFRAIN_MEMROY is set, but nothing reads it; did you mean REFRAIN_TOTAL_MEMORY? " ] && pass ||
    fail "a run: unknown variable: $(cat said)"
REFRAIN_DETIAL=all REFRAIN_MPICC=mpicc.mpich refrain-mpicc talk.c -o traced_talk 2>said
[ "$(cat said)" = "refrain-mpicc: warning: REFRAIN_DETIAL is set, but nothing reads it; did you mean REFRAIN_DETAIL?" ] && pass || fail "refrain-mpicc: unknown variable: $(cat said)"
# All that is read is in the list.
grep -rhoE '"REFRAIN_[A-Z_]+"' "$tests/../instrumentor" "$tests/../launch" "$tests/../monitor" "$tests/../reconstruct" --include='*.[ch]' |
    tr -d '"' | sed 's/^REFRAIN_//' | sort -u >read
sed -n 's/^REFRAIN_VARIABLE(\([A-Z_]*\),.*/\1/p' "$tests/../include/refrain/variables.def" | sort -u >listed
[ -z "$(comm -23 read listed)" ] && [ "$(wc -l <read)" -gt 20 ] && pass || fail "not in the list of variables: $(comm -23 read listed)"
summary
