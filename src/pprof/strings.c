/* strings.c: interning of strings and the repair of those that are not UTF-8. */
#include "pprof/strings.h"

/* ---- UTF-8 (The Unicode Standard, table 3-7) ---- */

/* Measures the sequence at TEXT (NBYTES >= 1 left). Returns: the length of a valid one with *VALID_OUT set; otherwise
 * that of the longest piece that could have begun a valid one, at least 1, which is what one U+FFFD replaces. */
static size_t utf8_measure(const unsigned char *text, size_t nbytes, bool *valid_out) {
    unsigned char lead = text[0], low = 0x80, high = 0xbf;
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    *valid_out = false;
    if (length == 0) return 1;
    if (lead == 0xe0) low = 0xa0;  /* shorter forms exist */
    if (lead == 0xed) high = 0x9f; /* surrogates */
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f; /* above U+10FFFF */
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (i == nbytes || text[i] < low || text[i] > high) return i;
    *valid_out = true;
    return length;
}

static bool utf8_is_valid(const char *text, size_t nbytes) {
    size_t at = 0;
    while (at < nbytes) {
        uint64_t eight;
        while (nbytes - at >= sizeof eight && (memcpy(&eight, text + at, sizeof eight), true) &&
               (eight & UINT64_C(0x8080808080808080)) == 0)
            at += sizeof eight;
        bool valid = true;
        if (at < nbytes) at += utf8_measure((const unsigned char *)text + at, nbytes - at, &valid);
        if (!valid) return false;
    }
    return true;
}

/* Writes TEXT with its invalid pieces replaced to OUT, which may be NULL. Returns: the size of the result. */
static size_t utf8_repair(const char *text, size_t nbytes, char *out) {
    size_t written = 0;
    for (size_t at = 0; at < nbytes;) {
        bool valid;
        size_t length = utf8_measure((const unsigned char *)text + at, nbytes - at, &valid);
        size_t piece_nbytes = valid ? length : 3;
        if (out) memcpy(out + written, valid ? text + at : "\xef\xbf\xbd", piece_nbytes);
        written += piece_nbytes;
        at += length;
    }
    return written;
}

/* ---- The bytes ---- */

/* Small enough that a tiny profile stays tiny, large enough that blocks are few. */
#define BLOCK_NBYTES ((size_t)16 << 10)

struct pprof_string_block {
    struct pprof_string_block *next;
    size_t nbytes; /* of BYTES, as allocated */
    size_t used;
    char bytes[];
};

static struct pprof_string_block *block_with_room(const struct fino_allocator *allocator, struct pprof_strings *strings,
                                                  size_t nbytes) {
    struct pprof_string_block *newest = strings->blocks, *block;
    if (newest && newest->nbytes - newest->used >= nbytes) return newest;
    size_t size = BLOCK_NBYTES - sizeof *block;
    if (nbytes > size / 2) size = nbytes;
    block = pprof_alloc(allocator, sizeof *block + size, 1);
    if (!block) return NULL;
    block->nbytes = size;
    block->used = 0;
    /* A block made for one long string goes behind the newest, whose room is still good. */
    struct pprof_string_block **link = newest && size == nbytes ? &newest->next : &strings->blocks;
    block->next = *link;
    *link = block;
    return block;
}

/* ---- The table ---- */

uint32_t pprof_strings_find(const struct pprof_strings *strings, const struct pprof_string *wanted) {
    for (uint32_t at = wanted->hash, id;
         (id = pprof_index_next(&strings->index, wanted->hash, &at)) != FINO_PPROF_NONE;) {
        const struct pprof_string *string = &strings->list.items[id];
        if (string->nbytes == wanted->nbytes && pprof_bytes_equal(string->text, wanted->text, wanted->nbytes))
            return id;
    }
    return FINO_PPROF_NONE;
}

static uint32_t intern_valid(const struct fino_allocator *allocator, struct pprof_strings *strings, const char *text,
                             size_t nbytes) {
    struct pprof_string string = {text, (uint32_t)nbytes, pprof_hash(text, nbytes, strings->seed)};
    uint32_t id = pprof_strings_find(strings, &string);
    if (id != FINO_PPROF_NONE) return id;

    if (!PPROF_RESERVE(allocator, &strings->list, 1) || !pprof_index_reserve(allocator, &strings->index))
        return FINO_PPROF_NONE;
    struct pprof_string_block *block = block_with_room(allocator, strings, nbytes + 1);
    if (!block) return FINO_PPROF_NONE;
    char *copy = block->bytes + block->used;
    memcpy(copy, text, nbytes);
    copy[nbytes] = '\0';
    block->used += nbytes + 1;

    id = strings->list.count++;
    string.text = copy;
    strings->list.items[id] = string;
    pprof_index_put(&strings->index, string.hash, id);
    return id;
}

uint32_t pprof_strings_intern(const struct fino_allocator *allocator, struct pprof_strings *strings, const char *text,
                              size_t nbytes) {
    if (nbytes == 0) return 0;
    if (nbytes > UINT32_MAX / 4) return FINO_PPROF_NONE;
    if (utf8_is_valid(text, nbytes)) return intern_valid(allocator, strings, text, nbytes);
    size_t repaired_nbytes = utf8_repair(text, nbytes, NULL);
    char *repaired = pprof_alloc(allocator, repaired_nbytes, 1);
    if (!repaired) return FINO_PPROF_NONE;
    utf8_repair(text, nbytes, repaired);
    uint32_t id = intern_valid(allocator, strings, repaired, repaired_nbytes);
    pprof_free(allocator, repaired, repaired_nbytes, 1);
    return id;
}

bool pprof_strings_init(const struct fino_allocator *allocator, struct pprof_strings *strings, uint64_t seed) {
    *strings = (struct pprof_strings){.seed = seed};
    return intern_valid(allocator, strings, "", 0) == 0;
}

size_t pprof_strings_nbytes(const struct pprof_strings *strings) {
    size_t nbytes = strings->list.capacity * sizeof *strings->list.items;
    nbytes += strings->index.capacity * sizeof *strings->index.slots;
    for (const struct pprof_string_block *block = strings->blocks; block; block = block->next)
        nbytes += sizeof *block + block->nbytes;
    return nbytes;
}

void pprof_strings_free(const struct fino_allocator *allocator, struct pprof_strings *strings) {
    for (struct pprof_string_block *block = strings->blocks, *next; block; block = next) {
        next = block->next;
        pprof_free(allocator, block, sizeof *block + block->nbytes, 1);
    }
    PPROF_VECTOR_FREE(allocator, &strings->list);
    pprof_index_free(allocator, &strings->index);
}
