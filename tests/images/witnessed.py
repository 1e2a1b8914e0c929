"""What the Pythons of a container did, as tests/images/witness wrote it down."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.images.containers import Hardened

WITNESS = Path(__file__).parent / "witness"


@dataclass(frozen=True)
class Process:
    """One Python. `imports`: heavy packages that it imported anew; `opened`: files in /data and /recordings."""

    number: int
    parent: int
    words: tuple[str, ...]
    imports: tuple[str, ...]
    opened: tuple[str, ...]


def witnessed(
    hardened: Hardened, *words: str, expect: int = 0, also: tuple[str, ...] = ()
) -> tuple[subprocess.CompletedProcess[str], list[Process]]:
    """Run the words; what was said, and every Python that there was."""
    folder = hardened.data / "witness"
    shutil.rmtree(folder, ignore_errors=True)
    seeing = ("--volume", f"{WITNESS}:/witness:ro", "--env", "PYTHONPATH=/witness")
    done = hardened.run(*words, expect=expect, also=(*seeing, *also))
    return done, [_read(path) for path in sorted(folder.iterdir(), key=lambda path: int(path.name))]


def _read(path: Path) -> Process:
    start, *events = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return Process(
        number=int(path.name),
        parent=start["what"]["parent"],
        words=tuple(start["what"]["words"]),
        imports=tuple(event["what"] for event in events if event["event"] == "import"),
        opened=tuple(event["what"] for event in events if event["event"] == "open"),
    )
