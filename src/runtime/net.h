/* net.h: TCP sockets: addresses as text, listening, connecting. All sockets are non-blocking and close-on-exec.
 *
 * Threads: any.
 */
#ifndef FINO_RT_NET_H
#define FINO_RT_NET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct rt_address {
    socklen_t nbytes;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } socket;
};

/* Enough for an address as text, with its NUL. */
#define RT_ADDRESS_TEXT_NBYTES INET6_ADDRSTRLEN

/* HOST: an IPv4 or IPv6 address (in brackets or not), or localhost. Returns: whether it is one; then *ADDRESS_OUT. */
bool rt_address_parse(const char *host, uint16_t port, struct rt_address *address_out);
/* Returns the port. */
uint16_t rt_address_text(const struct rt_address *address, char text_out[RT_ADDRESS_TEXT_NBYTES]);

struct rt_listen_options {
    int backlog;
    bool reuse_port; /* other processes may listen on the same one, and share its connections */
};
/* Return a descriptor or a negative errno. */
int rt_net_listen(const struct rt_address *address, const struct rt_listen_options *options);
/* The connection may still be in the making: it is made when the socket becomes writable, and SO_ERROR says how. */
int rt_net_connect(const struct rt_address *address);

/* Makes small writes go out at once. */
void rt_net_no_delay(int fd);

#endif
