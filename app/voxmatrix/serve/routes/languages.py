"""`/v1/text/language`: in which language a text is written, and which voice of this server speaks it."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.text.language_guess import likely_language
from voxmatrix.voices.languages import voice_for
from voxmatrix.voices.resolve import is_own


class SomeText(BaseModel):
    """The body: a text, or its beginning."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=10_000)]


def language_routes(services: Services) -> APIRouter:
    """The route."""
    router = APIRouter(route_class=Route)

    @router.post("/v1/text/language")
    def guess_language(body: SomeText) -> dict[str, Any]:
        """The language of a text as a code, and the voice that speaks it; null for what is not known or not here."""
        language = likely_language(body.text)
        voices = services.catalogue.voices().values()
        usable = sorted(
            (card for card in voices if not services.catalogue.problem(card)), key=lambda card: is_own(card.path)
        )
        voice = voice_for(language, usable) if language else None
        return {"language": language or None, "voice": voice.id if voice else None}

    return router
