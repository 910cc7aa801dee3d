/* A section with a stray byte behind its last entry once sent the reader round in circles: splitting nothing off a
 * cursor that had failed succeeded, and un-failed it. */
#include "../test.h"
#include "sampler/cfi.h"

int main(void) {
    static const uint8_t bytes[] = {4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0};
    struct sampler_cfi_section section = {{bytes, sizeof bytes, 0}, true};
    struct sampler_cfi_fde fde;
    uint64_t offset = 0;
    EXPECT_EQ(sampler_cfi_entry_sig(&section, &offset, &fde), SAMPLER_CFI_OK); /* a CIE */
    EXPECT_EQ(offset, 8);
    EXPECT_EQ(sampler_cfi_entry_sig(&section, &offset, &fde), SAMPLER_CFI_MALFORMED);
    EXPECT_EQ(offset, sizeof bytes);
    EXPECT_EQ(sampler_cfi_entry_sig(&section, &offset, &fde), SAMPLER_CFI_NONE);

    struct sampler_cursor cursor = cursor_make(bytes, 1);
    EXPECT_EQ(cursor_u32(&cursor), 0);
    EXPECT(cursor_split(&cursor, 0).failed && cursor.failed);
    return 0;
}
