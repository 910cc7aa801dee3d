/* threads.c: the registry of threads: records, timers, labels, stacks; registration and discovery.
 *
 * The library needs no help to know of threads: it scans /proc/self/task while a recording is open. Threads that
 * register (or are registered by threads_interpose.c) are sampled from their first instruction to their last.
 */
#include "sampler/threads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "sampler/clock.h"
#include "sampler/delivery.h"
#include "sampler/fold.h"

/* 64 KiB: 130 samples of 60 native frames; the helper drains at half of it. Managed threads drain only when their
 * runtime gets to it, which a long garbage collection can put off by a second: 1 MiB is ~1,000 samples of 60 frames.
 * Where that doesn't happen, only the touched part is ever memory. */
#define RING_WORDS (8 * 1024)
#define MANAGED_RING_WORDS (128 * 1024)

_Static_assert(SAMPLER_RECORD_MAX_WORDS < RING_WORDS / 2, "any record must fit beside a ring's other half");
_Static_assert(sizeof(uintptr_t) == 8, "the timers' value packs a generation and an index into 64 bits");

#define TID_BUCKETS 1024
#define NAME_RULES_MAX 16
#define LABEL_BUCKETS 256

static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static int open_result;
static int signal_number;
static pthread_key_t exit_key;

/* Under REGISTRY_MUTEX. */
static struct {
    struct sampler_thread *live;
    struct sampler_thread *unused;
    struct sampler_thread *by_tid[TID_BUCKETS];
    uint32_t record_count;
    bool proc_works; /* as of the last scan */
    uint64_t ended_cpu_ns;
    struct sampler_counter_sums ended;
} registry;

/* Where unregistered threads' accounts stand: if one is discovered again (it didn't end, or not yet), its CPU time
 * before isn't counted twice. Under REGISTRY_MUTEX; an entry lasts until another tid needs its place. */
static struct {
    pid_t tid;
    uint64_t cpu_ns;
} departed[1024];

/* Under the fold lock. */
static struct {
    struct {
        const char *prefix;
        const char *label;
        unsigned count;
    } rules[NAME_RULES_MAX];
    size_t rule_count;
    unsigned unnamed_count;
    struct used_label {
        struct used_label *next; /* in its bucket */
        unsigned count;
        char label[FINO_SAMPLER_LABEL_SIZE];
    } * used[LABEL_BUCKETS];
} labels;

void sampler_registry_lock(void) {
    pthread_mutex_lock(&registry_mutex);
}

void sampler_registry_unlock(void) {
    pthread_mutex_unlock(&registry_mutex);
}

struct sampler_thread *sampler_threads_first(void) {
    return registry.live;
}

/* ---- Opening ---- */

static void unregister_at_exit(void *thread) {
    if (sampler_self == thread) fino_sampler_thread_unregister(thread);
}

