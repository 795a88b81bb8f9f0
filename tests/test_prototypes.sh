#!/bin/sh
# The wrapper reduces MPI's headers to the names that a source uses before libclang parses them, and the instrumented file
# is the same. It does so for headers in a directory of the command line (-I), not for headers found by CPATH.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER CPATH
cd "$work" || exit 1
mkdir mpi near system

cat >mpi/mpi.h <<'END'
#ifndef MPI_H
#define MPI_H
#if defined(__cplusplus)
extern "C" {
#endif
typedef int MPI_Comm;
typedef int MPI_Handler_function(MPI_Comm *, int *, ...);
typedef double (MPI_Clock_function)(void);
#define MPI_COMM_WORLD 0
#define MPI_DECLARED __attribute__((visibility("default")))
#define MPI_Stop(code) MPI_Abort(MPI_COMM_WORLD, code) /* names another; MPI_Abort may not go \
                                                          for it */
struct MPI_Pair { int a, b; };
extern int *MPI_Unweighted;
MPI_DECLARED int MPI_Barrier(MPI_Comm comm); /* int MPI_Comment(void); */
int MPI_Send(const void *buf, int count,
             MPI_Comm comm) MPI_DECLARED;
double MPI_Wtime(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_First(void), MPI_Second(void);
int (*MPI_Hook)(MPI_Comm);
struct MPI_Pair MPI_Pair_of(MPI_Comm comm);
static inline int MPI_Inline(int x) { if (x > 1) { return MPI_First(); } return x; }
int MPI_Told(const char *text) __attribute__((deprecated("use ; or ( here")));
int MPI_Halved(int a,
#ifdef MORE
               int c,
#endif
               int b);
int PMPI_Barrier(MPI_Comm comm);
#include "mpi_proto.h"
#if defined(__cplusplus)
}
#endif
#endif
END
cat >mpi/mpi_proto.h <<'END'
int MPI_Recv(void *buf, int count, void (*then)(int a, char c), MPI_Comm comm);
int MPI_Ssend(const void *buf, int count, MPI_Comm comm);
int MPI_Bcast(void *buf, int count, int root, MPI_Comm comm);
int MPI_Cancel(int *request);
int MPI_Old(a) int a; { return a; }
END

cat >system/far.h <<'END'
#define FAR_SEND(buf, n) MPI_Ssend(buf, n, MPI_COMM_WORLD)
static inline double far_time(void) { return MPI_Wtime(); }
END
echo '#include "nearer.h"' >near/near.h
echo '#define NEAR_RECEIVE(buf, n) MPI_Recv(buf, n, 0, MPI_COMM_WORLD)' >near/nearer.h

# same NAME [FLAG...]: compares a file (the source from standard input) with cut headers and with whole ones. The
# tables must have the same calls.
same() {
    name=$1
    shift
    cat >"$name.c"
    check "$name, cut" refrain-instrument "$name.c" -o "$name.cut" -- -Impi -Inear "$@"
    CPATH=mpi check "$name, whole" refrain-instrument "$name.c" -o "$name.whole" -- -Inear "$@"
    check "$name: the same text" cmp "$name.cut" "$name.whole"
    check "$name compiles" gcc -fsyntax-only -x c -Impi -Inear "$@" "$name.cut"
}

same own <<'END'
#include <mpi.h>
int main(void) {
    for (int i = 0; i < 3; i++)
        if (MPI_Barrier(MPI_COMM_WORLD) || MPI_Send(0, i, MPI_COMM_WORLD) || MPI_Pair_of(0).a || MPI_Inline(1) || MPI_Told("x"))
            MPI_Stop(1);
    return MPI_Wtime() > 0.5 ? MPI_Hook(1) + MPI_Second() : MPI_Halved(1, 2) + MPI_Old(3);
}
END
same none <<'END'
#include <mpi.h>
int f(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 3 ? 1 : 2;
    return sum;
}
END
same headers -isystem system <<'END'
#include "near.h"
#include <mpi.h>
#include <far.h>
int main(void) {
    char text[8];
    while (far_time() < 3.5)
        if (!NEAR_RECEIVE(text, 8))
            return FAR_SEND(text, 8);
    return 0;
}
END
# A header of the system's, which is looked at after the parse only.
export C_INCLUDE_PATH=$work/system
same later <<'END'
#include <mpi.h>
#include <far.h>
int main(void) {
    return far_time() < 3.5 ? FAR_SEND("x", 1) : 0;
}
END
unset C_INCLUDE_PATH
same option -DBARRIER=PMPI_Barrier <<'END'
#include <mpi.h>
int main(void) {
    return BARRIER(MPI_COMM_WORLD) ? 1 : 0;
}
END
same parts <<'END'
#include <mpi.h>
#define NAMED(name) MPI_##name
#define JOINED(a, b) a##b
int main(void) {
    return NAMED(Wtime)() > 0.5 ? JOINED(MPI_, Bcast)("x", 1, 0, MPI_COMM_WORLD) : JOINED(MPI_Canc, el)(0);
}
END
same halves <<'END'
#include <mpi.h>
#define JOIN(a, b) a##b
double half(void) { return JOIN(MP, I_Wtime)() / 2; }
int main(void) {
    return half() > 1 ? MPI_Barrier(0) : 2;
}
END

# libclang gets nothing about a function that is not used, and everything about one that is.
sed -i 's/^int MPI_Cancel.*/int MPI_Cancel(no_type *request);/' mpi/mpi_proto.h
check "a prototype that nothing names is cut" refrain-instrument own.c -o own.cut -- -Impi
cmp -s own.cut own.whole && pass || fail "another text without MPI_Cancel"
echo 'int cancel(void) { return MPI_Cancel(0); }' >>own.c
refrain-instrument own.c -o own.cut -- -Impi >messages 2>&1
grep -q 'mpi_proto.h.*no_type' messages && pass || fail "a prototype that is named is not read: $(cat messages)"
summary
