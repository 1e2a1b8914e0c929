"""`/v1/casts`: who speaks in a book, what people decide about it, and which voices its people have."""

import threading
import time
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.book.people.corrections import Place, correction_of, find_corrections
from voxmatrix.book.people.decisions import merged, separated, with_general, with_person, with_said
from voxmatrix.book.people.proposals import propose_missing, sample_of
from voxmatrix.book.people.sounds import VoiceSound, voices_at_hand
from voxmatrix.serve.casts.store import Cast, Casts, table_name
from voxmatrix.serve.casts.view import chapter_of, summary
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.book import source_book
from voxmatrix.serve.jobs.kinds.kind import Id, Name, Plain, Sources, named_voice
from voxmatrix.serve.leaving import until_left
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.voices.cast_table import CastPerson, parse_table

_CAST = "/v1/casts/{cast}"
_CastId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
_Number = Annotated[int, Path(ge=1, le=10**7)]
_Index = Annotated[int, Path(ge=0, le=10**7)]
_Part = Annotated[int, Query(ge=0, le=10**7)]
#: A voice, or none.
_Voice = Annotated[str, Field(max_length=256)]
#: How long one request measures voices; the next one goes on.
_MEASURE_SECONDS = 15.0
_MAX_TABLE = 2**21


class CastRequest(BaseModel):
    """The body of `POST /v1/casts`: an uploaded book, or that of an audiobook."""

    model_config = ConfigDict(extra="forbid")

    file: Id | None = None
    job: Id | None = None


class PersonChange(BaseModel):
    """What is decided about somebody; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    name: Plain
    voice: _Voice | None = None  # "": that of dialogue, or the narrator's
    sex: Literal["m", "f", ""] | None = None


class Merge(BaseModel):
    """A name that is another name of somebody, `into`; of nobody else if that is left out."""

    model_config = ConfigDict(extra="forbid")

    name: Plain
    into: Plain | None = None


class Said(BaseModel):
    """Who says a speech: a name, `I` for the narrator, or "" for what the book tells."""

    model_config = ConfigDict(extra="forbid")

    who: Annotated[str, Field(max_length=256, pattern=r"^[^\x00-\x1f\x7f]*$")]


class General(BaseModel):
    """The voices of speech without one of its own, and who speaks what nobody is sure of."""

    model_config = ConfigDict(extra="forbid")

    dialogue: _Voice | None = None
    dialogue_male: _Voice | None = None
    dialogue_female: _Voice | None = None
    unsure: Literal["narrator", "dialogue", "guess"] | None = None


class ProposalRequest(BaseModel):
    """The voice that tells the book: those of people differ from it."""

    model_config = ConfigDict(extra="forbid")

    voice: Name | None = None


class Table(BaseModel):
    """A table, as `book cast` writes it."""

    model_config = ConfigDict(extra="forbid")

    toml: Annotated[str, Field(max_length=_MAX_TABLE)]


def cast_routes(services: Services) -> APIRouter:
    """The routes of who speaks in books."""
    router = APIRouter(route_class=Route)
    casts = Casts()
    sources = services.jobs.sources
    _add_reading_routes(router, casts, sources)
    _add_deciding_routes(router, casts, sources)
    _add_voice_routes(router, casts, sources)
    return router


def _add_reading_routes(router: APIRouter, casts: Casts, sources: Sources) -> None:
    @router.post("/v1/casts")
    async def open_cast(body: CastRequest, request: Request) -> dict[str, Any]:
        """Find who speaks in a book. What was decided about the same file before is kept."""
        return await until_left(request, lambda left: summary(casts.open(source_book(sources, body), left)))

    @router.get(_CAST)
    def read_cast(cast: _CastId) -> dict[str, Any]:
        """The people of a book, and their voices."""
        return summary(casts.read(cast))

    @router.delete(_CAST)
    def delete_cast(cast: _CastId) -> dict[str, Any]:
        """Forget who speaks in a book, and all that was decided about it."""
        casts.remove(cast)
        return {"id": cast, "deleted": True}

    @router.get(_CAST + "/chapters/{number}")
    def read_chapter(cast: _CastId, number: _Number, part: _Part = 0) -> dict[str, Any]:
        """The text of a chapter, or of a part of a long one, in pieces, with who speaks each."""
        return chapter_of(casts.read(cast), number, part)

    @router.get(_CAST + "/table", response_class=Response)
    def read_table(cast: _CastId) -> Response:
        """The table as a file, for `book make --cast`, or another server."""
        headers = {"Content-Disposition": 'attachment; filename="book.cast.toml"', "Cache-Control": "no-cache"}
        return Response(casts.read(cast).text, media_type="application/toml", headers=headers)


def _add_deciding_routes(router: APIRouter, casts: Casts, sources: Sources) -> None:
    @router.put(_CAST + "/people")
    def change_person(cast: _CastId, body: PersonChange) -> dict[str, Any]:
        """Give somebody another voice or sex; a new name is a new person."""
        voice = _named(sources, body.voice, "voice")

        def text(now: Cast) -> str:
            person = now.table.by_name.get(body.name.casefold()) or CastPerson(name=body.name)
            given = {"voice": voice, "sex": body.sex}
            change: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
            return with_person(now.text, now.table, replace(person, **change))

        return summary(casts.change(cast, text))

    @router.put(_CAST + "/names")
    def change_name(cast: _CastId, body: Merge) -> dict[str, Any]:
        """Say that two people are one, or that a name is somebody else's."""

        def text(now: Cast) -> str:
            if body.into is None:
                return separated(now.text, now.table, body.name)
            return merged(now.text, now.table, body.name, body.into)

        return summary(casts.change(cast, text))

    @router.put(_CAST + "/chapters/{number}/speeches/{index}")
    def change_speech(cast: _CastId, number: _Number, index: _Index, body: Said) -> dict[str, Any]:
        """Say who speaks, from this speech to the end of its paragraph."""
        return summary(casts.change(cast, lambda now: _corrected(now, Place(number - 1, index), body.who.strip())))

    @router.put(_CAST + "/table")
    def replace_table(cast: _CastId, body: Table) -> dict[str, Any]:
        """Replace all that was decided by a table of one's own."""

        def text(_now: Cast) -> str:
            parse_table(body.toml, FilePath("the table"))
            return body.toml.replace("\r\n", "\n") or "\n"

        return summary(casts.change(cast, text))


