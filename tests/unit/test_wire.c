// SOURCES: src/runtime/wire.c src/runtime/plan_wire.c src/runtime/import_rules.c src/runtime/resolve.c
// SOURCES: src/runtime/tsconfig.c src/runtime/jsonc.c src/runtime/utf8.c src/runtime/whole_file.c
// SOURCES: src/runtime/resolve_package.c src/runtime/packages.c src/runtime/node_names.c
// SOURCES: src/runtime/link.c src/runtime/port.c src/runtime/loop.c src/runtime/v8_shim.cc
// LINK: -ldl
// V8
/* What comes from another process: the same as was sent, or refused, whatever its bytes are; and no more memory is
 * taken for it than was sent. Each body is read from memory of exactly its size, so that the sanitizer sees any step
 * beyond. */
#include "../test.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/import_rules.h"
#include "runtime/link.h"
#include "runtime/plan_wire.h"

static uint32_t random_state = 7;

static uint32_t random_below(uint32_t bound) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

static v8s_message *make_message(void) {
    v8s_message *message = v8s_message_new();
    EXPECT(v8s_message_add_part(message, (const uint8_t *)"\xff\x0fvalue", 7));
    EXPECT(v8s_message_add_part(message, (const uint8_t *)"moved", 5));
    EXPECT(v8s_message_add_part(message, NULL, 0));
    return message;
}

static struct rt_realm_plan make_plan(void) {
    struct rt_import_rules *outer = rt_import_rules_new(true, NULL), *rules = rt_import_rules_new(false, outer);
    rt_import_rules_add(outer, RT_IMPORT_ALLOW, "fino:*", "");
    rt_import_rules_add(rules, RT_IMPORT_REMAP, "words", "/lib/words.mjs");
    rt_import_rules_add(rules, RT_IMPORT_SOURCE, "config", "export default 1;");
    rt_import_rules_release(outer);
    return (struct rt_realm_plan){.entry = "./entry.mjs",
                                  .name = "name#2",
                                  .kind = RT_REALM_SANDBOX,
                                  .rules = rules,
                                  .limits = {32u << 20, 1u << 30, 128u << 10}};
}

static void check_same(const struct rt_realm_plan *plan, const v8s_message *init) {
    struct rt_import_decision decision;
    size_t nbytes;
    EXPECT(strcmp(plan->entry, "./entry.mjs") == 0 && !plan->source && strcmp(plan->name, "name#2") == 0);
    EXPECT(plan->kind == RT_REALM_SANDBOX && plan->limits.heap_bytes == 32u << 20);
    EXPECT(plan->limits.cpu_ns == 1u << 30 && plan->limits.stack_bytes == 128u << 10);
    EXPECT(v8s_message_part_count(init) == 3);
    EXPECT(memcmp(v8s_message_part(init, 0, &nbytes), "\xff\x0fvalue", 7) == 0 && nbytes == 7);
    EXPECT(memcmp(v8s_message_part(init, 1, &nbytes), "moved", 5) == 0 && nbytes == 5);
    EXPECT(rt_import_rules_decide(plan->rules, "fino:file", &decision) == NULL);
    rt_import_decision_free(&decision);
    char *by = rt_import_rules_decide(plan->rules, "lodash", &decision);
    EXPECT(by && strstr(by, "owned by"));
    free(by);
}

/* Reads a copy of BYTES as a plan. Returns whether it is one. */
static bool read_plan(const uint8_t *bytes, size_t nbytes, bool is_whole) {
    struct rt_realm_plan plan;
    v8s_message *init;
    uint8_t *copy = malloc(nbytes ? nbytes : 1);
    if (nbytes) memcpy(copy, bytes, nbytes);
    struct rt_wire_reader reader = {copy, copy + nbytes, false};
    bool is_plan = rt_plan_get(&reader, &plan, &init);
    if (is_plan && is_whole) check_same(&plan, init);
    if (is_plan) {
        rt_plan_free(&plan);
        v8s_message_free(init);
    }
    free(copy);
    return is_plan;
}

static void check_plans(void) {
    struct rt_realm_plan plan = make_plan();
    v8s_message *init = make_message();
    struct rt_wire_buffer buffer = {0};
    rt_plan_put(&buffer, &plan, init);
    EXPECT(read_plan(buffer.bytes, buffer.nbytes, true));
    for (size_t nbytes = 0; nbytes < buffer.nbytes; nbytes++)
        EXPECT(!read_plan(buffer.bytes, nbytes, false));
    for (size_t i = 0; i < buffer.nbytes; i++)
        for (int change = 1; change < 256; change += 37) {
            buffer.bytes[i] ^= (uint8_t)change;
            read_plan(buffer.bytes, buffer.nbytes, false);
            buffer.bytes[i] ^= (uint8_t)change;
        }
    EXPECT(read_plan(buffer.bytes, buffer.nbytes, true));
    free(buffer.bytes);
    v8s_message_free(init);
    rt_import_rules_release(plan.rules);
}

