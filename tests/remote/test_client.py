"""What a server answers becomes the sentence, whatever form it has; what fails is asked again or said."""

import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.remote.conftest import RATE_HZ, Stub, chunked, encoded, events, saved, stubbed, tone, whole
from voxmatrix.errors import BadInputError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.models.style import Style
from voxmatrix.remote import client
from voxmatrix.remote.client import detected_rate
from voxmatrix.remote.servers import RemoteVoice, server_named
from voxmatrix.speak.wav import header, pcm
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve

TEXT = "Good morning to you."


def spoken(path: Path, text: str = TEXT, speed: float = 1.0) -> Any:
    utterance = open_voice(resolve(path)).say(SpokenText(text, text), Style(speed=speed), None)
    return np.concatenate([segment() for segment in utterance.segments])


def streamed(rate_hz: int = RATE_HZ) -> bytes:
    """A WAV file whose header does not know its length."""
    return header(rate_hz) + pcm(tone(TEXT, rate_hz))


@pytest.mark.parametrize(
    ("format", "answer"),
    [
        ("wav", whole(encoded(TEXT))),
        ("wav", chunked(encoded(TEXT))),
        ("wav", chunked(streamed())),
        ("wav", chunked(streamed()[:40] + bytes(4) + streamed()[44:])),
        ("wav", events(encoded(TEXT))),
        ("flac", whole(encoded(TEXT, "flac"), "audio/flac")),
        ("pcm", chunked(encoded(TEXT, "pcm"), "audio/pcm")),
        ("pcm", events(encoded(TEXT, "pcm"))),
    ],
)
def test_whole_chunked_and_sent_as_events_it_is_the_same_sound(format: str, answer: Any, stub: Stub) -> None:
    stub.queue = [answer]

    samples = spoken(saved(stub, format=format))

    assert len(samples) == len(tone(TEXT)) and np.abs(samples - tone(TEXT)).max() < 1e-3
    assert stub.bodies == [{"model": "tts-1", "input": TEXT, "voice": "alloy", "response_format": format}]


def test_a_file_of_another_rate_is_converted(stub: Stub) -> None:
    stub.queue = [whole(encoded(TEXT, rate_hz=16_000))]
    assert abs(len(spoken(saved(stub))) - len(tone(TEXT))) <= 2


def test_the_speed_is_sent_if_it_is_not_1(stub: Stub) -> None:
    spoken(saved(stub), speed=1.5)
    assert stub.bodies[0]["speed"] == 1.5


@pytest.mark.parametrize(
    "first",
    [
        whole(b'{"detail": "busy"}', "application/json", 503),
        whole(b"", "text/plain", 429, Retry_After="0.6"),
        whole(encoded(TEXT)[:-100], Content_Length=str(len(encoded(TEXT)))),
        whole(encoded(TEXT)[:-100]),  # its own header says that it is longer
        chunked(encoded(TEXT)[:-100], cut=True),
        events(encoded(TEXT), end=""),
        whole(b'data: {"type": "speech.audio.delta", "audio": "x"}\n\n', "text/event-stream"),
        lambda handler: None,
    ],
)
def test_a_busy_server_and_a_cut_answer_are_asked_again(first: Any, stub: Stub) -> None:
    stub.queue = [first]
    assert len(spoken(saved(stub, retry_seconds=2.0))) == len(tone(TEXT))
    assert len(stub.bodies) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (whole(b'{"detail": "busy"}', "application/json", 503), UnreachableError, "answers 503 .*: busy"),
        (whole(b"slow down", "text/plain", 429, Retry_After="99999"), UnreachableError, "429 .*: slow down"),
        (whole(b'{"error": {"message": "no voice x"}}', "application/json", 400), BadInputError, "400 .*: no voice x"),
        (whole(b"<html>Not here</html>", "text/html", 404), BadInputError, "404"),
        (whole(b'{"error": "no model"}', "application/json"), BadInputError, "does not answer with wav.*no model"),
        (whole(b""), BadInputError, "empty"),
        (whole(header(RATE_HZ, 0)), BadInputError, "no sound|unreadable|cannot be read"),
        (events(b"", end="speech.audio.error"), BadInputError, "reports"),
        (whole(encoded(TEXT)[:-100]), UnreachableError, "does not answer to the end"),
        (lambda handler: None, UnreachableError, "cannot be reached, or does not answer to the end"),
    ],
)
def test_what_remains_wrong_is_said(answer: Any, kind: type[VoxmatrixError], said: str, stub: Stub) -> None:
    stub.queue = [answer]
    with pytest.raises(kind, match=said) as error:
        spoken(saved(stub))
    assert error.value.remedy and len(stub.bodies) == 1


def test_a_server_that_is_silent_is_not_waited_for_for_ever(stub: Stub) -> None:
    heard = threading.Event()
    stub.queue = [lambda handler: heard.wait(20)]
    with pytest.raises(UnreachableError, match="timed out"):
        spoken(saved(stub, timeout_seconds=0.2))
    heard.set()


