/* typescript.c: owns rt_ts_erase(): checks the input, runs the parser over it and has its edits applied. */
#include "runtime/typescript.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

/* The tokenizer looks this far ahead without asking where the end is. */
enum { PADDING = 32 };

static void free_parser(struct rt_ts_parser *p) {
    free((char *)p->source);
    free(p->edits);
    free(p->text);
    free(p->memo);
    free(p->places);
    free(p->names);
    free(p->name_table.slots);
    free(p->type_names);
    free(p->containers);
    free(p->container_table.slots);
    free(p->constants);
    free(p->constant_table.slots);
    free(p->strings);
    free(p->noted);
    free(p->noted_table.slots);
    free(p->tail.bytes);
    free(p->scopes);
    free(p->declarations);
    free(p->references);
    free(p->bindings);
    free(p->statements);
}

static void start(struct rt_ts_parser *p) {
    memset(&p->at, 0, sizeof p->at);
    p->binding_count = p->statement_count = p->type_name_count = 0;
    p->again = p->names_missed = false;
    p->using = NULL;
    p->labels_end = 0;
    rt_ts_push_scope(p, true);
    p->at.scope = 0;
    rt_ts_jsx_start(p);
    rt_ts_first_token(p);
}

void rt_ts_first_token(struct rt_ts_parser *p) {
    uint32_t at = p->nbytes >= 3 && memcmp(p->source, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (p->source[at] == '#' && p->source[at + 1] == '!') {
        while (at < p->nbytes && p->source[at] != '\n' && p->source[at] != '\r')
            at++;
    }
    p->at.token.end = at;
    rt_ts_next(p);
    p->at.previous_end = 0;
}

static void parse(struct rt_ts_parser *p) {
    for (int pass = 0; pass < 2; pass++) {
        start(p);
        rt_ts_statement_list(p, T_EOF);
        if (p->at.failed) return;
        rt_ts_check_exports(p);
        if (!p->again) return;
    }
}

static int copy_source(struct rt_ts_parser *p, const char *source, size_t nbytes) {
    char *copy = malloc(nbytes + PADDING);
    if (!copy) {
        rt_ts_fail_memory(p);
        return -ENOMEM;
    }
    if (nbytes > 0) memcpy(copy, source, nbytes);
    memset(copy + nbytes, 0, PADDING);
    p->source = copy;
    p->nbytes = (uint32_t)nbytes;
    return 0;
}

static int check_utf8(struct rt_ts_parser *p) {
    size_t bad = rt_ts_check_utf8(p->source, p->nbytes);
    if (bad == p->nbytes) return 0;
    rt_ts_fail(p, (uint32_t)bad, "this byte (0x%02x) is not valid UTF-8", (unsigned char)p->source[bad]);
    return -EILSEQ;
}

int rt_ts_erase(const char *source, size_t nbytes, const struct rt_ts_options *options, char **out, size_t *out_nbytes,
                struct rt_ts_error *error) {
    struct rt_ts_parser p = {.error = error};
    if (options) p.options = *options;
    if (p.options.javascript) p.options.verbatim_module_syntax = true;
    memset(error, 0, sizeof *error);
    if (nbytes > UINT32_MAX / 4) {
        snprintf(error->message, sizeof error->message, "the file is larger than 1 GiB");
        return -EINVAL;
    }
    int status = copy_source(&p, source, nbytes);
    if (status == 0) status = check_utf8(&p);
    if (status == 0) {
        parse(&p);
        if (!p.at.failed) rt_ts_jsx_end(&p);
        if (!p.at.failed) rt_ts_decorators_end(&p);
        if (!p.at.failed) rt_ts_using_end_output(&p);
        if (!p.at.failed) rt_ts_end_output(&p);
        if (!p.at.failed) rt_ts_resolve(&p);
        status = p.status;
    }
    if (status == 0) {
        *out = rt_ts_apply_edits(&p, out_nbytes);
        if (!*out) status = -ENOMEM;
    }
    free_parser(&p);
    return status;
}
