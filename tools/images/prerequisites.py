"""Whether this computer can build and run images: Docker, its engine, buildx, the base, a torch. Standard library only.

Each problem is one sentence and a line with what to type, reported before anything is downloaded.
"""

import shutil
import subprocess

from tools.images.building import INDEX, Build
from tools.images.engine import is_built
from tools.images.rows import Row

_ENGINE = "tools/docker-engine.sh (as root; Debian and Ubuntu) installs and starts one"
_PULL_SECONDS = 600


class NotReadyError(Exception):
    """Something is missing on this computer; the message says what, and what to type."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}\n  → {remedy}")


def check_docker() -> None:
    """Check that Docker is installed and its engine answers.

    Raises:
        NotReadyError: it is not.
    """
    if shutil.which("docker") is None:
        raise NotReadyError("there is no program `docker` on this computer", f"install Docker: {_ENGINE}")
    done = _docker("version", "--format", "{{.Server.Version}}")
    if done.returncode == 0:
        return
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    if "permission denied" in reason:
        raise NotReadyError(
            f"Docker refuses this user: {reason}", "run sudo usermod -aG docker $USER, and log in again"
        )
    raise NotReadyError(f"no Docker engine answers: {reason}", f"start the engine: {_ENGINE}")


def check_build(row: Row, build: Build) -> None:
    """Check what a build needs; pulls the base image if necessary.

    Raises:
        NotReadyError: something is missing.
    """
    check_torch(row, build)
    check_docker()
    if _docker("buildx", "version").returncode:
        raise NotReadyError(
            "Docker has no buildx, which builds the images",
            "install docker-buildx (Debian, Ubuntu) or docker-buildx-plugin (Docker's own packages)",
        )
    if not is_built(row.base_reference) and _docker("pull", "--quiet", row.base_reference).returncode:
        raise NotReadyError(
            f"the base image {row.base_reference} is not here and cannot be pulled",
            f"run tools/debian-base.sh {row.base} (as root), which builds it from Debian's packages",
        )


def check_torch(row: Row, build: Build) -> None:
    """Check that pip in the build can find the row's torch: its default index has no CPU builds for Linux.

    Raises:
        NotReadyError: neither local wheels nor an index are set.
    """
    if row.cuda or row.index or build.wheelhouse or build.torch_index:
        return
    raise NotReadyError(
        f"{row.image} needs a CPU build of torch {row.torch}, which pip's default index does not have",
        f"run {INDEX}=https://… ./run build-{row.name} with torch's index of CPU builds (see 'Get started' on its "
        f"site), or, if pip is configured here, ./run wheelhouse-{row.name} first",
    )


def _docker(*args: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["docker", *args], capture_output=True, text=True, check=False, timeout=_PULL_SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, 1, "", "no answer")
