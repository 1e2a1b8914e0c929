"""`/v1/engines`, and `/v1/voices/clone`: voices of recordings of seconds, which engines imitate."""

import threading
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from voxmatrix.audio.checks import AudioError
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.external.listing import cloning, engine_rows
from voxmatrix.serve.errors import ApiError, voice_exists
from voxmatrix.serve.jobs.kinds.kind import Id, Name, Plain, VoiceName
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.voices.clone import STATEMENT, CloneRequest, check_recording, clone
from voxmatrix.voices.resolve import installed
from voxmatrix.wording import plain


class RecordingCheck(BaseModel):
    """The body of `/v1/voices/clone/check`: an uploaded recording, and the engine that is to imitate it."""

    model_config = ConfigDict(extra="forbid")

    file: Id
    engine: Name
    weights: Annotated[str, Field(max_length=256)] = ""  # needed if the engine has several
    transcript: Annotated[str, StringConstraints(max_length=5000, strip_whitespace=True)] = (
        ""  # what is said in the recording
    )


class NewClone(RecordingCheck):
    """The body of `/v1/voices/clone`. `consent` is the name of the speaker, who agrees to be imitated."""

    name: VoiceName
    consent: Plain
    language: Annotated[str, Field(max_length=20)] = ""  # that the voice speaks; the main one of the engine


def engine_routes(services: Services) -> APIRouter:
    """The routes of engines, and of the voices that they imitate."""
    router = APIRouter(route_class=Route)
    uploads = services.jobs.uploads
    one_at_a_time = threading.Lock()  # a recording takes memory while it is checked

    @router.get("/v1/engines")
    def list_engines() -> dict[str, Any]:
        """The engines that are installed or can be, what clones with them now, and what `consent` states."""
        rows = engine_rows(services.machine.machine())
        for row in rows:
            row["problem"] = row["problem"] and _public(row["problem"])
        return {"engines": rows, "cloning": cloning(rows), "consent": STATEMENT}

    @router.post("/v1/voices/clone/check")
    def check(body: RecordingCheck) -> dict[str, Any]:
        """What is wrong with a recording of a voice; with an error among it, it is refused."""
        path = uploads.get(body.file).path
        try:
            with one_at_a_time:
                seconds, findings = check_recording(path, body.engine, body.weights, body.transcript)
        except AudioError as error:  # it is no recording at all
            seconds, findings = 0.0, [Finding(problem=error.problem, remedy=error.remedy)]
        except (BadInputError, UsageError) as error:
            raise _refusal(error) from error
        return {"seconds": round(seconds, 2), "findings": _shown(findings)}

    @router.post("/v1/voices/clone", status_code=201)
    def clone_voice(body: NewClone) -> dict[str, Any]:
        """Make a voice of an uploaded recording. It is kept with the statement that its speaker agrees."""
        if f"{body.engine}/{body.name}" in installed():
            raise voice_exists(f"{body.engine}/{body.name}")
        request = CloneRequest(
            name=body.name,
            engine=body.engine,
            recording=uploads.get(body.file).path,
            speaker=body.consent.strip(),
            transcript=body.transcript,
            weights=body.weights,
            language=body.language,
        )
        try:
            with one_at_a_time:
                made = clone(request)
        except (BadInputError, UsageError) as error:
            raise _refusal(error) from error
        uploads.remove(body.file)
        return {"id": made.id, "seconds": round(made.seconds, 2), "findings": _shown(made.findings)}

    return router


def _refusal(error: BadInputError | UsageError) -> ApiError:
    """The reason, and what to do."""
    return ApiError(400, _public(f"{error.problem}; {error.remedy}"), code="invalid_value")


def _shown(findings: Iterable[Finding]) -> list[dict[str, str]]:
    return [
        {"severity": each.severity, "problem": plain(each.problem), "remedy": plain(each.remedy)} for each in findings
    ]


def _public(message: str) -> str:
    """A message with the names of files as clients see them."""
    return message.replace(f"{home()}/", "")
