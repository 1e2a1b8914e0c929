"""The health of a container: its servers are ready. Other commands end, and their exit code is their health.

`voxmatrix serve` writes where it listens into a file for this program, since a port may come from any setting.
"""

import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

_SECONDS = 4


def addresses(folder: Path, proc: Path) -> Iterator[str]:
    """The addresses of the servers that run."""
    for file in sorted(folder.glob("voxmatrix-serve-*")):
        if (proc / file.name.rpartition("-")[2]).exists():  # else of a server that was killed
            yield file.read_text(encoding="utf-8")


def is_starting(proc: Path) -> bool:
    """Whether the container was started as a server, and not by another program such as a shell."""
    words = (proc / "1" / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    return "voxmatrix_entrypoint" in words and words[words.index("voxmatrix_entrypoint") + 1] == "serve"


def is_ready(address: str) -> bool:
    """Whether the server at this address can speak."""
    everywhere = {"http://0.0.0.0:": "http://127.0.0.1:", "http://[::]:": "http://[::1]:"}
    for listening, here in everywhere.items():
        address = address.replace(listening, here)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # not through the proxy of the environment
    try:
        with direct.open(f"{address}/readyz", timeout=_SECONDS) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def main(folder: Path, proc: Path = Path("/proc")) -> int:
    """0: healthy."""
    servers = list(addresses(folder, proc))
    if not servers:
        return int(is_starting(proc))
    return int(not all(map(is_ready, servers)))


if __name__ == "__main__":
    sys.exit(main(Path(tempfile.gettempdir())))
