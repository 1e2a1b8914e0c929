"""Podman without root: as the user who runs the tests or, if that is root, as one made for them."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_MADE = "voxmatrix-rootless"
#: Debian's default, vfs, copies the whole image for every layer.
_STORAGE = '[storage]\ndriver = "overlay"\n'
#: With both versions of cgroups mounted, crun starts nothing ("cgroups in hybrid mode not supported"), and runc does.
_HYBRID = Path("/sys/fs/cgroup/unified")


@dataclass(frozen=True)
class Rootless:
    """A user without rights, and a folder of his own."""

    user: pwd.struct_passwd
    folder: Path

    def call(self, *words: str, expect: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a program as this user; anything but the expected exit code fails the test with what was said."""
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=self.folder, env=self._environment(), **self._as()
        )
        if expect is not None and done.returncode != expect:
            pytest.fail(f"{' '.join(words)}\nended with {done.returncode}, not {expect}\n{done.stdout}{done.stderr}")
        return done

    def run(self, image: str, *words: str, flags: tuple[str, ...], expect: int = 0) -> subprocess.CompletedProcess[str]:
        """`podman run` with every restriction that docs/images.md recommends."""
        runtime = ("--runtime", "runc") if _HYBRID.is_dir() else ()
        hardened = ("--read-only", "--tmpfs", "/tmp", "--network", "none", "--cap-drop", "ALL")
        hardened += ("--security-opt", "no-new-privileges")
        return self.call("podman", *runtime, "run", "--rm", *hardened, *flags, image, *words, expect=expect)

    def load(self, image: str) -> None:
        """Copy an image of Docker."""
        with subprocess.Popen(["docker", "image", "save", image], stdout=subprocess.PIPE) as saving:
            loaded = subprocess.run(
                ["podman", "load"],
                stdin=saving.stdout, capture_output=True, text=True, check=False,
                cwd=self.folder, env=self._environment(), **self._as(),
            )  # fmt: skip
        assert (saving.returncode, loaded.returncode) == (0, 0), loaded.stderr

    def _environment(self) -> dict[str, str]:
        runtime = {"XDG_RUNTIME_DIR": str(self.folder / "run")}
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C", **runtime}

    def _as(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}


@contextmanager
def rootless() -> Iterator[Rootless]:
    """A user with an empty storage of Podman, which is removed in the end, as is a user who was made for this."""
    made = os.geteuid() == 0
    if made:
        subprocess.run(["useradd", "--no-create-home", _MADE], check=True)
    folder = Path(tempfile.mkdtemp(prefix="voxmatrix-rootless-"))
    try:
        user = pwd.getpwnam(_MADE) if made else pwd.getpwuid(os.geteuid())
        os.chown(folder, user.pw_uid, user.pw_gid)
        podman = Rootless(user, folder)
        podman.call("mkdir", "-m", "700", "run", "-p", ".config/containers")
        (folder / ".config/containers/storage.conf").write_text(_STORAGE)
        yield podman
        podman.call("podman", "system", "reset", "--force")
        podman.call("podman", "system", "migrate")  # ends the process that holds the user namespace
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if made:
            subprocess.run(["userdel", _MADE], check=True)