static int choose_signal(void) {
    for (int signal = SIGRTMAX - 3; signal > SIGRTMIN; signal--) {
        struct sigaction now;
        if (sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            return signal;
    }
    return -EAGAIN;
}

static void handle(int signal, siginfo_t *info, void *ucontext) {
    if (sampler_delivery_catch_sig(info)) return;
    sampler_handler_sig(signal, info, ucontext);
}

static void open_registry(void) {
    struct sigaction action;
    int signal = choose_signal();
    if (signal < 0) {
        open_result = signal;
        return;
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    int error = pthread_key_create(&exit_key, unregister_at_exit);
    if (error == 0 && sigaction(signal, &action, NULL) != 0) error = errno;
    if (error == 0) signal_number = signal;
    open_result = -error;
}

int sampler_threads_open(void) {
    pthread_once(&open_once, open_registry);
    return open_result;
}

bool sampler_threads_have_signal(void) {
    struct sigaction now;
    return sigaction(signal_number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle;
}

int fino_sampler_signal(void) {
    return signal_number;
}

/* ---- Labels ---- */

/* Does it look as if it were made unique already? */
static bool has_number(const char *label) {
    const char *mark = strrchr(label, '#');
    return mark && mark[1] != '\0' && mark[1 + strspn(mark + 1, "0123456789")] == '\0';
}

/* How often BASE was asked for, this time included. */
static unsigned count_label(const char *base) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *at = base; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    struct used_label **bucket = &labels.used[hash % LABEL_BUCKETS], *used = *bucket;
    while (used && strcmp(used->label, base) != 0)
        used = used->next;
    if (!used) {
        used = calloc(1, sizeof *used);
        if (!used) return 1; /* short of memory, two threads may share a label */
        strcpy(used->label, base);
        used->next = *bucket;
        *bucket = used;
    }
    return ++used->count;
}

/* Writes LABEL, with "#2", "#3", ... from its second use on. What ends like that itself always gets a number, so that
 * it can't be another's second use. With the fold lock. */
static void make_unique(const char *label, char unique_out[FINO_SAMPLER_LABEL_SIZE]) {
    char base[FINO_SAMPLER_LABEL_SIZE - 12];
    snprintf(base, sizeof base, "%s", label);
    unsigned count = count_label(base);
    if (count == 1 && !has_number(base))
        strcpy(unique_out, base);
    else
        snprintf(unique_out, FINO_SAMPLER_LABEL_SIZE, "%s#%u", base, count);
}

static void set_unique_label(struct sampler_thread *thread, const char *label) {
    make_unique(label, thread->label);
}

void fino_sampler_unique_label(const char *label, char unique_out[FINO_SAMPLER_LABEL_SIZE]) {
    sampler_fold_lock();
    make_unique(label, unique_out);
    sampler_fold_unlock();
}

static void read_name(pid_t tid, char *name, size_t size) {
    char path[64];
    ssize_t length = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, name, size - 1);
        close(fd);
    }
    if (length < 0) length = 0;
    if (length > 0 && name[length - 1] == '\n') length--;
    name[length] = '\0';
}

/* Names the thread after what the system calls it. A thread that has its process's name was given none. */
static void find_label(struct sampler_thread *thread) {
    char name[16], process_name[16];
    pid_t tid = atomic_load(&thread->tid), pid = getpid();
    if (tid == pid) {
        set_unique_label(thread, "main");
        return;
    }
    read_name(tid, name, sizeof name);
    if (name[0] == '\0') memcpy(name, thread->name, sizeof thread->name); /* it has ended */
    read_name(pid, process_name, sizeof process_name);
    for (size_t i = 0; i < labels.rule_count; i++) {
        if (strncmp(name, labels.rules[i].prefix, strlen(labels.rules[i].prefix)) != 0) continue;
        snprintf(thread->label, sizeof thread->label, "%.48s-%u", labels.rules[i].label, ++labels.rules[i].count);
        return;
    }
    if (name[0] == '\0' || strcmp(name, process_name) == 0)
        snprintf(thread->label, sizeof thread->label, "thread-%u", ++labels.unnamed_count);
    else
        set_unique_label(thread, name);
}

const char *sampler_thread_label(struct sampler_thread *thread) {
    if (thread->label[0] == '\0') find_label(thread);
    return thread->label;
}

int fino_sampler_name_threads(const char *name_prefix, const char *label) {
    int result = -ENOSPC;
    sampler_fold_lock();
    if (labels.rule_count < NAME_RULES_MAX) {
        labels.rules[labels.rule_count].prefix = name_prefix;
        labels.rules[labels.rule_count++].label = label;
        result = 0;
    }
    sampler_fold_unlock();
    return result;
}

/* A thread that has this label already keeps it: it may have been found, and named, before it registered. */
static void relabel(struct sampler_thread *thread, const char *label) {
    sampler_fold_lock();
    if (strcmp(thread->label, label) != 0) {
        set_unique_label(thread, label);
        thread->label_set = FINO_PPROF_NONE;
    }
    sampler_fold_unlock();
}

