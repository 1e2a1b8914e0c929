"""A problem of a recording that was read."""

from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.errors import Severity
from voxmatrix.transcripts.lines import Problem, ProblemKind


def problem_of(
    item: ProcessedRecording, kind: ProblemKind, problem: str, remedy: str, severity: Severity = "error"
) -> Problem:
    """The problem with the place of its recording."""
    recording = item.recording
    return Problem(
        id=recording.id,
        kind=kind,
        path=str(recording.path),
        place=recording.line,
        problem=problem,
        remedy=remedy,
        severity=severity,
    )


def recording_of(item: ProcessedRecording) -> tuple[str, str]:
    """What identifies the recording, as `Problem.recording`."""
    return item.recording.line, str(item.recording.path)
