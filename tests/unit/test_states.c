/* The table of V8's states, asked about every function that V8's library exports: each job of the collector's and each
 * inline cache's miss has a state, each row means something that is there, and a star stays inside of one name. */
// SOURCES: src/runtime/states.c
#include <regex.h>
#include <stdio.h>

#include "../test.h"
#include "runtime/states.h"
#include "sampler/frame_state.h"

/* What V8 does of its own accord, by kind; new functions of a kind must not be forgotten. */
static const struct {
    const char *symbols; /* a regular expression */
    const char *state;   /* NULL: any */
} kinds[] = {
    {"Runtime_[A-Za-z]+_Miss\\(", "[ic]"},
    {"[A-Za-z:]+Job(Task|Dispatcher)?::Run\\(v8::JobDelegate\\*\\)$", NULL},
    {"[A-Za-z:]*Sweep[A-Za-z:]*Task::RunInternal\\(", "[gc] sweep"},
    {"Heap::(MarkCompact|MinorMarkCompact|Scavenge)\\(", NULL},
    {"Heap::CollectGarbage\\(", "[gc]"},
    {"RegExp(Impl)?::Compile(Irregexp)?\\(v8::internal::Isolate\\*, v8::internal::Handle<v8::internal::JSRegExp>",
     "[compile] regexp"},
    {"parsing::Parse[A-Z]", "[parse]"},
    {"Compiler::Compile\\(", "[compile]"},
    {"Compiler::CompileOptimized", "[compile] optimise"},
    {"Deoptimizer::(New|ComputeOutputFrames)\\(", "[deoptimise]"},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static size_t found[KIND_COUNT];
static bool is_used[256]; /* by row */

static const char *state_of(const char *symbol) {
    return sampler_frame_state_of(rt_states, rt_state_count, symbol);
}

static void check_symbol(const char *symbol, const regex_t *patterns) {
    const char *state = state_of(symbol);
    for (size_t i = 0; i < rt_state_count; i++)
        if (sampler_frame_state_of(&rt_states[i], 1, symbol) != NULL) is_used[i] = true;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (regexec(&patterns[i], symbol, 0, NULL, 0) != 0) continue;
        found[i]++;
        if (state != NULL && (kinds[i].state == NULL || strcmp(state, kinds[i].state) == 0)) continue;
        fprintf(stderr, "%s: %s\n", symbol, state != NULL ? state : "no state");
        exit(1);
    }
}

static void check_library(const char *command) {
    regex_t patterns[KIND_COUNT];
    char *line = NULL, expression[256];
    size_t cap = 0, count = 0;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        snprintf(expression, sizeof expression, "^v8::internal::%s", kinds[i].symbols);
        EXPECT_EQ(regcomp(&patterns[i], expression, REG_EXTENDED | REG_NOSUB), 0);
    }
    FILE *symbols = popen(command, "r");
    EXPECT(symbols != NULL);
    for (ssize_t nbytes; (nbytes = getline(&line, &cap, symbols)) > 0; count++) {
        const char *name = strstr(line, "v8::internal::");
        line[nbytes - 1] = '\0';
        if (name != NULL && name - line < 24) check_symbol(name, patterns); /* after address and type */
    }
    EXPECT_EQ(pclose(symbols), 0);
    EXPECT(count > 10000);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (found[i] == 0) fprintf(stderr, "no function like %s\n", kinds[i].symbols);
        EXPECT(found[i] > 0);
        regfree(&patterns[i]);
    }
    for (size_t i = 0; i < rt_state_count; i++) {
        if (!is_used[i]) fprintf(stderr, "no function %s\n", rt_states[i].symbol_prefix);
        EXPECT(is_used[i]);
    }
    free(line);
}

static void check_stars(void) {
    static const struct fino_sampler_frame_state states[] = {
        {"f(", "[f]"}, {"a::*::Run(", "[run]"}, {"a::Get*IC*_Miss(", "[miss]"}, {"b*", "[b]"}};
#define EXPECT_STATE(symbol, state)                                                                                    \
    do {                                                                                                               \
        const char *is = sampler_frame_state_of(states, 4, symbol);                                                    \
        EXPECT(is != NULL && strcmp(is, state) == 0);                                                                  \
    } while (0)
    EXPECT_STATE("f()", "[f]");
    EXPECT_STATE("a::Job::Run(int)", "[run]");
    EXPECT_STATE("a::GetIC_Miss(int)", "[miss]");
    EXPECT_STATE("a::GetNamedIC_IC_Miss_Miss(int)", "[miss]");
    EXPECT_STATE("b", "[b]");
    EXPECT(sampler_frame_state_of(states, 4, "a::Job::Task::Run(int)") == NULL);
    EXPECT(sampler_frame_state_of(states, 4, "a::GetIC_Miss") == NULL);
    EXPECT(sampler_frame_state_of(states, 4, "a::Get(IC_Miss(") == NULL);
    EXPECT(sampler_frame_state_of(states, 4, "f") == NULL);
    EXPECT(sampler_frame_state_of(states, 4, "") == NULL);
}

int main(void) {
    check_stars();
    EXPECT(rt_state_count <= sizeof is_used);
    check_library("nm -DC --defined-only vendor/v8/lib/libnode.so.*");
    return 0;
}
