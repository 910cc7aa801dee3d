#!/usr/bin/env bash
# libfinopprof with 32-bit pointers: the same bytes, and its unit tests pass.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/portable.sh"
compiler=(gcc -m32 -static -idirafter /usr/include/x86_64-linux-gnu) # the kernel's headers are the same
runner=
echo 'int main(void) { return 0; }' | "${compiler[@]}" -x c - -o probe
./probe 2>/dev/null || runner=qemu-i386 # this kernel runs 64-bit programs alone
portable "$runner" "${compiler[@]}"
