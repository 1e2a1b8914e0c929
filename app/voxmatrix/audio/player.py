"""Let speech be heard, by a program that the computer has: no package of ours reaches its speakers."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from voxmatrix.child_environment import for_player
from voxmatrix.errors import MissingProgramError, UnreachableError
from voxmatrix.processes import describe_exit, start

_WAV = ".wav"
_WINDOWS = "winsound"


@dataclass(frozen=True)
class Player:
    """A program that plays a sound file to its end; for `winsound`, the module of Python on Windows."""

    program: str
    options: tuple[str, ...] = ()
    stream: str = ""  # the file that means its standard input, if it plays a WAV file of unknown length from there
    any_format: bool = False  # not only WAV
    failure: str = ""  # what it says where it has played nothing and exits with 0 all the same

    def play(self, path: Path) -> None:
        """Play a file, and return when it has been heard.

        Raises:
            UnreachableError: the player fails, e.g. since no speaker is connected.
            BadInputError, MissingProgramError: the file cannot be decoded for a player that only knows WAV.
        """
        if path.suffix.lower() != _WAV and not self.any_format:
            from voxmatrix.audio.encode import encode

            with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
                self.play(encode(path, Path(folder, f"speech{_WAV}")))
        elif self.program == _WINDOWS:
            _play_on_windows(path)
        else:
            with self._running(str(path.absolute()), subprocess.DEVNULL):
                pass

    @contextmanager
    def playing(self) -> Iterator[BinaryIO]:
        """The input of the player: a WAV file written there is heard as it comes. The block ends when all was heard.

        Raises:
            UnreachableError: the player fails. Who writes to it until then gets a BrokenPipeError.
        """
        with self._running(self.stream, subprocess.PIPE) as process:
            pipe = cast("BinaryIO", process.stdin)
            yield pipe
            with suppress(BrokenPipeError):  # it has failed, which its exit code says
                pipe.close()

    @contextmanager
    def _running(self, file: str, stdin: int) -> Iterator["subprocess.Popen[bytes]"]:
        """The running player, which is waited for; killed if the block, or the wait, is interrupted."""
        with tempfile.TemporaryFile() as messages:  # a pipe could fill: aplay complains of each gap in a slow stream
            command = (self.program, *self.options, file)
            try:
                process = start(
                    command, environment=for_player(), stdin=stdin, stdout=subprocess.DEVNULL, stderr=messages
                )
            except OSError as error:
                raise self._failure(error.strerror or str(error)) from error
            with process:
                try:
                    yield process
                    code = process.wait()
                except BaseException:
                    process.kill()
                    with suppress(OSError):  # what it has not read
                        if process.stdin is not None:
                            process.stdin.close()
                    raise
            messages.seek(0)
            said = messages.read().decode("utf-8", "replace").strip().splitlines()
            if self.failure and any(self.failure in line for line in said):
                raise self._failure(self.failure)
            if code:
                raise self._failure(said[-1] if said else describe_exit(code))

    def _failure(self, reason: str) -> UnreachableError:
        return UnreachableError(
            f"{self.program} cannot play the speech: {reason}",
            "check that this computer has a speaker, or write a file, e.g. `out=speech.wav`, without `play`",
        )


#: By `sys.platform`, the best first; those of Linux also elsewhere. ffplay (ffmpeg) finds the sound server by itself,
#: pw-play is PipeWire's, paplay PulseAudio's, and aplay ALSA's. Read in the manuals of their Debian packages.
_PLAYERS = {
    "linux": (
        Player(
            "ffplay",
            ("-nodisp", "-autoexit", "-loglevel", "error", "-i"),
            stream="-",
            any_format=True,
            failure="audio open failed",
        ),
        Player("pw-play"),
        Player("paplay"),
        Player("aplay", ("-q",), stream="-"),
    ),
    "darwin": (Player("afplay"),),
    "win32": (Player(_WINDOWS),),
}


def find_player() -> Player:
    """The player of this computer.

    Raises:
        MissingProgramError: there is none.
    """
    players = _PLAYERS.get(sys.platform, _PLAYERS["linux"])
    for player in players:
        if player.program == _WINDOWS or shutil.which(player.program):
            return player
    names = ", ".join(player.program for player in players)
    raise MissingProgramError(
        f"there is no program to play sound with: none of {names} is installed",
        "apt install ffmpeg, which has ffplay; or write a file, e.g. `out=speech.wav`, without `play`",
    )


def _play_on_windows(path: Path) -> None:
    """Start the sound and sleep as long as it lasts: a call that plays to the end cannot be interrupted by Ctrl-C.

    Raises:
        UnreachableError: no speaker is connected.
    """
    import time
    import wave
    import winsound

    with wave.open(str(path)) as file:
        seconds = file.getnframes() / file.getframerate()
    try:
        winsound.PlaySound(str(path), winsound.SND_FILENAME | winsound.SND_ASYNC | winsound.SND_NODEFAULT)  # type: ignore[attr-defined,unused-ignore]
        time.sleep(seconds)
    except RuntimeError as error:
        raise Player(_WINDOWS)._failure(str(error)) from error
    finally:
        winsound.PlaySound(None, 0)  # type: ignore[attr-defined,unused-ignore]
