"""Write `base_digest` of docker/images.toml: `python -m tools.locks.lock_bases`, run by `./run lock -- bases`."""

import re
import subprocess
from collections.abc import Mapping

from tools.images.rows import TABLE, rows

_BASE = re.compile(r'^base = "([^"]+)"\n(?:base_digest = "[^"]*"\n)?', re.MULTILINE)


def digest_of(base: str) -> str:
    """The digest of an image for all its platforms, as its registry has it today: sha256:…"""
    words = ["docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", base]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"{base}: its registry does not answer: {done.stderr.strip()}\n  → do it where it can be reached"
        )
    return done.stdout.strip()


def pinned(table: str, digests: Mapping[str, str]) -> str:
    """The text of the table with the digests of these bases; others keep what they have."""

    def line(found: re.Match[str]) -> str:
        digest = digests.get(found[1])
        return f'base = "{found[1]}"\nbase_digest = "{digest}"\n' if digest else found[0]

    return _BASE.sub(line, table)


def main() -> None:
    """Pin the bases of all images that are built on Linux."""
    bases = dict.fromkeys(row.base for row in rows().values() if row.can_be_built)
    digests = {base: digest_of(base) for base in bases}
    TABLE.write_text(pinned(TABLE.read_text(encoding="utf-8"), digests), encoding="utf-8")
    for base, digest in digests.items():
        print(f"{base} is {digest}")


if __name__ == "__main__":
    main()
