"""What is newer than the pins, what holds it back, and which of them have known vulnerabilities: `./run fresh`.

Versions come from the index's simple API (PEP 691), vulnerabilities from the JSON API beside it, which not every index
has. Nothing is written: `./run lock derive` does that.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pip._internal.models.index import PyPI

from tools.images.rows import ROOT, Row, rows
from tools.locks import pins
from tools.locks.pip_config import pip_values

#: pip's.
DEFAULT_INDEX = PyPI.simple_url
SIMPLE = "application/vnd.pypi.simple.v1+json"
#: Requests of an index, or resolutions by uv.
_AT_ONCE = 8
_NAME_OF_A_FILE = re.compile(r"^.+?-(\d[^-]*)(?:-.*\.whl|\.tar\.gz|\.zip)$")


@dataclass(frozen=True, kw_only=True)
class Newer:
    """A pin of a row for which the index has a newer version."""

    row: str
    project: str
    pinned: str
    newest: str
    held_by: str  # "" if nothing does


@dataclass(frozen=True, kw_only=True)
class Vulnerable:
    """A pin with a known vulnerability."""

    row: str
    project: str
    pinned: str
    name: str
    fixed_in: tuple[str, ...]
    accepted: bool  # the row's `advisory` names it


Ask = Callable[[str, str], Any]


def ask(address: str, accept: str) -> Any:
    """The JSON at an address.

    Raises:
        OSError: it cannot be reached, or has no such page.
        ValueError: it is no JSON.
    """
    request = urllib.request.Request(address, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def newest(page: Any) -> tuple[Version, str] | None:
    """The newest release of a page of the simple API that was not withdrawn, and the Pythons it is for."""
    found: dict[Version, str] = {}
    for file in page.get("files", ()):
        named = _NAME_OF_A_FILE.match(file["filename"])
        try:
            version = Version(named[1]) if named else None
        except InvalidVersion:
            continue
        if version and not version.is_prerelease and not file.get("yanked"):
            found[version] = file.get("requires-python") or ""
    return max(found.items(), default=None)


def pythons_of(requires: str, python: str) -> str:
    """What holds a version back that is for other Pythons than the row's; "" if it is for this one."""
    # Patch releases count: Debian's are past the floor of any that a project names.
    if not requires or SpecifierSet(requires).contains(f"{python}.99"):
        return ""
    return f"Python {python} of the row: it needs {requires}"


def reason(row: Row, uv: str, wanted: str) -> str:
    """What keeps the row from `wanted` (NAME==VERSION): uv's words, or a project that would be older; "" if nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        fixed, build = Path(folder, "fixed.txt"), Path(folder, "build.in")
        fixed.write_text(f"torch=={row.torch}\ntorchaudio=={row.torchaudio}\n{wanted}\n", encoding="utf-8")
        build.write_text("\n".join(project["build-system"]["requires"]), encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "--python-version", row.python, "--python-platform", row.system]
        command += [word for extra in row.extras for word in ("--extra", extra)]
        command += ["--constraint", str(fixed), "--color", "never", "pyproject.toml", str(build)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return because(done.stderr) if done.returncode else older(_pins(row), pins.parse(done.stdout))


def older(before: dict[str, pins.Pin], after: dict[str, pins.Pin]) -> str:
    """The first project that a solution has in an older version than the pins, in words."""
    for pin in after.values():
        if pin.name in before and Version(pin.version) < Version(before[pin.name].version):
            return f"{pin.name} {before[pin.name].version}, for which uv would take {pin.version}"
    return ""


def because(message: str) -> str:
    """The first cause in uv's explanation, in one line."""
    text = " ".join(word for word in message.split() if word not in ("╰─▶", "×"))
    _, _, causes = text.partition("Because ")
    return re.split(r", we can conclude| we can conclude|\. And because", causes or text)[0].removesuffix(",")


