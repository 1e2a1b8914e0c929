#!/bin/sh
# Make a layer reproducible: `layer.sh begin && … && layer.sh end` around the commands of a RUN. Afterwards, equal inputs
# give equal layers, which images and releases then share.
#   begin             note the time
#   new FOLDER        list the files that are new since then
#   compile FOLDER    compile the Python files that are new since then; their bytecode holds hashes instead of dates
#   end               empty logs, and give everything that is new since then the same date
set -eu

mark=/tmp/.layer
date=@1577836800 # 2020-01-01: fixed, so that layers do not depend on the commit

case $1 in
    begin)
        # Somewhat earlier: the engine has already created places for this step's mounts, such as /opt/install.sh.
        touch --date='10 seconds ago' "$mark"
        ;;
    new)
        find "$2" -type f -newer "$mark"
        ;;
    compile)
        # The order of sets in bytecode depends on the hash seed. Templates that are not valid Python are skipped. Without
        # the columns of every instruction, which tracebacks underline, bytecode is a fifth smaller; lines stay.
        find "$2" -name '*.py' -newer "$mark" | LC_ALL=C sort |
            PYTHONHASHSEED=0 /opt/venv/bin/python -X no_debug_ranges -m compileall -qq -f --invalidation-mode unchecked-hash -i - || true
        ;;
    end)
        # Emptied, not removed: the removal of a file of the base image is recorded in the layer, with its time.
        find /var/log /var/cache/ldconfig -type f -newer "$mark" -exec truncate --size 0 {} +
        # What is mounted only for this step, and /proc, cannot be changed.
        find / -xdev -newer "$mark" ! -path "$mark" -exec touch --no-dereference --date="$date" {} + 2>/dev/null || true
        rm "$mark"
        touch --date="$date" /tmp
        ;;
    *)
        echo "layer.sh: the argument is '$1', must be begin, new, compile or end" >&2
        exit 2
        ;;
esac
