/* realm_host.c: see realm_host.h. Owns the greeting and, in a host, the connections that have not greeted yet; from
 * then on they are their processes'. */
#include "runtime/realm_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/net.h"
#include "runtime/options.h"
#include "runtime/realm_process.h"
#include "runtime/resolve.h"
#include "runtime/whole_file.h"
#include "runtime/wire.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

#define MAGIC "finorlm\n"
#define MAGIC_NBYTES 8u
#define GREETING_NBYTES (MAGIC_NBYTES + 8u)
#define TOKEN_NBYTES_MAX 4096u
#define TOKEN_NBYTES_MIN 16u

#define PATIENCE_NS 10000000000u
#define GUESTS_MAX 64
#define BACKLOG 64

enum verdict { WELCOME, WRONG_TOKEN, WRONG_VERSION, NO_PROCESS };

/* ---- The owner's side ---- */

static int wait_for(int fd, short events, uint64_t deadline_ns) {
    for (;;) {
        uint64_t now_ns = rt_now_ns();
        int timeout_ms = now_ns < deadline_ns ? (int)((deadline_ns - now_ns) / 1000000u) + 1 : 0;
        struct pollfd one = {.fd = fd, .events = events};
        int count = poll(&one, 1, timeout_ms);
        if (count > 0) return 0;
        if (count == 0) return -ETIMEDOUT;
        if (errno != EINTR) return -errno;
    }
}

/* All NBYTES, one way or the other. */
static int transfer(int fd, bool is_sent, uint8_t *bytes, size_t nbytes, uint64_t deadline_ns) {
    while (nbytes > 0) {
        int error = wait_for(fd, is_sent ? POLLOUT : POLLIN, deadline_ns);
        if (error) return error;
        ssize_t count =
            is_sent ? send(fd, bytes, nbytes, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, bytes, nbytes, MSG_DONTWAIT);
        if (count == 0) return -ECONNRESET;
        if (count < 0 && errno != EAGAIN && errno != EINTR) return -errno;
        if (count < 0) continue;
        bytes += count;
        nbytes -= (size_t)count;
    }
    return 0;
}

/* ADDRESS, host:port, which must be there; looked up if it is a name. */
static int find_address(const char *address, struct rt_address *found_out) {
    const char *colon = strrchr(address, ':');
    char *end;
    unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || colon[1] < '0' || colon[1] > '9' || *end || port > 65535) return -EINVAL;
    char *host = rt_must(strndup(address, (size_t)(colon - address)));
    bool is_known = rt_address_parse(host, (uint16_t)port, found_out);
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    if (!is_known && getaddrinfo(host, colon + 1, &hints, &list) == 0 && list->ai_addrlen <= sizeof found_out->socket) {
        memcpy(&found_out->socket, list->ai_addr, list->ai_addrlen);
        found_out->nbytes = list->ai_addrlen;
        is_known = true;
    }
    if (list) freeaddrinfo(list);
    free(host);
    return is_known ? 0 : -EHOSTUNREACH;
}

static int greet(int fd, const char *token, uint64_t deadline_ns, const char **reason_out) {
    static const char *const reasons[] = {[WRONG_TOKEN] = "the host says that the token is another",
                                          [WRONG_VERSION] = "the host is of another version of fino",
                                          [NO_PROCESS] = "the host can make no process for it"};
    struct rt_wire_buffer greeting = {0};
    uint8_t answer[GREETING_NBYTES];
    rt_wire_put_bytes(&greeting, MAGIC, MAGIC_NBYTES);
    rt_wire_put_u32(&greeting, RT_WIRE_VERSION);
    rt_wire_put_text(&greeting, token);
    int error = transfer(fd, true, greeting.bytes, greeting.nbytes, deadline_ns);
    free(greeting.bytes);
    if (!error) error = transfer(fd, false, answer, sizeof answer, deadline_ns);
    if (error) return error;
    struct rt_wire_reader reader = {answer, answer + sizeof answer, false};
    const uint8_t *magic = rt_wire_get_bytes(&reader, MAGIC_NBYTES);
    uint32_t version = rt_wire_get_u32(&reader), verdict = rt_wire_get_u32(&reader);
    if (memcmp(magic, MAGIC, MAGIC_NBYTES) != 0) {
        *reason_out = "there is no realm-host of fino";
        return -EPROTO;
    }
    if (version != RT_WIRE_VERSION) verdict = WRONG_VERSION;
    if (verdict == WELCOME) return 0;
    *reason_out = verdict <= NO_PROCESS ? reasons[verdict] : "the host refuses";
    return -EACCES;
}

