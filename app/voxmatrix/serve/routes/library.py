"""`/v1/library`: the voices that can be downloaded, by a job of the kind `download`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError
from voxmatrix.models.library import LibraryVoice
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.kind import Id
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.voices.library import find, install_from, libraries, license_of, search
from voxmatrix.voices.resolve import installed
from voxmatrix.wording import plain

_Name = Annotated[str, Path(min_length=1, max_length=256)]
_Words = Annotated[str, Query(max_length=256)]


class LibraryFiles(BaseModel):
    """The body of `POST /v1/library/NAME`: uploads with the names that the files of the voice have."""

    model_config = ConfigDict(extra="forbid")

    files: Annotated[list[Id], Field(min_length=1, max_length=100)]
    accept_licence: bool = False


def library_routes(services: Services) -> APIRouter:
    """The routes of the library."""
    router = APIRouter(route_class=Route)
    uploads = services.jobs.uploads

    @router.get("/v1/library")
    def search_library(text: _Words = "", language: _Words = "") -> dict[str, Any]:
        """The voices that can be downloaded. `problem` says why some are missing."""
        found, problem = search(text, language)
        here = installed()
        message = None if problem is None else plain(problem.problem)
        return {"voices": [_public(voice, voice.name in here) for voice in found], "problem": message}

    @router.get("/v1/library/{name:path}")
    def read_library(name: _Name) -> dict[str, Any]:
        """A voice that can be downloaded, with its licence, for which the hub is asked."""
        with hub_errors():
            voice = find(name)
            license = license_of(voice)
        facts = {"license": license.words, "permissive": license.permissive, "model_card": license.card}
        return {**_public(voice, voice.name in installed()), **facts}

    @router.post("/v1/library/{name:path}", status_code=201)
    def install_files(name: _Name, body: LibraryFiles) -> dict[str, Any]:
        """Install a voice, or all of a family, from uploaded files: this server needs no network then."""
        with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
            for file in body.files:
                uploads.take(file, FilePath(folder))
            try:
                names = install_from(name, FilePath(folder), accepted=body.accept_licence)
            except (BadInputError, DamagedFileError) as error:
                message = f"{error.problem}; {error.remedy}".replace(f"{folder}/", "").replace(folder, "the upload")
                raise ApiError(400, message, param="files", code="invalid_value") from error
        for file in body.files:
            uploads.remove(file)
        return {"voices": names}

    return router


@contextmanager
def hub_errors() -> Iterator[None]:
    """Answer for the library: what it lacks is not found, and a hub that does not answer is no failure of ours."""
    try:
        yield
    except BadInputError as error:
        raise ApiError(404, error.problem, param="voice", code="not_found") from error
    except (UnreachableError, DamagedFileError) as error:
        raise ApiError(424, error.problem, code="hub_unavailable") from error


def _public(voice: LibraryVoice, here: bool) -> dict[str, Any]:
    library = libraries()[voice.family]
    return {
        "id": voice.name,
        "title": voice.title,
        "family": voice.family,
        "library": library.title,
        "together": library.together,
        "language": voice.language,
        "gender": voice.gender,
        "quality": voice.quality,
        "speakers": voice.num_speakers,
        "bytes": voice.size,
        "origin": library.origin,
        "license": voice.license,
        "installed": here,
    }
