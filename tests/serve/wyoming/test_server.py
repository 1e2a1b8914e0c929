"""Wyoming, spoken by the protocol's own client."""

import asyncio
import json
import socket
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.event import Event, Eventable
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeTextFormat,
    SynthesizeVoice,
)

from tests.bundled import BUNDLED
from tests.serve.conftest import SENTENCE, Running, Serve, copy_voice, eventually, fail_after
from tests.toys.family import added, voice_of
from voxmatrix.config import home
from voxmatrix.piper.files import source_path
from voxmatrix.serve.wyoming import server as wyoming_server
from voxmatrix.serve.wyoming.voices import info, language_code
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.voices.resolve import resolve

LONG = " ".join([SENTENCE] * 40)
Talk = Callable[[AsyncTcpClient], Coroutine[Any, Any, Any]]


@pytest.fixture
def server(serve: Serve) -> Running:
    return serve(wyoming_port=0)


def talk(server: Running, conversation: Talk) -> Any:
    """A conversation with the server."""

    async def connected() -> Any:
        async with AsyncTcpClient("127.0.0.1", server.wyoming_port, read_timeout=60) as client:
            return await conversation(client)

    return asyncio.run(connected())


def ask(server: Running, *said: Eventable) -> list[Event]:
    """All events that come back, until the last one of an answer or the end of the connection."""

    async def asking(client: AsyncTcpClient) -> list[Event]:
        for event in said:
            await client.write_event(event.event())
        last = SynthesizeStopped if SynthesizeStop in map(type, said) else AudioStop
        events = []
        while (event := await client.read_event()) is not None:
            events.append(event)
            if last.is_type(event.type):
                break
        return events

    return talk(server, asking)


def seconds_of(events: list[Event]) -> float:
    return sum(AudioChunk.from_event(event).seconds for event in events if AudioChunk.is_type(event.type))


def test_a_downloaded_voice_says_where_it_is_from(voice: Path) -> None:
    own = resolve(copy_voice(voice, home() / "voices" / "en_US-joe-medium.onnx"))
    source_path(own.path).write_text(json.dumps({"source": "https://hub.example/joe", "version": "0123abcd"}))
    (found,) = info({own.id: resolve(own.path)}).tts[0].voices
    assert (found.attribution.url, found.version, found.description) == ("https://hub.example/joe", "0123abcd", "Joe")
    source_path(own.path).write_text("{")
    (found,) = info({own.id: resolve(own.path)}).tts[0].voices
    assert (found.attribution.url, found.version) == ("", None)


def test_the_voices_are_described(serve: Serve, make_onnx: Any) -> None:
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "choir.onnx")

    async def describe(client: AsyncTcpClient) -> Info:
        await client.write_event(Describe().event())
        event = await client.read_event()
        assert event is not None
        return Info.from_event(event)

    (program,) = talk(serve(wyoming_port=0), describe).tts
    assert program.supports_synthesize_streaming
    voices = {voice.name: voice for voice in program.voices}
    assert list(voices) == ["random", "choir", *BUNDLED]
    assert voices["random"].languages == ["en_US"]
    assert [speaker.name for speaker in voices["choir"].speakers or []] == ["anna", "bo", "cleo"]


@pytest.mark.parametrize(("given", "code"), [("en-us", "en_US"), ("sv", "sv"), ("en-gb-x-rp", "en_GB"), ("cmn", "cmn")])
def test_languages_are_written_as_home_assistant_writes_them(given: str, code: str) -> None:
    assert language_code(given) == code


def test_a_text_is_spoken_at_the_rate_of_the_voice(server: Running) -> None:
    events = ask(server, Synthesize(text=f"{SENTENCE} {SENTENCE}"))
    assert AudioStart.from_event(events[0]) == AudioStart(rate=16000, width=2, channels=1)
    assert {event.type for event in events[1:-1]} == {"audio-chunk"}
    (facts,) = server.requests(1)
    assert seconds_of(events) == pytest.approx(facts["audio_seconds"], abs=0.01)
    assert (facts["method"], facts["status"], facts["voice"]) == ("WYOMING", 200, "random")
    assert "fox" not in str(server.lines)


def test_the_lexicon_of_the_server_is_used(serve: Serve, tmp_path: Path) -> None:
    with added():
        bells = voice_of(tmp_path / "bells.tones", noise=0.0)
        server = serve(voice=bells.path, wyoming_port=0, lexicon=Lexicon((("Bo", "Bodo Bodo"),)))
        said = [ask(server, Synthesize(text=text)) for text in ("It is Bo.", "It is Bodo Bodo.", "It is Ba.")]
    one, same, other = (sum(len(event.payload or b"") for event in events) for events in said)
    assert one == same != other


