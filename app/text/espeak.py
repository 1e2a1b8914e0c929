"""espeak-ng as a separate program that stays open: a line of text in, a line of phonemes for each clause out.

The program is under the GPL and is neither linked nor imported. It answers through a terminal where there is one, since
it holds its output back in a pipe; elsewhere (Windows) filler text pushes the answer out. A question is followed by a
random word, and the answer ends where that word's phonemes come back: no text can get questions and answers confused.
"""

import contextlib
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from typing import IO

from app.errors import BadInputError, MissingProgramError, UsageError

#: Where it is looked for: on the path, then where the installers of Windows and of macOS put it without saying so.
PLACES = ("espeak-ng", r"C:\Program Files\eSpeak NG\espeak-ng.exe", "/opt/homebrew/bin/espeak-ng")
#: The program reads at most 999 bytes at once and would cut a longer line anywhere.
LINE_BYTES = 900
ANSWER_SECONDS = 30.0
#: Speaking fast costs the program a third of the time and changes no phoneme (the speech itself is thrown away).
_SPEED = "400"
_FILLER = b"k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p\n" * 40


_CONSONANTS = "bdfgklmnprstv"
_VOICES = "choose a voice that `espeak-ng --voices` lists, e.g. --language en-us"
_VOICE_NAME = re.compile(r"[\w/+.-]+")


class _DiedError(Exception):
    pass


def espeak_installed() -> bool:
    """Whether the program is there."""
    return _find_program() is not None


class EspeakProgram:
    """One running espeak-ng. Its start is not waited for; a death is mended once by a new start."""

    def __init__(self, voice: str) -> None:
        if _VOICE_NAME.fullmatch(voice) is None:
            raise UsageError(f"{voice!r} is no voice of espeak-ng", _VOICES)
        self.voice = voice
        self._lock = threading.Lock()
        self._start()

    def ask(self, line: str) -> list[str]:
        """The phonemes of a line of at most LINE_BYTES without control characters: one string for each clause.

        Raises:
            BadInputError: the program dies of this line or does not answer, twice.
            UsageError: the program has no such voice.
        """
        with self._lock:
            if self._owner != os.getpid():  # after a fork the program belongs to the parent
                self._process.returncode = 0
                self._start()
            for _attempt in range(2):
                try:
                    return self._ask(line)
                except _DiedError:
                    self._restart()
                except BaseException:  # interrupted: the rest of this answer must not meet the next question
                    self._restart()
                    raise
        self._check_voice()
        raise BadInputError(
            f"espeak-ng gave no answer to {line[:60]!r}", "change or leave out that text, or update espeak-ng"
        )

    def close(self) -> None:
        """End the program."""
        with self._lock:
            if self._owner == os.getpid():
                self._stop()

    def _start(self) -> None:
        program = _find_program()
        if program is None:
            raise missing_program()
        self._owner = os.getpid()
        self._word = " ".join(_CONSONANTS[byte % len(_CONSONANTS)] for byte in os.urandom(7))
        self._end: str | None = None
        command = [program, "-q", "--ipa", "-b", "1", "-s", _SPEED, "-v", self.voice]
        self._process, output, self._pushed = _spawn(command)
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_collect, args=(output, self._answers), daemon=True).start()
        with contextlib.suppress(_DiedError):
            self._write(self._word)

    def _restart(self) -> None:
        self._stop()
        self._start()

    def _ask(self, line: str) -> list[str]:
        if self._end is None:
            self._end = self._read()
        if self._pushed:  # the last filler may still be coming out
            self._write(self._word, line, self._word)
            while self._read() != self._end:
                pass
        else:
            self._write(line, self._word)
        found = []
        while (answer := self._read()) != self._end:
            found.append(answer)
        return found

    def _write(self, *lines: str) -> None:
        text = "".join(f"{line}\n" for line in lines).encode("utf-8")
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(text + (_FILLER if self._pushed else b""))
            self._process.stdin.flush()
        except OSError as error:
            raise _DiedError from error

    def _read(self) -> str:
        try:
            answer = self._answers.get(timeout=ANSWER_SECONDS)
        except queue.Empty as error:
            raise _DiedError from error
        if not answer:
            raise _DiedError
        return answer.decode("utf-8", "replace").strip()

    def _stop(self) -> None:
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.kill()
        self._process.wait()

    def _check_voice(self) -> None:
        command = [_find_program() or PLACES[0], "-q", "--ipa", "-v", self.voice, "a"]
        try:
            subprocess.run(command, capture_output=True, text=True, check=True, timeout=ANSWER_SECONDS)
        except subprocess.CalledProcessError as error:
            raise UsageError(f"espeak-ng does not speak {self.voice!r}: {error.stderr.strip()}", _VOICES) from error
        except subprocess.TimeoutExpired:
            return


def missing_program() -> MissingProgramError:
    """The error that says how to install the program on this system."""
    lines = {"darwin": "brew install espeak-ng", "win32": "winget install --id eSpeak-NG.eSpeak-NG"}
    line = lines.get(sys.platform, "sudo apt-get install espeak-ng   (dnf, pacman, apk: the package has the same name)")
    return MissingProgramError(
        "the program espeak-ng is not installed; voices with phoneme type 'espeak' need it to pronounce text",
        f"install it:  {line}\nor use a voice trained with --phonemes text, which needs no espeak-ng",
    )


def _find_program() -> str | None:
    return next((found for found in map(shutil.which, PLACES) if found), None)


def _spawn(command: list[str]) -> tuple["subprocess.Popen[bytes]", IO[bytes], bool]:
    """The program, what it says, and whether its answers must be pushed out of its buffer."""
    terminal = _open_terminal()
    read, write = terminal or os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=write,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us: the sentence at hand is still finished
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
    except OSError as error:
        os.close(read)
        raise MissingProgramError(
            f"{command[0]} cannot be started: {error.strerror}", "install espeak-ng anew"
        ) from error
    finally:
        os.close(write)
    return process, os.fdopen(read, "rb"), terminal is None


def _open_terminal() -> tuple[int, int] | None:
    try:
        import tty

        read, write = os.openpty()
    except (ImportError, AttributeError, OSError):  # Windows; a system without /dev/pts
        return None
    tty.setraw(write)
    return read, write


def _collect(output: IO[bytes], answers: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into the queue, and an empty one at the end; a terminal ends with an error."""
    with output, contextlib.suppress(OSError):
        for line in output:
            answers.put(line)
    answers.put(b"")
