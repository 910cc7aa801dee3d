/* dwarf_line.c: owns reading .debug_line.
 *
 * The section holds one program for each compilation unit, which generates rows (address, file, line) in sequences of
 * rising addresses. One pass notes each sequence's range and where its part of the program is; a question runs that
 * part again up to its address. So the index is small, and costs the time of one pass. */
#include "sampler/dwarf_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/cursor.h"

/* DWARF 5 sections 7.5.6 and 7.22. */
enum {
    DW_LNS_extended = 0,
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_const_add_pc = 8,
    DW_LNS_fixed_advance_pc = 9,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_data8 = 0x07,
    DW_FORM_string = 0x08,
    DW_FORM_block = 0x09,
    DW_FORM_data1 = 0x0b,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_data16 = 0x1e,
    DW_FORM_line_strp = 0x1f,
};

struct row {
    uint64_t address;
    uint64_t file;
    uint32_t line;
};

/* A unit's header, and its program while it runs. */
struct unit {
    struct sampler_cursor names;   /* the directory and file tables */
    struct sampler_cursor program; /* what is left of it */
    const uint8_t *opcode_lengths;
    uint16_t version;
    bool is_64;
    uint8_t instruction_nbytes, line_range, opcode_base;
    int8_t line_base;
    struct row row;
};

struct sequence {
    uint64_t low, high; /* covers [low, high) */
    uint64_t unit;      /* offsets in .debug_line of the unit and of the sequence's first opcode */
    uint64_t program;
};

struct file_name {
    uint64_t unit, file;
    char *text;
};

struct sampler_lines {
    struct sampler_line_sections sections;
    struct sequence *sequences;
    size_t sequence_count, sequence_capacity;
    struct file_name *names; /* those that were asked for; open addressing, free where TEXT is NULL */
    size_t name_count, name_capacity;
};

/* ---- Headers ---- */

/* Reads the header at OFFSET and moves OFFSET past the unit. Returns false at the section's end and for units that make
 * no sense; OFFSET is then the section's end if the unit's length does not lie in it. */
static bool open_unit(const struct sampler_elf_bytes *section, uint64_t *offset, struct unit *unit) {
    struct sampler_cursor cursor = cursor_make(section->data, section->nbytes);
    cursor_skip(&cursor, *offset);
    *offset = section->nbytes;
    uint64_t length = cursor_u32(&cursor);
    unit->is_64 = length == 0xffffffff;
    if (unit->is_64) length = cursor_u64(&cursor);
    struct sampler_cursor body = cursor_split(&cursor, length);
    if (body.failed || length == 0) return false; /* zeros: what follows is padding */
    *offset = (uint64_t)(cursor.at - section->data);

    unit->version = cursor_u16(&body);
    if (unit->version < 2 || unit->version > 5) return false;
    if (unit->version == 5 && (cursor_u8(&body) != 8 || cursor_u8(&body) != 0)) return false;
    uint64_t header_nbytes = cursor_unsigned(&body, unit->is_64 ? 8 : 4);
    struct sampler_cursor header = cursor_split(&body, header_nbytes);
    unit->instruction_nbytes = cursor_u8(&header);
    if (unit->version >= 4) cursor_skip(&header, 1); /* operations of a VLIW instruction */
    cursor_skip(&header, 1);                         /* default_is_stmt */
    unit->line_base = (int8_t)cursor_u8(&header);
    unit->line_range = cursor_u8(&header);
    unit->opcode_base = cursor_u8(&header);
    struct sampler_cursor lengths = cursor_split(&header, unit->opcode_base == 0 ? 0 : unit->opcode_base - 1u);
    unit->opcode_lengths = lengths.at;
    unit->names = header;
    unit->program = body;
    return !header.failed && !body.failed && unit->line_range != 0 && unit->opcode_base != 0;
}

/* ---- Programs ---- */

enum event { EVENT_ROW, EVENT_END_SEQUENCE, EVENT_DONE };

static void reset_row(struct unit *unit) {
    unit->row = (struct row){0, 1, 1};
}

static void advance_address(struct unit *unit, uint64_t operations) {
    unit->row.address += operations * unit->instruction_nbytes;
}

static bool run_extended(struct unit *unit) {
    struct sampler_cursor operation = cursor_split(&unit->program, cursor_uleb(&unit->program));
    uint8_t opcode = cursor_u8(&operation);
    if (opcode == DW_LNE_set_address)
        unit->row.address = cursor_unsigned(&operation, (unsigned)cursor_left(&operation));
    return opcode == DW_LNE_end_sequence;
}

