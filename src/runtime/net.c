/* net.c: TCP sockets (net.h). Who waits for what on them is others' business. */

#include "runtime/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static bool parse_v6(const char *host, struct in6_addr *out) {
    size_t nbytes = strlen(host);
    char bare[INET6_ADDRSTRLEN];
    if (host[0] != '[') return inet_pton(AF_INET6, host, out) == 1;
    if (host[nbytes - 1] != ']' || nbytes - 2 >= sizeof bare) return false;
    memcpy(bare, host + 1, nbytes - 2);
    bare[nbytes - 2] = 0;
    return inet_pton(AF_INET6, bare, out) == 1;
}

bool rt_address_parse(const char *host, uint16_t port, struct rt_address *address_out) {
    *address_out = (struct rt_address){0};
    struct sockaddr_in *v4 = &address_out->socket.v4;
    struct sockaddr_in6 *v6 = &address_out->socket.v6;
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        address_out->nbytes = sizeof *v4;
        return true;
    }
    if (!parse_v6(host, &v6->sin6_addr)) return false;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address_out->nbytes = sizeof *v6;
    return true;
}

uint16_t rt_address_text(const struct rt_address *address, char text_out[RT_ADDRESS_TEXT_NBYTES]) {
    bool is_v6 = address->socket.any.sa_family == AF_INET6;
    const void *bytes = is_v6 ? (const void *)&address->socket.v6.sin6_addr : &address->socket.v4.sin_addr;
    inet_ntop(address->socket.any.sa_family, bytes, text_out, RT_ADDRESS_TEXT_NBYTES);
    return ntohs(is_v6 ? address->socket.v6.sin6_port : address->socket.v4.sin_port);
}

static int new_socket(const struct rt_address *address) {
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

static int fail(int fd) {
    int error = -errno;
    close(fd);
    return error;
}

int rt_net_listen(const struct rt_address *address, const struct rt_listen_options *options) {
    int fd = new_socket(address), on = 1;
    if (fd < 0) return fd;
    /* Without it, a server could not start again while connections of its predecessor are in TIME_WAIT. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    rt_net_no_delay(fd); /* inherited by what is accepted */
    if (options->reuse_port && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0) return fail(fd);
    if (bind(fd, &address->socket.any, address->nbytes) < 0 || listen(fd, options->backlog) < 0) return fail(fd);
    return fd;
}

int rt_net_connect(const struct rt_address *address) {
    int fd = new_socket(address);
    if (fd < 0) return fd;
    rt_net_no_delay(fd);
    if (connect(fd, &address->socket.any, address->nbytes) < 0 && errno != EINPROGRESS) return fail(fd);
    return fd;
}

void rt_net_no_delay(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}
