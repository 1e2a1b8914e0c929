"""What is asked of a server with OpenAI's API: its voices, a sentence of one of them, and what `chat` asks.

Its answer comes as a whole, in chunks or as server-sent events. It is asked again if it is busy or gone for a while.
"""

import base64
import http
import http.client
import json
import ssl
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import voxmatrix
from voxmatrix.audio.checks import AudioError, missing_seconds
from voxmatrix.audio.load import Wave, read
from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.files import storage_errors
from voxmatrix.proxy import opener, proxy_remedy, with_proxy
from voxmatrix.remote.servers import RemoteVoice, Server
from voxmatrix.wording import summary

#: Before a server is asked again that is busy, starts, or has cut the connection; each wait is twice the one before.
_FIRST_WAIT_SECONDS, _MAX_WAIT_SECONDS = 0.5, 60.0
_MAX_BYTES = 1 << 28
_MAX_MESSAGE = 300
_SEE_DOCUMENTATION = "see the documentation of the server for what it accepts"
NEVER = threading.Event()
_BUSY = (408, 425, 429, 500, 502, 503, 504)
#: What OpenSSL refuses only if it is strict (X509_V_FLAG_X509_STRICT), which Python is since 3.13: x509_vfy.h.
_MALFORMED = range(80, 94)
_AGENT = f"voxmatrix/{voxmatrix.__version__}"
T = TypeVar("T")


class RefusedError(BadInputError):
    """The server does not have what is asked for, or does not accept the request."""


def voices(server: Server) -> list[dict[str, Any]]:
    """The voices that a server lists, each with its `name` and what else it says of it; none if it lists none.

    Raises:
        UnreachableError: it cannot be reached, or wants a key.
    """
    try:
        listed = asked(server, "/audio/voices", None, parse_json, NEVER)
    except (RefusedError, ValueError):
        return []
    found: list[dict[str, Any]] = []
    for key in ("voices", "uploaded_voices", "data"):  # the last one as OpenAI lists models
        rows = listed.get(key) if isinstance(listed, dict) else None
        for row in rows if isinstance(rows, list) else ():
            facts = row if isinstance(row, dict) else {}
            name = facts.get("id") or facts.get("name") or row
            if isinstance(name, str) and name.strip():
                found.append({**facts, "name": name})
    return found


def speech(server: Server, voice: RemoteVoice, text: str, speed: float, cancelled: threading.Event = NEVER) -> Wave:
    """A sentence as it is spoken, at the rate of the voice; `rate_hz` 0 is that of the answer.

    Raises:
        BadInputError: the server refuses the request, or answers with something else than sound.
        CancelledError: `cancelled` is set while the server is waited for.
        UnreachableError: it cannot be reached, is busy for long, or wants a key.
    """
    body: dict[str, Any] = {"model": voice.model, "input": text, "voice": voice.voice, "response_format": server.format}
    body |= {"speed": speed} if speed != 1.0 else {}
    return asked(server, "/audio/speech", body, partial(_sound, server, voice.rate_hz), cancelled)


def asked(
    server: Server, path: str, body: Mapping[str, Any] | None, use: Callable[[bytes], T], cancelled: threading.Event
) -> T:
    """What is made of the whole answer to a request. `use` raises an HTTPException if it is not complete.

    Raises:
        As `speech`; RefusedError: the server does not have what is asked for, or does not accept the request.
    """
    key = server.secret
    request = urllib.request.Request(f"{server.url}{path}", headers={"User-Agent": _AGENT})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if key:  # a redirection must not carry it to another host
        request.add_unredirected_header("Authorization", f"Bearer {key}")
    wait, end = _FIRST_WAIT_SECONDS, 0.0
    while True:
        try:
            with _opener().open(request, timeout=server.timeout_seconds) as answer:
                content = _content(answer)
            return use(content)
        except (http.client.HTTPException, OSError) as error:
            failure, longer = _failure(server, error, key)
            end = end or time.monotonic() + server.retry_seconds
            if longer is None or time.monotonic() + max(wait, longer) > end:
                raise failure from error
        if cancelled.wait(max(wait, longer)):
            raise CancelledError
        wait = min(2 * wait, _MAX_WAIT_SECONDS)


@cache
def _opener() -> urllib.request.OpenerDirector:
    return opener()


def _content(answer: http.client.HTTPResponse) -> bytes:
    """The bytes of an answer, those of all its events if it has some.

    Raises:
        BadInputError: it is an error in the form of an answer, or too long.
        HTTPException: it is not complete.
    """
    kind = answer.headers.get_content_type()
    if kind == "text/event-stream":
        return b"".join(_events(answer))
    content = answer.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise _too_long()
    if answer.length:
        raise http.client.IncompleteRead(content, answer.length)
    return content