/* ---- Records ---- */

static struct sampler_thread *new_record(void) {
    if (registry.record_count == SAMPLER_THREAD_MAX) return NULL;
    void *memory = mmap(NULL, sizeof(struct sampler_thread), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    struct sampler_thread *thread = memory;
    thread->index = registry.record_count++;
    atomic_store(&sampler_shared.threads[thread->index], thread);
    return thread;
}

static struct sampler_thread **bucket_of(pid_t tid) {
    return &registry.by_tid[(unsigned)tid % TID_BUCKETS];
}

static struct sampler_thread *find(pid_t tid) {
    struct sampler_thread *thread = *bucket_of(tid);
    while (thread && atomic_load(&thread->tid) != tid)
        thread = thread->chain;
    return thread;
}

static void reset_record(struct sampler_thread *thread, pid_t tid) {
    thread->timer_cpu = thread->timer_wall = SAMPLER_TIMER_NONE;
    thread->label_set = FINO_PPROF_NONE;
    thread->name[0] = thread->label[0] = thread->managed_label[0] = '\0';
    thread->tag_key = thread->tag_value = NULL;
    thread->park_disarmed = false;
    thread->parked_ns = thread->last_wait_ns = 0;
    thread->blocked_count = thread->blocked_park_count = thread->park_count = 0;
    thread->random = (uint32_t)tid * 2654435761u ^ (uint32_t)sampler_clock_sig(CLOCK_MONOTONIC);
    if (thread->random == 0) thread->random = 1;
    thread->stack_searches = 0;
    thread->born_cpu_ns = thread->seen_cpu_ns = 0;
    atomic_store(&thread->accounted_cpu_ns, 0);
    atomic_store(&thread->managed, NULL);
    atomic_store(&thread->guest, NULL);
    atomic_store(&thread->owed_ns, 0);
    thread->is_host = false;
    atomic_store(&thread->bounds_known, false);
    atomic_store(&thread->seen_sp, 0);
    atomic_store(&thread->park, SAMPLER_RUNNING);
    atomic_store(&thread->paused, false);
    atomic_store(&thread->wants_drain, false);
    atomic_store(&thread->closing, false);
    atomic_store(&thread->tid, tid);
}

static struct sampler_thread *add(pid_t tid, bool discovered) {
    struct sampler_thread *thread = registry.unused;
    if (thread)
        registry.unused = thread->next;
    else if (!(thread = new_record()))
        return NULL;
    reset_record(thread, tid);
    sampler_fold_lock();
    sampler_fold_discard(thread, 0);
    sampler_fold_unlock();
    thread->discovered = discovered;
    thread->seen = true;
    thread->next = registry.live;
    registry.live = thread;
    thread->chain = *bucket_of(tid);
    *bucket_of(tid) = thread;
    return thread;
}

static void unlink_record(struct sampler_thread *thread) {
    struct sampler_thread **link = &registry.live;
    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
    link = bucket_of(atomic_load(&thread->tid));
    while (*link != thread)
        link = &(*link)->chain;
    *link = thread->chain;
}

/* Moves what the handler counted from the thread to the sums of ended threads. */
static void retire_counters(struct sampler_thread *thread) {
    struct sampler_counters *counters = &thread->counters;
    registry.ended.lost_ring_full += atomic_exchange(&counters->lost_ring_full, 0);
    registry.ended.merged += atomic_exchange(&counters->merged, 0);
    registry.ended.signals += atomic_exchange(&counters->signals, 0);
    registry.ended.handler_ns += atomic_exchange(&counters->handler_ns, 0);
    for (int i = 0; i < SAMPLER_HISTOGRAM_SIZE; i++)
        registry.ended.histogram[i] += atomic_exchange(&counters->histogram[i], 0);
}

/* Takes a thread out, which is dead, or the calling one and closing. CPU_NS: its last CPU time. */
static void take_out(struct sampler_thread *thread, uint64_t cpu_ns) {
    pid_t tid = atomic_load(&thread->tid);
    sampler_timer_delete(thread->timer_cpu);
    sampler_timer_delete(thread->timer_wall);
    thread->timer_cpu = thread->timer_wall = SAMPLER_TIMER_NONE;
    if (atomic_load(&sampler_shared.interval_ns) != 0) {
        sampler_fold_lock();
        sampler_fold_drain(thread);
        sampler_fold_account(thread, cpu_ns);
        sampler_fold_unlock();
        registry.ended_cpu_ns += atomic_load(&thread->accounted_cpu_ns) - thread->born_cpu_ns;
        departed[(unsigned)tid % (sizeof departed / sizeof departed[0])].tid = tid;
        departed[(unsigned)tid % (sizeof departed / sizeof departed[0])].cpu_ns = cpu_ns;
    }
    retire_counters(thread);
    unlink_record(thread);
    atomic_fetch_add(&thread->generation, 1);
    atomic_store(&thread->tid, 0);
    atomic_store(&thread->managed, NULL);
    thread->next = registry.unused;
    registry.unused = thread;
}

/* ---- Rings ---- */

bool sampler_thread_size_ring(struct sampler_thread *thread) {
    size_t wanted = atomic_load(&thread->managed) || thread->is_host ? MANAGED_RING_WORDS : RING_WORDS;
    struct sampler_ring *ring = &thread->ring;
    if (ring->word_count >= wanted) return true;
    void *words = mmap(NULL, sampler_ring_nbytes(wanted), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (words == MAP_FAILED) return ring->word_count != 0;
    memset(words, 0, SAMPLER_RING_TOUCHED_NBYTES);
    if (ring->words) munmap(ring->words, sampler_ring_nbytes(ring->word_count));
    ring->words = words;
    ring->word_count = wanted;
    atomic_store(&ring->tail, atomic_load(&ring->head));
    return true;
}

/* ---- Timers ---- */

static void make_timers(struct sampler_thread *thread) {
    pid_t tid = atomic_load(&thread->tid);
    uint32_t generation = atomic_load(&thread->generation);
    if (thread->timer_cpu == SAMPLER_TIMER_NONE) {
        int timer = sampler_timer_create(sampler_clock_of_thread(tid), tid, signal_number,
                                         sampler_timer_value(thread->index, generation, SAMPLER_TIMER_CPU));
        if (timer >= 0) thread->timer_cpu = timer;
    }
    if (thread->timer_wall == SAMPLER_TIMER_NONE) {
        int timer = sampler_timer_create(CLOCK_MONOTONIC, tid, signal_number,
                                         sampler_timer_value(thread->index, generation, SAMPLER_TIMER_WALL));
        if (timer >= 0) thread->timer_wall = timer;
    }
}

void sampler_thread_arm(struct sampler_thread *thread, uint64_t interval_ns, bool busy) {
    uint64_t cpu_ns = sampler_thread_cpu_ns(thread);
    if (!sampler_thread_size_ring(thread)) return; /* its CPU time is still accounted */
    make_timers(thread);
    bool wall = busy && thread->timer_wall != SAMPLER_TIMER_NONE;
    sampler_schedule_start(thread, interval_ns, cpu_ns);
    atomic_store(&thread->clock, wall ? SAMPLER_TIMER_WALL : SAMPLER_TIMER_CPU);
    sampler_arm_sig(thread, thread->armed_wall_ns, cpu_ns);
}

void sampler_thread_disarm(struct sampler_thread *thread) {
    sampler_timer_set_sig(thread->timer_cpu, 0, 0);
    sampler_timer_set_sig(thread->timer_wall, 0, 0);
}

void sampler_thread_hurry(struct sampler_thread *thread, uint64_t interval_ns) {
    if (atomic_load(&thread->clock) == SAMPLER_TIMER_CPU)
        sampler_timer_set_sig(thread->timer_cpu, interval_ns, 0);
    else if (atomic_load(&thread->park) == SAMPLER_RUNNING)
        sampler_timer_set_sig(thread->timer_wall, interval_ns, interval_ns);
}

/* ---- Accounts ---- */

uint64_t sampler_thread_cpu_ns(const struct sampler_thread *thread) {
    uint64_t cpu_ns = sampler_clock_sig(sampler_clock_of_thread(atomic_load(&thread->tid)));
    return cpu_ns != 0 ? cpu_ns : thread->seen_cpu_ns;
}

void sampler_threads_begin(void) {
    sampler_fold_lock();
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        thread->born_cpu_ns = sampler_thread_cpu_ns(thread);
        sampler_fold_discard(thread, thread->born_cpu_ns);
    }
    sampler_fold_discard_guests();
    sampler_fold_unlock();
    registry.ended_cpu_ns = 0;
    memset(departed, 0, sizeof departed);
}

uint64_t sampler_threads_accounted_ns(void) {
    uint64_t sum = registry.ended_cpu_ns;
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next)
        sum += atomic_load(&thread->accounted_cpu_ns) - thread->born_cpu_ns;
    return sum;
}

