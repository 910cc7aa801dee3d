// LINK: -ldl -lm
/* At every instruction of functions of the C library, the loader, the vDSO and libcrypto's assembly the walk gives
 * exactly the callers that there are. */
#include <dlfcn.h>
#include <math.h>
#include <regex.h>
#include <time.h>

#include "../test.h"
#include "unwind_single_step.h"

static char buffer[4096];
static volatile double number = 1234.5678;
static void *crypto;

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static void sort(void) {
    int values[40];
    for (int i = 0; i < 40; i++)
        values[i] = i * 7919 % 41;
    qsort(values, 40, sizeof values[0], compare);
}

static void format(void) {
    snprintf(buffer, sizeof buffer, "%s %d %f %g %a %ls %p", "text", 42, number, number, number, L"wide",
             (void *)buffer);
    sscanf("12 3.5e7 word", "%*d %*f %*s");
}

static void strings(void) {
    for (size_t nbytes = 1; nbytes < 2048; nbytes = nbytes * 3 + 1) {
        memset(buffer, 'a', nbytes);
        memmove(buffer + 7, buffer, nbytes);
        buffer[nbytes] = 0;
        number += (double)(strlen(buffer) + (strchr(buffer, 'b') != NULL) + (memchr(buffer, 'c', nbytes) != NULL));
        number += strcmp(buffer, buffer + 1) + memcmp(buffer, buffer + 1, nbytes);
    }
}

static void allocate(void) {
    void *blocks[20];
    for (size_t i = 0; i < 20; i++)
        blocks[i] = malloc(i * i * 40);
    for (size_t i = 0; i < 20; i++)
        free(blocks[i]);
}

static void match(void) {
    regex_t expression;
    regmatch_t found[2];
    if (regcomp(&expression, "a+(b|c)*d", REG_EXTENDED) != 0) abort();
    regexec(&expression, "xxaabcbcd", 2, found, 0);
    regfree(&expression);
}

static void mathematics(void) {
    number = sin(number) + exp(number / 1e4) + pow(number, 0.3) + fmod(number, 3) + cbrt(number) + lgamma(number);
}

static void ask_clock(void) {
    struct timespec now;
    time_t seconds;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    seconds = time(NULL);
    localtime(&seconds);
}

static void load(void) {
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL) dlclose(library);
    if (dlsym(RTLD_DEFAULT, "no_such_symbol_here") != NULL) abort();
}

static void hash(void) {
    static const char *const names[] = {"SHA1", "SHA256", "SHA512"};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *(*digest)(const void *, size_t, unsigned char *);
        *(void **)&digest = dlsym(crypto, names[i]);
        if (digest != NULL) digest(buffer, 300, (unsigned char *)buffer + 1024);
    }
}

/* Modular exponentiation: hand-written assembly that keeps its frame in odd places. */
static void exponentiate(void) {
    int (*hex_to_number)(void **, const char *);
    int (*modexp)(void *, void *, void *, void *, void *, void *);
    void *(*new_context)(void);
    static void *result, *base, *exponent, *modulus, *context; /* kept, so as not to count as leaked */
    char digits[129];
    *(void **)&hex_to_number = dlsym(crypto, "BN_hex2bn");
    *(void **)&modexp = dlsym(crypto, "BN_mod_exp_mont_consttime");
    *(void **)&new_context = dlsym(crypto, "BN_CTX_new");
    if (hex_to_number == NULL || modexp == NULL || new_context == NULL) abort();
    memset(digits, 'B', 128);
    digits[128] = 0;
    hex_to_number(&modulus, digits);
    memset(digits, '5', 128);
    hex_to_number(&base, digits);
    hex_to_number(&exponent, "5");
    hex_to_number(&result, "1");
    if (context == NULL) context = new_context();
    modexp(result, base, exponent, modulus, context, NULL);
}

int main(void) {
    static const struct {
        const char *name;
        void (*function)(void);
        bool needs_crypto;
    } cases[] = {
        {"sort", sort, false},
        {"format", format, false},
        {"strings", strings, false},
        {"allocate", allocate, false},
        {"match", match, false},
        {"mathematics", mathematics, false},
        {"ask_clock", ask_clock, false},
        {"load", load, false},
        {"hash", hash, true},
        {"exponentiate", exponentiate, true},
    };
    crypto = dlopen("libcrypto.so.3", RTLD_NOW);
    if (crypto != NULL) hash(), exponentiate(); /* its start-up is millions of instructions long */
    size_t failures = 0;
    step_prepare();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].needs_crypto && crypto == NULL) continue;
        step.steps = step.longjmp_steps = step.failures = step.failures_kept = 0;
        step_through(cases[i].function);
        failures += step.failures;
        if (step.failures > 0 || getenv("VERBOSE") != NULL) step_report(cases[i].name);
        EXPECT(step.steps > 100);
        EXPECT(step.longjmp_steps <= 16);
    }
    EXPECT_EQ(failures, 0);
    return 0;
}
