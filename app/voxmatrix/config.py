"""Locations of files, and the only module that reads the environment."""

import os
import re
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.errors import UsageError

CONFIG_NAME = "voxmatrix.toml"
DOTENV_NAME = ".env"
#: If set, actions are logged to standard error, not only warnings.
LOG_VARIABLE = "VOXMATRIX_LOG"
#: "plain": messages name settings, not flags.
MESSAGES_VARIABLE = "VOXMATRIX_MESSAGES"
#: Set in every image: the name of its row in docker/images.toml.
IMAGE_VARIABLE = "VOXMATRIX_IMAGE"
#: Names a file that describes another computer, to be used instead of this one.
MACHINE_VARIABLE = "VOXMATRIX_MACHINE"
#: Our variables, and those of older programs that are supported too. Other lines of a .env belong to other programs.
_OURS = re.compile(
    r"(VOXMATRIX_[A-Z0-9_]+|GPU_ID|USE_GPU|VIBEVOICE_(DEVICE|PORT|MODEL)|DIRECTML_DEVICE|WORKER_ID|COORDINATOR_IP|NUM_WORKERS"
    r"|REDIS_URL|REDIS_PASSWORD|HF_ENDPOINT|HF_TOKEN|HF_HUB_OFFLINE)\b"
)

#: The variables that a .env has set.
_from_dotenv: set[str] = set()


def home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder for everything that outlives a run: `VOXMATRIX_HOME`, or `~/.voxmatrix`."""
    environment = os.environ if environment is None else environment
    return Path(environment.get("VOXMATRIX_HOME") or Path.home() / ".voxmatrix")


def environment() -> Mapping[str, str]:
    """The environment variables of this process, for callers that read several of them."""
    return os.environ


def local_rank() -> int:
    """The rank of this process among those that train one voice together, as set by the launcher."""
    return int(os.environ.get("LOCAL_RANK", "0"))


def is_rank_zero() -> bool:
    """Whether this process saves checkpoints and reports progress."""
    return local_rank() == 0


def engine_folders() -> tuple[Path, ...]:
    """Where engines are looked up, each in a folder of its name: the user's own, then those of an image."""
    return home() / "engines", Path("/opt/engines")


def voice_folders() -> tuple[Path, ...]:
    """Where voices are looked up: the user's own, then those bundled with a clone or an installation."""
    return home() / "voices", *bundled_folders()


@cache
def bundled_folders() -> tuple[Path, Path]:
    """In a clone, and in an installation. They never move, and `serve` looks at them for each request."""
    clone = Path(__file__).resolve().parents[2] / "samples" / "voices"
    return clone, Path(sysconfig.get_path("data")) / "share" / "voxmatrix" / "voices"


def read_config(folder: Path | None = None) -> dict[str, Any]:
    """The keys of `voxmatrix.toml` in `folder` (default: the working directory); empty if there is no such file.

    Raises:
        UsageError: the file exists but is not valid TOML.
    """
    path = (folder or Path.cwd()) / CONFIG_NAME
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", f"fix that line, or remove {path}") from error


def load_dotenv(folder: Path | None = None) -> None:
    """Set our variables from `.env` in `folder` (default: the working directory); the environment takes precedence.

    Raises:
        UsageError: the file exists but is not text, or a line that sets one of our variables cannot be parsed.
    """
    path = (folder or Path.cwd()) / DOTENV_NAME
    if not path.is_file():
        return
    from dotenv.parser import parse_stream

    _from_dotenv.clear()
    with _readable(path), path.open(encoding="utf-8-sig") as file:
        for binding in parse_stream(file):
            ours = _OURS.match(binding.original.string.strip().removeprefix("export "))
            if ours is None:
                continue
            if binding.error or binding.key is None or binding.value is None or "\0" in binding.value:
                raise UsageError(
                    f"{path}, line {binding.original.line}: the value of {ours[0]} cannot be parsed",
                    f"write {ours[0]}=VALUE on a line of its own",
                )
            if binding.key not in os.environ:
                os.environ[binding.key] = binding.value
                _from_dotenv.add(binding.key)


def is_from_dotenv(variable: str) -> bool:
    """Whether `load_dotenv` has set this environment variable."""
    return variable in _from_dotenv


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", f"fix it, or remove {path}") from error
