/* server_ask.c: the wrapper's side of a server (server.h). */
#include "program.h"
#include "run.h"
#include "server.h"
#include "server_parts.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKLOG 1024 /* wrappers that connect while the server forks */

static bool make_address(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return false;
    memcpy(address->sun_path, path, strlen(path));
    return true;
}

/* A connection to the server at `path`, or -1; then `absent` says whether nobody listens there, which is not so when it
 * does not answer or seems to be another user's (fakeroot): to start another would not help. */
static int connect_to(const char *path, bool *absent) {
    struct sockaddr_un address;
    *absent = false;
    int connection = make_address(path, &address) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (connection < 0)
        return -1;
    refrain_server_set_patience(connection, REFRAIN_SERVER_PATIENCE_SECONDS);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) {
        if (refrain_server_is_own(connection))
            return connection;
    } else {
        *absent = errno == ENOENT || errno == ECONNREFUSED;
    }
    close(connection);
    return -1;
}

/* ---- starting one ---- */

static int listen_at(const char *path) {
    struct sockaddr_un address;
    int listener = make_address(path, &address) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (listener < 0)
        return -1;
    unlink(path); /* of a server that was killed */
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, BACKLOG) == 0)
        return listener;
    close(listener);
    return -1;
}

/* As nobody's child: the wrapper may become the compiler, which is not to wait for it. */
static bool start(int listener, const char *directory, const char *path, const char *identity, unsigned seconds) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        pid_t server = fork();
        if (server == 0) {
            refrain_program_serve(listener, directory, path, identity, seconds);
            refrain_server_run(listener, directory, path, identity, seconds);
        }
        _exit(server < 0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status == 0;
}

/* One wrapper at a time looks whether there is a server by now, and starts it; the others do their work themselves. */
static int start_and_connect(const char *directory, const char *path, const char *identity, unsigned seconds) {
    bool absent;
    int connection = -1, lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return -1;
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
        connection = connect_to(path, &absent);
        int listener = absent ? listen_at(path) : -1;
        if (listener >= 0 && start(listener, directory, path, identity, seconds))
            connection = connect_to(path, &absent);
        if (listener >= 0)
            close(listener);
        flock(lock, LOCK_UN);
    }
    close(lock);
    return connection;
}

/* ---- asking ---- */

static void add_number(struct refrain_list *words, size_t number) {
    refrain_list_format(words, "%zu", number);
}

static bool send_job(int connection, const struct refrain_job *job, const char *identity) {
    extern char **environ;
    struct refrain_list words = {0}, described = {0};
    size_t n_variables = 0;
    while (environ[n_variables])
        n_variables++;
    refrain_list_add(&words, identity);
    refrain_job_write(job, &described);
    add_number(&words, described.count);
    for (size_t i = 0; i < described.count; i++)
        refrain_list_add(&words, described.items[i]);
    add_number(&words, n_variables);
    for (size_t i = 0; i < n_variables; i++)
        refrain_list_add(&words, environ[i]);
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int files[REFRAIN_SERVER_FILES] = {
        [REFRAIN_SERVER_WORKING_DIRECTORY] = here, [REFRAIN_SERVER_STANDARD_ERROR] = STDERR_FILENO};
    bool sent = here >= 0 && refrain_server_send(connection, REFRAIN_SERVER_SOURCE, &words, files);
    if (here >= 0)
        close(here);
    refrain_list_free(&described);
    refrain_list_free(&words);
    return sent;
}

/* Waits for `n` bytes; false when they do not come: in time, or before the end. */
static bool receive(int connection, void *bytes, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t got = recv(connection, (char *)bytes + done, n - done, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool refrain_server_instrument(const struct refrain_job *job, enum refrain_instrument_status *status) {
    struct refrain_text directory = {0}, identity = {0}, path = {0};
    struct refrain_server_reply reply = {0};
    char begun;
    bool absent;
    int connection = -1;
    if (job->build->server_seconds == 0)
        return false;
    if (refrain_server_directory(&directory, true) && refrain_server_identity(&identity)) {
        refrain_text_format(&path, "%s/%016llx" REFRAIN_SERVER_SUFFIX, directory.bytes,
                            (unsigned long long)refrain_text_hash(identity.bytes));
        connection = connect_to(path.bytes, &absent);
        if (absent)
            connection = start_and_connect(directory.bytes, path.bytes, identity.bytes, job->build->server_seconds);
    }
    bool done = refrain_run_wait_for(connection) && connection >= 0 && send_job(connection, job, identity.bytes) &&
                receive(connection, &begun, 1);
    if (done) {
        refrain_server_set_patience(connection, 0);
        done = receive(connection, &reply, sizeof reply) && reply.good && reply.status <= REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    refrain_run_wait_for(-1);
    if (connection >= 0)
        close(connection); /* which ends a child that is still at work */
    refrain_run_check_signal();
    *status = (enum refrain_instrument_status)reply.status;
    refrain_text_free(&directory);
    refrain_text_free(&identity);
    refrain_text_free(&path);
    return done;
}

/* ---- stopping ---- */

static bool stop(const char *path, struct refrain_server_reply *reply) {
    const struct refrain_list none = {0};
    char begun;
    bool absent;
    int connection = connect_to(path, &absent);
    if (connection < 0)
        return false;
    bool stopped = refrain_server_send(connection, REFRAIN_SERVER_STOP, &none, NULL) && receive(connection, &begun, 1);
    refrain_server_set_patience(connection, 0); /* its children finish what they do */
    stopped = stopped && receive(connection, reply, sizeof *reply);
    close(connection);
    return stopped;
}

int refrain_server_stop(const char *program) {
    struct refrain_text directory = {0};
    unsigned stopped = 0;
    DIR *sockets = refrain_server_directory(&directory, false) ? opendir(directory.bytes) : NULL;
    for (struct dirent *entry; sockets && (entry = readdir(sockets));) {
        const char *suffix = strrchr(entry->d_name, '.');
        struct refrain_text path = {0};
        struct refrain_server_reply reply;
        refrain_text_format(&path, "%s/%s", directory.bytes, entry->d_name);
        if (suffix && strcmp(suffix, REFRAIN_SERVER_SUFFIX) == 0 && stop(path.bytes, &reply)) {
            printf("%s: server %llu has ended: %llu sources, %.3f s of processor time\n", program,
                   (unsigned long long)reply.pid, (unsigned long long)reply.sources, (double)reply.processor_ns / 1e9);
            stopped++;
        }
        refrain_text_free(&path);
    }
    if (sockets)
        closedir(sockets);
    if (!stopped)
        printf("%s: no server is running\n", program);
    refrain_text_free(&directory);
    return 0;
}
