"""espeak-ng in a process of its own (server.py): it is under the GPL, so this process never loads it."""

import importlib.util
import json
import os
import re
import sys
import threading
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.child_environment import for_program
from voxmatrix.closing import Closeable
from voxmatrix.config import environment
from voxmatrix.errors import BadInputError, Finding, MissingProgramError, UsageError
from voxmatrix.landlock import Limits, python_folders
from voxmatrix.processes import EndedError, LineProcess
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.wording import quoted

#: Names another file than that of the package espeakng-loader; its data is the folder espeak-ng-data beside it.
LIBRARY_VARIABLE = "VOXMATRIX_ESPEAK"
ANSWER_SECONDS = 30.0
#: Phoneme modes of speak_lib.h: the alphabet, and that bits 8 to 23 are a tie.
_IPA, _TIE = 2, 1 << 7
#: Published voices learned from the phonemes of this release.
OLDEST = (1, 52)

#: The folder of its data; the server of phonemes has the same name.
DATA = "espeak-ng-data"

_PACKAGE = "espeakng_loader"
_PACKAGED = {"win32": "espeak-ng.dll", "darwin": "libespeak-ng.dylib"}
#: Where a system's own package puts it; a bare name is searched for by the system's loader.
_SYSTEM = {
    "win32": (r"C:\Program Files\eSpeak NG\libespeak-ng.dll",),
    "darwin": ("/opt/homebrew/lib/libespeak-ng.dylib", "/usr/local/lib/libespeak-ng.dylib"),
}
#: A language with a variant, such as en-gb-x-rp+f2. espeak-ng looks for a file of this name: so no path is one.
_VOICE_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,63}")
_VOICES = "choose a language of espeak-ng, e.g. `language=en-us`, de, sv or cmn"
_ENDS = "its process ends at once"
_INSTALL = "pip install espeakng-loader"

#: The phonemes of a clause, and how many characters of the text have been read when it ends.
Clause = tuple[str, int]


class LineServer(Closeable):
    """A program that answers lines of texts, in a process of its own. Starting it does not block.

    A line has the texts in `unicode_escape`, with a tab behind each. Its answer is JSON.

    If it dies, it is restarted once.
    """

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self._command, self._limits = command, limits
        self._lock = threading.Lock()
        self._start()

    @abstractmethod
    def check(self, greeting: dict[str, Any]) -> None:
        """Raise if the first line of the program says that it cannot answer."""

    @abstractmethod
    def missing(self, detail: str) -> MissingProgramError:
        """The error for a program that ends before it says anything."""

    @abstractmethod
    def refused(self, text: str) -> BadInputError:
        """The error for a text on which the program ends, twice."""

    def greeting(self) -> dict[str, Any]:
        """The first line of the program.

        Raises:
            MissingProgramError: it cannot start.
            Whatever `check` raises.
        """
        with self._lock:
            try:
                return self._greeted()
            except EndedError as error:
                raise self.missing(_ENDS) from error

    def ask(self, texts: list[str]) -> list[Any]:
        """The answer for each text. A short text takes as long to be sent as to be answered, so send several.

        Raises:
            BadInputError: the program crashes or hangs on one of these texts, twice.
            MissingProgramError: it cannot start.
            Whatever `check` raises.
        """
        with self._lock:
            if self._owner != os.getpid():
                self._process.disown()
                self._start()
            for _attempt in range(2):
                try:
                    self._greeted()
                    self._process.write(b"".join(text.encode("unicode_escape") + b"\t" for text in texts))
                    return list(json.loads(self._process.read(ANSWER_SECONDS)))
                except EndedError:
                    started = bool(self._greeting)
                    self._restart()
                except BaseException:  # interrupted: the rest of this answer must not be taken for the next one
                    self._restart()
                    raise
        if not started:
            raise self.missing(_ENDS)
        raise self.refused(" ".join(texts)[:60])

    @property
    def pid(self) -> int:
        """The ID of its process, which changes when it is restarted."""
        return self._process.pid

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._owner == os.getpid():
                self._process.kill()

    def _start(self) -> None:
        self._owner = os.getpid()
        self._greeting: dict[str, Any] = {}
        self._process = LineProcess(self._command, environment=for_program(), limits=self._limits)

    def _restart(self) -> None:
        self._process.kill()
        self._start()

    def _greeted(self) -> dict[str, Any]:
        if not self._greeting:
            greeting: dict[str, Any] = json.loads(self._process.read(ANSWER_SECONDS))
            self.check(greeting)
            self._greeting = greeting
        return self._greeting


def is_voice_name(name: str) -> bool:
    """Whether espeak-ng may be asked for a voice of this name, which may come from the file of a stranger."""
    return _VOICE_NAME.fullmatch(name) is not None


