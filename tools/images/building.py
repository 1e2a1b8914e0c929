"""The `docker buildx build` command for a row and this checkout. Standard library only."""

import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.images.engines import Engine
from tools.images.rows import ROOT, Row

INDEX = "VOXMATRIX_TORCH_INDEX"
BASE_BY_TAG = "VOXMATRIX_BASE_BY_TAG"
#: Of voxmatrix, torch, and ffmpeg and espeak-ng; docker/sbom.py writes the same and names all others.
_LICENCES = "Apache-2.0 AND BSD-3-Clause AND GPL-3.0-or-later"


@dataclass(frozen=True, kw_only=True)
class Flash:
    """What flash-attn is compiled for: architectures such as "100;120", and head sizes (empty: all)."""

    archs: str
    head_sizes: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Build:
    """The inputs of a build that come from the checkout and the machine instead of the row."""

    version: str
    revision: str = ""
    created: str = ""
    source: str = ""
    wheelhouse: bool = False
    torch_index: str | None = None
    ca: str = ""
    network: str = "default"
    base_by_tag: bool = False
    platform: str = ""  # of this machine; "": the first platform of the row
    flash: Flash | None = None


def this_build(row: Row, environment: Mapping[str, str] = os.environ) -> Build:
    """The build inputs of this checkout and this machine."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    certificates = (environment.get(name, "") for name in ("VOXMATRIX_CA", "PIP_CERT", "SSL_CERT_FILE"))
    return Build(
        version=project["version"],
        revision=_git("rev-parse", "HEAD"),
        created=_git("log", "-1", "--format=%cI"),
        source=web_address(_git("config", "--get", "remote.origin.url")),
        wheelhouse=any((ROOT / row.wheelhouse).glob("*.whl")),
        torch_index=named_index(row, environment),
        ca=next((path for path in certificates if path and Path(path).is_file()), ""),
        network=environment.get("VOXMATRIX_BUILD_NETWORK", "default"),
        base_by_tag=bool(environment.get(BASE_BY_TAG)),
        platform=_PLATFORMS.get(platform.machine().lower(), ""),
    )


_PLATFORMS = {"x86_64": "linux/amd64", "amd64": "linux/amd64", "aarch64": "linux/arm64", "arm64": "linux/arm64"}


def named_index(row: Row, environment: Mapping[str, str] = os.environ) -> str | None:
    """The torch index set in the environment for a row, or None. An empty variable is as good as none.

    VOXMATRIX_TORCH_INDEX without a row name is an index of CPU builds, so it applies to rows for the CPU only.
    """
    for_cpu = "" if row.cuda or row.torch_build else environment.get(INDEX)
    return environment.get(row.index_variable) or for_cpu or None


def torch_index(row: Row, environment: Mapping[str, str] = os.environ) -> str:
    """The index a row's torch is installed from; "" is pip's default index."""
    named = named_index(row, environment)
    return row.index if named is None else named


def web_address(remote: str) -> str:
    """The web page of a git remote, without credentials; "" if it has none, such as a folder."""
    found = re.fullmatch(r"(?:https://(?:[^@/]*@)?|git@|ssh://git@)([^/:@]+)[/:](.+?)(?:\.git)?/?", remote)
    return f"https://{found[1]}/{found[2]}" if found else ""


def _git(*args: str) -> str:
    try:
        done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def chosen_platform(row: Row, build: Build) -> str:
    """The platform of this machine if the row has it, else the row's first: an engine loads a single platform."""
    return build.platform if build.platform in row.platforms else row.platforms[0]


def base(row: Row, build: Build) -> str:
    """The base image for FROM: by digest if the row has one, unless this computer builds its bases itself."""
    return row.base if build.base_by_tag or not row.base_digest else f"{row.base}@{row.base_digest}"