static void check_ends(void) {
    struct rt_wire_buffer buffer = {0};
    v8s_message *error = make_message();
    const struct rt_realm_end sent = {.stop = RT_STOP_UNCAUGHT, .exit_code = 7, .error = error};
    rt_end_put(&buffer, &sent);
    for (size_t nbytes = 0; nbytes <= buffer.nbytes; nbytes++) {
        struct rt_wire_reader reader = {buffer.bytes, buffer.bytes + nbytes, false};
        struct rt_realm_end end;
        bool is_end = rt_end_get(&reader, &end);
        EXPECT(is_end == (nbytes == buffer.nbytes));
        if (!is_end) continue;
        EXPECT(end.stop == RT_STOP_UNCAUGHT && end.exit_code == 7 && v8s_message_part_count(end.error) == 3);
        v8s_message_free(end.error);
    }
    buffer.bytes[0] = RT_STOP_CRASHED; /* what only this side may find */
    struct rt_wire_reader reader = {buffer.bytes, buffer.bytes + buffer.nbytes, false};
    struct rt_realm_end end;
    EXPECT(!rt_end_get(&reader, &end));
    free(buffer.bytes);
    v8s_message_free(error);
}

/* ---- A link, at whose other end anybody sits ---- */

struct scene {
    struct rt_loop loop;
    struct rt_link *link;
    bool is_over;
    int error;
};

static bool on_turn(void *data, int64_t *delay_ns) {
    (void)data, (void)delay_ns;
    return true;
}
static void on_frame(void *data, enum rt_wire_type type, struct rt_wire_reader *body) {
    (void)data, (void)type;
    while (!body->is_bad)
        free(rt_wire_get_text(body));
    body->is_bad = false;
}
static void on_closed(void *data, uint32_t channel, struct rt_port *port) {
    (void)data, (void)channel;
    rt_port_free(port);
}
static void on_over(void *data, int error) {
    struct scene *scene = data;
    scene->is_over = true;
    scene->error = error;
    rt_loop_stop(&scene->loop);
}

/* Returns what the link says of these bytes and the end of the stream. */
static int hear(const struct rt_wire_buffer *bytes) {
    static const struct rt_loop_hooks hooks = {.on_turn = on_turn};
    struct scene scene = {0};
    struct rt_port *pair[2];
    int ends[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    EXPECT(rt_loop_init(&scene.loop, &hooks) == 0);
    scene.link = rt_link_new(&scene.loop, ends[0], true, &(struct rt_link_hooks){&scene, on_frame, on_closed, on_over});
    rt_port_pair(pair);
    rt_link_add_port(scene.link, 1, pair[0]);
    EXPECT(write(ends[1], bytes->bytes, bytes->nbytes) == (ssize_t)bytes->nbytes);
    shutdown(ends[1], SHUT_WR);
    rt_loop_run(&scene.loop);
    EXPECT(scene.is_over);
    bool is_closed;
    struct rt_parcel *parcel;
    while ((parcel = rt_port_take(pair[1], &is_closed)))
        rt_parcel_free(parcel);
    rt_port_free(pair[1]);
    rt_link_free(scene.link);
    rt_loop_close(&scene.loop);
    close(ends[1]);
    return scene.error;
}

static void put_frames(struct rt_wire_buffer *out) {
    v8s_message *message = make_message();
    for (uint32_t i = 0; i < 3; i++) {
        size_t start = rt_wire_begin_frame(out, RT_WIRE_MESSAGE, 1);
        rt_wire_put_u32(out, 2);
        rt_wire_put_u32(out, 3 + 4 * i);
        rt_wire_put_u32(out, 5 + 4 * i);
        rt_wire_put_message(out, message);
        EXPECT(rt_wire_end_frame(out, start));
        start = rt_wire_begin_frame(out, i == 1 ? RT_WIRE_ALIVE : RT_WIRE_CLOSE, 3 + 4 * i);
        EXPECT(rt_wire_end_frame(out, start));
    }
    v8s_message_free(message);
}

static void check_links(void) {
    struct rt_wire_buffer frames = {0}, wrong = {0};
    put_frames(&frames);
    EXPECT(hear(&frames) == 0);
    for (int i = 0; i < 3000; i++) {
        wrong.nbytes = 0;
        rt_wire_put_bytes(&wrong, frames.bytes, frames.nbytes);
        for (uint32_t changes = 1 + random_below(4); changes > 0; changes--)
            wrong.bytes[random_below((uint32_t)wrong.nbytes)] = (uint8_t)random_below(256);
        if (random_below(3) == 0) wrong.nbytes = random_below((uint32_t)wrong.nbytes);
        int error = hear(&wrong);
        EXPECT(error == 0 || error == -EPROTO || error == -ECONNRESET);
    }
    /* A port that is there already, one of this side's numbers, more than may be. */
    static const uint32_t bad_ports[][2] = {{1, 1}, {1, 2}, {1, 0}, {RT_WIRE_PORTS_MAX + 1, 3}};
    for (size_t i = 0; i < sizeof bad_ports / sizeof *bad_ports; i++) {
        wrong.nbytes = 0;
        size_t start = rt_wire_begin_frame(&wrong, RT_WIRE_MESSAGE, 1);
        rt_wire_put_u32(&wrong, bad_ports[i][0]);
        rt_wire_put_u32(&wrong, bad_ports[i][1]);
        rt_wire_put_message(&wrong, NULL);
        EXPECT(rt_wire_end_frame(&wrong, start));
        EXPECT(hear(&wrong) == -EPROTO);
    }
    free(frames.bytes);
    free(wrong.bytes);
}

int main(void) {
    v8s_start(NULL, 1); /* for the memory of ArrayBuffers */
    check_plans();
    check_ends();
    check_links();
    v8s_stop();
    return 0;
}
