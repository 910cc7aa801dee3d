/* typescript_columns.c: owns lines and columns: counting them, and where those of the output are not the source's.
 *
 * While the output is written, typescript_edit.c adds each place from which on it is further ahead of the source, or
 * less so: an offset, of which a line and a column are made in one go at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/typescript_internal.h"

void rt_ts_advance(const char *s, uint32_t from, uint32_t to, struct rt_ts_place *place) {
    for (uint32_t i = from; i < to; i++) {
        const unsigned char *c = (const unsigned char *)s + i;
        bool separator = c[0] == 0xE2 && c[1] == 0x80 && (c[2] & 0xFE) == 0xA8;
        if (separator || *c == '\n' || (*c == '\r' && c[1] != '\n')) {
            place->line++;
            place->column = 1;
        } else if ((*c & 0xC0) != 0x80) {
            place->column += *c >= 0xF0 ? 2 : 1;
        }
    }
}

bool rt_ts_columns_add(struct rt_ts_columns *columns, uint32_t offset, uint32_t shift) {
    if (columns->count == columns->capacity) {
        size_t capacity = columns->capacity ? columns->capacity * 2 : 16;
        struct rt_ts_shift *grown = realloc(columns->shifts, capacity * sizeof *grown);
        if (!grown) return false;
        columns->shifts = grown;
        columns->capacity = capacity;
    }
    columns->shifts[columns->count++] = (struct rt_ts_shift){.column = offset, .shift = shift};
    return true;
}

void rt_ts_columns_place(struct rt_ts_columns *columns, const char *output) {
    struct rt_ts_place place = {1, 1};
    uint32_t from = strncmp(output, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* which is in no line */
    for (size_t i = 0; i < columns->count; i++) {
        struct rt_ts_shift *shift = &columns->shifts[i];
        uint32_t offset = shift->column;
        rt_ts_advance(output, from, offset, &place);
        from = offset;
        shift->line = place.line;
        shift->column = place.column;
    }
}

uint32_t rt_ts_source_column(const struct rt_ts_columns *columns, uint32_t line, uint32_t column) {
    const struct rt_ts_shift *shifts = columns->shifts;
    size_t low = 0, high = columns->count; /* to the first one that begins after the place */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool after = shifts[middle].line != line ? shifts[middle].line > line : shifts[middle].column > column;
        if (after)
            high = middle;
        else
            low = middle + 1;
    }
    uint32_t found = column - (low > 0 && shifts[low - 1].line == line ? shifts[low - 1].shift : 0);
    if (low == columns->count || shifts[low].line != line) return found;
    uint32_t most = shifts[low].column - shifts[low].shift; /* in written text, the source has not come that far */
    return found < most ? found : most;
}
