"""How the command of a job has ended."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voxmatrix.config import home
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty
from voxmatrix.processes import OUT_OF_MEMORY, describe_exit
from voxmatrix.serve.jobs.job import Job, JobError
from voxmatrix.serve.jobs.process import LOG_NAME

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
        message, remedy = str(answer["problem"]), str(answer.get("remedy", ""))
        return JobError(message=_without_paths(message, folder), remedy=_without_paths(remedy, folder))
    for finding in answer.get("findings", ()):
        if finding.get("severity") == "error":
            return JobError(message=finding["problem"], remedy=finding["remedy"])
    how = f"ended with code {code}"
    if code < 0:
        out_of_memory = "was killed, probably because the system is out of memory"
        how = out_of_memory if code == OUT_OF_MEMORY else describe_exit(code)
    return JobError(message=f"the command {how}", remedy=f"see {LOG_NAME}, then resume the job")


def error_of_server(error: Exception, folder: Path) -> JobError:
    """Why a command could not be run."""
    if isinstance(error, VoxmatrixError):
        message, remedy = _without_paths(error.problem, folder), _without_paths(error.remedy, folder)
        return JobError(message=message, remedy=remedy)
    return JobError(message="the server failed to run the command; its log says why")


def _without_paths(text: str, folder: Path) -> str:
    """The names of files as clients see them."""
    for root in (folder, home().absolute()):
        text = text.replace(f"{root}/", "")
    return text
