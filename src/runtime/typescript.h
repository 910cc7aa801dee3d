/* typescript.h: erases TypeScript's types in place, so that every line and column stays what it is in the editor.
 *
 * Every erased character becomes a space (newlines stay; a character outside the BMP becomes two spaces, so that
 * columns counted in UTF-16 units stay too). Where something had to be written that takes more room, struct
 * rt_ts_columns tells of it. Constructs with run-time meaning that are not handled are errors, never silently wrong
 * output.
 *
 * Threads: any number of calls at once; no shared state.
 */
#ifndef FINO_RT_TYPESCRIPT_H
#define FINO_RT_TYPESCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rt_ts_jsx {
    RT_TS_JSX_DEFAULT,     /* automatic, or classic where a comment @jsx names the function */
    RT_TS_JSX_AUTOMATIC,   /* jsx() of "react/jsx-runtime", imported at the file's end */
    RT_TS_JSX_CLASSIC,     /* React.createElement(), which the file imports itself */
    RT_TS_JSX_DEVELOPMENT, /* jsxDEV() of "react/jsx-dev-runtime": elements know file, line and column */
    RT_TS_JSX_PRESERVE,    /* left to another tool: an error */
};

/* All zero is what a file without tsconfig.json gets. Strings may be NULL; they must outlive the call only. */
struct rt_ts_options {
    bool jsx;        /* .tsx, .jsx: `<T>x` casts are not types but elements */
    bool javascript; /* .jsx: JavaScript with elements; no types, and no import is dropped */
    bool commonjs;   /* a CommonJS module: `import a = require()` and `export =` become require() and module.exports */
    bool verbatim_module_syntax;   /* keep every import that is not marked `type` */
    bool keep_unused_imports;      /* keep import "m" of an import whose names go (importsNotUsedAsValues) */
    bool legacy_decorators;        /* experimentalDecorators */
    bool decorator_metadata;       /* emitDecoratorMetadata */
    bool strict_null_checks;       /* as in tsconfig.json, which metadata of `T | null` depends on */
    bool assign_fields;            /* useDefineForClassFields: false */
    bool attributes_as_assertions; /* with { type: "json" } becomes assert { ... }, which is all that V8 knows */
    enum rt_ts_jsx jsx_mode;
    const char *jsx_factory;          /* "React.createElement" */
    const char *jsx_fragment_factory; /* "React.Fragment" */
    const char *jsx_import_source;    /* "react" */
    const char *path;                 /* of the file, for RT_TS_JSX_DEVELOPMENT */
    struct rt_ts_columns *columns;    /* all zero: gets where columns are not the source's; NULL: not asked for */
};

/* In the output, from LINE and COLUMN (as in struct rt_ts_error) to the next of these or the line's end, columns are
 * SHIFT more than in the source. */
struct rt_ts_shift {
    uint32_t line, column, shift;
};

/* Lines are always the source's, and so are columns but on lines where something was written that takes more room than
 * what it replaces (an element's calls, an enum's assignments): there, until blanks have made up for it. */
struct rt_ts_columns {
    struct rt_ts_shift *shifts; /* in order; the caller frees them */
    size_t count, capacity;
};

/* The column in the source of what is at LINE and COLUMN of the output; of text that the source has not, the column
 * that it was written at, or up to which it stands for something. */
uint32_t rt_ts_source_column(const struct rt_ts_columns *columns, uint32_t line, uint32_t column);

struct rt_ts_error {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in UTF-16 units */
    size_t offset;   /* in bytes */
    char message[200];
};

/* Inputs: SOURCE, NBYTES of UTF-8 (need not end in NUL; a BOM is allowed); OPTIONS may be NULL.
 * Output: JavaScript in *OUT, *OUT_NBYTES long and NUL-terminated beyond that. Owns: the caller frees *OUT.
 * Returns: 0; -EINVAL with *ERROR filled (syntax that is wrong or not handled); -EILSEQ with *ERROR (invalid UTF-8);
 * -ENOMEM. */
int rt_ts_erase(const char *source, size_t nbytes, const struct rt_ts_options *options, char **out, size_t *out_nbytes,
                struct rt_ts_error *error);

#endif
