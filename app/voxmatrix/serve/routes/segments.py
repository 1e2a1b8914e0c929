"""What long recordings were cut into: listened to, corrected, used or dropped."""

import threading
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.dataset.segment.corrections import REASONS, correct, summary
from voxmatrix.dataset.segment.output import Segment
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.segment import recording_names, segmentation
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services

_JobId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
_Number = Annotated[int, Path(ge=0, le=10**7)]


class Correction(BaseModel):
    """The body of `PUT`: what is said in a clip, and whether it is one of the data set."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=5000)]
    kept: bool


def segment_routes(services: Services) -> APIRouter:
    """The routes of the parts of long recordings."""
    router = APIRouter(route_class=Route, prefix="/v1/jobs/{job}/segments")
    writing = threading.Lock()

    @router.get("")
    def list_segments(job: _JobId) -> dict[str, Any]:
        """Every part of the recordings: clips, and what is left out with the reason."""
        folder = services.jobs.folder(job)
        _, segments = segmentation(services.jobs.get(job), folder)
        rows = [_facts(number, one) for number, one in enumerate(segments)]
        return {**summary(segments), "recordings": recording_names(folder), "reasons": REASONS, "segments": rows}

    @router.put("/{number}")
    def correct_segment(job: _JobId, number: _Number, body: Correction) -> dict[str, Any]:
        """Give a clip its text, and use or drop it. A training that has begun is not changed."""
        with writing:
            data, segments = segmentation(services.jobs.get(job), services.jobs.folder(job))
            _check_clip(segments, number)
            segments = correct(data, segments, number, body.text, kept=body.kept)
        return {**summary(segments), "segment": _facts(number, segments[number])}

    @router.get("/{number}.wav", response_class=Response)
    def read_clip(job: _JobId, number: _Number) -> Response:
        """The sound of a clip."""
        data, segments = segmentation(services.jobs.get(job), services.jobs.folder(job))
        _check_clip(segments, number)
        return FileResponse(data / segments[number].file, media_type="audio/wav")

    return router


def _check_clip(segments: Sequence[Segment], number: int) -> None:
    """Check that this part is a clip.

    Raises:
        ApiError: there is none.
    """
    if number >= len(segments) or not segments[number].file:
        raise ApiError(404, "there is no such clip", param="number", code="not_found")


def _facts(number: int, one: Segment) -> dict[str, Any]:
    return {"number": number, **asdict(one)}
