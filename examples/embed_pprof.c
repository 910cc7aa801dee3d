/* embed_pprof.c: a C program that writes a profile of its own making. From the top of the source tree:
 *
 *   ./build.sh lib
 *   gcc -Ibuild/lib/include examples/embed_pprof.c build/lib/libfinopprof.a -o embed_pprof
 *   ./embed_pprof > profile.pb.gz && go tool pprof -top profile.pb.gz
 *
 * or, with the library's sources in place of it:
 *
 *   gcc -Isrc -Ivendor/xxhash/include examples/embed_pprof.c src/pprof/[a-z]*.c src/deflate/[a-z]*.c -o embed_pprof
 */
#include <pprof/pprof.h>
#include <stdio.h>
#include <string.h>

static uint32_t location(fino_pprof *profile, const char *function_name, int64_t line_number) {
    uint32_t name = fino_pprof_string(profile, function_name, strlen(function_name));
    struct fino_pprof_function function = {name, name, fino_pprof_string(profile, "query.c", 7), line_number};
    struct fino_pprof_line line = {fino_pprof_add_function(profile, &function), line_number, 0};
    return fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
}

int main(void) {
    struct fino_pprof_value_type types[] = {{"queries", "count"}, {"rows", "count"}};
    fino_pprof *profile = fino_pprof_new(&(struct fino_pprof_config){types, 2, NULL, 0});
    if (!profile) return 1;
    uint32_t scan = location(profile, "scan", 10), sort = location(profile, "sort", 20);
    uint32_t query = location(profile, "query", 30);
    fino_pprof_add_sample(profile, (uint32_t[]){scan, query}, 2, 0, (int64_t[]){3, 4200});
    fino_pprof_add_sample(profile, (uint32_t[]){sort, query}, 2, 0, (int64_t[]){1, 100});

    struct fino_pprof_header header = {.default_sample_type = "rows"};
    uint8_t *data;
    size_t nbytes;
    if (fino_pprof_encode(profile, NULL, &header, 6, &data, &nbytes) != 0) return 1;
    size_t written = fwrite(data, 1, nbytes, stdout);
    fino_pprof_bytes_free(profile, data, nbytes);
    fino_pprof_free(profile);
    return written == nbytes ? 0 : 1;
}
