"""How uv is asked which versions fit together for a row: for what is in an image, and what compiles beside it."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools import pins
from tools.rows import ROOT, Row


def resolve(
    uv: str, row: Row, out: Path, *words: str, constraints: Path, of: Sequence[str | Path]
) -> dict[str, pins.Pin]:
    """The pins of all that the files `of` ask for, with the hashes of every file; what stands in `out` is preferred.

    Raises:
        subprocess.CalledProcessError: nothing fits; uv has said why.
    """
    fixed = [uv, "pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--no-annotate"]
    fixed += ["--python-version", row.python, "--python-platform", row.system]
    fixed += ["--constraint", str(constraints), "--output-file", str(out)]
    subprocess.run([*fixed, *words, *map(str, of)], check=True, cwd=ROOT)
    return pins.parse(out.read_text(encoding="utf-8"))
