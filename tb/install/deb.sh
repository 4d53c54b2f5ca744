#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian packages of what is built here: nocturne, nocturne-common, libnocturne0, libnocturne-dev,
# nocturne-doc. `make deb` calls it.
#   tb/install/deb.sh BUILD      BUILD/deb/*.deb
set -eu
build=$1
for tool in dh_builddeb dpkg-shlibdeps help2man; do
  command -v $tool >/dev/null || {
    echo "deb: $tool is missing; install what it takes: apt-get install debhelper dpkg-dev help2man" >&2
    exit 3
  }
done
root=$PWD work=$build/deb/work
rm -rf "$build/deb"
mkdir -p "$work"
cp -r tb/install/debian "$work/debian"
work=$(cd "$work" && pwd)
version=$(sed -n 's/^.define NOCTURNE_VERSION "\(.*\)"/\1/p' tb/harness/origin.h)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
cat >"$work/debian/changelog" <<END
nocturne ($version) bookworm; urgency=medium

  * As built from the tree; its changes are in CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' "$work/debian/control")  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
make --no-print-directory B="$build" install PREFIX=/usr LIBDIR="/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
  DESTDIR="$work/debian/tmp"
cd "$work"
rm -f debian/tmp/usr/share/doc/nocturne/{LICENSE,CHANGELOG.md}
dh_install
dh_installdocs
dh_installchangelogs "$root/CHANGELOG.md"
dh_compress -X.md -X.c
dh_fixperms
dh_strip --no-automatic-dbgsym
dh_makeshlibs
dh_shlibdeps
dh_installdeb
dh_gencontrol
dh_md5sums
dh_builddeb --destdir=..
