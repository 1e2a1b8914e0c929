"""`/v1/voices`: the voices of this server, to be looked after."""

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.errors import BadInputError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import Family
from voxmatrix.serve.catalogue import Catalogue, UnknownVoiceError, VoiceList, announced_languages, find_voice
from voxmatrix.serve.errors import ApiError, voice_exists, without_home
from voxmatrix.serve.jobs.kinds.kind import Id, Name, VoiceName, named_voice
from voxmatrix.serve.leaving import until_left
from voxmatrix.serve.routes.elevenlabs import voice_facts
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.voice_speed import speed_here
from voxmatrix.voices.library import add
from voxmatrix.voices.resolve import installed, is_own, make_default, remove, rename
from voxmatrix.voices.titles import set_title, title_of, titles
from voxmatrix.wording import plain

_Name = Annotated[str, Path(min_length=1, max_length=256)]


class NewVoice(BaseModel):
    """The body of `POST /v1/voices`: two uploads, NAME.onnx and NAME.onnx.json."""

    model_config = ConfigDict(extra="forbid")

    files: Annotated[list[Id], Field(min_length=2, max_length=2)]
    name: VoiceName
    replace: bool = False


class Change(BaseModel):
    """The body of `PATCH`."""

    model_config = ConfigDict(extra="forbid")

    name: VoiceName | None = None
    title: Annotated[str, Field(max_length=256)] | None = None  # what people call it; "": as its maker does
    default: bool = False


class Measured(BaseModel):
    """The body of `POST /v1/voices/speed`: a voice; the default one if that is left out."""

    model_config = ConfigDict(extra="forbid")

    voice: Name | None = None


class Unload(BaseModel):
    """The body of `POST /v1/voices/unload`: a voice, all voices of an engine or another family, or all there are."""

    model_config = ConfigDict(extra="forbid")

    voice: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    engine: Annotated[str, Field(min_length=1, max_length=256)] | None = None


def voice_routes(services: Services) -> APIRouter:
    """The routes of voices."""
    router = APIRouter(route_class=Route)
    _add_reading(router, services.catalogue)
    _add_installing(router, services)
    _add_changes(router, services.catalogue)
    return router


def _add_reading(router: APIRouter, catalogue: Catalogue) -> None:
    """The routes that tell about voices."""

    @router.get("/v1/voices")
    def list_voices() -> dict[str, Any]:
        """All voices, the default one first, also those that cannot be used, each with the reason."""
        found = _listed(catalogue)
        return {"voices": found, "default": found[0]["id"], "default_is_fixed": catalogue.is_fixed}

    @router.get("/v1/voices/{name:path}")
    def read_voice(name: _Name) -> dict[str, Any]:
        """One voice, as in the list."""
        found = next((voice for voice in _listed(catalogue) if voice["id"] == name), None)
        if found is None:
            raise ApiError(404, "there is no such voice", param="name", code="not_found")
        return found


def _add_installing(router: APIRouter, services: Services) -> None:
    """The routes that add voices, measure them, and close those that are open."""
    uploads = services.jobs.uploads

    @router.post("/v1/voices", status_code=201)
    def add_voice(body: NewVoice) -> dict[str, Any]:
        """Install an uploaded voice."""
        _install(body, [uploads.get(file).path for file in body.files])
        for file in body.files:
            uploads.remove(file)
        return {"id": body.name}

    @router.post("/v1/voices/speed")
    async def measure(body: Measured, request: Request) -> dict[str, Any]:
        """How fast a voice speaks on this server's CPUs: measured once, in seconds, and kept."""

        def speed(left: threading.Event) -> dict[str, Any]:
            voice, _ = named_voice(services.jobs.sources, body.voice)
            return {"voice": voice.id, **speed_here(voice, left, services.jobs.closing)}

        return await until_left(request, speed)

    @router.post("/v1/voices/unload")
    def unload(body: Unload | None = None) -> dict[str, Any]:
        """Close open voices and end their engines now, or as soon as they have spoken what was asked for before."""
        closed, closing = services.voices.unload(_chosen(body or Unload(), services.catalogue.voices()))
        return {"unloaded": closed, "unloading": closing}


def _add_changes(router: APIRouter, catalogue: Catalogue) -> None:
    """The routes that change installed voices."""

    @router.patch("/v1/voices/{name:path}")
    def change_voice(name: _Name, body: Change) -> dict[str, Any]:
        """Give a voice a title or another id, or let it be the one that speaks where none is named."""
        _check_installed(name)
        if body.default and catalogue.is_fixed:
            raise ApiError(409, "this server was started with a default voice", param="default", code="wrong_state")
        if body.name is not None and body.name != name.rpartition("/")[2]:
            name = _renamed(name, body.name)
        if body.title is not None:
            _title(name, body.title)
        if body.default:
            make_default(name)
        return {"id": name}

    @router.delete("/v1/voices/{name:path}")
    def delete_voice(name: _Name) -> dict[str, Any]:
        """Delete a voice, or all of a family: kokoro."""
        if not any(each.startswith(f"{name}/") for each in installed()):
            _check_installed(name)
        try:
            remove(name)
        except BadInputError as error:
            raise ApiError(
                400, "that voice is not in the folder of voices", param="name", code="invalid_value"
            ) from error
        return {"id": name, "deleted": True}


