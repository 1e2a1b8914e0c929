"""Containers, started as a careful person starts them."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

#: For whatever must happen in a container sooner or later. No test asserts a time.
PATIENCE_SECONDS = 600
#: What a container has to end after a signal. Docker gives ten seconds, but here the disk has gigabytes of other tests
#: to write first, and what is saved waits for them.
GRACE_SECONDS = 120


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
class Container:
    """One that was started and runs beside the test."""

    name: str

    def said(self) -> str:
        """Everything until now."""
        done = docker("logs", self.name)
        return done.stdout + done.stderr

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Look again and again; a container that has ended, or takes for ever, fails the test."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline or not self.is_running():
                pytest.fail(f"not seen: {what}\n{self.said()}")
            time.sleep(0.05)

    def is_running(self) -> bool:
        return docker("inspect", "--format", "{{.State.Running}}", self.name).stdout.strip() == "true"

    def exec(self, *words: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
        """`docker exec`, to its end."""
        return docker("exec", self.name, *words, expect=expect)

    def stop(self) -> int:
        """`docker stop`; the exit code. 137 is that of a container that did not end by itself."""
        docker("stop", "--time", str(GRACE_SECONDS), self.name)
        return int(docker("inspect", "--format", "{{.State.ExitCode}}", self.name).stdout)


@dataclass(frozen=True)
class Hardened:
    """An image with every restriction that docs/images.md recommends, a mounted /data and read-only recordings."""

    image: str
    data: Path
    recordings: Path
    user: str

    def flags(self) -> list[str]:
        return [
            *("--read-only", "--tmpfs", "/tmp", "--user", self.user, "--network", "none", "--cap-drop", "ALL"),
            *("--security-opt", "no-new-privileges"),
            *("--volume", f"{self.data}:/data", "--volume", f"{self.recordings}:/recordings:ro"),
            *("--env", "OMP_WAIT_POLICY=passive"),  # many at once: threads that wait must not take the CPUs of others
        ]

    def run(self, *words: str, expect: int | None = 0, also: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """`docker run IMAGE WORDS`, to its end. `also`: more flags of Docker's."""
        return docker("run", "--rm", *self.flags(), *also, self.image, *words, expect=expect)

    @contextmanager
    def started(self, *words: str) -> Iterator[Container]:
        """`docker run --detach IMAGE WORDS`; the container is removed in the end."""
        name = docker("run", "--detach", *self.flags(), self.image, *words).stdout.strip()
        try:
            yield Container(name)
        finally:
            docker("rm", "--force", name)

    def give(self, name: str, content: str) -> Path:
        """A file in /data that belongs to the user of the container, as everything there."""
        path = self.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        for each in (path, *(parent for parent in path.parents if self.data in parent.parents)):
            os.chown(each, int(self.user.partition(":")[0]), -1)
        return path

    def strangers(self) -> list[Path]:
        """What in /data does not belong to the user of the container."""
        user = int(self.user.partition(":")[0])
        return [path for path in self.data.rglob("*") if path.lstat().st_uid != user]