def arguments(row: Row, build: Build) -> dict[str, str]:
    """The build arguments of a row's Dockerfile."""
    index = row.index if build.torch_index is None else build.torch_index
    values = {
        "BASE": base(row, build),
        "ROW": row.name,
        "TORCH": row.torch,
        "TORCH_INDEX": "" if build.wheelhouse else index,
    }
    if row.cuda or row.torch_build:
        values |= {
            "CUDA": row.cuda,
            "CAPABILITIES": " ".join(row.capabilities),
            "KERNELS": " ".join(row.kernels_on(chosen_platform(row, build))),
            "TORCH_CUDA_ARCH_LIST": row.torch_arch_list,
            "INSTEAD": row.instead,
        }
    if row.torch_build:
        values["TORCH"] = f"{row.torch}+{row.torch_build}"  # no other build of it will do
    if row.packages:
        values["PACKAGES"] = " ".join(row.packages)
    if build.flash:
        values |= {
            "FLASH": "flash-attn",  # the stage
            "FLASH_ATTN_CUDA_ARCHS": build.flash.archs,
            "FLASH_HEAD_SIZES": " ".join(map(str, build.flash.head_sizes)),
        }
        values |= {"TOOLKIT": row.toolkit} if row.toolkit else {}
    return values


def image(row: Row, build: Build) -> str:
    """The tag of the built image; an image with flash-attn has its own tag."""
    return f"{row.image}-flash" if build.flash else row.image


def labels(row: Row, build: Build) -> dict[str, str]:
    """OCI labels and our own; unknown values are left out.

    The kernels are those of the row. docker/gate.py fails a build that measures others, so the label is always true.
    """
    title = "org.opencontainers.image"
    values = {
        f"{title}.title": "voxmatrix",
        f"{title}.description": f"One voice app, every GPU: the image '{row.name}'",
        f"{title}.version": build.version,
        f"{title}.revision": build.revision,
        f"{title}.created": build.created,
        f"{title}.licenses": _LICENCES + (" AND LicenseRef-NVIDIA-CUDA-EULA" if row.cuda else ""),
        f"{title}.source": build.source,
        f"{title}.url": build.source,
        f"{title}.base.name": row.base,
        f"{title}.base.digest": base(row, build).removeprefix(row.base).removeprefix("@"),
        "voxmatrix.row": row.name,
        "voxmatrix.torch": row.torch,
        "voxmatrix.cuda": row.cuda,
        "voxmatrix.torch-build": row.torch_build,
        "voxmatrix.kernels": " ".join(row.kernels_on(chosen_platform(row, build))),
        "voxmatrix.oldest-driver": row.oldest_driver,
        "voxmatrix.flash-attn": row.flash_attn if build.flash else "",
    }
    return {key: value for key, value in values.items() if value}


def command(row: Row, build: Build) -> list[str]:
    """The command line that builds a row."""
    flags = {
        "--file": [row.dockerfile],
        "--tag": [image(row, build)],
        "--platform": [chosen_platform(row, build)],
        "--build-arg": [f"{name}={value}" for name, value in arguments(row, build).items()],
        "--label": [f"{name}={value}" for name, value in labels(row, build).items()],
        "--build-context": [f"wheelhouse={row.wheelhouse}"] if build.wheelhouse else [],
    }
    return _buildx(build, flags)


def cluster_command(row: Row, build: Build) -> list[str]:
    """The command line that builds the image with Celery, Flower and Redis on that of a row, whose labels it keeps."""
    flags = {
        "--file": ["docker/Dockerfile.cluster"],
        "--tag": [row.cluster_image],
        "--build-arg": [f"IMAGE={row.image}"],
    }
    return _buildx(build, flags)


def engine_command(engine: Engine, row: Row, build: Build) -> list[str]:
    """The command line that builds the image with an engine on that of a row, whose labels it keeps."""
    flags = {
        "--file": ["docker/Dockerfile.engine"],
        "--tag": [engine.image(row)],
        "--build-arg": [f"IMAGE={row.image}", f"ENGINE={engine.name}", f"PINS={Path(engine.pins(row)).name}"],
    }
    return _buildx(build, flags)


def _buildx(build: Build, flags: Mapping[str, Sequence[str]]) -> list[str]:
    flags = {
        **flags,
        "--network": [build.network],
        "--secret": [f"id=ca,src={build.ca}"] if build.ca else [],
    }
    options = [word for flag, values in flags.items() for value in values for word in (flag, value)]
    return ["docker", "buildx", "build", "--load", *options, "."]