def _add_voice_routes(router: APIRouter, casts: Casts, sources: Sources) -> None:
    measuring = threading.Lock()

    @router.put(_CAST + "/voices")
    def change_voices(cast: _CastId, body: General) -> dict[str, Any]:
        """Give other voices to speech without one of its own."""
        values = {
            key: value if key == "unsure" else _named(sources, value, key) or ""
            for key, value in body.model_dump(exclude_none=True).items()
        }
        return summary(casts.change(cast, lambda now: with_general(now.text, now.table, values)))

    @router.post(_CAST + "/proposal")
    def propose_voices(cast: _CastId, body: ProposalRequest) -> dict[str, Any]:
        """Propose voices for people nobody has decided about. Voices are measured once: ask again until `complete`."""
        book = casts.read(cast).found.book
        narrator = _named(sources, body.voice, "voice") or table_name(sources.catalogue.default, None)
        with measuring:
            voices, complete = _measured(book.language.lower() or "en", sample_of(book))
        if complete:
            now = casts.propose(
                cast, lambda now: propose_missing(now.people, now.found.lines, voices, narrator, now.table)
            )
            return {**summary(now), "complete": True, "measured": len(voices)}
        return {**summary(casts.read(cast)), "complete": False, "measured": len(voices)}


def _measured(language: str, text: str) -> tuple[list[VoiceSound], bool]:
    """The voices of a language that could be measured in time, and whether these are all."""
    until = time.monotonic() + _MEASURE_SECONDS
    found = []
    for voice in voices_at_hand(language, text):
        found.append(voice)
        if time.monotonic() > until:
            return found, False
    return found, True


def _named(sources: Sources, name: str | None, param: str) -> str | None:
    """A voice of a request as a table names it; "" and None stay.

    Raises:
        ApiError: there is no such voice.
    """
    return table_name(*named_voice(sources, name, param)) if name else name


def _corrected(cast: Cast, place: Place, who: str) -> str:
    """The table with another speaker of a speech."""
    chapters = cast.told.book.chapters
    if place.chapter >= len(chapters) or place.speech >= len(chapters[place.chapter].speeches):
        raise ApiError(404, "there is no such speech", param="index", code="not_found")
    by_hand = [said for said in cast.table.said if not said.by]
    old = find_corrections(chapters, by_hand)[0].get(place)
    new = correction_of(chapters, place, who) if who else None
    if new and find_corrections(chapters, [new])[0] != {place: new}:
        message = "the same words are said elsewhere, behind the same words: the two cannot be told apart"
        raise ApiError(400, message, param="index", code="invalid_value")
    return with_said(cast.text, cast.table, old, new)