def newer_in(row: Row, why: Callable[[Row, str], str], pages: dict[str, Any]) -> list[Newer]:
    """The pins of a row that the index has newer versions of."""

    def held_by(pin: pins.Pin, latest: tuple[Version, str]) -> str:
        if pin.name in ("torch", "torchaudio"):
            return "the row's field in docker/images.toml"
        return pythons_of(latest[1], row.python) or why(row, f"{pin.name}=={latest[0]}")

    found = [(pin, latest) for pin in _pins(row).values() if (latest := newest(pages.get(pin.name, {})))]
    found = [(pin, latest) for pin, latest in found if latest[0] > Version(pin.version)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # uv mostly waits for the index
        reasons = pool.map(held_by, *zip(*found, strict=True)) if found else ()
        return [
            Newer(row=row.name, project=pin.name, pinned=pin.version, newest=str(latest[0]), held_by=held)
            for (pin, latest), held in zip(found, reasons, strict=True)
        ]


def vulnerable_in(row: Row, known: dict[tuple[str, str], Any]) -> list[Vulnerable]:
    """The pins of a row with known vulnerabilities that were not withdrawn."""
    return [
        Vulnerable(
            row=row.name,
            project=pin.name,
            pinned=pin.version,
            name=entry["id"],
            fixed_in=tuple(entry.get("fixed_in", ())),
            accepted=any(name in row.advisory for name in (entry["id"], *entry.get("aliases", ()))),
        )
        for pin in _pins(row).values()
        for entry in known.get(_key(pin), {}).get("vulnerabilities", ())
        if not entry.get("withdrawn")
    ]


def _key(pin: pins.Pin) -> tuple[str, str]:
    return pin.name, pin.version


def _pins(row: Row) -> dict[str, pins.Pin]:
    return pins.parse((ROOT / row.pins).read_text(encoding="utf-8"))


def asked(addresses: Iterable[str], accept: str, by: Ask) -> tuple[dict[str, Any], str]:
    """The answers by address, and why one is missing; "" if none is."""

    def one(address: str) -> tuple[str, Any, str]:
        try:
            return address, by(address, accept), ""
        except (OSError, ValueError) as error:
            missing = isinstance(error, urllib.error.HTTPError) and error.code == 404
            return address, None, "the index has no such page (404)" if missing else str(error)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = list(pool.map(one, addresses))
    whys = [why for _, _, why in answers if why]
    return {address: answer for address, answer, _ in answers if answer is not None}, whys[0] if whys else ""


def main(words: Sequence[str], by: Ask = ask, why: Callable[[Row, str, str], str] = reason) -> int:
    """Print the tables, or JSON; 1 if a vulnerability is known that no row accepts."""
    parser = argparse.ArgumentParser(prog="./run fresh --")
    parser.add_argument("uv")
    parser.add_argument("rows", nargs="*", help="default: all locked rows")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    chosen = [row for row in rows().values() if (ROOT / row.pins).is_file() and row.name in (options.rows or rows())]
    index = (pip_values(".index-url") or [DEFAULT_INDEX])[0].rstrip("/")
    beside = index.removesuffix("/simple")
    versions = {pin for row in chosen for pin in map(_key, _pins(row).values())}
    addresses = {name: f"{index}/{name}/" for name, _ in versions}
    read, unknown = asked(addresses.values(), SIMPLE, by)
    pages = {name: read[address] for name, address in addresses.items() if address in read}
    addresses_of = {pin: f"{beside}/pypi/{pin[0]}/{pin[1]}/json" for pin in versions}
    looked_up, no_advice = asked(addresses_of.values(), "application/json", by)
    known = {pin: looked_up[address] for pin, address in addresses_of.items() if address in looked_up}
    newer = [one for row in chosen for one in newer_in(row, lambda row, wanted: why(row, options.uv, wanted), pages)]
    vulnerable = [one for row in chosen for one in vulnerable_in(row, known)]
    missing = []
    if len(pages) < len(addresses):
        missing += [f"versions of {len(addresses) - len(pages)} projects could not be read: {unknown}"]
    if len(known) < len(versions):
        missing += [f"vulnerabilities of {len(versions) - len(known)} pins could not be looked up: {no_advice}"]
    if options.json:
        lists = {"newer": [*map(asdict, newer)], "vulnerable": [*map(asdict, vulnerable)], "missing": missing}
        print(json.dumps(lists, indent=2))
    else:
        lines = [*map(_newer_in_words, newer), *map(_vulnerable_in_words, vulnerable), *missing]
        print("\n".join(lines or ["everything is as new as it can be"]))
    return int(any(not one.accepted for one in vulnerable))


def _newer_in_words(one: Newer) -> str:
    held = f"held back by {one.held_by}" if one.held_by else f"nothing holds it back: ./run lock -- {one.row}"
    return f"{one.row}: {one.project} {one.pinned} → {one.newest}: {held}"


def _vulnerable_in_words(one: Vulnerable) -> str:
    fixed = f"fixed in {', '.join(one.fixed_in)}" if one.fixed_in else "not fixed"
    return f"{one.row}: {one.project} {one.pinned}: {one.name}, {fixed}{' (accepted)' if one.accepted else ''}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
