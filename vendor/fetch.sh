#!/usr/bin/env bash
# Fetches V8 and xxHash from Debian's archive, as any user, changing nothing outside of this folder.
#   v8/include, v8/lib   V8's headers; libnode.so.108, and those of the libraries it loads that this machine lacks
#   xxhash/include       xxhash.h, used as a header only
#   cache                the verified packages: with them a further run needs no network
# `pins` says which packages. Both folders are put in place whole or not at all. fetch.sh [v8] [xxhash]: only these.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- v8 xxhash
apt_options=(-qq -o APT::Sandbox::User=root)

say() { echo "vendor/fetch.sh: $*" >&2; }
die() { say "$@"; exit 1; }

need_tools() {
  local tool
  for tool in apt-get apt-cache dpkg dpkg-deb; do
    command -v $tool >/dev/null || die "$tool is missing. V8 comes from Debian 12's packages: build on Debian 12," \
      "or use your own V8 with V8_PREFIX=/path ./build.sh (and xxhash.h in /usr/include or /usr/local/include)."
  done
  [ "$(dpkg --print-architecture)" = amd64 ] || die "fino needs x86-64; this is $(dpkg --print-architecture)."
}

# Package lists of our own, for when the machine has none or they are too old: needs no root and leaves /var alone.
refresh_lists() {
  [ ! -e "$work/refreshed" ] || return 1
  mkdir -p "$work"/apt/{lists,archives}/partial
  apt_options+=(-o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt")
  say "reading the archive's package lists"
  apt-get "${apt_options[@]}" update >&2 ||
    die "can't read the archive's package lists; check the network and /etc/apt, then: apt-get update"
  touch "$work/refreshed"
}

pinned() { awk -v name="$1" '$1 == name { print $2, $3 }' pins; } # pinned NAME: its "VERSION SHA256" lines
listed() { apt-cache "${apt_options[@]}" madison "$1" 2>/dev/null | awk -v FS=' *[|] *' '{ print $2 }'; }

# choose NAME: sets VERSION and SHA (empty for one that is not pinned) to what will be downloaded
choose() {
  local name=$1 newest
  while read -r version sha; do
    if listed "$name" | grep -xF -e "$version" >/dev/null; then return; fi
  done < <(pinned "$name")
  version=$(apt-cache "${apt_options[@]}" policy "$name" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }')
  newest=$(pinned "$name" | head -n 1 | cut -d ' ' -f 1)
  if [ -z "$version" ] || dpkg --compare-versions "$version" lt "$newest"; then
    refresh_lists && { choose "$name"; return; }
    die "the archive has ${version:-no version} of $name, fino needs $newest or newer: is this Debian 12?" \
      "Else use your own V8 with V8_PREFIX=/path ./build.sh"
  fi
  say "notice: $name $version is newer than the pinned $newest"
  sha=
}

cached() { # cached NAME: a package with a pinned hash is there; sets FILE
  local sha version
  while read -r version sha; do
    file=cache/$1_$version.deb
    [ -e "$file" ] && [ "$(sha256sum <"$file")" = "$sha  -" ] && return
  done < <(pinned "$1")
  return 1
}

download() { # download NAME: to cache/NAME_VERSION.deb, verified; sets FILE
  local version sha
  choose "$1"
  file=cache/$1_$version.deb
  [ -n "$sha" ] || [ ! -e "$file" ] || return 0
  say "downloading $1 $version"
  rm -rf "$work/download" && mkdir "$work/download"
  if ! (cd "$work/download" && apt-get "${apt_options[@]}" download "$1=$version" >&2); then
    refresh_lists || die "can't download $1; check the network, then run this again"
    download "$1"
    return
  fi
  mv "$work"/download/*.deb "$work/package.deb"
  if [ -n "$sha" ] && [ "$(sha256sum <"$work/package.deb")" != "$sha  -" ]; then
    die "$1 $version has not the hash that vendor/pins says; not using it"
  fi
  mv "$work/package.deb" "$file"
}

unpack() { # unpack NAME: into $work/root
  local file
  cached "$1" || download "$1"
  dpkg-deb -x "$file" "$work/root"
}

lacking() { LD_LIBRARY_PATH=$1 ldd "$1/libnode.so.108" | awk '/=> not found/ { print $1 }' | sort -u; }

fetch_v8() {
  local new=$work/v8 soname name
  mkdir -p "$new/lib"
  unpack libnode-dev
  unpack libnode108
  cp -R "$work/root/usr/include/nodejs/deps/v8/include" "$new/include"
  mv "$work"/root/usr/lib/*/libnode.so.108 "$new/lib/"
  ln -s libnode.so.108 "$new/lib/libnode.so"
  while soname=$(lacking "$new/lib" | head -n 1) && [ -n "$soname" ]; do
    name=$(awk -v so="$soname" '{ for (i = 4; i <= NF; i++) if ($i == so) print $1 }' pins)
    [ -n "$name" ] || die "libnode.so.108 needs $soname, which vendor/pins does not know"
    find "$work/root" -name "$soname" | grep . >/dev/null || unpack "$name"
    cp -L "$(find "$work/root" -name "$soname" | head -n 1)" "$new/lib/$soname" || die "$name has no $soname"
  done
  install_folder v8
}

fetch_xxhash() {
  mkdir -p "$work/xxhash/include"
  unpack libxxhash-dev
  cp "$work/root/usr/include/xxhash.h" "$work/xxhash/include/"
  install_folder xxhash
}

install_folder() { # install_folder NAME: moves $work/NAME here, marked with the pins it was made from
  cp pins "$work/$1/pins"
  rm -rf "$1"
  mv "$work/$1" "$1"
}

main() { # main PART...
  local part
  need_tools
  mkdir -p cache
  find cache -maxdepth 1 -name "work.*" -mmin +60 -exec rm -rf {} + # left by runs that were killed
  work=$(mktemp -d "$PWD/cache/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  for part; do "fetch_$part"; done
}

for part; do
  shift
  cmp -s pins "$part/pins" || set -- "$@" "$part"
done
[ $# -eq 0 ] || main "$@"
