#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian packages: the source package, and nocturne, nocturne-common, libnocturne0, libnocturne-dev and nocturne-doc
# that dpkg-buildpackage makes of it. `make deb` calls it.
#   tb/install/deb.sh BUILD      BUILD/deb/*.deb, *.dsc, *.tar.xz
# The same tree and SOURCE_DATE_EPOCH (the commit's time) give the same bytes in any folder.
set -eu
build=$1
for tool in dpkg-buildpackage dh help2man; do
  command -v $tool >/dev/null || {
    echo "deb: $tool is missing; install what it takes: apt-get install debhelper dpkg-dev help2man" >&2
    exit 3
  }
done
version=$(sed -n 's/^.define NOCTURNE_VERSION "\(.*\)"/\1/p' tb/harness/origin.h)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
rm -rf "$build/deb"
mkdir -p "$build/deb"
deb=$(cd "$build/deb" && pwd)
name=nocturne-$version
sources() { # what git knows, or all but the build folder
  if [ -e .git ]; then git ls-files; else find . -type f -not -path "./${build%%/*}/*" | sed 's|^\./||'; fi
}
sources | LC_ALL=C sort | tar -c -T - --transform "s|^|$name/|" --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
  --numeric-owner --mode=u+rw,go+r-w,a+X | xz -T1 >"$deb/nocturne_$version.orig.tar.xz"
tar -x -C "$deb" -f "$deb/nocturne_$version.orig.tar.xz"
cp -r tb/install/debian "$deb/$name/debian"
{ git describe --always --dirty --abbrev=12 2>/dev/null || :; } >"$deb/$name/debian/revision"
cd "$deb/$name"
cat >debian/changelog <<END
nocturne ($version-1) bookworm; urgency=medium

  * As built from the tree; its changes are in CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
dpkg-buildpackage -us -uc -j"$(nproc)"
cd ..
rm -rf "$name"
