#!/usr/bin/env bash
# Print the first installed Python of the given versions, from the PATH or from pyenv; otherwise python3.
set -u
shopt -s nullglob
for version in "$@"; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
        # pyenv also has commands for versions that are not active.
        found=$("$python" -c 'import os, sys, ensurepip, venv; print(os.path.realpath(sys.executable), *sys.version_info[:2])' 2>/dev/null) || continue
        read -r path major minor <<<"$found"
        if [ "$major.$minor" = "$version" ]; then
            echo "$path"
            exit
        fi
    done
done
echo python3
