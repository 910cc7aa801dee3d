/* pprof_listen.c: see pprof_listen.h. Owns the listening thread, a thread for each connection, and what they answer;
 * recordings are profile.c's. One request a connection. */
#include "runtime/pprof_listen.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/http_parse.h"
#include "runtime/net.h"
#include "runtime/profile.h"
#include "runtime/thread.h"

#define HEAD_NBYTES_MAX 16384
#define CONNECTIONS_MAX 16
#define STACK_NBYTES (1u << 20)
#define PATIENCE_MS 10000 /* for a request, and for each part of an answer to be taken */
#define REST_MS 100       /* when a connection can't be accepted, such as for want of descriptors: it stays ready */
#define SECONDS_DEFAULT 30
#define SECONDS_MAX 600
#define HZ_MIN 10
#define HZ_MAX 10000

static struct {
    int fd, wake_fd; /* WAKE_FD becomes readable, for good, at the end */
    bool listens;
    char *const *argv;
    pthread_mutex_t mutex;
    pthread_cond_t none_left;
    size_t thread_count; /* under MUTEX: of connections, and the one that listens */
    atomic_flag records;
} server = {.mutex = PTHREAD_MUTEX_INITIALIZER, .none_left = PTHREAD_COND_INITIALIZER, .records = ATOMIC_FLAG_INIT};

/* ---- Waiting ---- */

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Until FD is ready for EVENTS. Returns false when DEADLINE_MS has passed, or the process ends. */
static bool wait_until(int fd, short events, uint64_t deadline_ms) {
    struct pollfd ready[] = {{.fd = fd, .events = events}, {.fd = server.wake_fd, .events = POLLIN}};
    for (uint64_t now = now_ms(); now < deadline_ms; now = now_ms())
        if (poll(ready, 2, deadline_ms - now < INT_MAX ? (int)(deadline_ms - now) : -1) > 0)
            return ready[1].revents == 0;
    return false;
}

/* ---- Requests and answers ---- */

struct request {
    char bytes[HEAD_NBYTES_MAX];
    size_t nbytes;
    struct http_head head;
    char path[256];  /* without the query */
    char query[256]; /* without the ? */
};

static bool write_all(int fd, const void *data, size_t nbytes) {
    const char *at = data;
    while (nbytes > 0) {
        ssize_t written = send(fd, at, nbytes, MSG_NOSIGNAL);
        if (written > 0) {
            at += written;
            nbytes -= (size_t)written;
        } else if (written < 0 && errno != EINTR &&
                   (errno != EAGAIN || !wait_until(fd, POLLOUT, now_ms() + PATIENCE_MS))) {
            return false;
        }
    }
    return true;
}

static void answer(int fd, const char *status, const char *type, const void *body, size_t nbytes) {
    char head[512];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                          "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\r\n",
                          status, type, nbytes);
    if (write_all(fd, head, (size_t)length)) write_all(fd, body, nbytes);
}

static void answer_text(int fd, const char *status, const char *text) {
    answer(fd, status, "text/plain; charset=utf-8", text, strlen(text));
}

