"""Resolve versions with uv: for the requirements of an image, and for those of compiling flash-attn."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
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


#: Platform of a row → uv's name for it, with the glibc of the oldest base, Debian 12.
_PLATFORMS = {"linux/amd64": "x86_64-manylinux_2_36", "linux/arm64": "aarch64-manylinux_2_36"}


def missing_wheels(uv: str, row: Row, locked: Mapping[str, pins.Pin], platform: str) -> str:
    """Why the locked versions cannot be installed on a platform without a compiler, in uv's words; "" if they can."""
    # torch without CUDA is not on PyPI, where uv would find another build of the same version.
    own = () if row.cuda else ("torch",)
    versions = "".join(f"{pin.name}=={pin.version}\n" for pin in locked.values() if pin.name not in own)
    command = [uv, "pip", "compile", "--quiet", "--no-deps", "--only-binary", ":all:", "--generate-hashes", "-"]
    command += ["--python-version", row.python, "--python-platform", _PLATFORMS[platform]]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, input=versions, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        return done.stderr.strip()
    found = pins.parse(done.stdout)
    unlocked = [pin.name for pin in found.values() if not pin.hashes & locked[pin.name].hashes]
    return f"no locked file: {', '.join(unlocked)}" if unlocked else ""
