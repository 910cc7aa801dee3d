#!/usr/bin/env bash
# A profile written in Rust, by the protobuf library that the pprof crate uses, means to us what it means to pprof. It writes
# every number of a repeated field as a field of its own.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/producers.sh"
crate=$(compgen -G '/usr/share/cargo/registry/protobuf-2.*' | head -n 1) || fail "no librust-protobuf-dev"
go_proto=/usr/share/gocode/src/github.com/google/pprof/proto
protoc -I$go_proto --rust_out=. profile.proto
version=${crate##*-}
echo "pub const VERSION: &str = \"$version\"; pub const VERSION_IDENT: &str = \"VERSION_${version//./_}\";" >version.rs
OUT_DIR=$work rustc --edition 2018 --cap-lints allow --crate-type rlib --crate-name protobuf "$crate/src/lib.rs"
cp "$root/tests/fixtures/rust_profile.rs" .
rustc --edition 2018 --cap-lints allow --extern protobuf=libprotobuf.rlib rust_profile.rs
./rust_profile >profiles/rust
all_same_as_ours 2 10000
