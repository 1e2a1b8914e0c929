"""The models and voices that a request can name."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request

from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.catalogue import MODELS, VoiceList, announced_languages, find_voice
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.voices.titles import title_of, titles


def model_routes(services: Services) -> APIRouter:
    """The routes of models, as in OpenAI's API."""
    router = APIRouter(route_class=Route)

    def models() -> dict[str, dict[str, Any]]:
        names = dict.fromkeys(MODELS, 0)
        names |= {voice.id: int(voice.path.stat().st_mtime) for voice in services.catalogue.voices().values()}
        return {
            name: {"id": name, "object": "model", "created": created, "owned_by": "voxmatrix"}
            for name, created in names.items()
        }

    @router.get("/v1/models")
    def list_models(request: Request) -> Any:
        """OpenAI's models for speech, which stand for the default voice, and the voices.

        ElevenLabs' clients ask at the same path for another form; the header with their key tells them apart.
        """
        if "xi-api-key" in request.headers:
            return [{"model_id": name, "name": name, "can_do_text_to_speech": True} for name in models()]
        return {"object": "list", "data": list(models().values())}

    @router.get("/v1/audio/models")
    def list_audio_models() -> dict[str, Any]:
        """The same, as Open WebUI asks for it."""
        return {"models": [{"id": name, "name": name} for name in models()]}

    @router.get("/v1/models/{name}")
    def read_model(name: str) -> dict[str, Any]:
        """One model, as in the list."""
        found = models().get(name)
        if found is None:
            raise ApiError(404, "there is no such model", param="model", code="model_not_found")
        return found

    @router.get("/v1/audio/voices")
    def list_voices(*, legacy: bool = False) -> dict[str, Any]:
        """The voices, the default one first, and those with another name under that as well; `legacy`: names alone."""
        voices = services.catalogue.voices()
        given = titles()
        listed = [{**_facts(voice, voices, services), "title": title_of(voice, given)} for voice in voices.values()]
        for alias, name in voices.aliases.items():
            voice, _ = find_voice(voices, name)
            facts = {**_facts(voice, voices, services), "id": alias, "name": alias, "alias_of": name}
            listed.append({**facts, "title": given.get(alias, alias)})
        return {"voices": [voice["id"] for voice in listed] if legacy else listed}

    return router


def _facts(voice: VoiceCard, voices: VoiceList, services: Services) -> dict[str, Any]:
    able = voice.capabilities
    return {
        "id": voice.id,
        "name": voice.id,
        "language": announced_languages(voice, voices)[0],
        "quality": voice.quality,
        "rate_hz": voice.rate_hz,
        "speakers": voice.speaker_names,
        **({"gender": voice.gender} if voice.gender else {}),
        **({"problem": problem} if (problem := services.catalogue.problem(voice)) else {}),
        "capabilities": {
            "knobs": {name: asdict(knob) for name, knob in able.knobs.items()},
            "speed": able.speed,
            "phonemes": able.phonemes,
            "seed": able.seed,
        },
    }
