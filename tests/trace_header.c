/* trace_header.c: FIELD FILE [VALUE]: prints a field of a trace file's header, or writes it, as tests of damaged files
 * do. */
#define _GNU_SOURCE
#include <refrain/trace.h>

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD(name) {#name, offsetof(struct refrain_header, name), sizeof((struct refrain_header *)0)->name}
static const struct {
    const char *name;
    size_t offset, bytes;
} fields[] = {FIELD(pid), FIELD(size), FIELD(finished), FIELD(bytes), FIELD(pool_used), FIELD(times_from)};

int main(int argc, char **argv) {
    uint64_t value = argc > 3 ? strtoull(argv[3], NULL, 0) : 0; /* little-endian, as the file is */
    size_t i = 0, n = sizeof fields / sizeof *fields;
    while (argc > 2 && i < n && strcmp(argv[1], fields[i].name) != 0)
        i++;
    int fd = argc > 2 && i < n ? open(argv[2], argc > 3 ? O_RDWR : O_RDONLY) : -1;
    if (fd < 0) {
        fprintf(stderr, "trace_header: no such field or file\n");
        return 2;
    }
    off_t at = (off_t)fields[i].offset;
    ssize_t done = argc > 3 ? pwrite(fd, &value, fields[i].bytes, at) : pread(fd, &value, fields[i].bytes, at);
    if (argc <= 3)
        printf("%llu\n", (unsigned long long)value);
    return close(fd) != 0 || done != (ssize_t)fields[i].bytes;
}