def _events(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The sound of OpenAI's events: {"type": "speech.audio.delta", "audio": base64}."""
    total = 0
    while line := answer.readline(_MAX_BYTES):
        total += len(line)
        name, _, data = line.strip().partition(b":")
        if name != b"data" or not data.strip():
            continue
        event = {"type": "speech.audio.done"} if data.strip() == b"[DONE]" else _json(data)
        kind = str(event.get("type", ""))
        if kind.endswith("error") or "error" in event:
            raise BadInputError(f"the server reports: {_message(json.dumps(event).encode())}", "see its log")
        if kind == "speech.audio.delta":
            try:
                yield base64.b64decode(str(event.get("audio") or event.get("delta") or ""))
            except ValueError as error:
                raise http.client.HTTPException(f"an event has no sound: {error}") from error
        if kind == "speech.audio.done":
            return
        if total > _MAX_BYTES:
            raise _too_long()
    raise http.client.IncompleteRead(b"")


def _too_long() -> BadInputError:
    return BadInputError(f"the server answers with more than {_MAX_BYTES:,} bytes", "check its URL")


def _sound(server: Server, rate_hz: int, content: bytes) -> Wave:
    if server.format == "pcm":
        samples = np.frombuffer(content[: len(content) // 2 * 2], "<i2").astype(np.float32) / np.float32(2**15)
        if len(content) % 2:
            raise http.client.IncompleteRead(content)
        return Wave(
            samples=samples,
            rate_hz=rate_hz,
            source_rate_hz=rate_hz,
            source_channels=1,
            source_frames=len(samples),
            clipped_fraction=0.0,
        )
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, "answer")
        with storage_errors(file):
            file.write_bytes(content)
        if missing_seconds(file, server.format.upper()):
            raise http.client.IncompleteRead(content)
        try:
            return read(file, rate_hz or 24_000)
        except AudioError as error:
            said = f": {_message(content)}" if content[:1] in b"{<" else ""
            raise BadInputError(
                f"the server does not answer with {server.format}: {error.problem}{said}",
                "choose a `format` that it has, and check its URL",
            ) from error


def _failure(server: Server, error: Exception, key: str) -> tuple[VoxmatrixError, float | None]:
    """What has failed, and the seconds after which the server may be asked again; None: it need not be."""
    if isinstance(error, urllib.error.HTTPError):
        with error, suppress(OSError, http.client.HTTPException):
            said = _message(error.read(1 << 16))
        said = f"{with_proxy(server.url)} answers {error.code} ({error.reason}): {said}".removesuffix(": ")
        said = said.replace(key, "…") if key else said
        if error.code in (401, 403):
            how = "it does not accept the key" if key else "it wants a key"
            remedy = "write the key into a file, and add the server with `key_file`"
            return UnreachableError(f"{said}; {how}", remedy), None
        if error.code in _BUSY:
            remedy = proxy_remedy(server.url, "try again later: the same command continues")
            return UnreachableError(said, remedy), _retry_after(error)
        if error.code == http.HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            return UnreachableError(said, proxy_remedy(server.url, "see the log of the server")), None
        missing = error.code == http.HTTPStatus.NOT_FOUND
        remedy = "check the URL, the model and the name of the voice" if missing else _SEE_DOCUMENTATION
        return RefusedError(said, remedy), None
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    why = summary(reason) if isinstance(reason, Exception) else str(reason)
    problem = f"{with_proxy(server.url)} cannot be reached, or does not answer to the end: {why}"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return UnreachableError(problem, _certificate_remedy(reason)), None
    remedy = proxy_remedy(server.url, "start the server, and run the same command again")
    return UnreachableError(problem, remedy), 0.0


def _certificate_remedy(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in _MALFORMED:
        return (
            "make the certificate again, with the extensions of RFC 5280, which Python 3.13 asks for; an authority's: "
            "openssl req -x509 -addext keyUsage=critical,keyCertSign,cRLSign"
        )
    return "set SSL_CERT_FILE to a file with the certificate of its authority, or correct the name in the URL"


def _retry_after(error: urllib.error.HTTPError) -> float:
    with suppress(TypeError, ValueError):
        return min(max(0.0, float(error.headers.get("Retry-After", ""))), _MAX_WAIT_SECONDS)
    return 0.0


def _json(data: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        found = parse_json(data)
        return found if isinstance(found, dict) else {}
    return {}


def _message(content: bytes) -> str:
    """What the body of an error says: that of OpenAI, FastAPI, or a text."""
    found = _json(content)
    error = found.get("error", found.get("detail", found.get("message", "")))
    error = error.get("message", error) if isinstance(error, dict) else error
    text = str(error) if found else content.decode("utf-8", "replace")
    return " ".join(text.split())[:_MAX_MESSAGE]


def detected_rate(server: Server, voice: RemoteVoice) -> int:
    """The sample rate of a voice, which says a word: so the key, the model and the format are tried as well.

    Raises:
        UsageError: its format does not tell the rate.
        And as `speech`.
    """
    if server.format == "pcm" and not voice.rate_hz:
        raise UsageError("samples without a header (`format=pcm`) do not tell their rate", "set `rate`, often 24000")
    return speech(server, voice, "Hello.", 1.0).source_rate_hz
