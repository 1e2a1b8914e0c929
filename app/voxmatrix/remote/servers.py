"""The servers of remote voices, in `VOXMATRIX_HOME/remotes.toml`, and what is kept of each of their voices.

What decides how a voice sounds stands in a file of its own, in `voices/remote/SERVER/VOICE.toml`: its digest is that of
the voice. How its server is reached may change, and is known to nobody else: a key is in no certificate and no log.
"""

import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from voxmatrix.config import home, voice_folders
from voxmatrix.encoding import CONVERT, not_utf8
from voxmatrix.errors import BadInputError, DamagedFileError, SettingsFileError, UsageError
from voxmatrix.files import read_errors, replacing_path, storage_errors, write_text
from voxmatrix.remote.names import NAME, SUFFIX

FORMATS = ("wav", "flac", "mp3", "opus", "pcm")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
#: Without a login or a query, which would be shown where the URL is.
_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~/%+-]*)?", re.ASCII)
_KEY = re.compile(r"[!-~]+")
_VERSION = re.compile(r"/v\d+$")
MAX_PARALLEL = 64
#: A file name has at most 255 bytes.
_MAX_FILE_NAME = 240


@dataclass(frozen=True, kw_only=True)
class Server:
    """How a server is reached."""

    url: str  # with the version of its API: https://host/v1
    key: str = field(default="", repr=False)
    key_file: str = ""  # a file with the key alone, e.g. a secret
    format: str = "wav"  # that it is asked for
    parallel: int = 4  # sentences that it is asked for at once
    timeout_seconds: float = 120.0  # that nothing may arrive for
    retry_seconds: float = 60.0  # that it may be busy or gone for

    def __post_init__(self) -> None:
        if not _URL.fullmatch(self.url):
            example = "give its address, e.g. http://127.0.0.1:8880/v1; the key stands in `key_file`"
            raise UsageError(f"the URL of the server is {_without_login(self.url)!r}", example)
        if self.format not in FORMATS:
            raise UsageError(f"`format` is {self.format!r}", f"choose one of: {', '.join(FORMATS)}")
        if not 1 <= self.parallel <= MAX_PARALLEL:
            raise UsageError(f"`parallel` is {self.parallel}", f"choose a number from 1 to {MAX_PARALLEL}")
        if not 0 < self.timeout_seconds < float("inf"):
            raise UsageError(f"`timeout` is {self.timeout_seconds}", "choose a number of seconds above 0")
        if not 0 <= self.retry_seconds < float("inf"):
            raise UsageError(f"`retry` is {self.retry_seconds}", "choose a number of seconds, 0 to ask only once")

    @property
    def secret(self) -> str:
        """The key; "" if none is needed.

        Raises:
            BadInputError: its file cannot be read, or it is none.
        """
        key, place = self.key, "remotes.toml"
        if self.key_file:
            place = self.key_file
            with read_errors(Path(place)):
                key = Path(place).read_text(encoding="utf-8", errors="replace").strip()
        if (key or self.key_file) and not _KEY.fullmatch(key):
            raise BadInputError(f"what {place} has is no key", "write the key of the server there, and nothing else")
        return key


@dataclass(frozen=True, kw_only=True)
class RemoteVoice:
    """What decides how a remote voice sounds."""

    server: str
    voice: str
    model: str
    rate_hz: int
    language: str  # as espeak-ng names it: en-us; "": not known, and texts are sent as they are written

    @staticmethod
    def read(path: Path) -> "RemoteVoice":
        """The voice of a file.

        Raises:
            BadInputError: there is no such file.
            DamagedFileError: it is none of a remote voice.
        """
        try:
            return _made(RemoteVoice, _read(path))
        except (TypeError, UsageError) as error:
            raise DamagedFileError(f"{path} is no file of a remote voice: {error}", "add its server again") from error

    def path(self) -> Path:
        """Where it is kept."""
        return _voices_of(self.server) / f"{quote(self.voice, safe=' ')}{SUFFIX}"


