"""Resolve versions with uv: for the requirements of an image, and for those of compiling flash-attn."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.images.rows import ROOT, Row
from tools.locks import pins


def resolve(
    uv: str, row: Row, out: Path, *options: str, constraints: Path, of: Sequence[str | Path]
) -> dict[str, pins.Pin]:
    """Resolve the requirements in the files `of` to pins with the hashes of all files; versions in `out` are preferred.

    Raises:
        subprocess.CalledProcessError: there is no solution; uv has printed the reason.
    """
    fixed = [uv, "pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--no-annotate"]
    fixed += ["--python-version", row.python, "--python-platform", row.system]
    fixed += ["--constraint", str(constraints), "--output-file", str(out)]
    subprocess.run([*fixed, *options, *map(str, of)], check=True, cwd=ROOT)
    return pins.parse(out.read_text(encoding="utf-8"))
