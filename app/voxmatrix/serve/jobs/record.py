"""`job.json` in the folder of a job: what the list of jobs says of it, from which a damaged list is made again."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from voxmatrix.files import read_errors, write_text
from voxmatrix.serve.jobs.job import Job
from voxmatrix.serve.jobs.uploads import ID

_NAME = "job.json"


def record_path(root: Path, job: str) -> Path:
    """The record of a job."""
    return root / job / _NAME


def write_record(root: Path, job: Job) -> None:
    """Write the record of a job.

    Raises:
        UnreachableError: the disk is full, or the folder cannot be written.
    """
    write_text(record_path(root, job.id), json.dumps(asdict(job), ensure_ascii=False) + "\n")


def read_records(root: Path) -> tuple[list[Job], list[Path]]:
    """All jobs with a record, oldest first, and the folders of jobs without one that can be understood.

    Raises:
        UnreachableError, BadInputError: a folder or a record cannot be read now.
    """
    found, unknown = [], []
    with read_errors(root):
        folders = [path for path in root.iterdir() if ID.fullmatch(path.name) and path.is_dir()]
    for folder in folders:
        job, path = None, record_path(root, folder.name)
        with read_errors(path):
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            job = Job.of_record(json.loads(text))
        if job is not None and job.id == folder.name:
            found.append(job)
        elif any(folder.iterdir()):
            unknown.append(folder)
    return sorted(found, key=lambda job: job.created), unknown