class Espeak(LineServer):
    """One running espeak-ng for one voice. `ask` gives the clauses of each text."""

    def __init__(self, voice: str, *, tie: str = "") -> None:
        """`tie`: the character between the letters of a phoneme that has several, such as a^ɪ."""
        if not is_voice_name(voice):
            raise UsageError(f"{quoted(voice)} is not a voice of espeak-ng", _VOICES)
        self.voice = voice
        libraries = _libraries()
        command = _command(voice, _IPA if not tie else _IPA | _TIE | ord(tie) << 8, libraries)
        folders = [Path(library).absolute().parent for library in libraries if os.sep in library]
        super().__init__(command, Limits(reads=(*python_folders(), *folders)))

    @property
    def version(self) -> str:
        """The version of the library, e.g. 1.52.0.

        Raises:
            MissingProgramError: no library can be loaded.
            UsageError: the library has no such voice.
        """
        return str(self.greeting()["version"])

    def check(self, greeting: dict[str, Any]) -> None:
        """Raise if no library can be loaded, or it has no such voice."""
        if greeting.get("error") == "library":
            raise self.missing(greeting["detail"])
        if greeting.get("error") == "voice":
            raise UsageError(f"espeak-ng {greeting['version']} has no voice {self.voice!r}", _VOICES)

    def missing(self, detail: str) -> MissingProgramError:
        """The error for a library that cannot be loaded."""
        return MissingProgramError(
            f"espeak-ng cannot be loaded ({detail}); voices with phoneme type 'espeak' need it to pronounce text",
            f"install it:  {_INSTALL}\nor use a voice trained with `phonemes=text`, which needs no espeak-ng",
        )

    def refused(self, text: str) -> BadInputError:
        """The error for a text on which the library crashes or hangs."""
        return BadInputError(f"espeak-ng crashes or hangs on {text!r}", "change or remove that text")


@cache
def espeak_version() -> str | None:
    """The version of espeak-ng that phonemes come from, or None when there is none. It is started to be asked."""
    with Espeak("en") as espeak:
        try:
            return espeak.version
        except MissingProgramError:
            return None


def outdated(version: str) -> Finding | None:
    """What an espeak-ng of this version harms, if it is older than the one that voices are trained with."""
    if tuple(int(number) for number in re.findall(r"\d+", version)[:2]) >= OLDEST:
        return None
    wanted = ".".join(map(str, OLDEST))
    return Finding(
        problem=f"espeak-ng {version} is older than {wanted}, which voices are trained with: it pronounces nearly all "
        "Chinese and many Russian and German words differently, and such a voice mispronounces them",
        remedy=f"install a newer one:  {_INSTALL}",
        severity="warning",
    )


def other_version(version: str, learned: str) -> Finding | None:
    """What is wrong if a voice has learned from another version than this; None if its own is not known.

    Also a part behind the third counts: 1.52.0.1, which comes with piper-tts, has other rules than 1.52.0.
    """
    if not (numbers := _numbers(learned)) or numbers == _numbers(version):
        return None
    return Finding(
        problem=f"the voice has learned its phonemes from espeak-ng {learned}, and this is {version}: words may "
        "sound wrong, in some languages many",
        remedy=f"name a library of that version in {LIBRARY_VARIABLE}, or ignore it if the voice sounds right",
        severity="warning",
    )


def _numbers(version: str) -> tuple[int, ...]:
    """1.52 is 1.52.0."""
    return tuple(map(int, re.findall(r"\d+", re.sub(r"(\.0+)+$", "", version.partition("-")[0]))))


def espeak_findings() -> list[Finding]:
    """What is wrong with the espeak-ng of this computer."""
    version = espeak_version()
    if version is None:
        problem = "espeak-ng is not installed; voices with phoneme type 'espeak' need it to pronounce text"
        return [Finding(problem=problem, remedy=f"install it:  {_INSTALL}", severity="warning")]
    finding = outdated(version)
    return [finding] if finding else []


def data_folder() -> Path | None:
    """The data of espeak-ng, beside the library that is used; None if a system has it elsewhere."""
    beside = (Path(library).parent / DATA for library in _libraries() if Path(library).is_file())
    return next((folder for folder in beside if folder.is_dir()), None)


def _command(voice: str, mode: int, libraries: Sequence[str]) -> list[str]:
    """`-I -S`: nothing but the standard library is imported, wherever the process is started."""
    server = Path(__file__).with_name("server.py")
    return [sys.executable, "-I", "-S", str(server), voice, str(mode), *libraries]


def _libraries() -> list[str]:
    """The files to try, the best first."""
    named = environment().get(LIBRARY_VARIABLE)
    if named:
        return [named]
    spec = importlib.util.find_spec(_PACKAGE)
    folders = spec.submodule_search_locations or [] if spec else []
    packaged = [str(Path(folder) / _PACKAGED.get(sys.platform, "libespeak-ng.so")) for folder in folders]
    return [*packaged, *_SYSTEM.get(sys.platform, ("libespeak-ng.so.1",))]
