#!/usr/bin/env bash
# Installs what the tests need beside fino's own requirements: from Debian where a command or header is missing, the
# pinned npm packages into build/npm, and what tests/programs makes of them into build/programs. Does nothing, and needs
# no network, once all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { eval "$2" >/dev/null 2>&1 || missing+=($1); } # need PACKAGES TEST
has_header() { echo "#include <$1>" | "${CC:-gcc}" -E - ; }
has_fuzzer() { echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p + !n; }' |
  clang -x c -fsanitize=fuzzer,address - -o /dev/null; }

need golang-go 'command -v go'
need binutils 'command -v addr2line'
need curl 'command -v curl'
need file 'command -v file'
need zlib1g-dev 'has_header zlib.h'
need libdeflate-dev 'has_header libdeflate.h'
need libzopfli-dev 'has_header zopfli/zopfli.h'
need libgoogle-perftools-dev 'has_header gperftools/profiler.h'
need "rustc librust-protobuf-dev protobuf-codegen protobuf-compiler golang-github-google-pprof-dev" \
  'command -v rustc && command -v protoc && command -v protoc-gen-rust && compgen -G "/usr/share/cargo/registry/protobuf-2.*" && ls /usr/share/gocode/src/github.com/google/pprof/proto'
need musl-tools 'command -v musl-gcc'
need "clang libclang-rt-14-dev" has_fuzzer
need "libc6-dev-i386 lib32gcc-12-dev" 'echo "int main(void) { return 0; }" | gcc -m32 -static -x c - -o /dev/null'
need "gcc-s390x-linux-gnu libc6-dev-s390x-cross" 'command -v s390x-linux-gnu-gcc'
need chromium 'command -v chromium'
need qemu-user 'command -v qemu-s390x'
need nodejs 'command -v node'
need npm 'command -v npm'

if [ ${#missing[@]} -gt 0 ]; then
  install="apt-get install -y ${missing[*]}"
  echo "tests/tools.sh: installing ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    echo "tests/tools.sh: the tests need these packages; as root: $install" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  options=(-qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get "${options[@]}" update && apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}"; } \
      >build/tools.log 2>&1 || { tail -n 20 build/tools.log >&2; echo "tests/tools.sh: failed: $install" >&2; exit 1; }
fi
tests/npm.sh
mkdir -p build/programs
if [ ! -e build/programs/.made ] || [ -n "$(find tests/programs tests/npm_pins -newer build/programs/.made)" ]; then
  node tests/programs/prepare.mjs
  touch build/programs/.made
fi