static void skip_operands(struct unit *unit, uint8_t opcode) {
    for (unsigned left = unit->opcode_lengths[opcode - 1]; left > 0; left--)
        cursor_uleb(&unit->program);
}

/* Runs up to the next row, which is then in unit->row. */
static enum event next_row(struct unit *unit) {
    struct sampler_cursor *program = &unit->program;
    while (cursor_left(program) > 0) {
        uint8_t opcode = cursor_u8(program);
        if (opcode >= unit->opcode_base) {
            unsigned special = opcode - unit->opcode_base;
            advance_address(unit, special / unit->line_range);
            unit->row.line += (uint32_t)(unit->line_base + (int)(special % unit->line_range));
            return EVENT_ROW;
        }
        switch (opcode) {
            case DW_LNS_extended:
                if (run_extended(unit)) return program->failed ? EVENT_DONE : EVENT_END_SEQUENCE;
                break;
            case DW_LNS_copy: return EVENT_ROW;
            case DW_LNS_advance_pc: advance_address(unit, cursor_uleb(program)); break;
            case DW_LNS_advance_line: unit->row.line += (uint32_t)cursor_sleb(program); break;
            case DW_LNS_set_file: unit->row.file = cursor_uleb(program); break;
            case DW_LNS_const_add_pc: advance_address(unit, (255u - unit->opcode_base) / unit->line_range); break;
            case DW_LNS_fixed_advance_pc: unit->row.address += cursor_u16(program); break;
            default: skip_operands(unit, opcode); break;
        }
    }
    return EVENT_DONE;
}

/* How far each special opcode moves the address, for passing over many of them. */
struct strides {
    uint16_t operations[256];
    uint8_t line_range, opcode_base; /* that they were made for */
};

static void make_strides(struct strides *strides, const struct unit *unit) {
    if (strides->line_range == unit->line_range && strides->opcode_base == unit->opcode_base) return;
    for (unsigned opcode = unit->opcode_base; opcode < 256; opcode++)
        strides->operations[opcode] = (uint16_t)((opcode - unit->opcode_base) / unit->line_range);
    strides->line_range = unit->line_range;
    strides->opcode_base = unit->opcode_base;
}

/* Runs up to the sequence's end, or the program's. Of the row only the address is kept up. */
static enum event pass_rows(struct unit *unit, const struct strides *strides) {
    struct sampler_cursor *program = &unit->program;
    enum event event;
    do {
        uint64_t operations = 0;
        for (; program->at < program->end && *program->at >= unit->opcode_base; program->at++)
            operations += strides->operations[*program->at];
        advance_address(unit, operations);
        event = next_row(unit);
    } while (event == EVENT_ROW);
    return event;
}

/* ---- The index ---- */

static bool add_sequence(struct sampler_lines *lines, const struct sequence *sequence) {
    if (lines->sequence_count == lines->sequence_capacity) {
        size_t capacity = lines->sequence_capacity == 0 ? 64 : 2 * lines->sequence_capacity;
        struct sequence *larger = realloc(lines->sequences, capacity * sizeof *larger);
        if (larger == NULL) return false;
        lines->sequences = larger;
        lines->sequence_capacity = capacity;
    }
    lines->sequences[lines->sequence_count++] = *sequence;
    return true;
}

static bool index_unit(struct sampler_lines *lines, struct unit *unit, const struct strides *strides,
                       uint64_t unit_offset, uint64_t lowest_address) {
    const uint8_t *base = lines->sections.line.data;
    for (;;) {
        struct sequence sequence = {0, 0, unit_offset, (uint64_t)(unit->program.at - base)};
        reset_row(unit);
        enum event event = next_row(unit);
        sequence.low = unit->row.address;
        if (event == EVENT_ROW) event = pass_rows(unit, strides);
        if (event == EVENT_DONE) return true;
        sequence.high = unit->row.address;
        if (sequence.low >= lowest_address && sequence.high > sequence.low && !add_sequence(lines, &sequence))
            return false;
    }
}

