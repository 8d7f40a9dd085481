#!/bin/sh
# Fail when a file includes a stage that comes after its own.  Order: tuner/LAYERS, one stage a line.
cd "$1" || exit 2
awk 'FNR == NR { rank[$1] = FNR; next }
     FNR == 1  { me = FILENAME; sub(/.*\//, "", me); sub(/\.[ch]$/, "", me) }
     /^#include "altpick\// {
         dep = $2; gsub(/"|altpick\/|\.h/, "", dep)
         if (!(dep in rank)) { print FILENAME ": " dep " has no line in tuner/LAYERS"; bad = 1 }
         if (me in rank && rank[dep] > rank[me]) { print FILENAME ": " me " may not include " dep; bad = 1 }
     }
     END { exit bad }' tuner/LAYERS tuner/include/altpick/*.h tuner/core/*.c
