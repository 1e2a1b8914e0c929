"""`/v1/recordings`: lists of prompts, and what was recorded of them."""

import asyncio
import unicodedata
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding, UnreachableError, UsageError
from voxmatrix.serve.errors import ApiError, without_home
from voxmatrix.serve.log import Log, log_finding
from voxmatrix.serve.recordings.prompt_list import PromptList, bundled_lists
from voxmatrix.serve.recordings.review import Review, Take, phoneme_type, review
from voxmatrix.serve.recordings.store import RecordingStore
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.tables.training import MIN_SECONDS, amount_of
from voxmatrix.text.phonemes.phonemizer import phonemizer
from voxmatrix.wording import plain

_MAX_PROMPTS = 5000
_MAX_CHARACTERS = 500
#: Control characters and lone surrogates.
_UNSPEAKABLE = frozenset({"Cc", "Cs"})
_LIST = "/v1/recordings/{profile}/{name}"
_Number = Annotated[int, Path(ge=1, le=_MAX_PROMPTS)]
_Name = Annotated[str, Field(max_length=200)]


class NewList(BaseModel):
    """The body of `POST /v1/recordings`: `bundled` names a list that comes with voxmatrix, or `prompts` are given."""

    profile: _Name
    name: _Name
    language: Annotated[str, Field(min_length=2, max_length=20)]
    bundled: str | None = None
    prompts: Annotated[list[str], Field(max_length=_MAX_PROMPTS)] = []


class Change(BaseModel):
    """The body of `PATCH`."""

    skipped: bool


def recording_routes(services: Services) -> APIRouter:
    """The routes of recordings and their prompts."""
    router = APIRouter(route_class=Route)
    store = RecordingStore(home() / "recordings")
    _add_list_routes(router, store, services.log)
    _add_take_routes(router, store)
    return router


def _add_list_routes(router: APIRouter, store: RecordingStore, log: Log) -> None:
    logged: set[str] = set()

    def told(lists: list[PromptList]) -> list[PromptList]:
        """The lists; what is wrong with one is logged once."""
        for problem in {found.problem for found in lists} - {"", *logged}:
            logged.add(problem)
            remedy = "open that list, and record or skip a prompt: its file is then written anew"
            log_finding(log, Finding(problem=problem, remedy=remedy, severity="warning"))
        return lists

    @router.get("/v1/recordings")
    def list_recordings() -> dict[str, Any]:
        """All lists, the one that was changed last first, and the bundled lists that a new one can begin with."""
        return {
            "folder": "VOXMATRIX_HOME/recordings",  # in words: clients learn no paths of the server
            "lists": [_list_facts(found, _reviewed(found)) for found in told(store.lists())],
            "bundled": [_bundled_facts(id) for id in bundled_lists()],
        }

    @router.post("/v1/recordings", status_code=201)
    def create_list(body: NewList) -> dict[str, Any]:
        """Make a list of prompts."""
        prompts = _prompts(body)
        _check_language(body.language)
        return _whole(store.create(body.profile, body.name, body.language, prompts))

    @router.get(_LIST)
    def read_list(profile: str, name: str) -> dict[str, Any]:
        """A list: its prompts, and a verdict on each take."""
        (found,) = told([store.find(profile, name)])
        return _whole(found)


def _add_take_routes(router: APIRouter, store: RecordingStore) -> None:
    @router.put(_LIST + "/{number}", openapi_extra={"requestBody": {"content": {"audio/wav": {}}}})
    async def save_take(profile: str, name: str, number: _Number, request: Request) -> dict[str, Any]:
        """Save a take, a WAV file, in place of the previous one, and judge it."""
        found = await asyncio.to_thread(_found, store, profile, name, number)
        wav = await request.body()
        found = await asyncio.to_thread(store.save, found, number, wav)
        return await asyncio.to_thread(_one, found, number, "the recording was saved, but not judged")

    @router.patch(_LIST + "/{number}")
    def change_prompt(profile: str, name: str, number: _Number, body: Change) -> dict[str, Any]:
        """Skip a prompt, or not."""
        return _one(store.skip(_found(store, profile, name, number), number, body.skipped), number)

    @router.delete(_LIST + "/{number}")
    def delete_take(profile: str, name: str, number: _Number) -> dict[str, Any]:
        """Delete a take."""
        found = _found(store, profile, name, number)
        store.delete(found, number)
        return _one(found, number)

    @router.get(_LIST + "/{number}.wav", response_class=Response)
    def read_take(profile: str, name: str, number: _Number) -> Response:
        """A take, as it was sent."""
        found = _found(store, profile, name, number)
        if not found.has_take(number):
            raise ApiError(404, "this prompt has not been recorded", code="not_found")
        return Response(_bytes_of(found.sound_path(number)), media_type="audio/wav")


