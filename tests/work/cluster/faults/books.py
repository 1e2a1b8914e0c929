"""The command `voxmatrix book` on a cluster, as a process that may be killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.work.cluster.jobs import END_SECONDS, write_voice
from voxmatrix.book.join.audiobook import manifest_path
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.make import BookRequest, open_book_job
from voxmatrix.book.read import read_book
from voxmatrix.files import digest
from voxmatrix.models.style import Runtime, Style
from voxmatrix.work.local_executor import LocalExecutor

SENTENCES = 40


class BookCommand:
    """The command, with everything that it writes in one folder."""

    def __init__(self, folder: Path, broker: str) -> None:
        self.folder, self._broker = folder, broker
        self._out = folder / "book.m4b"

    def start(self) -> "subprocess.Popen[str]":
        voice = write_voice(self.folder)
        words = ["book", str(_text(self.folder)), "--voice", str(voice.path), "--out", str(self._out)]
        return subprocess.Popen(
            [sys.executable, "-m", "voxmatrix_entrypoint", *words, "--cluster", self._broker],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "VOXMATRIX_HOME": str(self.folder / "home")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self, process: "subprocess.Popen[str]") -> tuple[int, str]:
        """The exit code, and what it said."""
        said = process.communicate(timeout=END_SECONDS)[0]
        return process.returncode, said

    @property
    def spoken(self) -> int:
        """Sentences that are on the disk."""
        return len(list(self.folder.glob("home/jobs/*/audio/*/*.flac")))

    @property
    def checksums(self) -> list[str]:
        """Of the audiobook, and of all sentences as its certificate has them; none before the certificate exists."""
        return checksums(self._out) if manifest_path(self._out).exists() else []


def kill(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def made_alone(folder: Path) -> list[str]:
    """The checksums of the same book, made without a cluster."""
    source, voice, style = _text(folder), write_voice(folder), Style()
    request = BookRequest(
        source=source,
        book=read_book(source),
        language=voice.language,
        voice=voice,
        out=folder / "book.m4b",
        style=style,
        joining=JoinSettings(narrator=voice.id),
    )

    def workers(incoming: Path, _most: int) -> LocalExecutor:
        return LocalExecutor(voice, style, incoming, Runtime(), workers=1)

    with open_book_job(request) as job:
        job.speak(workers, lambda *_progress: None)
        job.join(lambda _done, _total: None)
    return checksums(request.out)


def checksums(out: Path) -> list[str]:
    manifest = json.loads(manifest_path(out).read_text(encoding="utf-8"))
    return [digest(out), *(unit["audio_sha256"] for unit in manifest["units"])]


def _text(folder: Path) -> Path:
    path = folder / "book.txt"
    path.write_text("\n\n".join(f"This is sentence number {n} of a book." for n in range(SENTENCES)), encoding="utf-8")
    return path