void sampler_threads_sum(struct sampler_counter_sums *sums_out) {
    *sums_out = registry.ended;
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        struct sampler_counters *counters = &thread->counters;
        sums_out->lost_ring_full += atomic_load_explicit(&counters->lost_ring_full, memory_order_relaxed);
        sums_out->merged += atomic_load_explicit(&counters->merged, memory_order_relaxed);
        sums_out->signals += atomic_load_explicit(&counters->signals, memory_order_relaxed);
        sums_out->handler_ns += atomic_load_explicit(&counters->handler_ns, memory_order_relaxed);
        for (int i = 0; i < SAMPLER_HISTOGRAM_SIZE; i++)
            sums_out->histogram[i] += atomic_load_explicit(&counters->histogram[i], memory_order_relaxed);
    }
}

void sampler_threads_spent(uint64_t *signals_out, uint64_t *handler_ns_out) {
    *signals_out = registry.ended.signals;
    *handler_ns_out = registry.ended.handler_ns;
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        *signals_out += atomic_load_explicit(&thread->counters.signals, memory_order_relaxed);
        *handler_ns_out += atomic_load_explicit(&thread->counters.handler_ns, memory_order_relaxed);
    }
}

/* The CPU time from which a thread that turned up while recording is accounted: its birth, unless it left an account
 * behind or nobody could have seen it before. */