def test_a_smiley_is_a_moment_of_silence(server: Running) -> None:
    assert 0.1 < seconds_of(ask(server, Synthesize(text="🎉"))) < 1


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_home_assistant_finds_it_by_itself(serve: Serve, host: str) -> None:
    pytest.importorskip("zeroconf", reason="zeroconf is not installed")
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

    async def look() -> tuple[int, list[str]]:
        found: asyncio.Queue[str] = asyncio.Queue()
        async with AsyncZeroconf() as network:
            heard = lambda name, state_change, **_: found.put_nowait(name)  # noqa: E731
            browser = AsyncServiceBrowser(network.zeroconf, "_wyoming._tcp.local.", handlers=[heard])
            while True:
                info = AsyncServiceInfo("_wyoming._tcp.local.", await asyncio.wait_for(found.get(), 60))
                await info.async_request(network.zeroconf, 10_000)
                if info.name.startswith("voxmatrix-"):
                    await browser.async_cancel()
                    return info.port or 0, info.parsed_addresses()

    server = serve(wyoming_port=0, wyoming_host=host, zeroconf=True)
    port, addresses = asyncio.run(look())
    assert port == server.wyoming_port
    assert len(addresses) == 1 and addresses != ["0.0.0.0"]


def test_a_text_is_spoken_while_it_is_being_written(server: Running) -> None:
    async def writing(client: AsyncTcpClient) -> list[Event]:
        await client.write_event(SynthesizeStart(voice=SynthesizeVoice(name="random")).event())
        for word in f"{SENTENCE} {SENTENCE}".split():
            await client.write_event(SynthesizeChunk(text=f"{word} ").event())
        events = []
        while not events or not AudioChunk.is_type(events[-1].type):  # the first sentence, before the text has ended
            event = await client.read_event()
            assert event is not None
            events.append(event)
        await client.write_event(SynthesizeChunk(text="- - - \n\n").event())
        await client.write_event(Synthesize(text=SENTENCE).event())  # Home Assistant repeats it for older servers
        await client.write_event(SynthesizeStop().event())
        while not SynthesizeStopped.is_type(events[-1].type):
            event = await client.read_event()
            assert event is not None
            events.append(event)
        return events

    events = talk(server, writing)
    kinds = [event.type for event in events]
    assert kinds.count("audio-start") == kinds.count("audio-stop") == 1
    assert kinds[-2:] == ["audio-stop", "synthesize-stopped"]
    assert seconds_of(events) > 1
    server.requests(1)
    assert len([1 for event, _ in server.lines if event == "request"]) == 1


def test_a_stream_without_words_ends_without_audio(server: Running) -> None:
    events = ask(server, SynthesizeStart(), SynthesizeChunk(text="..."), SynthesizeStop())
    assert [event.type for event in events] == ["synthesize-stopped"]


def test_a_voice_is_chosen_by_its_name_or_its_language(serve: Serve, make_onnx: Any) -> None:
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "choir.onnx")
    server = serve(wyoming_port=0)
    wanted = [
        SynthesizeVoice(name="choir", speaker="bo"), SynthesizeVoice(language="en_US"), SynthesizeVoice(language="en"),
    ]  # fmt: skip
    for voice in wanted:
        assert AudioStop.is_type(ask(server, Synthesize(text="Hello.", voice=voice))[-1].type)
    assert [facts["voice"] for facts in server.requests(3)] == ["choir", "random", "random"]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ([Synthesize(text="x" * 5000)], "characters"),
        ([Synthesize(text=" ")], "empty"),
        ([Synthesize(text="你好")], "nothing to speak"),
        ([Synthesize(text=SENTENCE, voice=SynthesizeVoice(name="../random"))], "no such voice"),
        ([Synthesize(text=SENTENCE, voice=SynthesizeVoice(name="random", speaker="zoe"))], "no such speaker"),
        ([Synthesize(text=SENTENCE, voice=SynthesizeVoice(language="tlh"))], "language"),
        ([Synthesize(text=SENTENCE, text_format=SynthesizeTextFormat.SSML)], "SSML"),
        ([SynthesizeChunk(text=SENTENCE)], "synthesize-start"),
        ([SynthesizeStart(), SynthesizeStart()], "synthesize-stop"),
        ([SynthesizeStart(), *[SynthesizeChunk(text="word " * 500)] * 3], "characters"),
        ([Synthesize(text=["a"])], "not valid"),  # type: ignore[arg-type]
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_spoken_is_an_error_and_ends_the_connection(
    server: Running, said: list[Eventable], word: str
) -> None:
    *_, last = ask(server, *said)
    assert word in Error.from_event(last).text
    assert server.requests(1)[0]["status"] == 400


