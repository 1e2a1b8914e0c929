"""Where things live, and the one place that reads the environment."""

import os
import re
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from voxmatrix.errors import UsageError

CONFIG_NAME = "voxmatrix.toml"
DOTENV_NAME = ".env"
#: Ours, and those of older programs that are understood as well. What else stands in a .env is for others.
_OURS = re.compile(
    r"(VOXMATRIX_[A-Z0-9_]+|GPU_ID|USE_GPU|VIBEVOICE_DEVICE|DIRECTML_DEVICE|WORKER_ID|COORDINATOR_IP|NUM_WORKERS)\b"
)


def home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of everything that outlives a run: `VOXMATRIX_HOME`, else `~/.voxmatrix`."""
    environment = os.environ if environment is None else environment
    return Path(environment.get("VOXMATRIX_HOME") or Path.home() / ".voxmatrix")


def environment() -> Mapping[str, str]:
    """The variables of this process, for what reads several of them."""
    return os.environ


def local_rank() -> int:
    """The number of this process among those that train one voice together; its launcher sets it."""
    return int(os.environ.get("LOCAL_RANK", "0"))


def is_rank_zero() -> bool:
    """Whether this process is the one that saves and reports."""
    return local_rank() == 0


def voice_folders() -> tuple[Path, ...]:
    """Where voices lie that nobody names: the person's own, then what came along with a clone or an installation."""
    clone = Path(__file__).resolve().parents[2] / "samples" / "voices"
    return home() / "voices", clone, Path(sysconfig.get_path("data")) / "share" / "voxmatrix" / "voices"


def read_config(folder: Path | None = None) -> dict[str, Any]:
    """The keys of `voxmatrix.toml` in `folder` (the working directory), or nothing when there is no such file.

    Raises:
        UsageError: the file is there and is not TOML.
    """
    path = (folder or Path.cwd()) / CONFIG_NAME
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}", f"mend that line, or remove {path}") from error


def load_dotenv(folder: Path | None = None) -> None:
    """Set the variables of ours that `.env` in `folder` (the working directory) names and the environment does not.

    Raises:
        UsageError: the file is there and is no text, or a line that sets one of them cannot be understood.
    """
    path = (folder or Path.cwd()) / DOTENV_NAME
    if not path.is_file():
        return
    from dotenv.parser import parse_stream

    with _readable(path), path.open(encoding="utf-8-sig") as file:
        for binding in parse_stream(file):
            ours = _OURS.match(binding.original.string.strip().removeprefix("export "))
            if ours is None:
                continue
            if binding.error or binding.key is None or binding.value is None or "\0" in binding.value:
                raise UsageError(
                    f"{path}, line {binding.original.line}: what {ours[0]} is set to cannot be understood",
                    f"write {ours[0]}=VALUE there, on a line of its own",
                )
            os.environ.setdefault(binding.key, binding.value)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", f"mend it, or remove {path}") from error
