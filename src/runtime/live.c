/* live.c: see live.h. Owns the thread that serves requests from outside and the recordings it makes for them.
 *
 * The handler of the signal writes the token into a pipe, for the thread to read. A thread that nobody needs yet would
 * cost a short program a millisecond. It is made when the first signal comes: by the loop, which is woken; or, while
 * the main thread runs JavaScript and may never come back to its loop, by the handler itself. That can't be done
 * wherever a handler may run, but is safe there: machine code that V8 made holds none of the locks that making a thread
 * takes. When it meets the main thread elsewhere, in V8 or in a system call, the handler has itself called again a
 * little later. */
#include "runtime/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/profile.h"
#include "runtime/realm.h"
#include "runtime/signals.h"
#include "runtime/thread.h"
#include "runtime/v8_jit.h"
#include "runtime/whole_file.h"

#define CLIENTS_MAX 8
#define STACK_NBYTES (1u << 20)
#define PATIENCE_S 5 /* for each part of an exchange with whoever asks */

#define RETRY_NS 1000000

#define TOKEN_BITS 48
#define TOKEN_MASK (((uint64_t)1 << TOKEN_BITS) - 1)
#define MAGIC ((uint64_t)0xf190 << TOKEN_BITS)

#define TOGGLE 0             /* in the pipe, instead of a token: begin a recording, or end it */
#define CLOSE (~(uint64_t)0) /* the process ends */

struct client {
    int fd;
    sampler_recording *recording;
    uint64_t end_ns;
};

enum phase {
    SHUT,    /* not open yet, or closed */
    OPEN,    /* signals are taken, and wait in the pipe */
    RUNNING, /* the thread reads them */
};

static struct {
    pthread_mutex_t mutex; /* protects changes of PHASE */
    _Atomic(enum phase) phase;
    atomic_bool is_asked; /* a signal came while OPEN */
    timer_t timer;
    pthread_t main_thread;
    struct v8s_code_ranges ranges;
    int pipe_fds[2];
    sem_t closed;
    struct rt_realm *realm;
    /* The thread's own. */
    struct client clients[CLIENTS_MAX];
    size_t client_count;
    sampler_recording *toggled; /* NULL: SIGUSR2 begins one */
    char file_name[64];         /* where it goes; relative: the current directory is as good as any */
} live = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- Between the two processes ---- */

union sigval rt_live_value(uint64_t token) {
    return (union sigval){.sival_ptr = (void *)(uintptr_t)(MAGIC | token)}; // NOLINT(performance-no-int-to-ptr)
}

bool rt_live_is_ours(const siginfo_t *info) {
    bool has_value = info->si_code == SI_QUEUE || info->si_code == SI_TIMER;
    return has_value && ((uintptr_t)info->si_value.sival_ptr & ~TOKEN_MASK) == MAGIC;
}

int rt_live_address(uint64_t token, struct sockaddr_un *address_out) {
    struct stat status;
    int nbytes = snprintf(address_out->sun_path, sizeof address_out->sun_path, "/tmp/fino-%u", (unsigned)geteuid());
    address_out->sun_family = AF_UNIX;
    if (mkdir(address_out->sun_path, 0700) != 0 && errno != EEXIST) return -errno;
    if (lstat(address_out->sun_path, &status) != 0) return -errno;
    if (!S_ISDIR(status.st_mode)) return -ENOTDIR;
    if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) return -EACCES;
    snprintf(address_out->sun_path + nbytes, sizeof address_out->sun_path - (size_t)nbytes, "/%012llx",
             (unsigned long long)token);
    return 0;
}

bool rt_live_is_own_peer(int fd) {
    struct ucred peer;
    socklen_t nbytes = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &nbytes) == 0 && peer.uid == geteuid();
}

/* ---- Those who ask ---- */