def test_a_sentence_that_nobody_wants_is_not_asked_for_again(stub: Stub) -> None:
    stub.queue = [whole(b"", "text/plain", 503)] * 9
    voice = open_voice(resolve(saved(stub, retry_seconds=60.0)))
    utterance = voice.say(SpokenText(TEXT, TEXT), Style(), None)
    threading.Timer(0.2, utterance.cancel).start()
    with pytest.raises(CancelledError):
        utterance.segments[0]()


@pytest.mark.parametrize(
    ("text", "sent"), [("Say [[h@l'oU]] now.", ["Say  now."]), ("[[h@l'oU]]", []), ("…", []), ("Hi.", ["Hi."])]
)
def test_phonemes_and_marks_alone_are_named_and_not_sent(text: str, sent: list[str], stub: Stub) -> None:
    utterance = open_voice(resolve(saved(stub))).say(SpokenText(text, text), Style(), None)
    for segment in utterance.segments:
        segment()
    assert [body["input"] for body in stub.bodies] == sent
    assert bool(utterance.findings) == (sent != [text])


def test_a_key_is_sent_and_never_shown(stub: Stub, tmp_path: Path) -> None:
    stub.key = "sk-a-secret"
    path = saved(stub)
    with pytest.raises(UnreachableError, match="it wants a key"):
        spoken(path)
    (tmp_path / "key").write_text("sk-a-secret\n")
    path = saved(stub, key_file=str(tmp_path / "key"))
    assert len(spoken(path)) and stub.keys[-1] == "Bearer sk-a-secret"
    digest = resolve(path).digest
    stub.queue = [whole(b'{"error": "wrong key: sk-a-secret"}', "application/json", 401)]
    with pytest.raises(UnreachableError, match="wrong key: …; it does not accept the key") as error:
        spoken(path)
    known = server_named("there")
    assert "sk-a-secret" not in f"{error.value}{error.value.remedy}{known}{path.read_text()}"
    assert resolve(saved(stub, key="sk-another")).digest == digest
    assert "sk-another" not in repr(server_named("there"))
    for wrong in ("\n", "sk-a-secret\nX-Header: 1", "ключ"):
        (tmp_path / "key").write_text(wrong)
        with pytest.raises(BadInputError, match="is no key") as refused:
            spoken(saved(stub, key_file=str(tmp_path / "key")))
        assert "secret" not in str(refused.value)


def test_a_redirection_does_not_carry_the_key_away(stub: Stub) -> None:
    with stubbed() as other:
        stub.queue = [whole(b"", "text/plain", 302, Location=f"{other.url}/audio/voices")]
        with pytest.raises(BadInputError):
            spoken(saved(stub, key="sk-a-secret"))
        assert stub.keys == ["Bearer sk-a-secret"] and other.keys in ([], [None])


def certificate(folder: Path, name: str, *options: str) -> Path:
    """A new certificate, signed by itself or with -CA, with its key."""
    made = folder / f"{name}.pem"
    files = ["-keyout", str(made), "-out", f"{made}.crt", "-days", "2", "-subj", f"/CN={name}"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *options], check=True)
    made.write_text(made.read_text() + Path(f"{made}.crt").read_text())
    return made


@pytest.fixture
def trust(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Set SSL_CERT_FILE as for a program that is started now: since Python 3.12, an opener reads it once."""

    def trust(authority: Path) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        client._opener.cache_clear()

    yield trust
    client._opener.cache_clear()


def test_a_certificate_has_to_be_trusted(tmp_path: Path, trust: Callable[[Path], None]) -> None:
    here = certificate(tmp_path, "here", "-addext", "subjectAltName=IP:127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(here)
    with stubbed(context) as state:
        path = saved(state, retry_seconds=60.0)
        with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED") as error:
            spoken(path)
        assert "SSL_CERT_FILE" in error.value.remedy
        trust(here)
        assert len(spoken(path))


@pytest.mark.parametrize("made", [(), ("-addext", "keyUsage=critical,keyCertSign,cRLSign")])
def test_an_authority_of_your_own_is_trusted_if_it_says_what_it_is(
    tmp_path: Path, trust: Callable[[Path], None], made: tuple[str, ...]
) -> None:
    authority = certificate(tmp_path, "authority", *made)
    signed = ["-CA", str(authority), "-CAkey", str(authority), "-addext", "basicConstraints=CA:FALSE"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, "here", *signed, "-addext", "subjectAltName=IP:127.0.0.1"))
    trust(authority)
    with stubbed(context) as state:
        path = saved(state)
        if made or sys.version_info < (3, 13):
            assert len(spoken(path))
        else:
            with pytest.raises(UnreachableError, match="key usage") as error:
                spoken(path)
            assert "keyUsage=critical,keyCertSign,cRLSign" in error.value.remedy


def test_the_rate_is_that_of_the_answer_and_samples_alone_need_one(stub: Stub) -> None:
    def made(rate_hz: int) -> RemoteVoice:
        return RemoteVoice(server="there", voice="alloy", model="tts-1", rate_hz=rate_hz, language="en-us")

    saved(stub)
    stub.queue = [whole(encoded(TEXT, rate_hz=22_050))]
    assert detected_rate(server_named("there"), made(0)) == 22_050
    saved(stub, format="pcm")
    with pytest.raises(UsageError, match="do not tell their rate"):
        detected_rate(server_named("there"), made(0))
    assert detected_rate(server_named("there"), made(16_000)) == 16_000