def _found(store: RecordingStore, profile: str, name: str, number: int) -> PromptList:
    """A list that has this prompt.

    Raises:
        ApiError: there is none.
    """
    found = store.find(profile, name)
    if number > len(found.prompts):
        raise ApiError(404, f"the list has {len(found.prompts)} prompts", param="number", code="not_found")
    return found


def _bytes_of(path: FilePath) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:  # deleted in the meantime
        raise ApiError(404, "this prompt has not been recorded", code="not_found") from error


def _reviewed(found: PromptList, problem: str = "the recordings cannot be judged") -> Review:
    try:
        return review(found)
    except UnreachableError as error:
        raise ApiError(507, f"{problem}: {error.problem}", code="insufficient_storage") from error


def _whole(found: PromptList) -> dict[str, Any]:
    reviewed = _reviewed(found)
    numbers = range(1, len(found.prompts) + 1)
    return {"list": _list_facts(found, reviewed), "prompts": [_prompt_facts(found, reviewed, n) for n in numbers]}


def _one(found: PromptList, number: int, problem: str = "the recordings cannot be judged") -> dict[str, Any]:
    reviewed = _reviewed(found, problem)
    return {"list": _list_facts(found, reviewed), "prompt": _prompt_facts(found, reviewed, number)}


def _bundled_facts(id: str) -> dict[str, Any]:
    found = bundled_lists()[id]
    return {"id": id, "title": found.title, "language": found.language, "prompts": len(found.prompts)}


def _prompts(body: NewList) -> list[str]:
    """The prompts, each once, without spaces around and between them.

    Raises:
        ApiError: there are none, or one is too long or no text.
    """
    if body.bundled is not None:
        if body.bundled not in bundled_lists():
            message = f"there is no such list; choose one of: {', '.join(bundled_lists())}"
            raise ApiError(400, message, param="bundled", code="invalid_value")
        return list(bundled_lists()[body.bundled].prompts)
    prompts = list(dict.fromkeys(filter(None, (" ".join(prompt.split()) for prompt in body.prompts))))
    if not prompts:
        raise ApiError(400, "there are no prompts", param="prompts", code="invalid_value")
    for number, prompt in enumerate(prompts, start=1):
        if len(prompt) > _MAX_CHARACTERS:
            message = f"prompt {number} has {len(prompt)} characters; at most {_MAX_CHARACTERS} are allowed"
            raise ApiError(400, message, param="prompts", code="string_above_max_length")
        if not _UNSPEAKABLE.isdisjoint(map(unicodedata.category, prompt)):
            message = f"prompt {number} contains a control character"
            raise ApiError(400, message, param="prompts", code="invalid_value")
    return prompts


def _check_language(language: str) -> None:
    """Check that texts in this language can be pronounced.

    Raises:
        ApiError: they cannot.
    """
    try:
        opened = phonemizer(phoneme_type(), language)
        try:
            opened.phonemes(["a"])
        finally:
            opened.close()
    except (UsageError, BadInputError) as error:
        raise ApiError(400, error.problem, param="language", code="invalid_value") from error


def _list_facts(found: PromptList, reviewed: Review) -> dict[str, Any]:
    """A list without its prompts: how much of it was recorded, and what that gives."""
    amount, better = amount_of(reviewed.seconds)
    return {
        "profile": found.profile,
        "name": found.name,
        "language": found.language,
        "problem": without_home(plain(found.problem)) or None,
        "prompts": len(found.prompts),
        "recorded": len(reviewed.takes),
        "usable": sum(take.usable for take in reviewed.takes.values()),
        "skipped": len(found.skipped - reviewed.takes.keys()),
        "seconds": round(reviewed.seconds, 2),
        "level": amount.name,
        "expect": amount.expect,
        "better": None
        if better is None
        else {"seconds": 60 * better.minutes, "amount": better.duration, "level": better.name, "expect": better.expect},
        "trainable": round(reviewed.seconds) >= MIN_SECONDS,
    }


def _prompt_facts(found: PromptList, reviewed: Review, number: int) -> dict[str, Any]:
    """One prompt with its take."""
    take = reviewed.takes.get(number)
    state = "recorded" if take else "skipped" if number in found.skipped else "open"
    return {
        "number": number,
        "text": found.text(number),
        "state": state,
        "take": None if take is None else _take_facts(take),
    }


def _take_facts(take: Take) -> dict[str, Any]:
    measured = take.measured
    return {
        "seconds": round(take.seconds, 2),
        "usable": take.usable,
        "findings": [
            {"kind": each.kind, "severity": each.severity, "problem": plain(each.problem), "remedy": plain(each.remedy)}
            for each in take.remarks
        ],
        "peak_dbfs": measured and measured.peak_dbfs,
        "speech_dbfs": measured and measured.speech_dbfs,
        "noise_dbfs": measured and measured.noise_dbfs,
        "peaks": measured.heights if measured else [],
    }
