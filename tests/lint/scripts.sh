#!/usr/bin/env bash
# Fail when shellcheck has something to say about a shell script.
set -euo pipefail
cd "$1"
command -v shellcheck >/dev/null || exit 77
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77
git ls-files -z dev .ci/run '*.sh' | xargs -0 shellcheck --severity=warning
