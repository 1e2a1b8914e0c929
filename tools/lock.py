"""Writes docker/pins/<row>.txt: `python -m tools.lock ROW UV`, done by `./run lock`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import matrix, pins

HEADING = "Locked by `./run lock` for the image '{row}', Python {python}. torch: files of the row's index only."


def lock(row: matrix.Row, uv: str, find_links: list[str]) -> dict[str, pins.Pin]:
    """The pins of a row: one version of everything, and the hashes of all files of that version."""
    path = matrix.ROOT / row.pins
    before = pins.parse(path.read_text(encoding="utf-8")) if path.exists() else {}
    index = os.environ.get("VOXMATRIX_TORCH_INDEX", row.index)
    offered = pins.on_index(index, "torch", row.torch, row.python, row.torch_local) if index else None
    if offered is None:
        print("no index of torch was asked: it keeps the hashes known before, and those of the files that lie here")
    else:
        find_links = [*find_links, f"{index}/torch/"]
    found = pins.parse(_resolve(row, uv, find_links))
    found["torch"] = pins.merged(pins.public(found["torch"]), before.get("torch"), offered)
    return found


def _resolve(row: matrix.Row, uv: str, find_links: list[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        fixed, out = Path(folder, "fixed.txt"), Path(folder, "pins.txt")
        fixed.write_text(f"torch=={row.torch}+{row.torch_local}\ntorchaudio=={row.torchaudio}\n", encoding="utf-8")
        words = [uv, "pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--no-annotate"]
        words += ["--python-version", row.python, "--python-platform", "linux"]
        words += ["--constraint", str(fixed), "--output-file", str(out)]
        words += [word for extra in row.extras for word in ("--extra", extra)]
        words += [word for place in find_links for word in ("--find-links", place)]
        subprocess.run([*words, "pyproject.toml"], check=True, cwd=matrix.ROOT)
        return out.read_text(encoding="utf-8")


def _find_links() -> list[str]:
    """Where pip is told to look for files; uv does not read pip's configuration."""
    words = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    pairs = (line.partition("=") for line in said.splitlines())
    places = [value.strip("'\"") for key, _, value in pairs if key.endswith(".find-links")]
    return list(dict.fromkeys(word for place in places for word in place.split()))


if __name__ == "__main__":
    chosen = matrix.rows()[sys.argv[1]]
    locked = lock(chosen, sys.argv[2], _find_links())
    heading = HEADING.format(row=chosen.name, python=chosen.python)
    (matrix.ROOT / chosen.pins).write_text(pins.render(locked.values(), heading), encoding="utf-8")
    print(f"{chosen.pins}: {len(locked)} projects")