def with_version(url: str) -> str:
    """The address of an API as OpenAI's clients want it: with /v1 at its end."""
    url = url.rstrip("/")
    return url if _VERSION.search(url) else f"{url}/v1"


def servers() -> dict[str, Server]:
    """All servers by name.

    Raises:
        SettingsFileError: `remotes.toml` is no TOML, or has something else than servers.
    """
    path = _file()
    if not path.is_file():
        return {}
    found = {}
    for name, values in _read(path).items():
        try:
            found[name] = _made(Server, values)
        except (TypeError, UsageError) as error:
            remedy = f"correct it, or remove {name} from the file"
            raise SettingsFileError(f"{path}, [{name}]: {error}", remedy) from error
    return found


def server_named(name: str) -> Server:
    """The server of this name.

    Raises:
        BadInputError: there is none.
        SettingsFileError: as `servers`.
    """
    known = servers()
    if name not in known:
        there = f"choose one of: {', '.join(known)}" if known else "add it first: voxmatrix voices remote add NAME URL"
        raise BadInputError(f"there is no server {name!r} in {_file()}", there)
    return known[name]


def save_server(name: str, server: Server, voices: Iterable[RemoteVoice]) -> None:
    """Keep a server and its voices, instead of what is known under its name.

    Raises:
        UsageError: it cannot have this name.
        UnreachableError: they cannot be written.
    """
    check_name(name)
    _write({**servers(), name: server})
    for voice in voices:
        if len(voice.path().name.encode()) <= _MAX_FILE_NAME:
            write_text(voice.path(), _toml(asdict(voice)))


def remove_server(name: str) -> None:
    """Forget a server and its voices.

    Raises:
        BadInputError: there is none of this name.
        UnreachableError: the files cannot be written.
    """
    server_named(name)
    _write({known: server for known, server in servers().items() if known != name})
    with storage_errors(_voices_of(name)):
        shutil.rmtree(_voices_of(name), ignore_errors=True)


def check_name(name: str) -> None:
    """Check the name of a server.

    Raises:
        UsageError: it has other characters than file names may have everywhere.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"the name of the server is {name!r}", "use up to 32 of a-z, 0-9, _ and -, a letter first")


def _file() -> Path:
    return home() / "remotes.toml"


def _voices_of(server: str) -> Path:
    return voice_folders()[0] / NAME / server


def _read(path: Path) -> dict[str, Any]:
    with read_errors(path):
        content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SettingsFileError(f"{path}: {not_utf8(error)}", CONVERT) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsFileError(f"{path} is not valid TOML: {error}", f"correct it, or remove {path}") from error


T = TypeVar("T", Server, RemoteVoice)


def _made(kind: type[T], values: Any) -> T:
    """An object of the values of a table; numbers may be whole ones.

    Raises:
        TypeError: a value is missing, has another type, or is not known.
    """
    if not isinstance(values, dict):
        raise TypeError("it is no table")
    types = {one.name: (int, float) if one.type is float else one.type for one in fields(kind)}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, types.get(name, object)):  # type: ignore[arg-type]
            raise TypeError(f"{name} is {value!r}")
    return kind(**values)


def _write(known: Mapping[str, Server]) -> None:
    tables = (f"[{name}]\n{_toml(_without_defaults(server))}" for name, server in known.items())
    with replacing_path(_file()) as beside:
        beside.chmod(0o600)
        beside.write_text("\n".join(tables), encoding="utf-8")


def _without_defaults(server: Server) -> dict[str, Any]:
    return {one.name: getattr(server, one.name) for one in fields(server) if getattr(server, one.name) != one.default}


def _toml(values: Mapping[str, Any]) -> str:
    """Lines of TOML, whose strings and numbers are those of JSON, but for one control character."""
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    return "".join(lines).replace("\x7f", "\\u007f")


def _without_login(url: str) -> str:
    return re.sub(r"//.*@", "//…@", url)