static uint64_t account_from(pid_t tid, uint64_t cpu_ns) {
    size_t slot = (unsigned)tid % (sizeof departed / sizeof departed[0]);
    if (departed[slot].tid == tid && departed[slot].cpu_ns <= cpu_ns) return departed[slot].cpu_ns;
    return registry.proc_works ? 0 : cpu_ns;
}

static void join_recording(struct sampler_thread *thread, bool busy) {
    uint64_t interval_ns = atomic_load(&sampler_shared.interval_ns);
    if (interval_ns == 0) return;
    thread->born_cpu_ns = account_from(atomic_load(&thread->tid), sampler_thread_cpu_ns(thread));
    atomic_store(&thread->accounted_cpu_ns, thread->born_cpu_ns);
    sampler_thread_arm(thread, interval_ns, busy);
}

/* ---- Stacks ---- */

/* The most that the main thread's stack is taken to span: the kernel keeps this much below it free of other mappings.
 * Source: MIN_GAP in arch/x86/mm/mmap.c. */
#define MAIN_STACK_MAX (UINT64_C(128) << 20)

static void set_bounds(struct sampler_thread *thread, uintptr_t low, uintptr_t limit) {
    thread->bounds.low = low;
    thread->bounds.limit = limit;
    atomic_store_explicit(&thread->bounds_known, true, memory_order_release);
}

