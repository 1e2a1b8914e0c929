"""The process of a job, a voxmatrix command that ends with the server, and how it has ended."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voxmatrix.compute.child import json_objects
from voxmatrix.config import home
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty, storage_errors
from voxmatrix.processes import OUT_OF_MEMORY, LineProcess, describe_exit
from voxmatrix.serve.jobs.job import Job, JobError
from voxmatrix.wording import plain

#: Written by the command on standard error.
LOG_NAME = "log.txt"
#: A command that was told to end has this long: a training writes its checkpoint.
_GRACE_SECONDS = 20.0


class JobProcess:
    """A running command. `stop` may be called from any thread."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start it. `environment` is one of `voxmatrix.child_environment`.

        Raises:
            UnreachableError: its log cannot be written.
        """
        command = [sys.executable, "-P", "-m", "voxmatrix_entrypoint.attached", str(folder), *words, "--json"]
        environment = {**environment, "VOXMATRIX_HOME": str(home().absolute()), "PYTHONIOENCODING": "utf-8"}
        with storage_errors(folder), (folder / LOG_NAME).open("ab") as log:
            self._process = LineProcess(command, environment=environment, stderr=log)

    def objects(self) -> Iterator[dict[str, Any]]:
        """What the command prints, as it does."""
        for line in self._process.lines():
            yield from json_objects(line.decode("utf-8", "replace"))

    def wait(self) -> int:
        """Wait for its end, and return its exit code."""
        return self._process.wait()

    def stop(self) -> None:
        """End it as on Ctrl-C, and kill it if it does not end."""
        self._process.end(_GRACE_SECONDS)


#: Keys of errors, which the result does not repeat.
_ERROR_KEYS = ("problem", "remedy", "exit_code")
_WARNING = "warning: "
_MAX_WARNINGS = 50


def result_of(job: Job, answer: Mapping[str, Any], folder: Path) -> dict[str, Any] | None:
    """What clients see of the last line that a command printed, and its warnings."""
    keys = job.work.result
    chosen = {key: value for key, value in answer.items() if key not in _ERROR_KEYS and (keys is None or key in keys)}
    lines = read_text_or_empty(folder / LOG_NAME).splitlines()
    warnings = dict.fromkeys(line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING))
    if warnings:
        chosen["warnings"] = list(warnings)[:_MAX_WARNINGS]
    shown: dict[str, Any] = json.loads(_without_paths(json.dumps(chosen, ensure_ascii=False), folder))
    return shown or None


def error_of_command(code: int, answer: Mapping[str, Any], folder: Path) -> JobError:
    """Why a command failed."""
    if "problem" in answer:
        message, remedy = (_without_paths(str(answer.get(key, "")), folder) for key in ("problem", "remedy"))
        return JobError(message=message, remedy=remedy, exit_code=code)
    for finding in answer.get("findings", ()):
        if finding.get("severity") == "error":
            return JobError(message=finding["problem"], remedy=finding["remedy"], exit_code=code)
    how = f"ended with code {code}"
    if code < 0:
        out_of_memory = "was killed, probably because the system is out of memory"
        how = out_of_memory if code == OUT_OF_MEMORY else describe_exit(code)
    return JobError(message=f"the command {how}", remedy=f"see {LOG_NAME}, then resume the job", exit_code=code)


def error_of_server(error: Exception, folder: Path) -> JobError:
    """Why a command could not be run."""
    if isinstance(error, VoxmatrixError):
        message, remedy = (_without_paths(plain(text), folder) for text in (error.problem, error.remedy))
        return JobError(message=message, remedy=remedy, exit_code=error.exit_code)
    return JobError(message="the server failed to run the command; its log says why")


def _without_paths(text: str, folder: Path) -> str:
    """The names of files as clients see them."""
    for root in (folder, home().absolute()):
        text = text.replace(f"{root}/", "")
    return text