def _listed(catalogue: Catalogue) -> list[dict[str, Any]]:
    cards, given = catalogue.voices(), titles()
    found = [
        {**_facts(card, announced_languages(card, cards)[0], catalogue.problem(card)), "title": title_of(card, given)}
        for card in cards.values()
    ]
    return found + [_unusable(name, *where) for name, where in installed().items() if name not in cards]


def _renamed(name: str, new: str) -> str:
    """Rename a voice, and return its new name.

    Raises:
        ApiError: the name is taken, or the family does not allow it.
    """
    try:
        return rename(name, new)
    except UsageError as error:
        raise ApiError(409, error.problem, param="name", code="voice_exists") from error
    except BadInputError as error:
        message = _named(f"{error.problem}; {error.remedy}", *(path for _, path in installed().values()))
        raise ApiError(400, message, param="name", code="invalid_value") from error


def _title(name: str, title: str) -> None:
    """Give a voice a title.

    Raises:
        ApiError: it is too long, or cannot be seen.
    """
    try:
        set_title(name, title)
    except UsageError as error:
        raise ApiError(400, plain(f"{error.problem}; {error.remedy}"), param="title", code="invalid_value") from error


def _chosen(body: Unload, voices: VoiceList) -> Callable[[VoiceCard], bool]:
    """Whether a voice is to be unloaded."""
    if body.voice is not None:
        card = _named_voice(voices, body.voice)
        return lambda one: one.id == card.id
    if body.engine is not None:
        engine = _known_engine(body.engine, voices)
        return lambda one: one.id.startswith(engine)
    return lambda one: True


def _named_voice(voices: VoiceList, name: str) -> VoiceCard:
    try:
        return find_voice(voices, name)[0]
    except UnknownVoiceError as error:
        raise ApiError(404, error.problem, param="voice", code="not_found") from error


def _known_engine(name: str, voices: Iterable[str]) -> str:
    """What the ids of the voices of an engine, or of another family, begin with."""
    known = sorted({voice.partition("/")[0] for voice in voices if "/" in voice})
    if name not in known:
        message = f"no voice is of such an engine; there are {', '.join(known) or 'none'}"
        raise ApiError(404, message, param="engine", code="not_found")
    return f"{name}/"


def _install(body: NewVoice, paths: Sequence[FilePath]) -> None:
    """Install uploaded files.

    Raises:
        ApiError: they are no voice, or its name is taken.
        UnreachableError: the disk is full.
    """
    onnx = next((path for path in paths if path.suffix.lower() == ".onnx"), None)
    config = next((path for path in paths if path.suffix.lower() == ".json"), None)
    if onnx is None or config is None:
        message = "one of the files must be NAME.onnx, and the other NAME.onnx.json"
        raise ApiError(400, message, param="files", code="invalid_value")
    if body.name in installed() and not body.replace:
        raise voice_exists(body.name, replaceable=True)
    try:
        add([onnx, config], body.name)
    except (UnreachableError, UsageError):
        raise
    except VoxmatrixError as error:
        raise ApiError(400, _named(error.problem, *paths), param="files", code="invalid_value") from error


def _check_installed(name: str) -> None:
    if name not in installed():
        raise ApiError(404, "there is no such voice", param="name", code="not_found")


def _facts(card: VoiceCard, language: str, problem: str) -> dict[str, Any]:
    own = is_own(card.path)
    origin = "cloned" if card.consent else "downloaded" if card.source else "trained" if card.is_trained else "added"
    return {
        **voice_facts(card),
        "id": card.id,
        "family": card.family,
        "language": language,
        "gender": card.gender,
        "quality": card.quality,
        "rate_hz": card.rate_hz,
        "speakers": card.speaker_names,
        "license": card.license,
        "source": card.source,
        "origin": origin if own else "included",
        "own": own,
        "problem": problem or None,
    }


def _unusable(name: str, family: Family, path: FilePath) -> dict[str, Any]:
    try:
        family.card(path)
        problem = "its files lead out of the folder of voices"
    except (VoxmatrixError, OSError) as error:
        problem = _named(error.problem, path) if isinstance(error, VoxmatrixError) else "it cannot be read"
    empty = dict.fromkeys(("language", "gender", "quality", "license", "source"), "")
    names = dict.fromkeys(("id", "voice_id", "name", "title"), name)
    return {
        **empty, **names, "family": family.name, "rate_hz": 0, "speakers": [], "origin": "added", "own": is_own(path),
        "problem": problem,
    }  # fmt: skip


def _named(message: str, *paths: FilePath) -> str:
    """A message with the names of files as clients see them."""
    for path in paths:
        message = message.replace(f"{path.parent}/", "")
    return without_home(message)
