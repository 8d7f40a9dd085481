#!/bin/sh
# Fail when the archive needs any symbol that nothing inside altpick defines.  Compilers may call
# memcpy, memmove, memset and memcmp even in freestanding code.
nm=$1 archive=$2
bad=$("$nm" -u "$archive" 2>/dev/null | awk '/ U /{print $2}' | sort -u |
      grep -vxE 'memcpy|memmove|memset|memcmp|altpick_.*|_GLOBAL_OFFSET_TABLE_')
[ -z "$bad" ] || { echo "undefined: $bad"; exit 1; }
