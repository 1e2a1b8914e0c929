"""espeak-ng as a separate program that stays open: a line of text in, a line of phonemes for each clause out.

The program is under the GPL and is neither linked nor imported. A question is followed by a random word, and the answer
ends where that word's phonemes come back: no text can get questions and answers confused.
"""

import os
import re
import shutil
import subprocess
import sys
import threading

from voxmatrix.errors import BadInputError, MissingProgramError, UsageError
from voxmatrix.text.phonemes.process import EndedError, LineProgram

#: Where it is looked for: on the path, then where the installers of Windows and of macOS put it without saying so.
PLACES = ("espeak-ng", r"C:\Program Files\eSpeak NG\espeak-ng.exe", "/opt/homebrew/bin/espeak-ng")
#: The program reads at most 999 bytes at once and would cut a longer line anywhere.
LINE_BYTES = 900
ANSWER_SECONDS = 30.0

#: Speaking fast costs the program a third of the time and changes no phoneme (the speech itself is thrown away).
_SPEED = "400"
_CONSONANTS = "bdfgklmnprstv"
#: Enough to push an answer out of a program that holds back what it says.
_FILLER = "k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p k d t b m p\n" * 60
_VOICE_NAME = re.compile(r"[\w/+.-]+")
_VOICES = "choose a voice that `espeak-ng --voices` lists, e.g. --language en-us"


def espeak_installed() -> bool:
    """Whether the program is there."""
    return find_program() is not None


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
            if self._owner != os.getpid():
                self._program.disown()
                self._start()
            for _attempt in range(2):
                try:
                    return self._ask(line)
                except EndedError:
                    self._restart()
                except BaseException:  # interrupted: the rest of this answer must not meet the next question
                    self._restart()
                    raise
        self._check_voice()
        problem = f"espeak-ng gave no answer to {line[:60]!r}"
        raise BadInputError(problem, "change or leave out that text, or update espeak-ng")

    def close(self) -> None:
        """End the program."""
        with self._lock:
            if self._owner == os.getpid():
                self._program.stop()

    def _start(self) -> None:
        program = find_program()
        if program is None:
            raise missing_program()
        self._owner = os.getpid()
        self._word = " ".join(_CONSONANTS[byte % len(_CONSONANTS)] for byte in os.urandom(7))
        self._end: str | None = None
        self._program = LineProgram([program, "-q", "--ipa", "-b", "1", "-s", _SPEED, "-v", self.voice])
        try:
            self._write(self._word)
        except EndedError:
            return  # it is dead already, which the first question will find out

    def _restart(self) -> None:
        self._program.stop()
        self._start()

    def _ask(self, line: str) -> list[str]:
        if self._end is None:
            self._end = self._program.read(ANSWER_SECONDS)
        if self._program.holds_back:  # the last filler may still be coming out
            self._write(self._word, line, self._word)
            self._read_to_end()
        else:
            self._write(line, self._word)
        return self._read_to_end()

    def _read_to_end(self) -> list[str]:
        found = []
        while (answer := self._program.read(ANSWER_SECONDS)) != self._end:
            found.append(answer)
        return found

    def _write(self, *lines: str) -> None:
        self._program.write("".join(f"{line}\n" for line in lines) + (_FILLER if self._program.holds_back else ""))

    def _check_voice(self) -> None:
        command = [find_program() or PLACES[0], "-q", "--ipa", "-v", self.voice, "a"]
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


def find_program() -> str | None:
    """The path of espeak-ng, or None when it is not installed."""
    return next((found for found in map(shutil.which, PLACES) if found), None)
