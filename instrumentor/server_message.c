/* server_message.c: words and file descriptors over a socket (server_parts.h).
 *
 *     head: magic, kind, number of words and of bytes;  then the words, each with its NUL
 *
 * The descriptors come with the head.
 */
#include "server_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#define MAGIC 0x52667273u
#define BYTES_LIMIT (64u << 20) /* arguments and environment of a process are less */

struct head {
    uint32_t magic, kind, words, bytes;
};

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int) * REFRAIN_SERVER_FILES)];
};

static bool send_bytes(int connection, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t sent = send(connection, bytes, n, MSG_NOSIGNAL);
        if (sent < 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool refrain_server_send(int connection, enum refrain_server_kind kind, const struct refrain_list *words,
                         const int *files) {
    struct refrain_text text = {0};
    for (size_t i = 0; i < words->count; i++)
        refrain_text_bytes(&text, words->items[i], strlen(words->items[i]) + 1);
    struct head head = {MAGIC, kind, (uint32_t)words->count, (uint32_t)text.length};
    struct iovec part = {&head, sizeof head};
    union control control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (files) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int) * REFRAIN_SERVER_FILES);
        memcpy(CMSG_DATA(rights), files, sizeof(int) * REFRAIN_SERVER_FILES);
    }
    bool good = text.length <= BYTES_LIMIT && sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof head &&
                send_bytes(connection, text.bytes, text.length);
    refrain_text_free(&text);
    return good;
}

static void take_files(struct msghdr *message, int *files) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
            c->cmsg_len == CMSG_LEN(sizeof(int) * REFRAIN_SERVER_FILES))
            memcpy(files, CMSG_DATA(c), sizeof(int) * REFRAIN_SERVER_FILES);
}

bool refrain_server_receive(int connection, enum refrain_server_kind *kind, struct refrain_list *words, int *files) {
    struct head head;
    struct iovec part = {&head, sizeof head};
    union control control = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    for (int i = 0; i < REFRAIN_SERVER_FILES; i++)
        files[i] = -1;
    if (recvmsg(connection, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof head)
        return false;
    take_files(&message, files);
    if (head.magic != MAGIC || head.bytes > BYTES_LIMIT || (message.msg_flags & MSG_CTRUNC))
        return false;
    *kind = (enum refrain_server_kind)head.kind;
    struct refrain_text text = {0};
    char buffer[16384];
    while (text.length < head.bytes) {
        size_t rest = head.bytes - text.length;
        ssize_t n = recv(connection, buffer, rest < sizeof buffer ? rest : sizeof buffer, 0);
        if (n <= 0)
            break;
        refrain_text_bytes(&text, buffer, (size_t)n);
    }
    bool good = text.length == head.bytes && (head.bytes == 0 || text.bytes[head.bytes - 1] == '\0');
    for (size_t at = 0; good && at < text.length; at += strlen(text.bytes + at) + 1)
        refrain_list_add(words, text.bytes + at);
    refrain_text_free(&text);
    return good && words->count == head.words;
}

void refrain_server_set_patience(int connection, long seconds) {
    struct timeval time = {.tv_sec = seconds};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

bool refrain_server_is_own(int connection) {
    struct ucred other;
    socklen_t length = sizeof other;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == geteuid();
}
