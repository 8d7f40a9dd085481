#!/bin/sh
# Fail when an archive needs anything that is not altpick's: not even memset, which the C library
# does with vector registers, while states are held in them.
#
#   no_calls.sh NM ARCHIVE...
set -u
nm=$1
shift
bad=$("$nm" -u "$@" 2>/dev/null | awk '/ U /{print $2}' | sort -u |
      grep -vxE 'altpick_.*|_GLOBAL_OFFSET_TABLE_')
[ -z "$bad" ] || { echo "undefined: $bad"; exit 1; }
