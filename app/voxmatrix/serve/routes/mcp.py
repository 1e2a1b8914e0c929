"""`/mcp`: the Model Context Protocol, with which assistants speak. Through the package `mcp`."""

from dataclasses import replace
from typing import Any

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

import voxmatrix
from voxmatrix.errors import VoxmatrixError
from voxmatrix.serve.catalogue import announced_languages, find_voice
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.routes.speech import check_length, with_length
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.fields import check_fields
from voxmatrix.serve.speech.job import SpeechJob

PATH = "/mcp"


def mcp_route(services: Services) -> Route:
    """The route of the protocol, without sessions: each request stands alone."""
    return Route(PATH, _Endpoint(services), include_in_schema=False)


class _Endpoint:
    def __init__(self, services: Services) -> None:
        self._server = _server(services)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Hosts and keys were checked before."""
        from mcp.server.transport_security import TransportSecuritySettings

        app = self._server.streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)


async def _sound(answer: Answer) -> bytes:
    try:
        sound = await answer.first() + await answer.all()
    finally:
        await answer.close()
    return with_length(answer, sound)


def _server(services: Services) -> Any:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.utilities.types import Audio

    async def speak(text: str, voice: str = "alloy", speed: float = 1.0) -> Audio:
        """Speak a text; the answer is a WAV file. `voices` lists the voices; "alloy" is the default one.

        Tags in the text set pauses and voices: [pause:1.5s], [voice:NAME] … [voice].
        """
        try:
            check_length(text, services.settings.max_input, "text")
            known = services.catalogue.voices()
            card, speaker = find_voice(known, voice)
            check_fields(card, speed=speed, knobs={})
            style = replace(services.settings.style, speaker=speaker, speed=speed)
            job = SpeechJob(text=text, voice=card, style=style, format="wav", streamed=False, voices=known)
            return Audio(data=await _sound(services.speech.begin(job)), format="wav")
        except ApiError as error:
            raise ToolError(error.message) from error
        except VoxmatrixError as error:
            raise ToolError(error.problem) from error

    def voices() -> dict[str, str]:
        """The names of the voices, each with its language; the default one comes first."""
        known = services.catalogue.voices()
        return {name: announced_languages(card, known)[0] for name, card in known.items()}

    server = MCPServer("voxmatrix", version=voxmatrix.__version__, log_level="ERROR")
    server.add_tool(speak, structured_output=False)
    server.add_tool(voices)
    return server
