/* posix_files.c DIRECTORY: opens, writes, reads and closes files with the functions of the C library, before MPI_Init,
 * between MPI calls, in a thread, in a signal handler, in the child of a fork and after MPI_Finalize. How many bytes
 * each call has to move is known (tests/test_io.sh). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[10][512];
static char buffer[4096];
static int signalled = -1;

static void must(int is_true, const char *what) {
    if (is_true)
        return;
    fprintf(stderr, "posix_files: %s: %s\n", what, strerror(errno));
    abort();
}

static void early(void) {
    int file = open(path[0], O_WRONLY | O_CREAT, 0600);
    must(write(file, buffer, 100) == 100, "early");
    must(close(file) == 0, "close");
}

static void descriptors(void) {
    struct iovec parts[] = {{buffer, 10}, {buffer, 20}};
    int file = open(path[1], O_RDWR | O_CREAT | O_EXCL, 0600);
    for (int i = 0; i < 50; i++)
        must(write(file, buffer, 4096) == 4096, "write");
    must(writev(file, parts, 2) == 30, "writev");
    must(pwrite(file, buffer, 7, 100) == 7, "pwrite");
    must(fsync(file) == 0 && fdatasync(file) == 0, "fsync");
    must(lseek(file, 0, SEEK_SET) == 0, "lseek");
    for (int i = 0; i < 25; i++)
        must(read(file, buffer, 4096) == 4096, "read");
    must(readv(file, parts, 2) == 30, "readv");
    must(pread(file, buffer, 4096, 50 * 4096) == 30, "pread"); /* less than was asked for */
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    must(mapped != MAP_FAILED && munmap(mapped, 4096) == 0, "mmap");
    int copy = dup(file), other = fcntl(file, F_DUPFD_CLOEXEC, 100);
    must(lseek(file, 0, SEEK_END) > 0 && close(file) == 0, "close");
    must(write(copy, buffer, 5) == 5 && write(other, buffer, 6) == 6, "write to a copy");
    must(close(copy) == 0 && close(other) == 0, "close");
    must(write(file, buffer, 5) == -1 && errno == EBADF, "write to a closed file");
}

static void streams(void) {
    char line[64], *text = NULL;
    size_t room = 0;
    FILE *stream = fopen(path[2], "w+");
    must(stream && fwrite(buffer, 8, 100, stream) == 100, "fwrite");
    must(fprintf(stream, "%d %s\n", 42, "words") == 9 && fputs("line\n", stream) >= 0, "fprintf");
    must(fflush(stream) == 0 && fseek(stream, 800, SEEK_SET) == 0, "fseek");
    must(fgets(line, sizeof line, stream) && strcmp(line, "42 words\n") == 0, "fgets");
    must(getline(&text, &room, stream) == 5, "getline");
    free(text);
    rewind(stream);
    must(fread(buffer, 1, 4096, stream) == 814, "fread"); /* up to the end */
    must(fclose(stream) == 0, "fclose");
}

static void failures(void) {
    errno = 0;
    must(open(path[3], O_RDONLY) == -1 && errno == ENOENT, "open of a missing file");
    int file = open(path[1], O_RDONLY);
    errno = 0;
    must(write(file, buffer, 10) == -1 && errno == EBADF, "write to a file for reading");
    must(close(file) == 0, "close");
}

static void on_signal(int number) {
    (void)number;
    int saved = errno;
    must(write(signalled, buffer, 3) == 3, "write in a signal handler");
    errno = saved;
}

static void signals(void) {
    signalled = open(path[4], O_WRONLY | O_CREAT, 0600);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 10; i++)
        raise(SIGUSR1);
    must(close(signalled) == 0, "close");
}

static void *thread(void *data) {
    int file = open(data, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 5; i++)
        must(write(file, buffer, 11) == 11, "write in a thread");
    must(close(file) == 0, "close");
    return NULL;
}

