"""Locked files from a package index, several at a time, each checked by its hash.

pip downloads one file after the other, and takes ten times the CPU time: it copies each file, and reads its metadata.
What this does not find is left to pip, which knows other indexes, local folders and passwords.
Source: https://peps.python.org/pep-0691/
"""

import hashlib
import json
import ssl
import urllib.parse
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from pip._internal.models.index import PyPI

from tools.locks.pins import Pin
from tools.locks.pip_config import pip_values

SIMPLE = "application/vnd.pypi.simple.v1+json"
AT_ONCE = 8
_TIMEOUT_SECONDS = 60
_BLOCK = 1 << 20
_SUM = "sha256"


class NotFoundError(Exception):
    """The index has no file for a pin, or gave another one."""


def download(locked: Iterable[Pin], folder: Path) -> list[Pin]:
    """Download the best file of each pin for this Python, and return the pins that must come from elsewhere."""
    index = (pip_values(".index-url") or [PyPI.simple_url])[0].rstrip("/")
    trusted = ssl.create_default_context(cafile=next(iter(pip_values(".cert")), None))
    ranks = {tag: rank for rank, tag in enumerate(sys_tags())}

    def left(pin: Pin) -> bool:
        try:
            _fetch(pin, index, folder, ranks, trusted)
        except (NotFoundError, OSError, ValueError, KeyError):  # also no JSON, and a connection that ends early
            return True
        return False

    locked = list(locked)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return [pin for pin, is_left in zip(locked, threads.map(left, locked), strict=True) if is_left]


def _fetch(pin: Pin, index: str, folder: Path, ranks: dict[Any, int], trusted: ssl.SSLContext) -> None:
    address = f"{index}/{pin.name}/"
    request = urllib.request.Request(address, headers={"Accept": SIMPLE})
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS, context=trusted) as page:
        files = json.load(page)["files"]
    file = _best([file for file in files if f"{_SUM}:{file['hashes'].get(_SUM)}" in pin.hashes], ranks)
    name = Path(file["filename"]).name
    unchecked = folder / f".{name}"
    try:
        if _saved(urllib.parse.urljoin(address, file["url"]), unchecked, trusted) != file["hashes"][_SUM]:
            raise NotFoundError(f"{name} has another hash than its lock")
        unchecked.replace(folder / name)
    finally:
        unchecked.unlink(missing_ok=True)


def _best(files: list[dict[str, Any]], ranks: dict[Any, int]) -> dict[str, Any]:
    """The wheel that pip would choose, else the source distribution."""
    ranked = []
    for file in files:
        if not file["filename"].endswith(".whl"):
            ranked.append((len(ranks), file))
        elif fitting := [ranks[tag] for tag in parse_wheel_filename(file["filename"])[3] if tag in ranks]:
            ranked.append((min(fitting), file))
    if not ranked:
        raise NotFoundError("the index has no file for this Python")
    return min(ranked, key=lambda one: one[0])[1]


def _saved(address: str, path: Path, trusted: ssl.SSLContext) -> str:
    """Save what is at an address, and return its hash."""
    digest = hashlib.new(_SUM)
    with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS, context=trusted) as answer, path.open("wb") as file:
        while block := answer.read(_BLOCK):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()