int rt_realm_host_connect(const char *address, const char *token, const char **reason_out) {
    struct rt_address where;
    uint64_t deadline_ns = rt_now_ns() + PATIENCE_NS;
    int pending = 0;
    socklen_t nbytes = sizeof pending;
    int error = find_address(address, &where);
    if (error) return error;
    int fd = rt_net_connect(&where);
    if (fd < 0) return fd;
    error = wait_for(fd, POLLOUT, deadline_ns);
    if (!error && getsockopt(fd, SOL_SOCKET, SO_ERROR, &pending, &nbytes) == 0) error = -pending;
    if (!error) error = greet(fd, token, deadline_ns, reason_out);
    if (!error) {
        rt_net_no_delay(fd);
        return fd;
    }
    close(fd);
    return error;
}

/* ---- The host's side ---- */

struct guest {
    int fd; /* -1: none */
    uint64_t deadline_ns;
    size_t nbytes;
    uint8_t bytes[GREETING_NBYTES + TOKEN_NBYTES_MAX];
};

struct host {
    int fd;
    uint8_t *token;
    size_t token_nbytes;
    struct guest guests[GUESTS_MAX];
};

/* The same work whatever THEIRS says. */
static bool is_token(const struct host *host, const uint8_t *theirs, size_t nbytes) {
    volatile uint8_t differs = nbytes != host->token_nbytes;
    for (size_t i = 0; i < nbytes; i++)
        differs = (uint8_t)(differs | (theirs[i] ^ host->token[i % host->token_nbytes]));
    return !differs;
}

static void dismiss(struct guest *guest) {
    close(guest->fd);
    guest->fd = -1;
}

static void answer(const struct guest *guest, enum verdict verdict) {
    struct rt_wire_buffer buffer = {0};
    rt_wire_put_bytes(&buffer, MAGIC, MAGIC_NBYTES);
    rt_wire_put_u32(&buffer, RT_WIRE_VERSION);
    rt_wire_put_u32(&buffer, verdict);
    send(guest->fd, buffer.bytes, buffer.nbytes, MSG_NOSIGNAL | MSG_DONTWAIT); /* the first bytes: there is room */
    free(buffer.bytes);
}

/* The greeting is whole. The process has the connection from here on, and answers nothing before the owner speaks. */
static void decide(const struct host *host, struct guest *guest, uint32_t version, const uint8_t *token,
                   size_t token_nbytes) {
    pid_t pid;
    enum verdict verdict = !is_token(host, token, token_nbytes) ? WRONG_TOKEN
                           : version != RT_WIRE_VERSION         ? WRONG_VERSION
                                                                : WELCOME;
    rt_net_no_delay(guest->fd);
    int error = verdict == WELCOME ? rt_process_spawn(guest->fd, "remote", &pid) : 0;
    if (error) {
        fprintf(stderr, "fino: realm-host: a process can't be made: %s\n", strerror(-error));
        verdict = NO_PROCESS;
    }
    answer(guest, verdict);
    dismiss(guest);
}

/* No more than the greeting is taken from the socket: what follows is for the process. */
static void hear(const struct host *host, struct guest *guest) {
    struct rt_wire_reader reader = {guest->bytes, guest->bytes + guest->nbytes, false};
    size_t wanted = GREETING_NBYTES;
    uint32_t version = 0, token_nbytes = 0;
    if (guest->nbytes >= GREETING_NBYTES) {
        bool is_ours = memcmp(rt_wire_get_bytes(&reader, MAGIC_NBYTES), MAGIC, MAGIC_NBYTES) == 0;
        version = rt_wire_get_u32(&reader);
        token_nbytes = rt_wire_get_u32(&reader);
        if (!is_ours || token_nbytes > TOKEN_NBYTES_MAX) {
            dismiss(guest);
            return;
        }
        wanted += token_nbytes;
    }
    if (guest->nbytes < wanted) {
        ssize_t count = recv(guest->fd, guest->bytes + guest->nbytes, wanted - guest->nbytes, MSG_DONTWAIT);
        if (count > 0)
            guest->nbytes += (size_t)count;
        else if (count == 0 || (errno != EAGAIN && errno != EINTR))
            dismiss(guest);
    }
    if (guest->fd >= 0 && guest->nbytes >= GREETING_NBYTES && guest->nbytes == wanted && wanted > GREETING_NBYTES)
        decide(host, guest, version, guest->bytes + GREETING_NBYTES, token_nbytes);
    else if (guest->fd >= 0 && guest->nbytes == GREETING_NBYTES && wanted == GREETING_NBYTES)
        hear(host, guest); /* the token may be there as well */
}

static void accept_guest(struct host *host) {
    struct guest *guest = host->guests;
    while (guest < host->guests + GUESTS_MAX && guest->fd >= 0)
        guest++;
    int fd = accept4(host->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE) usleep(10000); /* or it would be asked again at once */
        return;
    }
    if (guest == host->guests + GUESTS_MAX) {
        close(fd);
        return;
    }
    guest->fd = fd;
    guest->nbytes = 0;
    guest->deadline_ns = rt_now_ns() + PATIENCE_NS;
}

