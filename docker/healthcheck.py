"""The health of a container: its server answers. Other commands end, and their exit code is their health."""

import os
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

_DEFAULT = "3000"
_SECONDS = 4


def port_of(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The port of `voxmatrix serve`; None if the command is another one."""
    if "serve" not in command:
        return None
    words = command[command.index("serve") + 1 :]
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--port":
            return value if equals else words[number + 1]
    return environment.get("VOXMATRIX_PORT") or environment.get("VIBEVOICE_PORT") or _DEFAULT


def main() -> int:
    """0: healthy."""
    command = Path("/proc/1/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    port = port_of(command, os.environ)
    if port is None:
        return 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=_SECONDS) as answer:
        return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