def test_a_failure_in_the_middle_ends_the_connection_without_the_end_of_the_audio(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(monkeypatch, 3)
    events = ask(server, Synthesize(text=LONG))
    assert AudioStart.is_type(events[0].type)
    assert Error.from_event(events[-1]).code == "internal_error"
    assert "device" not in Error.from_event(events[-1]).text
    server.requests(1)
    assert "RuntimeError: the device is gone" in str(server.lines)


def test_the_computation_ends_when_the_client_leaves(serve: Serve) -> None:
    server = serve(wyoming_port=0, max_input=100_000)

    async def leave(client: AsyncTcpClient) -> None:
        await client.write_event(Synthesize(text=" ".join([SENTENCE] * 1500)).event())
        assert await client.read_event() is not None

    talk(server, leave)
    (facts,) = server.requests(1)
    assert facts["ended_by"] == "client"
    assert facts["audio_seconds"] < 1000
    eventually(lambda: "voxmatrix_computing 0.0" in server.get("/metrics").text)


def test_several_texts_and_a_ping_in_one_connection(server: Running) -> None:
    async def several(client: AsyncTcpClient) -> None:
        for number in range(3):
            await client.write_event(Ping(text=str(number)).event())
            pong = await client.read_event()
            assert pong is not None and Pong.from_event(pong).text == str(number)
            await client.write_event(Synthesize(text="Hello.").event())
            while (event := await client.read_event()) is not None and not AudioStop.is_type(event.type):
                pass
            assert event is not None

    talk(server, several)


def answered(port: int, data: bytes) -> bytes:
    """What comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        received = b""
        try:
            connection.sendall(data)
            while block := connection.recv(65536):
                received += block
        except ConnectionError:
            pass  # closed while we were sending
        return received


@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",  # a browser
        b"[]\n",
        b"{}\n",
        b'{"type": "synthesize", "data": []}\n',
        b'{"type": "synthesize", "data_length": "x"}\n',
        b'{"type": "synthesize", "data_length": 1000000000000}\n' + b"x" * 1000,
        b'{"type": "audio-chunk", "payload_length": 1000000000000}\n' + b"x" * 1000,
        b'{"type": "' + b"x" * 2**20,
        b"[" * 60_000 + b"\n",
        b"\xff\xfe\n",
    ],
    ids=lambda data: repr(data[:45]),
)
def test_what_is_no_event_ends_the_connection(server: Running, data: bytes) -> None:
    received = answered(server.wyoming_port, data)
    assert not received or json.loads(received.splitlines()[0])["type"] == "error"
    assert ask(server, Synthesize(text="Hello."))[-1].type == "audio-stop"


def test_more_clients_than_it_holds_are_turned_away(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wyoming_server, "_MAX_CONNECTIONS", 2)
    address = ("127.0.0.1", server.wyoming_port)
    with socket.create_connection(address), socket.create_connection(address):
        assert answered(server.wyoming_port, b"") == b""

    def speaks() -> bool:
        try:
            return bool(ask(server, Synthesize(text="Hello.")))
        except ConnectionError:
            return False  # it has not noticed yet that they left

    eventually(speaks)


def test_a_quiet_client_is_taken_for_gone(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wyoming_server, "_QUIET_SECONDS", 0.1)
    assert answered(server.wyoming_port, b"") == b""


def test_stopping_ends_a_conversation(serve: Serve, tmp_path: Path) -> None:
    server = serve(wyoming_port=0, max_input=1_000_000)
    connection = socket.create_connection(("127.0.0.1", server.wyoming_port))
    data = json.dumps({"text": " ".join([SENTENCE] * 5000)}).encode()
    connection.sendall(json.dumps({"type": "synthesize", "data_length": len(data)}).encode() + b"\n" + data)
    assert connection.recv(100)
    connection.close()
    # The fixture stops the server, and fails unless its thread ends.


def test_a_voice_without_a_language_is_announced_with_that_of_the_server(voice: Path) -> None:
    silent, german = (replace(resolve(voice), id=name, languages=(tag,)) for name, tag in {"a": "", "b": "de"}.items())
    assert [each.languages for each in info({"a": silent, "b": german}).tts[0].voices] == [["de"], ["de"]]
    assert [each.languages for each in info({"a": silent}).tts[0].voices] == [["en"]]


@pytest.mark.parametrize("speaker", ["0", ""])
def test_the_speaker_that_a_client_has_kept_of_a_voice_of_one_speaker(serve: Serve, speaker: str) -> None:
    server = serve(wyoming_port=0)
    events = ask(server, Synthesize(text="Hello.", voice=SynthesizeVoice(name="random", speaker=speaker)))
    assert AudioStop.is_type(events[-1].type)


def test_pause_volume_and_quotations_of_the_server_hold_in_a_stream(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "other.onnx")
    server = serve(wyoming_port=0, sentence_pause=1.5, volume=0.0, dialogue_voice="other")
    events = ask(
        server, SynthesizeStart(), SynthesizeChunk(text="“One. "), SynthesizeChunk(text="Two.” "), SynthesizeStop()
    )
    sound = b"".join(AudioChunk.from_event(event).audio for event in events if AudioChunk.is_type(event.type))
    assert not any(sound) and len(sound) > 2 * 16000 * 1.5
    assert set(server.services.voices.names) == {"random_cpu", "other_cpu"}


def test_a_tag_in_a_stream_lasts_until_the_next_one(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "other.onnx")
    server = serve(wyoming_port=0)
    said = [SynthesizeChunk(text=text) for text in ("[voice:other] One. [pause:1s] ", "Two. ")]
    events = ask(server, SynthesizeStart(), *said, SynthesizeStop())
    assert seconds_of(events) > 1.0
    server.services.voices.unload(lambda card: card.id == "other")
    ask(server, SynthesizeStart(), SynthesizeChunk(text="One. "), SynthesizeStop())
    assert server.services.voices.names == ("random_cpu",)
