# stubs.awk: from mpi_calls.def to the entries of librefrain-record.so (x86-64, choose.c).
#
#     awk -f stubs.awk mpi_calls.def > stubs.S
#
# Each MPI function is one jump through its row of refrain_front_table, under its MPI_ and its PMPI_ name. No register
# that a C function gets or keeps is changed, so that any MPI library's functions can stand behind an entry. Until the
# first call a row leads to refrain_front_first, which has choose.c fill it.

function entry(name, offset) {
    printf "    .globl %s\n    .type %s,@function\n    .p2align 4\n%s:\n    endbr64\n", name, name, name
    printf "    jmp *refrain_front_table+%d(%%rip)\n    .size %s, .-%s\n", offset, name, name
}

/^REFRAIN_MPI_CALL\(/ {
    split($0, field, /[(, )]+/)
    if (field[3] != "FORTRAN" && field[3] != "POSIX")
        name[n++] = field[2]
}

END {
    row_bytes = 88 # of struct refrain_front_row (front.h)
    print "/* Made by stubs.awk from mpi_calls.def. */\n    .text"
    for (i = 0; i < n; i++) {
        entry(name[i], i * row_bytes)
        entry("P" name[i], i * row_bytes + 8)
        printf "first_%d:\n    movl $%d, %%r10d\n    jmp refrain_front_first\n", i, i
        printf "first_p%d:\n    movl $%d, %%r10d\n    jmp refrain_front_first_p\n", i, i
        printf "check_%d:\n    leaq refrain_front_table+%d(%%rip), %%r10\n    jmp refrain_front_check\n", i, i * row_bytes
    }
    print "    .section .data.rel.local,\"aw\",@progbits\n    .p2align 4\n    .globl refrain_front_table\n    .hidden refrain_front_table"
    print "refrain_front_table:"
    for (i = 0; i < n; i++)
        printf "    .quad first_%d, first_p%d, check_%d, 0, 0, 0, 0, 0, 0, 0, 0\n", i, i, i
    print "    .section .rodata\n    .globl refrain_front_names\n    .hidden refrain_front_names\nrefrain_front_names:"
    for (i = 0; i < n; i++)
        printf "    .asciz \"%s\"\n", name[i]
    printf "    .globl refrain_front_rows\n    .hidden refrain_front_rows\n    .p2align 2\nrefrain_front_rows:\n    .long %d\n", n
    print "    .section .note.GNU-stack,\"\",@progbits"
}
