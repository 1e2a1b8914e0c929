"""Where things live, and the one place that reads the environment."""

import os
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.errors import UsageError

CONFIG_NAME = "voxmatrix.toml"


def home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of everything that outlives a run: `VOXMATRIX_HOME`, else `~/.voxmatrix`."""
    environment = os.environ if environment is None else environment
    return Path(environment.get("VOXMATRIX_HOME") or Path.home() / ".voxmatrix")


def environment() -> Mapping[str, str]:
    """The variables of this process, for what reads several of them."""
    return os.environ


def leads() -> bool:
    """Whether this process saves, reports and talks: of those that train one voice, the launcher numbers the others."""
    return os.environ.get("LOCAL_RANK", "0") == "0"


def voice_folders() -> tuple[Path, ...]:
    """Where voices lie that nobody names: the person's own, then what came along with a clone or an installation."""
    clone = Path(__file__).resolve().parent.parent / "samples" / "voices"
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