static int compare_sequences(const void *left, const void *right) {
    const struct sequence *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

struct sampler_lines *sampler_lines_new(const struct sampler_line_sections *sections, uint64_t lowest_address) {
    if (sections->line.nbytes == 0) return NULL;
    struct sampler_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) return NULL;
    struct strides strides = {.line_range = 0};
    lines->sections = *sections;
    for (uint64_t offset = 0, unit_offset = 0; offset < sections->line.nbytes; unit_offset = offset) {
        struct unit unit;
        if (!open_unit(&sections->line, &offset, &unit)) continue;
        make_strides(&strides, &unit);
        if (!index_unit(lines, &unit, &strides, unit_offset, lowest_address)) {
            sampler_lines_free(lines);
            return NULL;
        }
    }
    if (lines->sequence_count > 0)
        qsort(lines->sequences, lines->sequence_count, sizeof lines->sequences[0], compare_sequences);
    return lines;
}

void sampler_lines_free(struct sampler_lines *lines) {
    if (lines == NULL) return;
    for (size_t i = 0; i < lines->name_capacity; i++)
        free(lines->names[i].text);
    free(lines->names);
    free(lines->sequences);
    free(lines);
}

/* ---- File names ---- */

static const char *string_at(const struct sampler_elf_bytes *strings, uint64_t offset) {
    struct sampler_cursor cursor = cursor_make(strings->data, strings->nbytes);
    cursor_skip(&cursor, offset);
    return cursor_string(&cursor);
}

/* One field of a version 5 table: a string if it is one, else a number if it is one. */
static void read_form(const struct sampler_lines *lines, struct unit *unit, uint64_t form, const char **string_out,
                      uint64_t *number_out) {
    struct sampler_cursor *names = &unit->names;
    unsigned offset_nbytes = unit->is_64 ? 8 : 4;
    switch (form) {
        case DW_FORM_string: *string_out = cursor_string(names); break;
        case DW_FORM_line_strp:
            *string_out = string_at(&lines->sections.line_strings, cursor_unsigned(names, offset_nbytes));
            break;
        case DW_FORM_strp:
            *string_out = string_at(&lines->sections.strings, cursor_unsigned(names, offset_nbytes));
            break;
        case DW_FORM_udata: *number_out = cursor_uleb(names); break;
        case DW_FORM_data1: *number_out = cursor_u8(names); break;
        case DW_FORM_data2: *number_out = cursor_u16(names); break;
        case DW_FORM_data4: *number_out = cursor_u32(names); break;
        case DW_FORM_data8: *number_out = cursor_u64(names); break;
        case DW_FORM_data16: cursor_skip(names, 16); break;
        case DW_FORM_block: cursor_skip(names, cursor_uleb(names)); break;
        default: names->failed = true; break;
    }
}

/* Reads a version 5 table of directories or files; what entry WANTED says is left in the outputs. */
static void read_table(const struct sampler_lines *lines, struct unit *unit, uint64_t wanted, const char **path_out,
                       uint64_t *directory_out) {
    struct sampler_cursor *names = &unit->names;
    uint8_t format_count = cursor_u8(names);
    struct sampler_cursor formats = *names;
    for (unsigned i = 0; i < 2u * format_count; i++)
        cursor_uleb(names);
    uint64_t count = cursor_uleb(names);
    for (uint64_t entry = 0; entry < count && format_count > 0 && !names->failed; entry++) {
        struct sampler_cursor format = formats;
        for (unsigned field = 0; field < format_count; field++) {
            uint64_t content = cursor_uleb(&format), form = cursor_uleb(&format), number = 0;
            const char *string = NULL;
            read_form(lines, unit, form, &string, &number);
            if (entry != wanted || names->failed) continue;
            if (content == DW_LNCT_path) *path_out = string;
            if (content == DW_LNCT_directory_index) *directory_out = number;
        }
    }
}

/* The tables of versions 2 to 4: directories from 1 on (0 is the compilation's own, which is not here), files too. */
static void read_old_tables(struct unit *unit, uint64_t file, const char **path_out, const char **directory_out) {
    struct sampler_cursor *names = &unit->names;
    struct sampler_cursor directories = *names;
    while (!names->failed && cursor_string(names)[0] != 0) {
    }
    for (uint64_t i = 1; !names->failed; i++) {
        const char *path = cursor_string(names);
        uint64_t directory = cursor_uleb(names);
        if (path[0] == 0) return;
        cursor_uleb(names), cursor_uleb(names); /* time and size */
        if (i != file) continue;
        *path_out = path;
        for (uint64_t k = 1; k <= directory; k++)
            *directory_out = cursor_string(&directories);
        return;
    }
}

