"""Keys: the server knows only their SHA-256. Ours have 32 random bytes, so that a slow hash would add nothing."""

import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.files import read_errors, replacing

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PREFIX = "vx-"
#: Of a key that somebody has chosen.
_MIN_CHARACTERS = 16
_HINT = "each line is the SHA-256 of a key in hexadecimal; voxmatrix serve --keys FILE --new-key adds one"


def read_keys(path: Path) -> frozenset[bytes]:
    """The digests in a file of keys: one per line, and after it, if anything, a space and a comment.

    Raises:
        BadInputError: the file cannot be read.
        UsageError: it contains no key, or a line is not a digest.
    """
    with read_errors(path):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    digests = set()
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if _DIGEST.fullmatch(words[0].lower()) is None:
            raise UsageError(f"{path}, line {number} is not the digest of a key", _HINT)
        digests.add(bytes.fromhex(words[0]))
    if not digests:
        raise UsageError(f"{path} contains no key", _HINT)
    return frozenset(digests)


def new_key() -> tuple[str, bytes]:
    """A key, and its digest."""
    key = _PREFIX + secrets.token_urlsafe(32)
    return key, digest_of(key)


def checked_digest(key: str, place: str) -> bytes:
    """The digest of a key that somebody has chosen. `place` is where.

    Raises:
        UsageError: it is too short, or cannot be sent in a header.
    """
    if len(key) < _MIN_CHARACTERS or not re.fullmatch("[!-~]+", key):
        short = len(key) < _MIN_CHARACTERS
        what = f"has {len(key)} characters" if short else "contains a space, or a letter with an accent"
        raise UsageError(
            f"the key in {place} {what}: it could be {'guessed' if short else 'sent in no header'}",
            f"choose at least {_MIN_CHARACTERS} letters, digits and signs, e.g. what openssl rand -hex 16 prints",
        )
    return digest_of(key)


def read_key(path: Path) -> bytes:
    """The digest of the key in a file, such as a secret of Docker.

    Raises:
        BadInputError: the file cannot be read.
        UsageError: it contains no key.
    """
    with read_errors(path):
        return checked_digest(path.read_text(encoding="utf-8", errors="replace").strip(), str(path))


def digest_of(key: str) -> bytes:
    """What the server knows of a key."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def add_key(path: Path) -> str:
    """Make a key, add its digest to the file, and return the key, which is stored nowhere.

    Raises:
        UnreachableError: the file cannot be written.
    """
    key, digest = new_key()
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    separator = "" if not before or before.endswith("\n") else "\n"
    with replacing(path) as file:
        file.write(f"{before}{separator}{digest.hex()}\n".encode())
    return key


def is_known(key: str, digests: Iterable[bytes]) -> bool:
    """Whether the digest of the key is among these. Takes equally long for every key."""
    given = digest_of(key)
    return sum(hmac.compare_digest(given, digest) for digest in digests) > 0