static void child(void) {
    int status = 0, file = open(path[6], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    pid_t pid = fork();
    if (pid == 0) {
        must(write(file, buffer, 1000) == 1000 && close(file) == 0, "write in a child");
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0, "child");
    must(close_range((unsigned)file, (unsigned)file, 1 << 20) == -1, "close_range that fails");
    must(write(file, buffer, 12) == 12 && close(file) == 0, "write after a fork");
}

/* A descriptor that is closed in any way is free for a socket, whose bytes are no file's. */
static void closed_otherwise(int way) {
    int pair[2], file = way == 0 ? open(".", O_RDONLY | O_DIRECTORY) : open(path[8], O_WRONLY | O_CREAT, 0600);
    DIR *directory = way == 0 ? fdopendir(file) : NULL;
    if (way == 0)
        must(directory && closedir(directory) == 0, "closedir");
    else if (way == 1)
        must(close_range((unsigned)file, (unsigned)file, 0) == 0, "close_range");
    else
        closefrom(file);
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
    must(pair[0] == file && write(pair[0], buffer, 100) == 100, "write to a socket");
    must(close(pair[0]) == 0 && close(pair[1]) == 0, "close");
}

/* A child that shares the memory of its parent writes to files, and opens and closes some. */
static void sharing_child(void) {
    int status = 0, file = open(path[8], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    pid_t pid = vfork();
    if (pid == 0) {
        if (write(file, buffer, 1000) == 1000 && close(file) == 0)
            execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0, "child of vfork");
    must(write(file, buffer, 14) == 14 && close(file) == 0, "write after vfork");
}

/* Standard output, after it has been put on a file. */
static void standard(void) {
    char text[] = "12345";
    struct iovec part = {buffer, 20};
    fpos_t position;
    must(freopen(path[9], "w", stdout) != NULL, "freopen");
    must(printf("%d\n", 42) == 3 && puts("line") >= 0 && putchar('c') == 'c', "printf"); /* 9 bytes */
    must(fgetpos(stdout, &position) == 0 && fputs_unlocked(text, stdout) >= 0, "fputs_unlocked");
    must(fflush(stdout) == 0 && freopen(NULL, "a", stdout) != NULL, "freopen without a name");
    must(printf("%s", text) == 5 && fflush(stdout) == 0, "printf"); /* 19 bytes */
    must(dprintf(STDOUT_FILENO, "%s", text) == 5, "dprintf");
    must(pwritev2(STDOUT_FILENO, &part, 1, -1, 0) == 20, "pwritev2"); /* 44 bytes */
    must(freopen(NULL, "r", stdout) != NULL && fsetpos(stdout, &position) == 0, "fsetpos");
    must(fgets_unlocked(buffer, 6, stdout) && strcmp(buffer, text) == 0, "fgets_unlocked");
    must(freopen("/dev/null", "w", stdout) != NULL && printf("none\n") == 5, "freopen to a device");
}

static void late(void) {
    int file = open(path[7], O_WRONLY | O_CREAT, 0600);
    must(write(file, buffer, 13) == 13 && close(file) == 0, "late");
}

int main(int argc, char **argv) {
    static const char *const names[] = {"early",  "descriptors", "streams", "missing", "signals",
                                        "thread", "child",       "late",    "shared",  "standard"};
    pthread_t other;
    const char *rank_name = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    must(argc == 2 && rank_name, "DIRECTORY, and a launcher that says the rank");
    for (int i = 0; i < 10; i++)
        snprintf(path[i], sizeof path[i], "%s/%s.%s", argv[1], names[i], rank_name);
    early();
    MPI_Init(&argc, &argv);
    descriptors();
    streams();
    failures();
    MPI_Barrier(MPI_COMM_WORLD);
    signals();
    must(pthread_create(&other, NULL, thread, path[5]) == 0 && pthread_join(other, NULL) == 0, "thread");
    child();
    for (int way = 0; way < 3; way++)
        closed_otherwise(way);
    sharing_child();
    standard();
    MPI_Finalize();
    late();
    return 0;
}
