/* A thread inside the loader waits for one that registers: the helper, which asks the loader for its objects every
 * few milliseconds, must not keep the new thread from registering meanwhile. It once did, and all three waited for
 * ever. */
// LINK: -lz -ldl
#include <link.h>

#include "sampler_harness.h"

static void *register_and_end(void *unused) {
    sampler_thread *self = fino_sampler_thread_register("short");
    EXPECT(self != NULL);
    fino_sampler_thread_unregister(self);
    return unused;
}

/* The loader's lock is held. The helper, which looks every 40 ms, comes to where it wants that; then a new
 * thread is needed. */
static int wait_for_thread(struct dl_phdr_info *info, size_t nbytes, void *unused) {
    pthread_t thread;
    (void)info, (void)nbytes, (void)unused;
    burn_here(50 * MS);
    EXPECT_EQ(pthread_create(&thread, NULL, register_and_end, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 1;
}

int main(void) {
    alarm(60);
    sampler_recording *recording = start_recording(MS);
    for (int i = 0; i < 20; i++)
        EXPECT_EQ(dl_iterate_phdr(wait_for_thread, NULL), 1);
    fino_pprof_free(stop_recording(recording, NULL));
    return 0;
}