/* A new string: the directories that PATH is relative to, and PATH. */
static char *join(const char *root, const char *directory, const char *path) {
    bool has_root = root != NULL && root[0] != 0, has_directory = directory != NULL && directory[0] != 0;
    if (path[0] == '/') has_directory = false;
    if (path[0] == '/' || (has_directory && directory[0] == '/') || (has_directory && has_root && root == directory))
        has_root = false;
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s%s%s", has_root ? root : "", has_root ? "/" : "", has_directory ? directory : "",
                 has_directory ? "/" : "", path) < 0)
        return NULL;
    return joined;
}

static char *make_file_name(const struct sampler_lines *lines, struct unit *unit, uint64_t file) {
    const char *path = NULL, *directory = NULL, *root = NULL;
    if (unit->version < 5) {
        read_old_tables(unit, file, &path, &directory);
        return path == NULL ? NULL : join(NULL, directory, path);
    }
    uint64_t directory_index = 0, ignored = 0;
    struct sampler_cursor tables = unit->names;
    read_table(lines, unit, 0, &root, &ignored);
    read_table(lines, unit, file, &path, &directory_index);
    unit->names = tables;
    if (path == NULL) return NULL;
    if (directory_index != 0) read_table(lines, unit, directory_index, &directory, &ignored);
    return join(root, directory, path);
}

static struct file_name *name_slot(struct file_name *names, size_t capacity, uint64_t unit, uint64_t file) {
    size_t i = (unit * 31 + file) * 0x9e3779b97f4a7c15 >> 32 & (capacity - 1);
    while (names[i].text != NULL && (names[i].unit != unit || names[i].file != file))
        i = (i + 1) & (capacity - 1);
    return &names[i];
}

static bool reserve_name(struct sampler_lines *lines) {
    if (lines->name_count < lines->name_capacity / 2) return true;
    size_t capacity = lines->name_capacity == 0 ? 32 : 2 * lines->name_capacity;
    struct file_name *names = calloc(capacity, sizeof *names);
    if (names == NULL) return false;
    for (size_t i = 0; i < lines->name_capacity; i++) {
        const struct file_name *name = &lines->names[i];
        if (name->text != NULL) *name_slot(names, capacity, name->unit, name->file) = *name;
    }
    free(lines->names);
    lines->names = names;
    lines->name_capacity = capacity;
    return true;
}

static const char *find_file_name(struct sampler_lines *lines, struct unit *unit, uint64_t unit_offset, uint64_t file) {
    if (!reserve_name(lines)) return NULL;
    struct file_name *name = name_slot(lines->names, lines->name_capacity, unit_offset, file);
    if (name->text != NULL) return name->text;
    *name = (struct file_name){unit_offset, file, make_file_name(lines, unit, file)};
    if (name->text != NULL) lines->name_count++;
    return name->text;
}

/* ---- Questions ---- */

/* The last sequence that begins at or below ADDRESS, if it covers it. */
static const struct sequence *find_sequence(const struct sampler_lines *lines, uint64_t address) {
    size_t low = 0, high = lines->sequence_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->sequences[middle].low <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && address < lines->sequences[low - 1].high ? &lines->sequences[low - 1] : NULL;
}

/* Of several rows for one address the last describes the instruction, and the first of a function the function. */
static bool find_row(struct unit *unit, uint64_t address, bool is_start, struct row *row_out) {
    bool found = false;
    *row_out = (struct row){0};
    reset_row(unit);
    while (next_row(unit) == EVENT_ROW) {
        if (unit->row.address > address) break;
        if (is_start && found && unit->row.address == row_out->address) continue;
        *row_out = unit->row;
        found = true;
    }
    return found;
}

bool sampler_lines_find(struct sampler_lines *lines, uint64_t address, bool is_start, struct sampler_line *line_out) {
    struct unit unit;
    struct row row;
    const struct sequence *sequence = find_sequence(lines, address);
    if (sequence == NULL) return false;
    uint64_t offset = sequence->unit;
    if (!open_unit(&lines->sections.line, &offset, &unit)) return false;
    unit.program.at = lines->sections.line.data + sequence->program;
    if (!find_row(&unit, address, is_start, &row)) return false;
    line_out->filename = find_file_name(lines, &unit, sequence->unit, row.file);
    line_out->line = row.line;
    return line_out->filename != NULL;
}
