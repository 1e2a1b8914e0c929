"""Containers, started as a careful person starts them."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


def docker(*words: str, expect: int | None = 0) -> subprocess.CompletedProcess[str]:
    """Run docker; anything but the expected exit code fails the test with what was said."""
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False)
    if expect is not None and done.returncode != expect:
        pytest.fail(f"docker {' '.join(words)}\nended with {done.returncode}, not {expect}\n{done.stdout}{done.stderr}")
    return done


def is_built(image: str) -> bool:
    """Whether the engine has it."""
    return docker("image", "inspect", image, expect=None).returncode == 0


def owner(folder: Path) -> str:
    """The user of a container that may write there; root hands the folder to a stranger, as an administrator would."""
    user = os.getuid() or 12345
    if os.getuid() == 0:
        os.chown(folder, user, 0)
    return f"{user}:0"


@dataclass(frozen=True)
class Hardened:
    """An image with every restriction that the README recommends, a mounted /data and read-only recordings."""

    image: str
    data: Path
    recordings: Path
    user: str

    def flags(self) -> list[str]:
        return [
            *("--read-only", "--tmpfs", "/tmp", "--user", self.user, "--network", "none", "--cap-drop", "ALL"),
            *("--security-opt", "no-new-privileges"),
            *("--volume", f"{self.data}:/data", "--volume", f"{self.recordings}:/recordings:ro"),
        ]

    def run(self, *words: str, expect: int | None = 0) -> subprocess.CompletedProcess[str]:
        """`docker run IMAGE WORDS`, to its end."""
        return docker("run", "--rm", *self.flags(), self.image, *words, expect=expect)

    def start(self, *words: str) -> str:
        """`docker run --detach IMAGE WORDS`; returns the container."""
        return docker("run", "--detach", *self.flags(), self.image, *words).stdout.strip()