static bool send_all(int fd, const void *data, size_t nbytes) {
    for (const char *at = data; nbytes > 0;) {
        ssize_t sent = send(fd, at, nbytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return false;
        if (sent < 0) continue;
        at += sent;
        nbytes -= (size_t)sent;
    }
    return true;
}

/* A sample on this thread interrupts what has a timeout: SA_RESTART does not count there (signal(7)). */
static bool receive_request(int fd, struct rt_live_request *request_out) {
    ssize_t got;
    while ((got = recv(fd, request_out, sizeof *request_out, MSG_WAITALL)) < 0 && errno == EINTR) {
    }
    return got == sizeof *request_out;
}

static void send_answer(int fd, int error, const uint8_t *data, size_t nbytes) {
    const struct rt_live_answer answer = {RT_LIVE_VERSION, error, nbytes};
    if (send_all(fd, &answer, sizeof answer)) send_all(fd, data, nbytes);
    close(fd);
}

/* Returns a connection to whoever listens for TOKEN, or -1. */
static int connect_to(uint64_t token) {
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address;
    if (rt_live_address(token, &address) != 0) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int result;
    while ((result = connect(fd, (struct sockaddr *)&address, sizeof address)) != 0 && errno == EINTR) {
    }
    if (result == 0 && rt_live_is_own_peer(fd)) return fd;
    close(fd);
    return -1;
}

static int check(const struct rt_live_request *request) {
    if (request->version != RT_LIVE_VERSION) return -EPROTO;
    if (request->seconds < 1 || request->seconds > RT_LIVE_SECONDS_MAX) return -EINVAL;
    return live.client_count < CLIENTS_MAX ? 0 : -EBUSY;
}

static void begin_client(uint64_t token) {
    struct rt_live_request request;
    struct client client = {.fd = connect_to(token)};
    if (client.fd < 0) return;
    if (!receive_request(client.fd, &request)) {
        close(client.fd);
        return;
    }
    int error = check(&request);
    if (!error) error = rt_profile_open(NULL, request.interval_ns, &client.recording);
    client.end_ns = rt_now_ns() + (uint64_t)request.seconds * 1000000000u;
    if (error)
        send_answer(client.fd, error, NULL, 0);
    else
        live.clients[live.client_count++] = client;
}

static void end_client(size_t index) {
    struct client client = live.clients[index];
    uint8_t *data = NULL;
    size_t nbytes = 0;
    live.clients[index] = live.clients[--live.client_count];
    int error = rt_profile_close(NULL, client.recording, "live", &data, &nbytes);
    send_answer(client.fd, error, data, error ? 0 : nbytes);
    fino_sampler_bytes_free(data);
}

/* ---- SIGUSR2 ---- */

/* A file that is not there yet. */
static void name_file(void) {
    snprintf(live.file_name, sizeof live.file_name, "profile.%d.pb", (int)getpid());
    for (unsigned i = 2; access(live.file_name, F_OK) == 0; i++)
        snprintf(live.file_name, sizeof live.file_name, "profile.%d.%u.pb", (int)getpid(), i);
}

static void begin_toggled(void) {
    name_file();
    int error = rt_profile_open(NULL, 0, &live.toggled);
    if (error)
        fprintf(stderr, "fino: SIGUSR2: cannot profile: %s\n", strerror(-error));
    else
        fprintf(stderr, "fino: SIGUSR2: recording until the next one, into %s\n", live.file_name);
    /* What would end the process shall not lose it. */
    if (!error) (void)rt_signals_stop_realm(live.realm);
}

static void end_toggled(void) {
    const char *name = live.file_name;
    uint8_t *data = NULL;
    size_t nbytes = 0;
    int error = rt_profile_close(NULL, live.toggled, "SIGUSR2", &data, &nbytes);
    live.toggled = NULL;
    if (!error) error = rt_write_whole_file(name, data, nbytes);
    fino_sampler_bytes_free(data);
    if (error)
        fprintf(stderr, "fino: SIGUSR2: cannot write the profile %s: %s\n", name, strerror(-error));
    else
        fprintf(stderr, "fino: SIGUSR2: wrote %s, %.1f kB\n", name, (double)nbytes / 1e3);
}

/* ---- The thread ---- */

static void obey(uint64_t message) {
    if (message != TOGGLE)
        begin_client(message);
    else if (live.toggled)
        end_toggled();
    else
        begin_toggled();
}

/* Until the first recording's end, in milliseconds as poll takes them. */
static int time_left_ms(void) {
    uint64_t now_ns = rt_now_ns(), least_ns = UINT64_MAX;
    for (size_t i = 0; i < live.client_count; i++) {
        uint64_t end_ns = live.clients[i].end_ns, left_ns = end_ns > now_ns ? end_ns - now_ns : 0;
        if (left_ns < least_ns) least_ns = left_ns;
    }
    return least_ns == UINT64_MAX ? -1 : (int)(least_ns / 1000000 + 1); /* a day at most: it fits */
}

static void *run_live(void *argument) {
    uint64_t message = TOGGLE;
    (void)argument;
    pthread_setname_np(pthread_self(), "fino-live"); /* its label in a profile */
    while (message != CLOSE) {
        struct pollfd ready[1 + CLIENTS_MAX] = {{.fd = live.pipe_fds[0], .events = POLLIN}};
        size_t count = live.client_count;
        for (size_t i = 0; i < count; i++)
            ready[1 + i] = (struct pollfd){.fd = live.clients[i].fd, .events = POLLIN};
        if (poll(ready, 1 + count, time_left_ms()) < 0) continue;
        /* From the last: ending one moves the last into its place. */
        for (size_t i = count; i-- > 0;)
            if (ready[1 + i].revents || live.clients[i].end_ns <= rt_now_ns()) end_client(i);
        if (ready[0].revents && read(live.pipe_fds[0], &message, sizeof message) == sizeof message && message != CLOSE)
            obey(message);
    }
    while (live.client_count > 0)
        end_client(live.client_count - 1);
    if (live.toggled) end_toggled();
    sem_post(&live.closed);
    return NULL;
}

/* ---- Making the thread ---- */

/* Until there is a thread the timer calls the handler every RETRY_NS. */
static void set_timer(long ns) {
    const struct itimerspec time = {.it_value.tv_nsec = ns, .it_interval.tv_nsec = ns};
    timer_settime(live.timer, 0, &time, NULL);
}

void rt_live_need(void) {
    if (atomic_load_explicit(&live.phase, memory_order_relaxed) != OPEN) return;
    pthread_mutex_lock(&live.mutex);
    if (live.phase == OPEN && rt_thread_start(run_live, NULL, STACK_NBYTES, NULL) == 0) {
        live.phase = RUNNING;
        set_timer(0);
    }
    pthread_mutex_unlock(&live.mutex);
}

void rt_live_turn(void) {
    if (atomic_load_explicit(&live.is_asked, memory_order_relaxed)) rt_live_need();
}

static bool is_in_javascript(const void *context) {
    uintptr_t pc = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    const struct v8s_code_ranges *ranges = &live.ranges;
    return pthread_equal(pthread_self(), live.main_thread) &&
           ((pc >= ranges->jit_start && pc < ranges->jit_limit) ||
            (pc >= ranges->embedded_start && pc < ranges->embedded_limit));
}

/* SIGNAL_SAFE: write, timer_settime, rt_loop_wake, which promises it; and rt_live_need where the opening comment says
 * so. What does not fit into the pipe is one of hundreds that nobody has got to yet. */
static void on_signal(const siginfo_t *info, const void *context) {
    uint64_t message = rt_live_is_ours(info) ? (uintptr_t)info->si_value.sival_ptr & TOKEN_MASK : TOGGLE;
    if (info->si_code != SI_TIMER) (void)!write(live.pipe_fds[1], &message, sizeof message);
    if (atomic_load(&live.phase) != OPEN) return;
    if (is_in_javascript(context)) {
        rt_live_need();
    } else if (!atomic_exchange(&live.is_asked, true)) {
        set_timer(RETRY_NS);
        rt_loop_wake(&live.realm->loop);
    }
}

void rt_live_open(struct rt_realm *realm) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value = rt_live_value(0)};
    struct sigaction old;
    if (sigaction(SIGUSR2, NULL, &old) != 0 || old.sa_handler == SIG_IGN) return;
    if (timer_create(CLOCK_MONOTONIC, &event, &live.timer) != 0) return;
    if (pipe2(live.pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) return;
    sem_init(&live.closed, 0, 0);
    live.realm = realm;
    live.main_thread = pthread_self();
    v8s_get_code_ranges(realm->isolate, &live.ranges);
    atomic_store(&live.phase, OPEN);
    rt_signals_set_live(on_signal);
}

void rt_live_close(void) {
    pthread_mutex_lock(&live.mutex);
    enum phase phase = atomic_exchange(&live.phase, SHUT);
    pthread_mutex_unlock(&live.mutex);
    if (phase == SHUT) return;
    set_timer(0);
    rt_signals_set_live(NULL);
    if (phase != RUNNING) return;
    while (write(live.pipe_fds[1], &(uint64_t){CLOSE}, sizeof(uint64_t)) < 0 && errno == EAGAIN)
        poll(NULL, 0, 1); /* the thread reads what is in there */
    while (sem_wait(&live.closed) != 0 && errno == EINTR) {
    }
}
