"""Assistants speak by the Model Context Protocol, as its official client asks."""

import asyncio
import base64
import io
import wave
from hashlib import sha256
from typing import Any

import pytest

from tests.serve.conftest import Running, Serve

mcp = pytest.importorskip("mcp.client")


def ask(server: Running, tool: str, **arguments: object) -> Any:
    async def call() -> Any:
        async with mcp.Client(f"{server.url}/mcp") as client:
            assert {one.name for one in (await client.list_tools()).tools} == {"speak", "voices"}
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())


def test_the_tools_of_the_server(serve: Serve) -> None:
    server = serve(mcp=True)
    said = ask(server, "speak", text="Hello there. [pause:1s] Bye.")
    assert not said.is_error and said.content[0].mime_type == "audio/wav"
    with wave.open(io.BytesIO(base64.b64decode(said.content[0].data))) as file:
        assert file.getnframes() > 1.5 * file.getframerate()
    assert "random" in ask(server, "voices").structured_content
    for wrong in ({"text": " "}, {"text": "Hello.", "voice": "nobody"}, {"text": "Hello.", "speed": 100}):
        refused = ask(server, "speak", **wrong)
        assert refused.is_error and refused.content[0].text
    assert server.speak().status_code == 200  # nothing waits for a place


def test_it_needs_the_key_and_the_setting(serve: Serve, server: Running) -> None:
    keyed = serve(mcp=True, key_digests=frozenset([sha256(b"secret-key-of-this").digest()]))
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert keyed.post("/mcp", body).status_code == 401
    assert server.post("/mcp", body).status_code == 404
