/* server.c: the server's process (server.h).
 *
 * It reads nothing that comes from outside: each connection has a child of its own, which reads the request. What the
 * child was asked for, and how that ended, is its exit status.
 */
#include "server.h"
#include "server_parts.h"
#include "toolchain.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_STOP = REFRAIN_INSTRUMENT_LEFT_ALONE + 1, STATUS_REFUSED };

struct child {
    pid_t pid;
    int connection;
    bool stops; /* it has ended, and its wrapper waits for the server's end */
};

struct server {
    const char *directory, *path, *identity;
    int listener; /* -1: none is accepted any more */
    bool full;    /* ... until a child ends: no descriptor is left */
    int signals;
    struct child *children;
    size_t count, capacity;
    size_t running;
    uint64_t sources;
    bool stopping;
    ino_t socket;
    struct refrain_list libraries; /* files that are loaded, each with what says that it is still the same */
};

/* ---- a child ---- */

static int watched; /* the connection */

/* Nothing more comes from the wrapper: whatever happens to the connection, it is gone. */
static void on_hang_up(int number) {
    (void)number;
    int error = errno;
    struct pollfd poll_one = {.fd = watched, .events = POLLRDHUP};
    if (poll(&poll_one, 1, 0) > 0 && (poll_one.revents & (POLLHUP | POLLRDHUP | POLLERR)))
        _exit(STATUS_REFUSED);
    errno = error;
}

static void watch(int connection) {
    struct sigaction action = {.sa_handler = on_hang_up, .sa_flags = SA_RESTART};
    watched = connection;
    sigemptyset(&action.sa_mask);
    sigaction(SIGIO, &action, NULL);
    fcntl(connection, F_SETOWN, getpid());
    fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_ASYNC);
    on_hang_up(SIGIO); /* it may have been gone before */
}

/* The words behind the number at *next; false when it is not followed by so many. */
static bool read_group(const struct refrain_list *words, size_t *next, char ***items, size_t *count) {
    if (*next >= words->count)
        return false;
    *count = strtoul(words->items[*next], NULL, 10);
    *items = words->items + *next + 1;
    bool good = *count <= words->count - *next - 1;
    *next += 1 + *count;
    return good;
}

static int instrument(int connection, const char *identity, const struct refrain_list *words, const int *files) {
    size_t next = 1, n_described, n_variables;
    char **described, **variables;
    struct refrain_job_copy copy;
    if (words->count == 0 || strcmp(words->items[0], identity) != 0 ||
        !read_group(words, &next, &described, &n_described) || !read_group(words, &next, &variables, &n_variables) ||
        fchdir(files[REFRAIN_SERVER_WORKING_DIRECTORY]) != 0 ||
        dup2(files[REFRAIN_SERVER_STANDARD_ERROR], STDERR_FILENO) < 0)
        return STATUS_REFUSED;
    for (int i = 0; i < REFRAIN_SERVER_FILES; i++)
        close(files[i]);
    clearenv();
    for (size_t i = 0; i < n_variables; i++)
        putenv(variables[i]);
    if (!refrain_job_read(&copy, described, n_described))
        return STATUS_REFUSED;
    watch(connection);
    if (send(connection, "", 1, MSG_NOSIGNAL) != 1)
        return STATUS_REFUSED;
    return (int)refrain_job_run(&copy.job);
}

static _Noreturn void serve(const struct server *server, int connection, pid_t parent) {
    sigset_t none;
    enum refrain_server_kind kind;
    struct refrain_list words = {0};
    int files[REFRAIN_SERVER_FILES];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STATUS_REFUSED);
    for (size_t i = 0; i < server->count; i++)
        close(server->children[i].connection);
    if (server->listener >= 0)
        close(server->listener);
    close(server->signals);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    refrain_server_set_patience(connection, REFRAIN_SERVER_PATIENCE_SECONDS);
    if (!refrain_server_receive(connection, &kind, &words, files))
        _exit(STATUS_REFUSED);
    if (kind == REFRAIN_SERVER_STOP)
        _exit(send(connection, "", 1, MSG_NOSIGNAL) == 1 ? STATUS_STOP : STATUS_REFUSED);
    _exit(kind == REFRAIN_SERVER_SOURCE ? instrument(connection, server->identity, &words, files) : STATUS_REFUSED);
}

/* ---- the libraries that are loaded ---- */