static uintptr_t main_stack_low(uintptr_t limit) {
    struct rlimit stack;
    uint64_t size = MAIN_STACK_MAX;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < size) size = stack.rlim_cur;
    return limit - size;
}

/* Without /proc the C library can't tell where the main thread's stack ends; but the kernel put the program's name
 * there, at the very end, and at least to the end of its page it is mapped. */
static void find_main_stack(struct sampler_thread *thread) {
    const char *name = (const char *)getauxval(AT_EXECFN);
    uintptr_t page_nbytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (name == NULL) return;
    uintptr_t limit = ((uintptr_t)name + strlen(name) + page_nbytes) / page_nbytes * page_nbytes;
    set_bounds(thread, main_stack_low(limit), limit);
}

static void find_own_stack(struct sampler_thread *thread) {
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        if (atomic_load(&thread->tid) == getpid()) find_main_stack(thread);
        return;
    }
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        uintptr_t limit = (uintptr_t)low + size;
        bool is_main = atomic_load(&thread->tid) == getpid();
        set_bounds(thread, is_main ? main_stack_low(limit) : (uintptr_t)low, limit);
    }
    pthread_attr_destroy(&attributes);
}

/* The mapping [START, END) may be the stack of threads that asked. Neighbouring mappings can have been merged with a
 * stack, but a thread's control block lies above its frames in the same allocation: that far is surely its own. */
static void offer_mapping(uintptr_t start, uintptr_t end) {
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        uintptr_t sp = atomic_load_explicit(&thread->seen_sp, memory_order_acquire);
        if (atomic_load(&thread->bounds_known) || sp < start || sp >= end) continue;
        uintptr_t tls = atomic_load(&thread->seen_tls);
        bool is_main = atomic_load(&thread->tid) == getpid();
        set_bounds(thread, is_main ? main_stack_low(end) : start, !is_main && tls > sp && tls < end ? tls : end);
    }
}

static bool somebody_asks(void) {
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        if (atomic_load(&thread->seen_sp) != 0 && !atomic_load(&thread->bounds_known)) return true;
    }
    return false;
}

/* How often a thread may ask again after its stack was in no mapping. */
#define STACK_SEARCHES_MAX 3

void sampler_threads_find_stacks(void) {
    char *line = NULL;
    size_t capacity = 0;
    if (!somebody_asks()) return;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && getline(&line, &capacity, maps) > 0) {
        unsigned long long start, end;
        char access[5];
        if (sscanf(line, "%llx-%llx %4s", &start, &end, access) == 3 && access[0] == 'r' && access[1] == 'w')
            offer_mapping((uintptr_t)start, (uintptr_t)end);
    }
    free(line);
    if (maps) fclose(maps);
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next) {
        if (atomic_load(&thread->seen_sp) == 0 || atomic_load(&thread->bounds_known)) continue;
        if (++thread->stack_searches < STACK_SEARCHES_MAX)
            atomic_store(&thread->seen_sp, 0); /* it may ask again */
        else
            set_bounds(thread, 0, 0); /* leaves only */
    }
}

/* ---- Discovery ---- */

/* A thread that unregistered and has hardly run since is about to end. */
#define DEPARTING_NS UINT64_C(1000000)

static bool is_departing(pid_t tid) {
    size_t slot = (unsigned)tid % (sizeof departed / sizeof departed[0]);
    if (departed[slot].tid != tid) return false;
    uint64_t cpu_ns = sampler_clock_sig(sampler_clock_of_thread(tid));
    return cpu_ns >= departed[slot].cpu_ns && cpu_ns < departed[slot].cpu_ns + DEPARTING_NS;
}