/* Returns false when it did not come in time, or was answered with what is wrong with it. */
static bool read_request(int fd, struct request *request) {
    static const struct http_limits limits = {.head_nbytes = HEAD_NBYTES_MAX, .field_count = 100};
    uint64_t deadline_ms = now_ms() + PATIENCE_MS;
    int size = 0;
    while (size == 0 && request->nbytes < sizeof request->bytes) {
        if (!wait_until(fd, POLLIN, deadline_ms)) return false;
        ssize_t got = recv(fd, request->bytes + request->nbytes, sizeof request->bytes - request->nbytes, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
        if (got > 0) request->nbytes += (size_t)got;
        size = http_parse_request(&request->head, (const uint8_t *)request->bytes, request->nbytes, &limits);
    }
    if (size > 0) return true;
    answer_text(fd, "400 Bad Request", request->head.problem ? request->head.problem : "the request is too long");
    return false;
}

/* Fills path and query. Returns false when they are too long to be any of ours. */
static bool take_target(struct request *request) {
    const char *target = request->bytes + request->head.target_start, *mark;
    size_t nbytes = request->head.target_nbytes, path_nbytes;
    mark = memchr(target, '?', nbytes);
    path_nbytes = mark ? (size_t)(mark - target) : nbytes;
    if (path_nbytes >= sizeof request->path || nbytes - path_nbytes >= sizeof request->query) return false;
    memcpy(request->path, target, path_nbytes);
    if (mark) memcpy(request->query, mark + 1, nbytes - path_nbytes - 1);
    return true;
}

/* The value of the field NAME, without spaces around it; NULL: there is none. */
static const char *find_field(const struct request *request, const char *name, size_t *nbytes_out) {
    const char *at = request->bytes + request->head.fields_start, *end = request->bytes + request->head.fields_end;
    size_t name_nbytes = strlen(name);
    while (at < end) {
        const char *line_end = memchr(at, '\r', (size_t)(end - at));
        if (!line_end) return NULL;
        if ((size_t)(line_end - at) > name_nbytes && at[name_nbytes] == ':' &&
            strncasecmp(at, name, name_nbytes) == 0) {
            const char *value = at + name_nbytes + 1;
            while (value < line_end && (*value == ' ' || *value == '\t'))
                value++;
            while (line_end > value && (line_end[-1] == ' ' || line_end[-1] == '\t'))
                line_end--;
            *nbytes_out = (size_t)(line_end - value);
            return value;
        }
        at = line_end + 2;
    }
    return NULL;
}

static bool is_loopback(const struct rt_address *address) {
    if (address->socket.any.sa_family == AF_INET) return ntohl(address->socket.v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address->socket.v6.sin6_addr);
}

/* HOST[:PORT]: fills ADDRESS_OUT, and *HAS_PORT_OUT unless it is NULL. Returns false when it is no address. */
static bool parse_address(const char *text, size_t nbytes, struct rt_address *address_out, bool *has_port_out) {
    char host[128];
    if (nbytes >= sizeof host) return false;
    memcpy(host, text, nbytes);
    host[nbytes] = 0;
    char *colon = strrchr(host, ':'), *end = NULL;
    if (colon && strchr(colon, ']')) colon = NULL; /* within an IPv6 address */
    unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (colon && (colon[1] < '0' || colon[1] > '9' || *end || port > 65535)) return false;
    if (colon) *colon = 0;
    if (has_port_out) *has_port_out = colon != NULL;
    return *host && rt_address_parse(host, (uint16_t)port, address_out);
}

static bool has_our_host(const struct request *request) {
    struct rt_address address;
    size_t nbytes;
    const char *host = find_field(request, "Host", &nbytes);
    return host && parse_address(host, nbytes, &address, NULL) && is_loopback(&address);
}

/* Reads NAME=NUMBER in the query into *NUMBER, which stays what it is when there is none. Returns false unless it is
 * from MIN to MAX. */
static bool take_number(const struct request *request, const char *name, long min, long max, long *number) {
    size_t length = strlen(name);
    for (const char *at = request->query; at; at = strchr(at, '&')) {
        if (*at == '&') at++;
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        char *end;
        *number = strtol(at + length + 1, &end, 10);
        return end != at + length + 1 && (!*end || *end == '&') && *number >= min && *number <= max;
    }
    return true;
}

/* ---- What there is ---- */

static void record(int fd, long seconds, long hz) {
    uint8_t *data = NULL;
    size_t nbytes = 0;
    sampler_recording *recording;
    int error = rt_profile_open(NULL, hz ? 1000000000u / (uint64_t)hz : 0, &recording);
    if (error) {
        answer_text(fd, "500 Internal Server Error", strerror(-error));
        return;
    }
    /* A client that goes away is readable: nobody waits for the answer any more. */
    uint64_t deadline_ms = now_ms() + (uint64_t)seconds * 1000;
    bool is_over = !wait_until(fd, POLLIN | POLLRDHUP, deadline_ms) && now_ms() >= deadline_ms;
    error = rt_profile_close(NULL, recording, "live", &data, &nbytes);
    if (is_over && !error) answer(fd, "200 OK", "application/octet-stream", data, nbytes);
    if (is_over && error) answer_text(fd, "500 Internal Server Error", strerror(-error));
    fino_sampler_bytes_free(data);
}

static void serve_profile(int fd, const struct request *request) {
    long seconds = SECONDS_DEFAULT, hz = 0;
    if (!take_number(request, "seconds", 1, SECONDS_MAX, &seconds)) {
        answer_text(fd, "400 Bad Request", "seconds must be a whole number from 1 to 600\n");
    } else if (!take_number(request, "hz", HZ_MIN, HZ_MAX, &hz)) {
        answer_text(fd, "400 Bad Request", "hz must be a whole number from 10 to 10000\n");
    } else if (atomic_flag_test_and_set(&server.records)) {
        answer_text(fd, "409 Conflict", "a profile is being recorded already; try again when it is done\n");
    } else {
        record(fd, seconds, hz);
        atomic_flag_clear(&server.records);
    }
}

static void serve_command_line(int fd, const struct request *request) {
    char *text = NULL;
    size_t nbytes = 0;
    (void)request;
    FILE *file = open_memstream(&text, &nbytes);
    if (!file) return;
    for (size_t i = 0; server.argv[i]; i++) {
        if (i) fputc(0, file);
        fputs(server.argv[i], file);
    }
    if (fclose(file) == 0) answer(fd, "200 OK", "text/plain; charset=utf-8", text, nbytes);
    free(text);
}

/* Profiles come with names: there is nothing to look up. */
static void serve_symbols(int fd, const struct request *request) {
    (void)request;
    answer_text(fd, "200 OK", "num_symbols: 0\n");
}

/* Links of the index are relative in other tools' eyes: its address ends in a slash. */
static void serve_redirect(int fd, const struct request *request) {
    static const char head[] = "HTTP/1.1 301 Moved Permanently\r\nLocation: /debug/pprof/\r\nContent-Length: 0\r\n"
                               "Connection: close\r\n\r\n";
    (void)request;
    write_all(fd, head, sizeof head - 1);
}

static void serve_index(int fd, const struct request *request);

static const struct {
    const char *path, *help; /* without HELP it is not listed */
    void (*serve)(int fd, const struct request *request);
} pages[] = {
    {"/debug/pprof", NULL, serve_redirect},
    {"/debug/pprof/", "this page", serve_index},
    {"/debug/pprof/profile", "a CPU profile of all threads: ?seconds=30&amp;hz=1000", serve_profile},
    {"/debug/pprof/cmdline", "the command line", serve_command_line},
    {"/debug/pprof/symbol", "names of addresses: none, as profiles have them in", serve_symbols},
};
#define PAGE_COUNT (sizeof pages / sizeof *pages)

static void serve_index(int fd, const struct request *request) {
    char text[2048] = "<!doctype html><meta charset=utf-8><title>fino: profiles</title><h1>Profiles</h1><ul>\n";
    size_t nbytes = strlen(text);
    (void)request;
    for (size_t i = 0; i < PAGE_COUNT; i++)
        if (pages[i].help)
            nbytes += (size_t)snprintf(text + nbytes, sizeof text - nbytes, "<li><a href=\"%s\">%s</a>: %s\n",
                                       pages[i].path, pages[i].path, pages[i].help);
    answer(fd, "200 OK", "text/html; charset=utf-8", text, nbytes);
}

static void serve(int fd) {
    struct request request = {0};
    if (!read_request(fd, &request)) return;
    const char *method = request.bytes;
    bool is_get = request.head.method_nbytes == 3 && strncmp(method, "GET", 3) == 0;
    bool is_post = request.head.method_nbytes == 4 && strncmp(method, "POST", 4) == 0;
    if (!has_our_host(&request)) {
        answer_text(fd, "403 Forbidden", "the Host is none of this machine's loopback addresses\n");
        return;
    }
    for (size_t i = 0; take_target(&request) && i < PAGE_COUNT; i++) {
        if (strcmp(request.path, pages[i].path) != 0) continue;
        if (is_get || (is_post && pages[i].serve == serve_symbols))
            pages[i].serve(fd, &request);
        else
            answer_text(fd, "405 Method Not Allowed", "only GET\n");
        return;
    }
    answer_text(fd, "404 Not Found", "there is nothing here; /debug/pprof/ lists what there is\n");
}

/* ---- Threads ---- */

/* Starts RUN(ARGUMENT), which ends with end_thread. Returns 0 or a negative errno. */
static int start_thread(void *(*run)(void *argument), void *argument) {
    pthread_mutex_lock(&server.mutex);
    int error = server.thread_count <= CONNECTIONS_MAX ? rt_thread_start(run, argument, STACK_NBYTES, NULL) : -EAGAIN;
    if (!error) server.thread_count++;
    pthread_mutex_unlock(&server.mutex);
    return error;
}

static void end_thread(void) {
    pthread_mutex_lock(&server.mutex);
    if (--server.thread_count == 0) pthread_cond_signal(&server.none_left);
    pthread_mutex_unlock(&server.mutex);
}

/* What the client sent and we did not read would make the kernel reset the connection: its answer would be lost. */
static void close_gently(int fd) {
    char rest[1024];
    shutdown(fd, SHUT_WR);
    for (uint64_t deadline_ms = now_ms() + 1000; wait_until(fd, POLLIN, deadline_ms);)
        if (recv(fd, rest, sizeof rest, 0) <= 0) break;
    close(fd);
}

static void *run_connection(void *argument) {
    int fd = (int)(intptr_t)argument;
    pthread_setname_np(pthread_self(), "fino-pprof"); /* its label in a profile */
    serve(fd);
    close_gently(fd);
    end_thread();
    return NULL;
}

static void *run_server(void *argument) {
    (void)argument;
    pthread_setname_np(pthread_self(), "fino-pprof");
    while (wait_until(server.fd, POLLIN, UINT64_MAX)) {
        int fd = accept4(server.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            wait_until(server.wake_fd, 0, now_ms() + REST_MS);
        else if (start_thread(run_connection, (void *)(intptr_t)fd) != 0)
            close(fd);
    }
    end_thread();
    return NULL;
}

static int listen_at(const char *text) {
    struct rt_address address;
    bool has_port;
    if (!parse_address(text, strlen(text), &address, &has_port) || !has_port) {
        fprintf(stderr, "fino: --pprof-listen=%s is not an address and a port, such as 127.0.0.1:6060\n", text);
        return -1;
    }
    if (!is_loopback(&address)) {
        fprintf(stderr, "fino: --pprof-listen=%s: profiles are served on loopback addresses only, such as 127.0.0.1\n",
                text);
        return -1;
    }
    int fd = rt_net_listen(&address, &(struct rt_listen_options){.backlog = CONNECTIONS_MAX});
    if (fd >= 0) return fd;
    fprintf(stderr, "fino: cannot listen at %s: %s\n", text, strerror(-fd));
    return -1;
}

int rt_pprof_listen(const char *text, char *const argv[]) {
    struct rt_address address = {.nbytes = sizeof address.socket};
    char host[RT_ADDRESS_TEXT_NBYTES];
    server.fd = listen_at(text);
    if (server.fd < 0) return -1;
    server.argv = argv;
    server.wake_fd = eventfd(0, EFD_CLOEXEC);
    int error = server.wake_fd < 0 ? -errno : start_thread(run_server, NULL);
    if (error) {
        fprintf(stderr, "fino: cannot serve profiles: %s\n", strerror(-error));
        return -1;
    }
    server.listens = true;
    getsockname(server.fd, &address.socket.any, &address.nbytes);
    unsigned port = rt_address_text(&address, host);
    bool is_v6 = address.socket.any.sa_family == AF_INET6;
    fprintf(stderr, "fino: profiles at http://%s%s%s:%u/debug/pprof/\n", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
            port);
    return 0;
}

void rt_pprof_listen_close(void) {
    if (!server.listens) return;
    server.listens = false;
    (void)!write(server.wake_fd, &(uint64_t){1}, sizeof(uint64_t));
    pthread_mutex_lock(&server.mutex);
    while (server.thread_count > 0)
        pthread_cond_wait(&server.none_left, &server.mutex);
    pthread_mutex_unlock(&server.mutex);
    close(server.fd);
}
