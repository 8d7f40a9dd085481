#!/usr/bin/env bash
# Fail when a C file is not as clang-format 14 would write it.  `./dev format` repairs that.
set -euo pipefail
cd "$1"
command -v clang-format-14 >/dev/null || exit 77
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77
git ls-files -z '*.c' '*.h' ':!tests/golden/*.h' | xargs -0 clang-format-14 --dry-run -Werror