/* Returns: true if the thread is new. */
static bool meet(pid_t tid, bool at_start) {
    struct sampler_thread *thread = find(tid);
    if (thread) {
        thread->seen = true;
        return false;
    }
    if (is_departing(tid) || !(thread = add(tid, true))) return false;
    if (!at_start) join_recording(thread, false);
    return true;
}

static bool is_gone(pid_t tid) {
    return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

static int bury_dead(void) {
    int count = 0;
    struct sampler_thread *next;
    for (struct sampler_thread *thread = registry.live; thread; thread = next) {
        next = thread->next;
        /* Reading IN_HANDLER also makes what its last handler wrote ours. */
        if (!thread->seen && is_gone(atomic_load(&thread->tid)) && !atomic_load(&thread->in_handler)) {
            atomic_store(&thread->managed, NULL); /* it may be gone with its thread */
            take_out(thread, thread->seen_cpu_ns);
            count++;
        } else {
            thread->seen_cpu_ns = sampler_thread_cpu_ns(thread);
            if (thread->discovered && thread->label[0] == '\0')
                read_name(atomic_load(&thread->tid), thread->name, sizeof thread->name);
        }
    }
    return count;
}

/* A /proc of another PID namespace would show strangers, and have everybody buried alive. */
static bool proc_is_ours(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)sampler_gettid());
    return access(path, F_OK) == 0;
}

int sampler_threads_scan(bool at_start) {
    int count = 0;
    struct dirent *entry;
    registry.proc_works = proc_is_ours();
    DIR *tasks = registry.proc_works ? opendir("/proc/self/task") : NULL;
    if (!tasks) return -ESRCH;
    for (struct sampler_thread *thread = registry.live; thread; thread = thread->next)
        thread->seen = false;
    while ((entry = readdir(tasks))) {
        if (isdigit((unsigned char)entry->d_name[0])) count += meet((pid_t)atoi(entry->d_name), at_start);
    }
    closedir(tasks);
    return count + bury_dead();
}

/* ---- Registration ---- */

static void unblock_signal(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

sampler_thread *fino_sampler_thread_register(const char *label) {
    if (sampler_threads_open() != 0) return NULL;
    pid_t tid = sampler_gettid();
    sampler_registry_lock();
    struct sampler_thread *thread = find(tid);
    bool is_new = !thread;
    if (is_new) thread = add(tid, false);
    if (thread) {
        thread->discovered = false;
        if (!atomic_load(&thread->bounds_known)) find_own_stack(thread);
        if (label) relabel(thread, label);
        sampler_self = thread;
        if (is_new) join_recording(thread, true);
    }
    sampler_registry_unlock();
    if (thread) {
        pthread_setspecific(exit_key, thread);
        unblock_signal();
    }
    return thread;
}

void fino_sampler_thread_unregister(sampler_thread *thread) {
    if (!thread || sampler_self != thread) return;
    atomic_store(&thread->closing, true);
    pthread_setspecific(exit_key, NULL);
    sampler_registry_lock();
    take_out(thread, sampler_clock_sig(CLOCK_THREAD_CPUTIME_ID));
    sampler_self = NULL;
    sampler_registry_unlock();
}

sampler_thread *fino_sampler_thread_self(void) {
    return sampler_self;
}

void sampler_threads_after_fork(void) {
    struct sampler_thread *self = sampler_self, *next;
    pthread_mutex_init(&registry_mutex, NULL);
    for (struct sampler_thread *thread = registry.live; thread; thread = next) {
        next = thread->next;
        thread->timer_cpu = thread->timer_wall = SAMPLER_TIMER_NONE;
        if (thread != self) take_out(thread, 0);
    }
    if (!self) return;
    unlink_record(self);
    atomic_store(&self->tid, sampler_gettid());
    self->next = registry.live;
    registry.live = self;
    self->chain = *bucket_of(atomic_load(&self->tid));
    *bucket_of(atomic_load(&self->tid)) = self;
}
