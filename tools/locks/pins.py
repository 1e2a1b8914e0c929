"""docker/pins/<row>.txt: locked, hashed requirements. Standard library only."""

import html
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_REQUIREMENT = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")
_LINK = re.compile(r'href="([^"]+)#(sha256)=([0-9a-f]{64})"')


@dataclass(frozen=True, kw_only=True)
class Pin:
    """One version of a project, and the hashes of the files that may be installed."""

    name: str
    version: str
    hashes: frozenset[str]


def parse(text: str) -> dict[str, Pin]:
    """The pins of a requirements file, by project name."""
    starts = list(_REQUIREMENT.finditer(text))
    ends = [*(match.start() for match in starts), len(text)][1:]
    pins = {}
    for match, end in zip(starts, ends, strict=False):
        name = re.sub(r"[-_.]+", "-", match[1]).lower()
        pins[name] = Pin(name=name, version=match[2], hashes=frozenset(_HASH.findall(text, match.end(), end)))
    return pins


def render(pins: Iterable[Pin], heading: str) -> str:
    """A requirements file for `pip install --require-hashes`."""
    blocks = [
        " \\\n    ".join([f"{pin.name}=={pin.version}", *(f"--hash={digest}" for digest in sorted(pin.hashes))])
        for pin in sorted(pins, key=lambda pin: pin.name)
    ]
    return "\n".join([f"# {heading}", *blocks, ""])


def constraints(pins: Mapping[str, Pin]) -> str:
    """Versions without hashes, for `pip install --constraint` on platforms with other wheels."""
    return "".join(f"{pin.name}=={pin.version}\n" for pin in pins.values())


def public(pin: Pin) -> Pin:
    """The pin without the local part of its version: `2.13.0` also matches `2.13.0+cpu`; the hashes decide."""
    return Pin(name=pin.name, version=pin.version.partition("+")[0], hashes=pin.hashes)


def merged(new: Pin, *others: Pin | None) -> Pin:
    """`new`, plus the hashes of `others` for the same version."""
    same = (other.hashes for other in others if other is not None and other.version == new.version)
    return Pin(name=new.name, version=new.version, hashes=new.hashes.union(*same))


def on_index(index: str, project: str, version: str, python: str, local: str) -> Pin | None:
    """The files an index has for one version (with local part `local`) and Python; None if it cannot be reached."""
    try:
        with urllib.request.urlopen(f"{index.rstrip('/')}/{project}/", timeout=30) as response:
            page = response.read().decode("utf-8", errors="replace")
    except (urllib.error.URLError, OSError):
        return None
    return Pin(name=project, version=version, hashes=frozenset(_hashes(page, project, version, python, local)))


def _hashes(page: str, project: str, version: str, python: str, local: str) -> Iterable[str]:
    tag = f"cp{python.replace('.', '')}"
    prefix = f"{project}-{version}{f'+{local}' if local else ''}-{tag}-{tag}-"
    for link, algorithm, digest in _LINK.findall(html.unescape(page)):
        if urllib.parse.unquote(link).rpartition("/")[2].startswith(prefix):
            yield f"{algorithm}:{digest}"