static bool describe_file(struct refrain_text *text, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    refrain_text_format(text, "%llu %llu %lld.%ld", (unsigned long long)status.st_dev,
                        (unsigned long long)status.st_ino, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    return true;
}

/* False: one has been replaced meanwhile. */
static bool note_libraries(struct server *server) {
    struct refrain_text maps = {0};
    char *rest = NULL;
    bool good = refrain_text_read(&maps, "/proc/self/maps");
    for (char *line = good ? strtok_r(maps.bytes, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        const char *path = strchr(line, '/');
        size_t n = server->libraries.count;
        struct refrain_text description = {0};
        if (!path || (n && strcmp(server->libraries.items[n - 2], path) == 0))
            continue;
        if (describe_file(&description, path)) {
            refrain_list_add(&server->libraries, path);
            refrain_list_add(&server->libraries, description.bytes);
        } else {
            good = false;
        }
        refrain_text_free(&description);
    }
    refrain_text_free(&maps);
    return good;
}

static bool are_libraries_same(const struct server *server) {
    bool same = true;
    for (size_t i = 0; i < server->libraries.count && same; i += 2) {
        struct refrain_text now = {0};
        same =
            describe_file(&now, server->libraries.items[i]) && strcmp(now.bytes, server->libraries.items[i + 1]) == 0;
        refrain_text_free(&now);
    }
    return same;
}

/* Instruments an empty file, so that what libclang does once has been done. False: it cannot be loaded, of which the
 * wrapper will say why. */
static bool load(void) {
    struct refrain_list flags = {0};
    struct refrain_text out = {0}, reason = {0};
    refrain_list_add(&flags, "-xc");
    refrain_instrument_function *function = refrain_instrument_load(&reason);
    bool good = function && refrain_toolchain_headers(&flags, &reason);
    struct refrain_instrument_options options = {
        .program = "", .source = "/dev/null", .flags = (const char *const *)flags.items, .n_flags = flags.count};
    if (good)
        function(&options, &out, &reason);
    refrain_list_free(&flags);
    refrain_text_free(&out);
    refrain_text_free(&reason);
    return good;
}

/* ---- the parent ---- */

static void reply_and_close(int connection, const struct refrain_server_reply *reply) {
    if (send(connection, reply, sizeof *reply, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        errno = 0; /* it is gone */
    close(connection);
}

/* New ones find no server here from now on; nobody else may have begun to listen meanwhile. While a wrapper has the
 * lock, which may stand still, the socket is left for the next to take away. */
static void stop_listening(struct server *server) {
    struct stat status;
    int lock = open(server->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if ((lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) && stat(server->path, &status) == 0 &&
        status.st_ino == server->socket)
        unlink(server->path);
    close(server->listener);
    server->listener = -1;
    if (lock >= 0)
        close(lock);
}

static void accept_one(struct server *server) {
    int connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    pid_t parent = getpid();
    if (connection < 0) {
        server->full = errno != EINTR && errno != EAGAIN && errno != ECONNABORTED;
        server->stopping |= server->full && !server->running; /* and none will be */
        return;
    }
    server->stopping |= !are_libraries_same(server);
    pid_t child = server->stopping || !refrain_server_is_own(connection) ? -1 : fork();
    if (child == 0)
        serve(server, connection, parent);
    if (child < 0) {
        close(connection);
        return;
    }
    server->children =
        refrain_memory_grow(server->children, &server->capacity, server->count + 1, sizeof *server->children);
    server->children[server->count++] = (struct child){.pid = child, .connection = connection};
    server->running++;
}

static void end_child(struct server *server, struct child *child, int status) {
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_REFUSED;
    server->running--;
    server->full = false;
    if (code == STATUS_STOP) {
        child->pid = 0;
        child->stops = server->stopping = true;
        return;
    }
    bool good = code <= REFRAIN_INSTRUMENT_LEFT_ALONE;
    server->sources += good;
    reply_and_close(child->connection, &(struct refrain_server_reply){.good = good, .status = (uint32_t)code});
    *child = server->children[--server->count];
}

static void wait_for_children(struct server *server) {
    struct signalfd_siginfo info;
    int status;
    if (read(server->signals, &info, sizeof info) < 0)
        errno = 0; /* the children tell */
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < server->count; i++)
            if (server->children[i].pid == pid) {
                end_child(server, &server->children[i], status);
                break;
            }
}

static uint64_t processor_ns(int who) {
    struct rusage used;
    getrusage(who, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000u;
}

/* Nothing of the wrapper's that started it. */
static void become_independent(struct server *server) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t child;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    setsid();
    dup3(server->listener, STDERR_FILENO + 1, O_CLOEXEC); /* or it is that one */
    server->listener = STDERR_FILENO + 1;
    closefrom(STDERR_FILENO + 2);
    int null = open("/dev/null", O_RDWR);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (dup2(null, i) < 0)
            _exit(1); /* or who reads what the build says would wait for the server's end */
    close(null);
    if (chdir("/") != 0)
        _exit(1); /* there is none, in this place at least */
    server->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_NAME, "refrain-server");
}

void refrain_server_run(int listener, const char *directory, const char *path, const char *identity, unsigned seconds) {
    struct stat status;
    struct server server = {.directory = directory, .path = path, .identity = identity, .listener = listener};
    become_independent(&server);
    fcntl(server.listener, F_SETFL, O_NONBLOCK);
    server.socket = stat(path, &status) == 0 ? status.st_ino : 0;
    if (server.signals < 0 || !load() || !note_libraries(&server))
        stop_listening(&server);
    while (server.listener >= 0 || server.running) {
        struct pollfd events[] = {{.fd = server.signals, .events = POLLIN},
                                  {.fd = server.full ? -1 : server.listener, .events = POLLIN}};
        int n = poll(events, 2, server.running ? -1 : (int)seconds * 1000);
        if (n == 0)
            server.stopping = true;
        if (events[0].revents)
            wait_for_children(&server);
        if (events[1].revents && !server.stopping)
            accept_one(&server);
        if (server.stopping && server.listener >= 0)
            stop_listening(&server);
    }
    struct refrain_server_reply reply = {.good = 1,
                                         .pid = (uint64_t)getpid(),
                                         .sources = server.sources,
                                         .processor_ns = processor_ns(RUSAGE_SELF) + processor_ns(RUSAGE_CHILDREN)};
    for (size_t i = 0; i < server.count; i++)
        reply_and_close(server.children[i].connection, &reply);
    _exit(0);
}
