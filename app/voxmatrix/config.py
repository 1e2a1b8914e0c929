"""Locations of files, and the only module that reads the environment."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.encoding import CONVERT, check_argument, not_utf8
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
#: The settings that a .env or voxmatrix.toml of the working directory may set: how a command computes, speaks and
#: trains. Whoever unpacks a data set or a book works among files of a stranger. So what is not listed here is refused
#: there: what loads code, homes, keys, brokers, who may reach the server, consents, and what is overwritten.
# fmt: off
FOLDER_SETTINGS = frozenset({
    # Where it is computed
    "device", "gpu", "use_gpu", "devices", "precision", "tf32", "cudnn_benchmark", "compile", "graphs", "threads",
    "workers", "prepare_workers", "parallel_voices",
    # Speech
    "voice", "speaker", "alias", "speed", "noise", "noise_w", "volume", "sentence_pause", "paragraph_pause",
    "chapter_pause", "seed", "set", "level", "raw", "lexicon", "cast", "dialogue_voice",
    "emphasis_voice", "judge", "format", "bitrate", "out",
    # Books
    "title", "author", "narrator", "publisher", "description", "date", "series", "series_index", "cover", "titles",
    "chapters", "include", "exclude", "notes", "preview", "subtitles", "subtitle_speakers", "read_along",
    "read_along_speakers", "target",
    "opening_credits", "closing_credits",
    # Training
    "quality", "language", "phonemes", "profile", "prompt_list", "max_seconds", "ears", "batch_size", "accumulation",
    "gradient_checkpointing", "learning_rate", "epochs", "max_steps", "max_batch_seconds", "discriminator_start",
    "validate_every", "patience", "sample_text",
    "checkpoint_every", "keep", "tune", "minutes", "steps", "min_snr", "speakers",
    # The server
    "port", "root_path", "log_json", "max_input", "max_upload", "queue", "voice_memory", "voice_idle",
    # Reports
    "task", "size", "runs", "limit", "clip_seconds",
})
#: Variables of other programs that such a .env may set, too, and those that we read but it may not.
_FOLDER_VARIABLES = frozenset({
    "GPU_ID", "USE_GPU", "VIBEVOICE_DEVICE", "VIBEVOICE_PORT", "VIBEVOICE_MODEL", "DIRECTML_DEVICE", "WORKER_ID",
    "NUM_WORKERS", "HF_HUB_OFFLINE",
})
_REFUSED_VARIABLES = frozenset({"COORDINATOR_IP", "REDIS_URL", "REDIS_PASSWORD", "HF_ENDPOINT", "HF_TOKEN"})
# fmt: on
_PREFIX = "VOXMATRIX_"
_OLDER = _FOLDER_VARIABLES | _REFUSED_VARIABLES
#: Lines of a .env that are ours. The others belong to other programs.
_OURS = re.compile(rf"({_PREFIX}[A-Z0-9_]+|{'|'.join(sorted(_OLDER))})\b")

#: The variables that a .env has set, and those that it may not set.
_from_dotenv: set[str] = set()
_refused_in_dotenv: set[str] = set()


def home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder for everything that outlives a run: `VOXMATRIX_HOME`, or `~/.voxmatrix`."""
    environment = os.environ if environment is None else environment
    return Path(environment.get("VOXMATRIX_HOME") or Path.home() / ".voxmatrix")


def make_home() -> None:
    """Create the home, if there is none, so that other users cannot read it: it keeps recordings, texts and books.

    In an image, those of its group share it. One that cannot be created is the problem of whoever writes there.
    """
    with suppress(OSError):
        home().parent.mkdir(parents=True, exist_ok=True)
        home().mkdir(mode=0o770 if IMAGE_VARIABLE in os.environ else 0o700)


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
    import sysconfig

    clone = Path(__file__).resolve().parents[2] / "samples" / "voices"
    return clone, Path(sysconfig.get_path("data")) / "share" / "voxmatrix" / "voices"


def shared_prepared() -> Path:
    """What an image has prepared for its bundled voices, for all its users; elsewhere it is missing."""
    return bundled_folders()[1].with_name("prepared")


def read_config(folder: Path | None = None) -> dict[str, Any]:
    """The keys of `voxmatrix.toml` in `folder` (default: the working directory), their values as words.

    It is empty if there is no such file.

    Raises:
        UsageError: the file exists but is not valid TOML, or a value is a table.
    """
    path = (folder or Path.cwd()) / CONFIG_NAME
    if not path.is_file():
        return {}
    import tomllib

    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {not_utf8(error)}", CONVERT) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", f"fix that line, or remove {path}") from error
    return {name: _as_words(value, f"{name} in {path}") for name, value in found.items()}


def _as_words(value: Any, name: str) -> str | bool | list[str]:
    """A value of TOML as a command line would give it: what it must be is the option's business.

    Raises:
        UsageError: it is a table, or has a character that no option accepts.
    """
    if isinstance(value, bool):
        return value
    words = [str(each) for each in (value if isinstance(value, list) else [value])]
    for word in words:
        check_argument(name, word, is_path=True)
    if isinstance(value, dict):
        raise UsageError(f"{name} is a table", "give it one value, or several in []")
    return words if isinstance(value, list) else words[0]


def load_dotenv(folder: Path | None = None) -> None:
    """Set variables from `.env` in `folder` (default: the working directory); the environment takes precedence.

    Only those of `FOLDER_SETTINGS` and of some other programs are set; `refused_in_dotenv` has the others of ours.

    Raises:
        UsageError: the file exists but is not text, or a line that sets one of our variables cannot be parsed.
    """
    _from_dotenv.clear()
    _refused_in_dotenv.clear()
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
                    f"{path}, line {binding.original.line}: the value of {ours[0]} cannot be parsed",
                    f"write {ours[0]}=VALUE on a line of its own",
                )
            if binding.key in os.environ:
                continue
            if _may_set(binding.key):
                os.environ[binding.key] = binding.value
                _from_dotenv.add(binding.key)
            else:
                _refused_in_dotenv.add(binding.key)


def check_environment() -> None:
    """Check the variables of older programs: those that are ours are checked as the options that they set.

    Raises:
        UsageError: one is not UTF-8.
    """
    for name in _OLDER & os.environ.keys():
        check_argument(name, os.environ[name])


def _may_set(variable: str) -> bool:
    """Whether a .env of the working directory may set this variable."""
    setting = variable.removeprefix(_PREFIX)
    return variable in _FOLDER_VARIABLES or (setting != variable and setting.lower() in FOLDER_SETTINGS)


def from_dotenv() -> frozenset[str]:
    """The environment variables that `load_dotenv` has set."""
    return frozenset(_from_dotenv)


def refused_in_dotenv() -> frozenset[str]:
    """Our variables that `load_dotenv` has found in a file that may not set them."""
    return frozenset(_refused_in_dotenv)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {not_utf8(error)}", CONVERT) from error
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise UsageError(f"{path} cannot be read: {error}", f"fix it, or remove {path}") from error
