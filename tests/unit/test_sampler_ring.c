/* A ring hands over records of every length, whole and in order, while one thread writes and another reads; none is
 * written beyond its memory, which ends at a guard page; and a ring that is emptied in time goes on at its start. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "sampler/ring_sig.h"

#define WORD_COUNT 4096
#define RECORDS 20000

static struct sampler_ring ring;

static void open_ring(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = sampler_ring_nbytes(WORD_COUNT);
    size_t pages = (nbytes + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    EXPECT_EQ(mprotect(memory + pages, page, PROT_NONE), 0);
    ring = (struct sampler_ring){.words = (uint64_t *)(void *)(memory + pages - nbytes), .word_count = WORD_COUNT};
}

static unsigned frames_of(unsigned number) {
    static const unsigned lengths[] = {
        1, 60, 3, SAMPLER_FRAME_LIMIT, 17, SAMPLER_FRAME_LIMIT + SAMPLER_STEP_FRAMES - 1};
    return lengths[number * 7 % 6];
}

/* Returns: whether it had room. */
static bool write_record(unsigned number) {
    struct sampler_ring_writer writer = sampler_ring_begin_sig(&ring);
    for (unsigned i = 0; i < frames_of(number); i++) {
        struct sampler_raw_frame frame = {
            .pc = number + i, .extra = {i, number}, .extra_count = (uint8_t)((number + i) % 3)};
        sampler_ring_put_frame_sig(&writer, &frame);
    }
    if (!writer.full) sampler_ring_publish_sig(&ring, &writer, SAMPLER_END_COMPLETE, number, number, NULL);
    return !writer.full;
}

static void read_record(const uint64_t *record, unsigned number) {
    struct sampler_record_header header = sampler_record_unpack(record[0]);
    const uint64_t *next = record + SAMPLER_RECORD_FIXED_WORDS;
    EXPECT_EQ(header.frame_count, frames_of(number));
    EXPECT_EQ(record[1], number);
    for (unsigned i = 0; i < header.frame_count; i++) {
        struct sampler_raw_frame frame;
        sampler_frame_unpack(*next++, &frame);
        EXPECT_EQ(frame.pc, number + i);
        EXPECT_EQ(frame.extra_count, (number + i) % 3);
        if (frame.extra_count > 0) EXPECT_EQ(next[0], i);
        if (frame.extra_count > 1) EXPECT_EQ(next[1], number);
        next += frame.extra_count;
    }
    EXPECT_EQ((uint32_t)(next - record), header.word_count);
}

/* Reads what waits, from record NUMBER on. Returns: the number of the next record. */
static unsigned read_waiting(unsigned number) {
    uint64_t tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring.head, memory_order_acquire);
    while (tail != head) {
        const uint64_t *record = sampler_ring_record(&ring, tail);
        read_record(record, number++);
        tail += sampler_record_unpack(record[0]).word_count;
        atomic_store_explicit(&ring.tail, tail, memory_order_release);
    }
    return number;
}

static void *produce(void *unused) {
    for (unsigned number = 0; number < RECORDS;) {
        if (write_record(number))
            number++;
        else
            sched_yield(); /* the handler would drop it */
    }
    return unused;
}

static void test_two_threads(void) {
    pthread_t producer;
    EXPECT_EQ(pthread_create(&producer, NULL, produce, NULL), 0);
    for (unsigned number = 0; number < RECORDS;)
        number = read_waiting(number);
    pthread_join(producer, NULL);
    EXPECT_EQ(sampler_ring_used_sig(&ring), 0);
}

/* Every length begins at every place of the memory in time; a record that has no room changes nothing. */
static void test_filling_up(void) {
    unsigned number = 0, first = 0, dropped = 0;
    for (unsigned round = 0; round < 5000; round++) {
        if (write_record(number)) {
            number++;
        } else {
            dropped++;
            read_record(sampler_ring_record(&ring, atomic_load(&ring.tail)), first);
            uint64_t tail = atomic_load(&ring.tail);
            atomic_store(&ring.tail, tail + sampler_record_unpack(*sampler_ring_record(&ring, tail)).word_count);
            first++;
        }
    }
    EXPECT(dropped > 1000);
    EXPECT_EQ(read_waiting(first), number);
}

static void test_starts_over(void) {
    for (unsigned number = 0; number < 1000; number++) {
        uint64_t position = atomic_load(&ring.head);
        EXPECT(write_record(number));
        EXPECT(sampler_ring_record(&ring, position) == ring.words);
        EXPECT_EQ(read_waiting(number), number + 1);
    }
}

int main(void) {
    open_ring();
    test_starts_over();
    test_filling_up();
    test_two_threads();
    return 0;
}