static int milliseconds_to(uint64_t deadline_ns, uint64_t now_ns) {
    return deadline_ns <= now_ns ? 0 : (int)((deadline_ns - now_ns) / 1000000u) + 1;
}

static _Noreturn void serve(struct host *host) {
    for (;;) {
        struct pollfd polls[1 + GUESTS_MAX] = {{.fd = host->fd, .events = POLLIN}};
        int timeout_ms = -1;
        uint64_t now_ns = rt_now_ns();
        for (int i = 0; i < GUESTS_MAX; i++) {
            struct guest *guest = &host->guests[i];
            if (guest->fd >= 0 && guest->deadline_ns <= now_ns) dismiss(guest);
            polls[1 + i] = (struct pollfd){.fd = guest->fd, .events = POLLIN};
            int left_ms = milliseconds_to(guest->deadline_ns, now_ns);
            if (guest->fd >= 0 && (timeout_ms < 0 || left_ms < timeout_ms)) timeout_ms = left_ms;
        }
        if (poll(polls, 1 + GUESTS_MAX, timeout_ms) <= 0) continue;
        for (int i = 0; i < GUESTS_MAX; i++)
            if (polls[1 + i].revents && host->guests[i].fd >= 0) hear(host, &host->guests[i]);
        if (polls[0].revents) accept_guest(host);
    }
}

/* ---- The command ---- */

static int usage(void) {
    fputs("usage: fino realm-host --listen HOST:PORT --token-file FILE\n"
          "\n"
          "Runs Realms that programs elsewhere make with `new Realm({ remote: 'HOST:PORT', token, ... })`, each in a\n"
          "process of its own. PORT 0: any that is free; the address is printed. FILE holds the token, 16 to 4096 "
          "bytes,\n"
          "without the white space at its end; only its owner should be able to read it. Nothing is encrypted.\n",
          stderr);
    return EXIT_USAGE;
}

/* Returns 0, or the code to exit with after a message. */
static int read_token(struct host *host, const char *path) {
    size_t nbytes;
    char *text = rt_read_whole_file(path, &nbytes);
    if (!text) {
        fprintf(stderr, "fino: realm-host: cannot read %s: %s\n", path, strerror(errno));
        return EXIT_FAILED;
    }
    while (nbytes > 0 && strchr(" \t\r\n", text[nbytes - 1]))
        nbytes--;
    if (nbytes < TOKEN_NBYTES_MIN || nbytes > TOKEN_NBYTES_MAX) {
        fprintf(stderr, "fino: realm-host: the token in %s has %zu bytes; %u to %u are needed\n", path, nbytes,
                TOKEN_NBYTES_MIN, TOKEN_NBYTES_MAX);
        return EXIT_FAILED;
    }
    host->token = (uint8_t *)text;
    host->token_nbytes = nbytes;
    return 0;
}

static int listen_at(struct host *host, const char *address) {
    struct rt_address where;
    char text[RT_ADDRESS_TEXT_NBYTES];
    int error = find_address(address, &where);
    host->fd = error ? error : rt_net_listen(&where, &(struct rt_listen_options){.backlog = BACKLOG});
    if (host->fd < 0) {
        fprintf(stderr, "fino: realm-host: cannot listen at %s: %s\n", address, strerror(-host->fd));
        return EXIT_FAILED;
    }
    where.nbytes = sizeof where.socket;
    getsockname(host->fd, &where.socket.any, &where.nbytes);
    uint16_t port = rt_address_text(&where, text);
    printf(strchr(text, ':') ? "fino realm-host listens at [%s]:%u\n" : "fino realm-host listens at %s:%u\n", text,
           port);
    fflush(stdout);
    return 0;
}

int rt_realm_host_command(char *const *arguments) {
    static struct host host;
    static const struct rt_options options; /* what its processes get: none */
    const char *listen = NULL, *token_file = NULL;
    for (; *arguments; arguments += 2) {
        const char **value = strcmp(*arguments, "--listen") == 0       ? &listen
                             : strcmp(*arguments, "--token-file") == 0 ? &token_file
                                                                       : NULL;
        if (!value || !arguments[1]) return usage();
        *value = arguments[1];
    }
    if (!listen || !token_file) return usage();
    for (int i = 0; i < GUESTS_MAX; i++)
        host.guests[i].fd = -1;
    int code = read_token(&host, token_file);
    if (!code) code = listen_at(&host, listen);
    if (code) return code;
    signal(SIGCHLD, SIG_IGN); /* nobody waits for its processes */
    signal(SIGPIPE, SIG_IGN);
    rt_process_init(&options);
    serve(&host);
}
